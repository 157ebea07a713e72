"""A term of a user changes what every verb that solves makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.composition.schedules import Alternating
from gambol.fit.rig import fit
from gambol.spacetime.windows import make_physical
from tests.composition.scenes import PAIR

CUT = {"start": 0.75, "end": 1.9, "solve_fps": 15.0}


@dataclass(frozen=True)
class KeepHeadLevel:
    """Squared distance (m²) of the head from one height, integrated over time; the height is found."""

    weight: float
    times: list[Any] = field(default_factory=list, compare=False, repr=False)
    """Filled with the times of the frames of every space."""

    def add(self, space: gb.Space) -> None:
        count = len(space)
        level, deviation = space.problem.add_variables([1.6]), space.problem.add_variables(np.zeros(count))
        heights = space.problem.add_constraints("level of the head", np.zeros(count))
        space.add_point(heights, np.arange(count), "head", np.zeros(3), np.array([0.0, 0.0, 1.0]))
        space.problem.add_linear(heights, np.repeat(level, count), -1.0)
        space.problem.add_linear(heights, deviation, -1.0)
        space.problem.add_squares("level head", deviation[:, None], weight=self.weight * space.frame_times)
        self.times.append(space.times)


def _spread(motion: gb.Motion) -> float:
    """Return by how much the head leaves its mean height (m)."""
    assert motion.rig is not None
    return float(np.std(motion.placement.positions[:, motion.rig.parts["head"], 2]))


@cache
def learn_walk() -> Any:
    """Return the start of learning the style of a part of the built-in walk."""
    return gb.learn_style("walk", start=1.0, end=2.0, steps=0).model


@cache
def compose_pair() -> list[gb.Motion]:
    """Return what two people make without a term."""
    return gb.compose(PAIR, schedule=Alternating(cycles=1)).motions


VERBS: dict[str, Callable[[Sequence[gb.Term]], gb.Motion]] = {
    "fix": lambda terms: gb.fix(gb.load("walk")[:60:2], terms=terms).motion,
    "edit": lambda terms: gb.edit("jump", changes=[{"stage": "ground 2", "forward": 0.1}], terms=terms, **CUT).motion,
    "sketch": lambda terms: gb.sketch("broad_jump", fps=10.0, terms=terms).motion,
    "compose": lambda terms: (
        gb.compose(PAIR, schedule=Alternating(cycles=1), terms=terms).motions if terms else compose_pair()
    )[0],
    "style": lambda terms: gb.apply_style(learn_walk(), terms=terms).motion,
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_term_changes_what_a_verb_makes(verb: str) -> None:
    term = KeepHeadLevel(weight=1e4)
    plain, level = VERBS[verb](()), VERBS[verb]([term])
    assert level.frame_time == plain.frame_time
    assert _spread(level) < 0.7 * _spread(plain)
    assert all(times[0] == 0.0 and np.all(np.diff(times) > 0.0) for times in term.times)


def test_terms_of_one_person_leave_the_other_alone() -> None:
    terms = {"anna": [KeepHeadLevel(weight=1e4)]}
    plain, level = compose_pair(), gb.compose(PAIR, schedule=Alternating(cycles=1), terms=terms).motions
    spreads = [[_spread(motion) for motion in motions] for motions in (plain, level)]
    assert spreads[1][0] < 0.7 * spreads[0][0]
    assert spreads[1][1] == pytest.approx(spreads[0][1], rel=0.1)


def test_windows_of_a_long_clip_know_their_times() -> None:
    walk = gb.load("walk")[:110]
    fitted = fit(gb.Character.from_motion(walk), walk)
    term = KeepHeadLevel(weight=1e4)
    found = make_physical(fitted, window=48, terms=[term])
    begins = [window.first * found.every * fitted.motion.frame_time for window in found.windows]
    assert [times[0] for times in term.times] == pytest.approx(begins)
    assert len(begins) > 1


def test_what_is_no_term_is_refused() -> None:
    for call in (
        lambda: gb.fix("walk", terms=["level"]),
        lambda: gb.edit("jump", "backward", terms=[3]),
        lambda: gb.sketch("broad_jump", terms=[None]),
        lambda: gb.compose(PAIR, terms=[gb.Space]),
    ):
        with pytest.raises(gb.InputError, match=r"is not a term; give objects with a function add\(space\)"):
            call()
    with pytest.raises(gb.InputError, match="nobody is called 'carl'; one of anna, ben"):
        gb.compose(PAIR, terms={"carl": [KeepHeadLevel(1.0)]})

"""Stances of a source that a motion does not keep are found, if both last as long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.judge.judgement import judge
from gambol.judge.kept import LOST_STANCE, compare_stances
from gambol.judge.seen import SeenPerson, see_person

STANCE = (0.80, 1.05)
"""Seconds in which the right foot alone carries the built-in walk."""


def swing(seen: SeenPerson, height: float, length: float) -> SeenPerson:
    """Return a person whose right foot goes up and ahead, and back, instead of its stance."""
    t = np.arange(len(seen)) * seen.frame_time
    share = np.clip((t - STANCE[0]) / (STANCE[1] - STANCE[0]), 0.0, 1.0)
    way = np.outer(np.sin(np.pi * share) ** 2, [length, 0.0, height])
    return replace(
        seen,
        places={**seen.places, "right_foot": seen.places["right_foot"] + way},
        soles={**seen.soles, "right": seen.soles["right"] + way[:, None]},
    )


@pytest.mark.parametrize("name", ["walk", "run", "jump", "stand"])
def test_a_clip_keeps_its_own_stances_at_any_frame_rate(name: str) -> None:
    motion = load(name)
    seen = see_person(motion)
    for every in (1, 2, 4):
        assert compare_stances(see_person(motion[::every]), seen) == []
        assert compare_stances(seen, see_person(motion[::every])) == []
    assert judge(motion, original=motion).findings == ()


def test_a_stance_that_swings_or_floats_is_lost_and_one_that_slides_is_kept() -> None:
    seen = see_person(load("walk"))
    for height, length in ((0.1, 0.0), (0.1, 0.4)):
        (one,) = compare_stances(swing(seen, height, length), seen)
        assert (one.kind, one.part) == (LOST_STANCE, "right_foot")
        assert one.severity > 1.0
        assert STANCE[0] - 0.05 <= one.start < one.end <= STANCE[1] + 0.05
    assert compare_stances(swing(seen, 0.0, 0.05), seen) == []


def test_motions_of_other_durations_are_not_compared() -> None:
    motion = load("walk")
    lost = swing(see_person(motion), 0.1, 0.0)
    assert compare_stances(lost, see_person(motion[: len(motion) - 10])) == []

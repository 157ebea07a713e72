"""Stances of a source that a motion does not keep are found, if both last as long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.judge.judgement import Judgement, judge
from gambol.judge.kept import LOST_STANCE, compare_stances, sort_stances
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


def test_the_stances_of_a_source_are_counted_as_kept_or_lost() -> None:
    seen = see_person(load("walk"))
    whole = sort_stances(seen, seen)
    assert whole is not None
    assert (len(whole.kept), len(whole.lost)) == (9, 0)
    swung = sort_stances(swing(seen, 0.1, 0.4), seen)
    assert swung is not None
    (lost,) = swung.lost
    assert len(swung.kept) == 8
    assert lost.side == "right"
    assert lost.start < STANCE[0] < STANCE[1] < lost.end
    assert sort_stances(see_person(load("walk")[:-10]), seen) is None


def test_a_judgement_says_in_a_line_how_feet_stand() -> None:
    walk = load("walk")
    alone, beside = judge(walk), judge(walk[::2], original=walk)
    assert alone.summary[0].startswith("stances: 9, slides at most 1.")
    assert alone.summary[0].endswith(" m/s")
    assert beside.summary[0].endswith("; 9 of 9 kept")
    facts = beside.facts()
    assert facts["original_stances"] == {"kept": 9, "lost": []}
    assert {"side", "start", "end", "slide_cm", "speed_m_s"} == facts["stances"][0].keys()
    assert Judgement(judged=False).summary == ()


def test_motions_of_other_durations_are_not_compared() -> None:
    motion = load("walk")
    lost = swing(see_person(motion), 0.1, 0.0)
    assert compare_stances(lost, see_person(motion[: len(motion) - 10])) == []

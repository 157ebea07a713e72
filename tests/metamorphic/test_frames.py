"""Answers go along with a clip that is moved, turned and renamed, and mirror with it."""

from __future__ import annotations

from functools import cache

import pytest

from gambol.io import samples
from tests.metamorphic import verbs
from tests.metamorphic.changes import SAME, Change

WALK = samples.walk()[40:170:2]
FAR = Change("moved, turned and renamed", degrees=211.0, shift=(3000.0, -4.0, 0.0), renamed=True)


@cache
def answer(verb: str) -> verbs.Answer:
    return getattr(verbs, verb)(WALK, SAME)  # type: ignore[no-any-return]


@pytest.mark.parametrize("verb", ["loop", "join", "retarget", "retarget_onto", "crowd", "check", "push", "fix"])
def test_the_world_does_not_matter(verb: str) -> None:
    found = getattr(verbs, verb)(WALK, FAR)
    assert verbs.measure_change(answer(verb), found, FAR, WALK.frame_time) < 1e-6


@pytest.mark.parametrize("verb", ["loop", "join"])
def test_left_and_right_do_not_matter(verb: str) -> None:
    mirrored = Change("mirrored", mirrored=True)
    found = getattr(verbs, verb)(WALK, mirrored)
    assert verbs.measure_change(answer(verb), found, mirrored, WALK.frame_time) < 1e-6


def test_an_answer_that_depends_on_the_world_is_found() -> None:
    """The changes themselves are seen where they are not undone."""
    clip = SAME.undo(WALK)
    for change in (FAR, Change("mirrored", mirrored=True)):
        assert verbs.measure_change(clip, change.undo(change.apply(WALK)), change, WALK.frame_time) < 1e-9
        plain = {change.part(name.partition(" ")[2] or name): v for name, v in SAME.undo(change.apply(WALK)).items()}
        assert verbs.measure_change(clip, plain, SAME, WALK.frame_time) > 0.1

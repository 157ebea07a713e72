"""Answers go along with a clip that is moved, turned, renamed and mirrored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import remove_artefacts
from gambol.spacetime.recovery.recover import recover
from gambol_evidence.reproduce.fix import damages
from tests.metamorphic import verbs
from tests.metamorphic.changes import SAME, Change


def lengthen_left_leg(motion: Motion) -> Motion:
    """Return a motion of somebody whose legs differ: what is measured on one of them is seen in mirror images."""
    offsets = motion.skeleton.offsets.copy()
    offsets[motion.skeleton.index("LeftFoot")] *= 1.02
    return replace(motion, skeleton=replace(motion.skeleton, offsets=offsets))


WALK = lengthen_left_leg(samples.walk()[40:170:2])
CLIPS = {"edit": samples.jump()[44:116:4], "fix": WALK[:26]}
FAR = Change("moved, turned and renamed", degrees=211.0, shift=(3000.0, -4.0, 0.0), renamed=True)
MIRRORED = replace(FAR, mirrored=True)


@pytest.mark.parametrize(
    ("verb", "change"),
    [
        *((verb, FAR) for verb in ("crowd", "primitives", "check")),
        *((verb, MIRRORED) for verb in ("loop", "join", "retarget", "retarget_onto", "check", "push", "fix", "edit")),
    ],
)
def test_the_world_does_not_matter(verb: str, change: Change) -> None:
    clip, ask = CLIPS.get(verb, WALK), getattr(verbs, verb)
    bar = 1e-5 if (verb, change) == ("check", MIRRORED) else 1e-6  # forces are solved to 1e-6 of the body weight
    assert verbs.measure_change(ask(clip, SAME), ask(clip, change), change, clip.frame_time) < bar


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "frames"), [("push_replan", 181), ("fix", 61)])
def test_the_world_does_not_matter_to_a_recording(
    data: Path, monkeypatch: pytest.MonkeyPatch, verb: str, frames: int
) -> None:
    """A part of a walk at the 120 frames per second of its file; steps keep their times, few frames are solved."""
    monkeypatch.setattr("gambol.respond.whole_body.HORIZON", 1.5)
    monkeypatch.setattr("gambol.respond.whole_body.recover", partial(recover, fps=15.0, horizon=1.5, timing=False))
    clip, ask = load(data / "cmu_bvh" / "walk" / "12_01.bvh")[120 : 120 + frames], getattr(verbs, verb)
    change = Change("elsewhere", degrees=90.0, shift=(5000.0, -4.0, 0.0), mirrored=True)
    assert verbs.measure_change(ask(clip, SAME), ask(clip, change), change, clip.frame_time) < 1e-6


@pytest.mark.parametrize(
    "damage", [damages.swap_legs, damages.pop_limbs, damages.put_arm_inside, damages.show_unevenly]
)
def test_the_world_does_not_matter_to_what_trackers_get_wrong(damage: Callable[..., Motion]) -> None:
    damaged = damage(lengthen_left_leg(samples.walk())[:200], np.random.default_rng(4))
    mended = SAME.undo(remove_artefacts(damaged).motion)
    assert verbs.measure_change(mended, SAME.undo(damaged), SAME, damaged.frame_time) > 5e-3
    for change in (FAR, MIRRORED):
        other = change.undo(remove_artefacts(change.apply(damaged)).motion)
        assert verbs.measure_change(mended, other, change, damaged.frame_time) < 1e-6


def test_an_answer_that_depends_on_the_world_is_found() -> None:
    """The changes themselves are seen where they are not undone."""
    clip = SAME.undo(WALK)
    for change in (FAR, MIRRORED):
        assert verbs.measure_change(clip, change.undo(change.apply(WALK)), change, WALK.frame_time) < 1e-9
        plain = {change.part(name.partition(" ")[2] or name): v for name, v in SAME.undo(change.apply(WALK)).items()}
        assert verbs.measure_change(clip, plain, SAME, WALK.frame_time) > 0.1

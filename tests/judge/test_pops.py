"""Parts that jump for a frame, and frames that are missing, are seen when and where they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.judge.finding import Finding
from gambol.judge.pops import HARD_LANDING, MISSING_FRAME, find_pops
from gambol.judge.seen import see_person
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge.damages import lose_frame, pop_limb
from tests.judge.test_stances import BUILT_IN, clip


def found(motion: Motion) -> list[Finding]:
    return [one for one in find_pops(see_person(motion)) if one.severity > 1.0]


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_jumps_in_sound_clips(name: str, every: int) -> None:
    assert found(clip(name)[::every]) == []


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_limb_that_jumps_by_5_cm_for_a_frame_is_seen(seed: int, every: int) -> None:
    damaged = pop_limb(clip("walk")[::every], np.random.default_rng(seed))
    assert damaged is not None
    (seen,) = {one.limbs for one in found(damaged.motion)}
    assert seen == damaged.limbs
    assert all(abs(one.start - damaged.start) < 0.1 for one in found(damaged.motion))
    (mirrored,) = {one.limbs for one in found(reflect_motion(damaged.motion))}
    assert mirrored != seen


@pytest.mark.parametrize("seed", range(4))
def test_a_missing_frame_is_seen_as_one(seed: int) -> None:
    damaged = lose_frame(clip("run"), np.random.default_rng(seed))
    assert damaged is not None
    (one,) = found(damaged.motion)
    assert one.kind is MISSING_FRAME
    assert one.value == pytest.approx(1.0, abs=0.4)
    assert one.start == pytest.approx(damaged.start, abs=0.05)


def test_a_repeated_frame_is_seen_too() -> None:
    run = clip("run")
    (one,) = found(replace(run, q=np.insert(run.q, 80, run.q[80], axis=0)))
    assert one.kind is MISSING_FRAME


def test_a_jump_of_the_whole_body_is_one_finding() -> None:
    walk = clip("walk")
    q, sliding = (
        walk.q.copy(),
        [n for n, dof in enumerate(walk.skeleton.dofs) if dof.joint == 0 and dof.kind == "slide"],
    )
    q[120, sliding] += 0.06
    (one,) = found(replace(walk, q=q))
    assert one.part == "body"
    assert one.start == pytest.approx(120 * walk.frame_time, abs=0.06)


def test_a_foot_that_stops_dead_is_a_hard_landing() -> None:
    """A body falls at 8 m/s and stands still from one frame to the next."""
    stand = clip("stand")
    height = np.maximum(0.0, (60 - np.arange(len(stand))) * 8.0 * stand.frame_time)
    q = stand.q.copy()
    for column, dof in enumerate(stand.skeleton.dofs):
        if dof.joint == 0 and dof.kind == "slide":
            q[:, column] += height * dof.axis[2]
    kinds = {one.kind.name: one for one in found(replace(stand, q=q))}
    assert HARD_LANDING.name in kinds
    assert kinds[HARD_LANDING.name].start == pytest.approx(60 * stand.frame_time, abs=0.05)

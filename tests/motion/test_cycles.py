"""Cycles are found, closed and repeated without a seam."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.motion.cycles import (
    Cycles,
    choose_cycle,
    close_cycle,
    continue_cycle,
    find_cycle,
    repeat_cycle,
    select_cycle,
    weigh_cycles,
)
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton


@pytest.mark.parametrize(("name", "frames"), [("walk", 64), ("run", 42)])
def test_the_period_of_a_made_walk_is_found_exactly(name: str, frames: int) -> None:
    cycle = find_cycle(samples.by_name(name))
    assert cycle.stop - cycle.start == frames


@pytest.mark.parametrize(("name", "frames"), [("walk", 64), ("run", 42)])
def test_a_clip_that_is_one_cycle_keeps_all_its_frames(name: str, frames: int) -> None:
    once = samples.by_name(name)[: frames + 1]
    assert find_cycle(once) == slice(0, frames)
    assert len(repeat_cycle(close_cycle(once, find_cycle(once)), 2)) == 2 * frames


@pytest.mark.parametrize(("name", "frames"), [("walk", 64), ("run", 42)])
def test_velocities_at_the_ends_of_one_cycle_do_not_open_it(name: str, frames: int) -> None:
    """There they are differences to one side, which in a clip that repeats would be differences to both."""
    once = samples.by_name(name)[: frames + 1]
    assert weigh_cycles(once).whole == pytest.approx(0.0, abs=1e-9)


def test_lengths_that_are_tried_do_not_grow_with_the_frame_rate() -> None:
    """At 960 frames per second the same cycle is found, with every fourth length."""
    walk = samples.walk()[:90]
    times = np.arange(0.0, walk.duration, 1.0 / 960.0)
    q = np.stack([np.interp(times, walk.times, curve) for curve in walk.q.T], axis=1)
    fast = replace(walk, q=q, frame_time=1.0 / 960.0)
    cycle = find_cycle(fast)
    assert cycle.stop - cycle.start == pytest.approx(16 * 64, abs=4)
    assert len(weigh_cycles(fast).weights) <= 2 + 240 * (walk.duration - 0.4)


def seam(motion, period: int) -> float:
    """How much faster joints move over the seams than they ever do inside a cycle."""
    steps = np.linalg.norm(np.diff(motion.placement.positions, axis=0), axis=2).max(axis=1)
    at = np.zeros(len(steps), dtype=bool)
    at[period - 1 :: period] = True
    return float(steps[at].max() / steps[~at].max())


@pytest.mark.parametrize("clip", ["walk/07_01", "walk/35_01", "walk/16_16", "run/09_01", "styled_walk/120_13"])
def test_recorded_cycles_repeat_without_a_seam(data: Path, clip: str) -> None:
    motion = load(data / "cmu_bvh" / f"{clip}.bvh")
    cycle = find_cycle(motion)
    period = cycle.stop - cycle.start
    assert 0.4 < period * motion.frame_time < 3.0
    looped = repeat_cycle(close_cycle(motion, cycle), 4)
    assert len(looped) == 4 * period
    assert seam(looped, period) < 1.2
    own = np.linalg.norm(motion.placement.positions[cycle.stop, 0, :2] - motion.placement.positions[cycle.start, 0, :2])
    way = np.linalg.norm(looped.placement.positions[period, 0, :2] - looped.placement.positions[0, 0, :2])
    assert way == pytest.approx(own, abs=0.06)


def test_in_place_stays_in_place() -> None:
    walk = samples.walk()
    looped = repeat_cycle(close_cycle(walk, find_cycle(walk), in_place=True), 5)
    assert np.ptp(looped.placement.positions[:, 0, :2], axis=0).max() < 0.1
    assert seam(looped, 64) < 1.2


def test_clips_without_a_cycle_raise_errors(data: Path) -> None:
    with pytest.raises(InputError, match="too short"):
        find_cycle(samples.walk()[:15])
    with pytest.raises(InputError, match="never returns"):
        find_cycle(samples.jump()[:100])
    with pytest.raises(InputError, match="1 or more"):
        repeat_cycle(samples.walk(), 0)


def test_where_a_clip_stands_does_not_change_its_cycle() -> None:
    """Made walks have many cycles that are equal but for the last digits; a loop of one has longer ones, too."""
    walk = samples.walk()
    looped = repeat_cycle(close_cycle(walk, find_cycle(walk)), 5)
    for clip in (walk, looped):
        found = find_cycle(clip)
        assert found.stop - found.start == 64
        for far in (0.1, 10.0, -300.0, 1e4):
            for column in (0, 1):
                q = clip.q.copy()
                q[:, clip.skeleton.columns(0, "slide")[column]] += far
                assert find_cycle(replace(clip, q=q)) == found


def test_cycles_share_their_weight_among_their_frames() -> None:
    cycles = Cycles(9, {4: np.array([1.0, 0.0, 0.5, 0.0, 0.0]), 6: np.array([0.0, 0.25, 0.0])}, 0.1)
    wanted, total = np.full(9, 0.1 / 9), 1.0 + 0.5 + 0.25 + 0.1
    for start, length, weight in ((0, 4, 1.0), (2, 4, 0.5), (1, 6, 0.25)):
        wanted[start : start + length] += weight / length
    np.testing.assert_allclose(cycles.coverage, wanted / total)
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 10.0])
    assert cycles.mean_maximum(values) == pytest.approx((4.0 + 0.5 * 9.0 + 0.25 * 9.0 + 0.1 * 10.0) / total)
    alone = select_cycle(9, slice(3, 7))
    np.testing.assert_allclose(alone.coverage, [0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0])
    assert alone.mean_maximum(values) == 9.0


def test_all_cycles_of_a_walk_count_and_each_phase_alike() -> None:
    walk = samples.walk()
    found = weigh_cycles(walk)
    assert found.whole < 1e-6
    assert np.argmax([weights.mean() for weights in found.weights.values()]) + min(found.weights) in (63, 64, 65)
    covered = found.coverage
    assert covered.sum() == pytest.approx(1.0)
    assert (covered[:-1] > 0.0).all()
    for frames in (100, len(walk)):
        phases = np.bincount(np.arange(frames) % 64, weigh_cycles(walk[:frames]).coverage)
        np.testing.assert_allclose(phases, 1 / 64, rtol=0.1)


def test_a_clip_without_cycles_counts_as_a_whole(data: Path) -> None:
    for clip in (samples.walk()[:15], samples.jump()[:100]):
        assert weigh_cycles(clip).whole == 1.0
        np.testing.assert_allclose(weigh_cycles(clip).coverage, 1 / len(clip))
    recorded = weigh_cycles(load(data / "cmu_bvh" / "walk" / "07_01.bvh"))
    assert 0.0 < recorded.whole < 0.5


def test_weights_follow_the_clip_without_jumps(data: Path) -> None:
    """A tenth of a change of the clip is a tenth of a change of the weights, whichever cycle is the best."""
    for clip in (samples.walk(), load(data / "cmu_bvh" / "walk" / "07_01.bvh")[::2]):
        rng = np.random.default_rng(1)
        change = np.sin(0.2 * np.arange(len(clip))[:, None] + rng.uniform(0.0, 6.0, clip.q.shape[1]))
        here, *there = (
            weigh_cycles(replace(clip, q=clip.q + size * change)).coverage for size in (0.0, 1e-6, 1e-7, 1e-8)
        )
        moved = [np.abs(found - here).sum() for found in there]
        assert moved[0] < 1e-3
        assert moved[1] == pytest.approx(0.1 * moved[0], rel=0.1)
        assert moved[2] == pytest.approx(0.01 * moved[0], rel=0.1)


def test_a_cycle_is_chosen_by_its_times() -> None:
    walk = samples.walk()
    assert choose_cycle(walk, 0.5, 1.6) == slice(30, 96)
    assert choose_cycle(walk, 0.0, walk.duration) == slice(0, len(walk) - 1)
    for start, end in ((-0.1, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0, walk.duration + 0.1), (0.0, float("inf"))):
        with pytest.raises(InputError, match="no cycle from"):
            choose_cycle(walk, start, end)
    with pytest.raises(InputError, match="has 3 frames"):
        choose_cycle(walk, 1.0, 1.05)


def test_a_continued_cycle_is_smooth_and_travels_on() -> None:
    """The appended frames go on as the clip would, and repeat with the period of its cycle."""
    clip = samples.walk()
    short = clip[:104]
    # A cycle that does not quite close: the gap must not become a jump.
    short = replace(short, q=short.q + np.outer(short.times, np.where(np.arange(short.q.shape[1]) > 5, 0.1, 0.0)))
    cycle = find_cycle(short)
    length = cycle.stop - cycle.start
    found = continue_cycle(short, 2 * length + 7)
    assert len(found) == len(short) + 2 * length + 7
    np.testing.assert_array_equal(found.q[: len(short)], short.q)
    steps = np.abs(np.diff(found.q, axis=0))
    assert (steps[len(short) - 1 :].max(axis=0) <= 1.2 * steps[: len(short) - 1].max(axis=0) + 1e-3).all()
    np.testing.assert_allclose(found.q[-1] - found.q[-1 - length], found.q[-8] - found.q[-8 - length], atol=1e-9)
    ahead = found.placement.positions[-1, 0, 0] - found.placement.positions[-1 - length, 0, 0]
    assert ahead == pytest.approx(clip.placement.positions[length, 0, 0] - clip.placement.positions[0, 0, 0], rel=0.05)


def under_a_root(walk: Motion, moving: bool, turned: bool = False) -> Motion:
    """The walk with its pelvis below a root at the origin; the root stays, or takes over the travel (`moving`)."""
    skeleton, axes = walk.skeleton, np.eye(3)
    # A root as of an armature: a quarter turn about x, which the pelvis turns back.
    quarter = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    rests = np.vstack((quarter if turned else quat.IDENTITY, skeleton.rests))
    offsets = np.vstack((np.zeros(3), skeleton.offsets))
    slides = [c for c, d in enumerate(skeleton.dofs) if d.joint == 0 and d.kind == "slide"]
    dofs = [replace(d, joint=d.joint + 1) for d in skeleton.dofs]
    if turned:
        back = quat.conjugate(quarter)
        rests[1] = quat.multiply(back, rests[1])
        offsets[1] = quat.rotate(back, offsets[1])
        for c in slides:
            dofs[c] = replace(dofs[c], axis=tuple(map(float, quat.rotate(back, np.array(dofs[c].axis)))))
    root = [Dof(0, "slide", tuple(map(float, axis))) for axis in axes]
    own = np.zeros((len(walk), 3))
    q = walk.q.copy()
    if moving:
        own = np.linspace(0.0, 1.0, len(walk))[:, None] * (walk.q[-1, slides] - walk.q[0, slides]) * [1.0, 1.0, 0.0]
        q[:, slides] -= own
    parents = (-1, *(parent + 1 for parent in skeleton.parents))
    ends = frozenset(end + 1 for end in skeleton.ends)
    made = Skeleton(("armature", *skeleton.names), parents, offsets, (*root, *dofs), rests, ends)
    rig = replace(walk.rig, parts={part: joint + 1 for part, joint in walk.rig.parts.items()})
    return replace(walk, skeleton=made, q=np.hstack((own, q)), rig=rig)


@pytest.mark.parametrize(("moving", "turned"), [(False, False), (True, False), (False, True)])
def test_the_pelvis_travels_whatever_is_above_it(moving: bool, turned: bool) -> None:
    walk = samples.walk()
    other = under_a_root(walk, moving, turned)
    np.testing.assert_allclose(other.placement.positions[:, 1:], walk.placement.positions, atol=1e-9)
    cycle = find_cycle(walk)
    assert find_cycle(other) == cycle
    expected = repeat_cycle(close_cycle(walk, cycle), 3).placement.positions
    found = repeat_cycle(close_cycle(other, cycle), 3).placement.positions[:, 1:]
    np.testing.assert_allclose(found, expected, atol=0.02 if moving else 1e-9)


def test_the_mover_of_an_unknown_rig_is_where_it_branches() -> None:
    names = ("root", "base", "hip", "tail", "neck", "IK_target")
    skeleton = Skeleton(names, (-1, 0, 1, 2, 2, 0), np.ones((6, 3)), (Dof(2, "slide", (1.0, 0.0, 0.0)),))
    assert Motion(skeleton, np.zeros((2, 1)), 0.1).mover == 2

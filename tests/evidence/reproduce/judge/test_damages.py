"""The damages of `gambol reproduce judge` do what they say, where they say, and nothing elsewhere."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge import damages
from gambol_evidence.reproduce.judge.damages import Damaged
from gambol_evidence.reproduce.judge.trials import TRIALS

SEEDS = range(4)
SIDES = ("left", "right")


@cache
def walk() -> Motion:
    return samples.walk()


def place(motion: Motion, part: str) -> Array:
    return motion.placement.positions[:, motion.rig.parts[part]]


def apply(name: str, seed: int, motion: Motion | None = None) -> Damaged:
    damaged = TRIALS[name].damage(motion or walk(), np.random.default_rng(seed))
    assert damaged is not None
    return damaged


def find_frames(damaged: Damaged) -> slice:
    step = damaged.motion.frame_time
    return slice(round(damaged.start / step), round(damaged.end / step) + 1)


def find_changed(damaged: Damaged, motion: Motion) -> Array:
    """Frames (first and last) in which any joint is elsewhere than before."""
    apart = np.abs(damaged.motion.placement.positions - motion.placement.positions).max(axis=(1, 2))
    return np.flatnonzero(apart > 1e-6)[[0, -1]]


def measure_shift(damaged: Damaged, part: str) -> Array:
    return place(damaged.motion, part) - place(walk(), part)


def pick_legs(damaged: Damaged) -> list[str]:
    sides = [side for side in SIDES if f"{side}_leg" in damaged.limbs]
    assert sides
    return sides


@pytest.mark.parametrize("name", TRIALS)
def test_a_damage_changes_the_clip_and_is_the_same_for_a_seed(name: str) -> None:
    clip = {"shuffle": samples.stand, "spin": samples.stand, "hurry": samples.run}.get(name, walk)()
    one, other = apply(name, 1, clip), apply(name, 1, clip)
    np.testing.assert_array_equal(one.motion.q, other.motion.q)
    assert one[1:] == other[1:]
    assert 0.0 <= one.start <= one.end <= one.motion.duration + 1e-9
    changed = one.motion.q.shape != clip.q.shape or not np.allclose(one.motion.q, clip.q, atol=1e-3)
    assert changed == (name != "slow")


@pytest.mark.parametrize(("name", "seconds"), [("slide", 0.3), ("slide-fast", 0.15)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_foot_that_stood_slides_by_four_centimetres(name: str, seconds: float, seed: int) -> None:
    damaged = apply(name, seed)
    frames = find_frames(damaged)
    assert damaged.end - damaged.start == pytest.approx(seconds, abs=walk().frame_time)
    for side in pick_legs(damaged):
        before = np.ptp(place(walk(), f"{side}_toes")[frames], axis=0)[:2]
        assert np.linalg.norm(before) < 0.06, "the foot of the clip stands"
        shift = measure_shift(damaged, f"{side}_toes")
        np.testing.assert_allclose(shift[: frames.start + 1], 0.0, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(shift[frames.stop - 1 :, :2], axis=1), 0.04, atol=1e-6)
        np.testing.assert_allclose(shift[:, 2], 0.0, atol=1e-6)


@pytest.mark.parametrize(("name", "height"), [("float", 0.04), ("sink", -0.04)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_stance_is_above_or_below_the_floor_and_the_next_is_not(name: str, height: float, seed: int) -> None:
    damaged = apply(name, seed)
    frames = find_frames(damaged)
    for side in pick_legs(damaged):
        shift = measure_shift(damaged, f"{side}_toes")
        np.testing.assert_allclose(shift[frames] - [0.0, 0.0, height], 0.0, atol=1e-6)
        level = place(walk(), f"{side}_toes")[:, 2]
        assert np.median(level[frames]) < level.min() + 0.03
    reach = round(0.15 / walk().frame_time)
    first, last = find_changed(damaged, walk())
    assert first >= max(frames.start - reach, 0)
    assert last <= frames.stop - 1 + reach


def test_a_clip_above_the_floor_is_moved_as_a_whole() -> None:
    apart = apply("float-clip", 0).motion.placement.positions - walk().placement.positions
    np.testing.assert_allclose(apart - [0.0, 0.0, 0.04], 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_a_hand_or_foot_is_five_centimetres_away_in_one_frame(seed: int) -> None:
    damaged = apply("pop-60", seed)
    (limb,) = damaged.limbs
    end = limb.replace("arm", "hand").replace("leg", "foot")
    apart = np.linalg.norm(measure_shift(damaged, end), axis=1)
    frame = find_frames(damaged).start
    assert apart[frame] == pytest.approx(0.05, abs=1e-6)
    assert np.delete(apart, frame).max() < 1e-6
    others = {f"{side}_{part}" for side in SIDES for part in ("hand", "foot")} - {end}
    assert all(np.abs(measure_shift(damaged, other)).max() < 1e-6 for other in others)


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_knee_is_on_the_other_side_and_the_foot_stays(backward: bool, seed: int) -> None:
    damaged = apply("knee-backward" if backward else "knee-turned", seed)
    frames = find_frames(damaged)
    (side,) = pick_legs(damaged)
    hips = place(walk(), "left_thigh") - place(walk(), "right_thigh")
    ahead = np.cross(hips, [0.0, 0.0, 1.0])[frames]
    for motion, sign in ((walk(), 1.0), (damaged.motion, -1.0)):
        hip, knee, ankle = (place(motion, f"{side}_{part}")[frames] for part in ("thigh", "shank", "foot"))
        line = (ankle - hip) / np.linalg.norm(ankle - hip, axis=1, keepdims=True)
        out = knee - hip - np.sum((knee - hip) * line, axis=1, keepdims=True) * line
        assert (sign * np.sum(out * ahead, axis=1) > 0.0).all()
        assert np.linalg.norm(out, axis=1).min() > 0.05
    for part in ("foot", "toes"):
        np.testing.assert_allclose(measure_shift(damaged, f"{side}_{part}"), 0.0, atol=1e-6)
    assert (find_changed(damaged, walk()) == [frames.start, frames.stop - 1]).all()
    rotations = [
        motion.placement.rotations[frames, motion.rig.parts[f"{side}_thigh"]] for motion in (walk(), damaged.motion)
    ]
    line_turned = np.degrees(2.0 * np.arccos(np.clip(np.abs(np.sum(rotations[0] * rotations[1], axis=1)), 0.0, 1.0)))
    assert (line_turned < 90.0).all() if backward else np.allclose(line_turned, 180.0, atol=0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_forearm_crosses_the_axis_of_the_trunk(seed: int) -> None:
    damaged = apply("arm", seed)
    (limb,) = damaged.limbs
    side, frames = limb.removesuffix("_arm"), find_frames(damaged)
    middle = 0.5 * (place(damaged.motion, f"{side}_forearm") + place(damaged.motion, f"{side}_hand"))
    hips, top = (
        0.5 * (place(walk(), f"left_{part}") + place(walk(), f"right_{part}")) for part in ("thigh", "upper_arm")
    )
    reach = round(0.25 / walk().frame_time)
    whole = slice(frames.start - reach, frames.stop + reach)
    axis = hips[whole] + np.linspace(0.0, 1.0, 200)[:, None, None] * (top - hips)[whole]
    gap = np.linalg.norm(axis - middle[whole], axis=2).min(axis=0)
    assert gap[reach:-reach].max() < 0.003
    assert min(gap[0], gap[-1]) > 0.1, "beside the trunk before and after"
    first, last = find_changed(damaged, walk())
    assert whole.start <= first <= last < whole.stop


@pytest.mark.parametrize("seed", SEEDS)
def test_one_frame_is_missing(seed: int) -> None:
    damaged = apply("missing-60", seed)
    frames = find_frames(damaged)
    assert len(damaged.motion) == len(walk()) - 1
    np.testing.assert_array_equal(damaged.motion.q[: frames.start + 1], walk().q[: frames.start + 1])
    np.testing.assert_array_equal(damaged.motion.q[frames.stop - 1 :], walk().q[frames.stop :])


def test_arms_are_frozen_and_nothing_else_is() -> None:
    damaged = apply("frozen", 0)
    motion, before = damaged.motion, walk()
    for side in SIDES:
        bone = place(motion, f"{side}_hand") - place(motion, f"{side}_upper_arm")
        assert np.ptp(np.linalg.norm(bone, axis=1)) < 1e-9
        np.testing.assert_allclose(place(motion, f"{side}_foot"), place(before, f"{side}_foot"), atol=1e-9)
        np.testing.assert_allclose(place(motion, f"{side}_upper_arm"), place(before, f"{side}_upper_arm"), atol=1e-9)
    assert damaged.limbs == {"left_arm", "right_arm"}


def test_nothing_fast_is_left_of_a_smoothed_clip() -> None:
    def measure_power(motion: Motion) -> tuple[float, float]:
        height = place(motion, "left_foot")[:, 2] * np.hanning(len(motion))
        power = np.abs(np.fft.rfft(height - height.mean())) ** 2
        rate = np.fft.rfftfreq(len(motion), motion.frame_time)
        return float(power[(rate > 0.5) & (rate < 1.5)].sum()), float(power[rate > 6.0].sum())

    slow, fast = measure_power(apply("smoothed", 0).motion)
    slow_before, fast_before = measure_power(walk())
    assert slow == pytest.approx(slow_before, rel=0.2)
    assert fast < 0.05 * fast_before


def test_a_slow_clip_lasts_five_percent_longer() -> None:
    damaged = apply("slow", 0)
    assert damaged.motion.duration == pytest.approx(1.05 * walk().duration)
    np.testing.assert_array_equal(damaged.motion.q, walk().q)


def test_a_clip_without_a_time_at_which_it_would_be_seen_is_not_damaged() -> None:
    standing = samples.stand()
    for name in ("missing-60", "knee-backward", "frozen", "stop-60", "lean", "legs", "hurry"):
        assert TRIALS[name].damage(standing, np.random.default_rng(0)) is None
    floating = damages.lift_clip(walk()[:6], np.random.default_rng(0))
    assert floating is not None
    assert TRIALS["slide"].damage(walk()[:6], np.random.default_rng(0)) is None

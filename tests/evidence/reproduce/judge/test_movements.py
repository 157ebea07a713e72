"""The damages of movement do what they say, where they say, as fast and as far as they say."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge.damages import Damaged
from tests.evidence.reproduce.judge.test_damages import apply, find_changed, find_frames, measure_shift, place, walk

SIDES = ("left", "right")
SEEDS = range(3)


def measure_turn(damaged: Damaged, motion: Motion, part: str) -> Array:
    """Return degrees (frames,) by which a part is turned in the world."""
    one, other = (each.placement.rotations[:, each.rig.parts[part]] for each in (damaged.motion, motion))
    return np.degrees(quat.angle(quat.multiply(one, quat.conjugate(other))))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_limb_is_flung_at_eight_metres_per_second(seed: int) -> None:
    damaged = apply("fling", seed)
    (limb,) = damaged.limbs
    shift = measure_shift(damaged, limb.replace("arm", "hand").replace("leg", "foot"))
    speed = np.linalg.norm(np.diff(shift, axis=0), axis=1) / walk().frame_time
    assert speed.max() == pytest.approx(8.0, rel=0.15)
    assert damaged.end - damaged.start == pytest.approx(0.3, abs=0.02)
    frames = find_frames(damaged)
    assert frames.start <= find_changed(damaged, walk())[0] <= find_changed(damaged, walk())[1] < frames.stop


@pytest.mark.parametrize(("name", "part", "degrees"), [("whip", "chest", 16.0), ("sway", "pelvis", 15.0)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_trunk_or_body_leans_and_is_back(name: str, part: str, degrees: float, seed: int) -> None:
    damaged = apply(name, seed)
    turned, frames = measure_turn(damaged, walk(), part), find_frames(damaged)
    assert turned[frames].max() == pytest.approx(degrees, rel=0.02)
    assert turned[: frames.start + 1].max() == pytest.approx(0.0, abs=0.01) == turned[frames.stop - 1 :].max()


@pytest.mark.parametrize("name", ["sway", "lean"])
def test_feet_stay_level_under_a_body_that_leans_about_them(name: str) -> None:
    damaged = apply(name, 0)
    assert max(measure_turn(damaged, walk(), f"{side}_foot").max() for side in SIDES) < 0.01
    ankles = np.mean([measure_shift(damaged, f"{side}_foot") for side in SIDES], axis=0)
    np.testing.assert_allclose(ankles, 0.0, atol=1e-6)
    if name == "lean":
        np.testing.assert_allclose(measure_turn(damaged, walk(), "pelvis"), 12.0, atol=0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_foot_lands_at_speed_and_stops_in_a_frame(seed: int) -> None:
    damaged = apply("stop-60", seed)
    (limb,) = damaged.limbs
    steps = np.linalg.norm(np.diff(measure_shift(damaged, limb.replace("leg", "foot")), axis=0), axis=1)
    landing = find_frames(damaged).stop - 1
    assert steps[landing - 1] / walk().frame_time == pytest.approx(3.3, rel=0.1)
    assert steps[landing:].max(initial=0.0) == pytest.approx(0.0, abs=1e-6)


def test_a_body_glides_as_a_whole() -> None:
    damaged = apply("glide", 0)
    for part in ("head", "left_foot", "right_foot"):
        way = measure_shift(damaged, part)[-1]
        assert np.linalg.norm(way) == pytest.approx(1.5, abs=1e-6)
        assert way[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_leg_swings_on_the_wrong_side_of_the_other(seed: int) -> None:
    damaged = apply("legs", seed)
    (limb,) = damaged.limbs
    side = limb.removesuffix("_leg")
    middle = (find_frames(damaged).start + find_frames(damaged).stop) // 2
    left = (place(walk(), "left_thigh") - place(walk(), "right_thigh"))[middle] * (1.0, 1.0, 0.0)
    apart = [
        (place(motion, f"{side}_foot") - place(motion, f"{SIDES[side == 'left']}_foot"))[middle]
        @ left
        / np.linalg.norm(left)
        for motion in (walk(), damaged.motion)
    ]
    assert apart[0] * apart[1] < 0.0
    assert abs(apart[1]) == pytest.approx(0.06, abs=0.03)


def test_who_stands_shuffles_or_turns_on_the_spot() -> None:
    stand = samples.stand()
    shuffled, spun = apply("shuffle", 1, stand), apply("spin", 1, stand)
    (limb,) = shuffled.limbs
    foot = place(shuffled.motion, limb.replace("leg", "foot")) - place(stand, limb.replace("leg", "foot"))
    speed = np.linalg.norm(np.diff(foot, axis=0), axis=1)[find_frames(shuffled)] / stand.frame_time
    assert speed.mean() == pytest.approx(0.25, rel=0.15)
    assert np.ptp(foot[:, 2]) < 0.01
    turned = measure_turn(spun, stand, "left_foot")
    assert turned[find_frames(spun).start] == pytest.approx(0.0, abs=0.01)
    np.testing.assert_allclose(turned[find_frames(spun).stop :], 70.0, atol=0.01)
    assert np.abs((place(spun.motion, "left_foot") - place(stand, "left_foot"))[:, 2]).max() < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_forearm_turns_out_of_the_plane_of_its_arm(seed: int) -> None:
    damaged = apply("elbow", seed)
    (limb,) = damaged.limbs
    side, frames = limb.removesuffix("_arm"), find_frames(damaged)
    middle = (frames.start + frames.stop) // 2
    before, after = (
        [place(motion, f"{side}_{part}")[middle] for part in ("upper_arm", "forearm", "hand")]
        for motion in (walk(), damaged.motion)
    )
    np.testing.assert_allclose(before[:2], after[:2], atol=1e-6)
    normal = np.cross(before[1] - before[0], before[2] - before[1])
    bone = after[2] - after[1]
    sine = bone @ normal / np.linalg.norm(bone) / np.linalg.norm(normal)
    assert np.degrees(np.arcsin(abs(sine))) == pytest.approx(35.0, abs=1.5)


def test_half_a_second_is_played_at_twice_the_speed() -> None:
    run = samples.run()
    damaged = apply("hurry", 1, run)
    assert run.duration - damaged.motion.duration == pytest.approx(0.25, abs=0.03)
    frames = find_frames(damaged)
    travel = [np.linalg.norm(np.diff(place(motion, "pelvis"), axis=0), axis=1) for motion in (run, damaged.motion)]
    assert travel[1][frames][2:-2].mean() == pytest.approx(2.0 * travel[0][frames].mean(), rel=0.25)

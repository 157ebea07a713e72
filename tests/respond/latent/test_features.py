"""Features against an independent computation, their invariance, and what the velocity recovers."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.respond.endless import EndlessClip
from gambol.respond.latent.features import (
    FRAME_TIME,
    FeatureLayout,
    advance_place,
    compute_features,
    compute_loop_features,
    resample_loop,
    resample_poses,
)
from tests.respond.latent.conftest import Looped, turn_poses


def test_features_are_points_seen_from_the_centre_of_mass_and_the_pelvis(looped: Looped) -> None:
    """The same from forward kinematics in NumPy, Pinocchio's centre of mass, and the pelvis' forward axis."""
    poses, points = turn_poses(looped.poses[:6], 0.7), looped.layout.points
    parts = looped.layout.split(compute_features(looped.layout, poses))
    placed, centres = place(looped.layout.character.skeleton, poses), Dynamics(points.character).center_of_mass(poses)
    ahead = quat.rotate(placed.rotations[:, 0], np.array([1.0, 0.0, 0.0]))[:, :2]
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    for n, (joint, point) in enumerate(zip(points.joints, points.points, strict=True)):
        away = placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point) - centres * [1.0, 1.0, 0.0]
        left = ahead[:, 0] * away[:, 1] - ahead[:, 1] * away[:, 0]
        expected = np.stack((np.sum(ahead * away[:, :2], axis=1), left, away[:, 2]), axis=1)
        np.testing.assert_allclose(parts.now[:, 3 * n : 3 * n + 3], expected[1:], atol=1e-12)
        np.testing.assert_allclose(parts.before[:, 3 * n : 3 * n + 3], expected[:-1], atol=1e-12)
    speed = np.linalg.norm(np.diff(centres[:, :2], axis=0), axis=1) / FRAME_TIME
    np.testing.assert_allclose(np.linalg.norm(parts.velocity[:, :2], axis=1), speed, atol=1e-10)
    headings = np.arctan2(ahead[:, 1], ahead[:, 0])
    np.testing.assert_allclose(parts.velocity[:, 2], np.diff(headings) / FRAME_TIME, atol=1e-10)


@pytest.mark.parametrize("kind", ["points", "angles"])
def test_features_do_not_depend_on_place_and_heading(person: Looped, kind: str) -> None:
    layout = FeatureLayout(person.layout.character, kind)  # type: ignore[arg-type]
    poses = person.poses[:12]
    features = compute_features(layout, poses)
    assert features.shape == (11, {"points": 123, "angles": 81}[kind])
    np.testing.assert_allclose(compute_features(layout, turn_poses(poses, 2.1, (3.0, -7.0))), features, atol=1e-9)
    raised = poses.copy()
    raised[:, 2] += 0.1
    assert np.abs(compute_features(layout, raised) - features).max() == pytest.approx(0.1, abs=1e-9)


def test_a_pair_of_poses_has_the_features_of_the_motion(person: Looped) -> None:
    whole = compute_features(person.layout, person.poses)
    for frame in (0, 7):
        pair = compute_features(person.layout, person.poses[frame : frame + 2])
        np.testing.assert_allclose(pair[0], whole[frame], atol=1e-12)
    np.testing.assert_array_equal(person.layout.split(whole).now[:-1], person.layout.split(whole).before[1:])


def test_the_velocity_recovers_place_and_heading(person: Looped) -> None:
    """Along a walk that is bent into a curve of half a turn."""
    poses = np.stack([turn_poses(pose[None], 0.1 * n)[0] for n, pose in enumerate(person.poses)])
    velocities = person.layout.split(compute_features(person.layout, poses)).velocity
    place_now = person.layout.locate(poses[0])
    for pose, velocity in zip(poses[1:], velocities, strict=True):
        place_now = advance_place(place_now, velocity)
        np.testing.assert_allclose(place_now, person.layout.locate(pose), atol=1e-10)


def test_weight_and_signs_of_the_velocity(looped: Looped) -> None:
    """A body that slides forward, to its left and turns left, whatever its heading."""
    start = looped.poses[0].copy()
    start[3] = 1.0
    ahead, left = np.array([np.cos(1.0), np.sin(1.0)]), np.array([-np.sin(1.0), np.cos(1.0)])
    poses = np.stack((start, start))
    poses[1, :2] += FRAME_TIME * (0.6 * ahead + 0.2 * left)
    one, two = (FeatureLayout(looped.layout.character, velocity_weight=weight) for weight in (1.0, 2.0))
    features = compute_features(one, poses)[0]
    np.testing.assert_allclose(one.split(features).velocity, [0.6, 0.2, 0.0], atol=1e-9)
    np.testing.assert_allclose(features[-3:], [0.6, 0.2, 0.0], atol=1e-9)
    np.testing.assert_allclose(compute_features(two, poses)[0, -3:], 2.0 * features[-3:], atol=1e-9)
    poses[1] = start
    poses[1, 3] += 0.3 * FRAME_TIME
    assert one.split(compute_features(one, poses)[0]).velocity[2] == pytest.approx(0.3)
    assert compute_features(one, poses)[0, -1] == pytest.approx(0.045)


def test_a_loop_is_closed_in_its_features(person: Looped) -> None:
    parts = person.layout.split(person.features)
    np.testing.assert_allclose(parts.before[0], parts.now[-1], atol=1e-12)
    forward = person.loop.at(len(person.loop)) - person.loop.at(0)
    np.testing.assert_allclose(forward[:2], person.loop.travel[:2], atol=1e-12)


@pytest.mark.parametrize("rate", [60.0, 120.0, 100.0])
def test_clips_of_any_rate_are_sampled_at_thirty_frames_per_second(rate: float) -> None:
    def curve(times: np.ndarray) -> np.ndarray:
        return np.stack((1.2 * times, np.sin(2.0 * np.pi * times)), axis=1)

    times = np.arange(int(3.0 * rate) + 1) / rate
    sampled = resample_poses(curve(times), 1.0 / rate)
    assert len(sampled) == 91
    np.testing.assert_allclose(sampled[10:-10], curve(np.arange(91) * FRAME_TIME)[10:-10], atol=1e-3)
    # What 30 frames per second cannot show is removed, not folded into slower oscillations.
    noise = np.stack((np.sin(2.0 * np.pi * 29.0 * times), np.zeros_like(times)), axis=1)
    assert np.abs(resample_poses(noise, 1.0 / rate)[5:-5]).max() < (0.2 if rate > 60.0 else 0.25)


def test_a_loop_keeps_its_travel_and_closes_when_it_is_resampled() -> None:
    count = 134
    phase = 2.0 * np.pi * np.arange(count) / count
    poses = np.stack((0.1 * np.sin(phase), np.zeros(count), 1.0 + 0.02 * np.cos(2.0 * phase), np.sin(phase)), axis=1)
    travel = np.array([1.4, 0.1, 0.0])
    loop = EndlessClip(slice(0, count), poses, np.linspace(0.0, travel, count, endpoint=False), np.zeros(4), travel)
    for rounds, frames in ((1, 34), (2, 67)):
        sampled = resample_loop(loop, 1.0 / 120.0, rounds)
        assert len(sampled) == frames
        np.testing.assert_allclose(sampled.travel, rounds * travel)
        np.testing.assert_allclose(sampled.place(0), 0.0)
        np.testing.assert_allclose(sampled.place(frames - 1), (frames - 1) / frames * rounds * travel)
        phase = 2.0 * np.pi * rounds * np.arange(frames) / frames
        expected = np.stack((0.1 * np.sin(phase) + rounds * 1.4 * np.arange(frames) / frames, np.sin(phase)), axis=1)
        np.testing.assert_allclose(sampled.at(np.arange(frames))[:, [0, 3]], expected, atol=2e-3)
    at_rate = resample_loop(resample_loop(loop, 1.0 / 120.0), FRAME_TIME)
    np.testing.assert_allclose(at_rate.poses, resample_loop(loop, 1.0 / 120.0).poses, atol=1e-9)


def test_features_of_one_pose_or_unknown_kinds_are_refused(looped: Looped) -> None:
    with pytest.raises(InputError, match="two poses"):
        compute_features(looped.layout, looped.poses[:1])
    with pytest.raises(InputError, match="points or angles"):
        FeatureLayout(looped.layout.character, "joints")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="positive"):
        FeatureLayout(looped.layout.character, velocity_weight=0.0)
    with pytest.raises(InputError, match="123 features"):
        looped.layout.split(np.zeros(81))
    assert len(compute_loop_features(looped.layout, looped.loop)) == len(looped.loop)

"""Poses from features: round trips, feet that stay in place, the path, and rotations that points do not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.segments import measure_gaps
from gambol.respond.latent.decode import DecodedPose, _find_legs, decode_pose, learn_decoder
from gambol.respond.latent.features import FRAME_TIME, FeatureLayout, compute_features, compute_loop_features
from tests.respond.latent.conftest import Looped, turn_poses

FRAMES = 150


def play(looped: Looped, features: Array, frames: int = FRAMES, start: Array | None = None) -> list[DecodedPose]:
    """Decode a loop of features again and again."""
    state = looped.decoder.start(looped.poses[0] if start is None else start)
    states = []
    for frame in range(1, frames + 1):
        state = decode_pose(looped.decoder, state, features[frame % len(features)])
        states.append(state)
    return states


def foot_speeds(looped: Looped, poses: Array) -> Array:
    """Speeds (frames - 1, 4) over the ground."""
    places = looped.layout.points.locate(poses)[0][:, looped.layout.points.feet, :2]
    return np.linalg.norm(np.diff(places, axis=0), axis=2) / FRAME_TIME


def test_features_of_the_nearest_pose_are_the_given_ones(person: Looped) -> None:
    layout, decoder = person.layout, person.decoder
    described = layout.describe(person.poses)
    found = np.array(
        [
            decoder.find_nearest(features, layout.locate(pose))
            for features, pose in zip(described, person.poses, strict=True)
        ]
    )
    errors = np.linalg.norm((layout.describe(found) - described).reshape(len(found), -1, 3), axis=2)
    assert errors.mean() < 5e-4
    assert errors.max() < 4e-3
    apart = np.degrees(np.abs(found - person.poses)[:, 3:])
    assert apart.mean() < 0.3
    assert apart.max() < 4.0
    np.testing.assert_allclose(found[:, :2], person.poses[:, :2], atol=2e-3)


def test_a_walk_is_decoded_from_its_features(person: Looped) -> None:
    """Feet that stand do not slide, as those of the clip do; joints and path are those of the clip."""
    states = play(person, person.features)
    poses, clip = np.array([state.pose for state in states]), person.loop.at(np.arange(1, FRAMES + 1))
    standing = np.array([state.standing for state in states])
    stays = standing[1:] & standing[:-1]
    assert foot_speeds(person, poses)[stays].max() < 0.05
    assert foot_speeds(person, poses)[stays].mean() < 0.1 * foot_speeds(person, clip)[stays].mean()
    share = standing.mean(axis=0)
    assert (share > 0.3).all()
    assert (share < 0.6).all()
    assert np.degrees(np.abs(poses - clip)[:, 3:]).mean() < 0.6
    errors = np.linalg.norm(person.layout.points.locate(poses)[0] - person.layout.points.locate(clip)[0], axis=2)
    assert errors.mean() < 5e-3
    np.testing.assert_allclose(states[-1].place, person.layout.locate(clip[-1]), atol=1e-9)
    np.testing.assert_allclose(poses[-1, :2], clip[-1, :2], atol=0.01)


def test_points_of_feet_stand_while_they_are_low_and_slow(person: Looped) -> None:
    states = play(person, person.features)
    clip = person.loop.at(np.arange(1, FRAMES + 1))
    heights = person.layout.points.locate(clip)[0][:, person.layout.points.feet, 2] - person.decoder.floor
    places = person.layout.points.locate(clip)[0][:, person.layout.points.feet]
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=2) / FRAME_TIME
    standing = np.array([state.standing for state in states])
    assert heights[standing].max() < 0.04
    assert not standing[1:][speeds > 0.8].any()
    quiet = (speeds < 0.15) & (heights[1:] < 0.02)
    assert standing[1:][quiet].mean() > 0.99


def test_the_rotation_of_the_head_follows_the_training_poses(person: Looped) -> None:
    """Points do not show it; a pose nearest to the previous one would keep it constant."""
    poses = np.array([state.pose for state in play(person, person.features, 60)])
    skeleton = person.layout.character.skeleton
    column = skeleton.columns(skeleton.index("head"), "turn")[0]
    clip = person.loop.at(np.arange(1, 61))[:, column]
    assert np.abs(poses[:, column] - clip).max() < 0.2 * np.ptp(clip) + np.radians(0.1)


def test_poses_turn_with_the_start(looped: Looped) -> None:
    here = np.array([state.pose for state in play(looped, looped.features, 40)])
    there = np.array(
        [s.pose for s in play(looped, looped.features, 40, turn_poses(looped.poses[:1], 2.0, (4.0, 1.0))[0])]
    )
    np.testing.assert_allclose(there, turn_poses(here, 2.0, (4.0, 1.0)), atol=1e-6)


def test_noise_of_a_prediction_does_not_move_standing_feet(looped: Looped) -> None:
    """Noise of 3 mm alone moves points at 0.16 m/s."""
    noise = np.random.default_rng(3).normal(0.0, 0.003, looped.features.shape)
    states = play(looped, looped.features + noise, 90)
    poses, standing = np.array([s.pose for s in states]), np.array([s.standing for s in states])
    stays = standing[1:] & standing[:-1]
    assert stays.mean() > 0.3
    assert np.quantile(foot_speeds(looped, poses)[stays], 0.95) < 0.05


def test_feet_do_not_sink_below_the_training_poses(looped: Looped) -> None:
    """Features 5 cm lower than any pose: feet stay at the lowest height."""
    lower = looped.features.copy()
    lower[:, 2 : 2 * looped.layout.pose_size : 3] -= 0.05
    poses = np.array([state.pose for state in play(looped, lower, 40)])
    heights = looped.layout.points.locate(poses)[0][:, looped.layout.points.feet, 2]
    assert (heights > looped.decoder.lowest - 0.03).all()
    standing = np.array([state.standing for state in play(looped, lower, 40)])
    assert (heights[standing] > np.broadcast_to(looped.decoder.lowest, heights.shape)[standing] - 2e-3).all()


def test_joints_stay_near_those_of_the_training_poses(looped: Looped) -> None:
    """Deviations of features are scaled: here feet 30 cm lower, which no leg reaches. Knees do not bend backward."""
    points, skeleton = looped.layout.points, looped.layout.character.skeleton
    lower = looped.features.copy()
    columns = np.array([3 * foot + 2 for foot in points.feet])
    lower[:, np.concatenate([columns, looped.layout.pose_size + columns])] -= 0.3
    decoder = replace(looped.decoder, lowest=looped.decoder.lowest - 1.0)
    poses = np.array([state.pose for state in play(looped._replace(decoder=decoder), lower, 40)])
    knees = [c for side in ("left", "right") for c in skeleton.columns(skeleton.index(f"{side}_shank"), "turn")]
    assert (poses[:, knees] >= np.minimum(looped.poses[:, knees].min(axis=0), np.radians(2.5)) - 1e-9).all()
    beyond = np.maximum(poses - looped.poses.max(axis=0), looped.poses.min(axis=0) - poses)[:, 6:]
    assert beyond.max() < np.radians(10.0) + 1e-9
    assert beyond.max() > np.radians(5.0)


def test_swinging_feet_are_no_faster_than_in_a_hurried_step(looped: Looped) -> None:
    """Features whose swinging foot is 40 cm farther ahead from one frame to the next: it follows in several."""
    layout, points = looped.layout, looped.layout.points
    frame = next(n for n, s in enumerate(play(looped, looped.features, 40)) if n > 9 and not s.standing[:2].any())
    before = play(looped, looped.features, frame)[-1]
    farther = looped.features[(frame + 1) % len(looped.features)].copy()
    farther[[3 * foot for foot in points.feet[:2]]] += 0.4
    after = decode_pose(looped.decoder, before, farther)
    places = points.locate(np.array([before.pose, after.pose]))[0][:, points.feet[:2], :2]
    speeds = np.linalg.norm(places[1] - places[0], axis=1) / FRAME_TIME
    assert speeds.max() < 1.05 * looped.decoder.fastest
    fastest = foot_speeds(looped, looped.loop.at(np.arange(layout.points.feet[0], 60))).max()
    assert looped.decoder.fastest == pytest.approx(1.35 * fastest, rel=0.05)


def test_legs_pass_beside_each_other(looped: Looped) -> None:
    """Features whose feet are 12 cm farther to the other side, on the line of the other foot or beyond it."""
    points, narrow = looped.layout.points, looped.features.copy()
    for side, foot in zip((-1.0, -1.0, 1.0, 1.0), points.feet, strict=True):
        for column in (3 * foot + 1, looped.layout.pose_size + 3 * foot + 1):
            narrow[:, column] += 0.12 * side
    free, parted = (
        np.array([s.pose for s in play(looped._replace(decoder=decoder), narrow, 70)])
        for decoder in (replace(looped.decoder, legs_apart=0.0), looped.decoder)
    )
    gaps = [measure_gaps(*_find_legs(points, points.locate(poses)[0])).min() for poses in (free, parted)]
    assert gaps[0] < 0.04
    assert gaps[1] > 0.05


def test_the_body_moves_and_not_the_feet_where_features_fade(looped: Looped) -> None:
    """Feet that stand move by 6 cm aside in the features: they stay, and the body goes to the other side."""
    points, columns = looped.layout.points, 3 * np.arange(len(looped.layout.points)) + 1
    states = play(looped, looped.features, 60)
    begin = next(n for n in range(9, 60) if states[n].standing[:2].any() and not states[n - 1].standing[:2].any())
    state = calm = states[begin]
    anchors = state.anchors
    for n in range(1, 5):
        row = looped.features[(begin + 1 + n) % len(looped.features)]
        faded = row.copy()
        faded[columns[points.feet]] += 0.015 * n
        faded[looped.layout.pose_size + columns[points.feet]] += 0.015 * n
        state, calm = decode_pose(looped.decoder, state, faded), decode_pose(looped.decoder, calm, row)
    stays = state.standing & calm.standing & states[begin].standing
    assert stays.any()
    np.testing.assert_allclose(state.anchors[stays], anchors[stays], atol=1e-9)
    assert 0.004 < calm.place.y - state.place.y < 0.03
    assert np.abs(state.shift - calm.shift)[stays].max() < 0.056


def test_a_foot_far_from_its_features_is_released(looped: Looped) -> None:
    """A lock opens when the features have moved more than 10 cm away from it."""
    state = next(state for state in play(looped, looped.features, 40)[10:] if state.standing[:2].all())
    frame = next(n for n, s in enumerate(play(looped, looped.features, 40)) if n > 9 and s.standing[:2].all()) + 1
    features = looped.features[(frame + 1) % len(looped.features)]
    near, far = (
        state._replace(anchors=state.anchors + [0.0, away], shift=state.shift + [0.0, away]) for away in (0.05, 0.15)
    )
    assert decode_pose(looped.decoder, near, features).standing[:2].all()
    assert not decode_pose(looped.decoder, far, features).standing[:2].any()


def test_locked_feet_stay_locked_after_a_new_start(looped: Looped) -> None:
    """As after a push has deformed a pose: here the same pose."""
    states = play(looped, looped.features, 40)
    frame = next(n for n, state in enumerate(states) if n > 9 and state.standing[:2].all())
    again = looped.decoder.start(states[frame].pose, states[frame].standing)
    features = looped.features[(frame + 2) % len(looped.features)]
    after = decode_pose(looped.decoder, again, features)
    np.testing.assert_allclose(after.anchors[:2], states[frame].anchors[:2], atol=1e-4)
    places = looped.layout.points.locate(after.pose[None])[0][0, looped.layout.points.feet, :2]
    np.testing.assert_allclose(places[after.standing], again.anchors[after.standing], atol=1e-3)
    assert not looped.decoder.start(states[frame].pose).standing.any()


def test_joint_angles_as_features_are_decoded_too(looped: Looped) -> None:
    layout = FeatureLayout(looped.layout.character, "angles")
    decoder = learn_decoder(layout, looped.poses)
    angles = looped._replace(layout=layout, decoder=decoder, features=compute_loop_features(layout, looped.loop))
    poses = np.array([state.pose for state in play(angles, angles.features, 60)])
    clip = looped.loop.at(np.arange(1, 61))
    assert np.degrees(np.abs(poses - clip)[:, 3:]).mean() < 0.6
    np.testing.assert_allclose(poses[:, :2], clip[:, :2], atol=0.02)


def test_features_that_are_not_finite_are_refused(looped: Looped) -> None:
    state, features = looped.decoder.start(looped.poses[0]), compute_features(looped.layout, looped.poses[:2])[0]
    with pytest.raises(InputError, match="finite"):
        decode_pose(looped.decoder, state, np.where(np.arange(len(features)) == 7, np.nan, features))

"""Walkers who cross a floor step as they go, stand where they wait, and step to turn."""

from __future__ import annotations

import numpy as np
import pytest

import gambol as gb
from gambol.geometry.arrays import Array, find_runs
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd.paths import CrowdPaths, pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS
from gambol.primitives.crowd.steps import step_along
from gambol.stages.feet import find_foot_points, track_point
from tests.primitives.walking import gaits

FPS = CROWD_FPS


def go(speeds: Array, turns: Array | None = None, seed: int = 0) -> CrowdPaths:
    """One walker with speeds (frames,) along a heading that turns by (frames,) rad/s."""
    turns = np.zeros(len(speeds)) if turns is None else turns
    headings = np.concatenate(([0.0], np.cumsum(turns[:-1]))) / FPS
    steps = (speeds / FPS)[:, None] * np.stack((np.cos(headings), np.sin(headings)), axis=1)
    places = np.concatenate((np.zeros((1, 2)), np.cumsum(steps[:-1], axis=0)))
    return step_along(places[:, None], headings[:, None], speeds[:, None], gaits(), FPS, seed)


def stop_and_go() -> Array:
    """Speeds: 2 s walking, braking at 1.2 m/s², 3 s standing, and off again."""
    top = 1.2
    return np.concatenate((
        np.linspace(0.0, top, 80), np.full(120, top), np.linspace(top, 0.0, 60), np.zeros(180),
        np.linspace(0.0, top, 80), np.full(60, top),
    ))  # fmt: skip


def foot_paths(paths: CrowdPaths) -> dict[str, Array]:
    (walker,) = pose_paths(PoseBlender(gaits().prototypes), paths, 1.0 / FPS)
    return {point.name: track_point(walker, point) for point in find_foot_points(walker)}


def test_who_stops_completes_a_step_and_stands_still_on_both_feet() -> None:
    speeds = stop_and_go()
    paths, feet = go(speeds), foot_paths(go(speeds))
    standing = np.flatnonzero(speeds == 0.0)[90:170]
    assert np.ptp(paths.phases[standing]) == 0.0
    assert np.diff(paths.phases[:, 0]).min() >= 0.0
    for name in ("left_ball", "right_ball", "left_heel", "right_heel"):
        assert (np.ptp(feet[name][standing], axis=0) < [1e-3, 1e-3, 5e-3]).all()
    middle = [0.5 * (feet[f"{side}_ball"] + feet[f"{side}_heel"])[standing[0], :2] for side in ("left", "right")]
    assert 0.1 < abs(middle[0][1] - middle[1][1]) < 0.35
    assert abs(middle[0][0] - middle[1][0]) < 0.12, "one foot was put beside the other"


def test_feet_that_move_are_lifted() -> None:
    """Also in the first and the last step, and in steps on the spot: nobody shuffles."""
    speeds = np.concatenate((stop_and_go(), np.zeros(180)))
    turns = np.where(np.arange(len(speeds)) > len(stop_and_go()) + 30, 1.0, 0.0)
    feet = foot_paths(go(speeds, turns))
    for side in ("left", "right"):
        points = np.stack([feet[f"{side}_{part}"] for part in ("heel", "ball")])
        moving = np.linalg.norm(np.diff(points[..., :2], axis=1), axis=2).min(axis=0) * FPS > 0.4
        for first, last in find_runs(moving):
            if last - first > 0.15 * FPS:
                assert points[:, first : last + 1, 2].max(axis=1).mean() > 0.04


def test_slow_walkers_step_less_often_and_farther_than_the_same_steps_shrunk() -> None:
    usual = 2.0 * np.pi / float(gaits().prototypes.periods[0])
    top = float(gaits().corners[0, 0]) * usual
    for share, expected in ((1.0, 1.0), (0.5, 0.5**0.58), (0.2, 0.5)):
        paths = go(np.full(300, share * top))
        rate = (paths.phases[-1, 0] - paths.phases[100, 0]) / (199.0 / FPS)
        assert rate == pytest.approx(expected * usual, rel=1e-6)
        forward = float(paths.blends[150, 0] @ gaits().corners[:, 0])
        assert forward * rate == pytest.approx(share * top, rel=1e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_who_turns_on_the_spot_steps_with_the_foot_on_that_side_first(side: str) -> None:
    turns = np.concatenate((np.zeros(60), np.full(90, 1.0 if side == "left" else -1.0)))
    feet = foot_paths(go(np.zeros(150), turns))
    lifted = {each: int(np.argmax(feet[f"{each}_ball"][:, 2] > 0.03)) for each in ("left", "right")}
    other = "right" if side == "left" else "left"
    assert 60 <= lifted[side] < lifted[other]


def test_who_waits_shifts_weight_over_feet_that_stay() -> None:
    paths = go(np.zeros(1200))
    (walker,) = pose_paths(PoseBlender(gaits().prototypes), paths, 1.0 / FPS)
    hips = walker.placement.positions[120:, 0]
    assert 0.02 < np.ptp(hips[:, 1]) < 0.08
    assert np.abs(np.gradient(hips, 1.0 / FPS, axis=0)).max() < 0.15
    assert np.ptp(foot_paths(paths)["left_ball"][120:], axis=0).max() < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["doorway", "crossing"])
def test_nobody_creeps_or_spins_and_speeds_change_as_in_recordings(scene: str) -> None:
    """Recorded walkers lose up to 0.63 and gain up to 0.76 m/s in half a second (CMU 104_19, 143_10)."""
    motions = gb.crowd(scene, seconds=12.0).motions
    for walker in motions[::3]:
        hips = walker.placement.positions[:, 0, :2]
        window = np.ones(31) / 31.0
        smooth = np.stack([np.convolve(column, window, "valid") for column in hips.T], axis=1)
        speed = np.linalg.norm(np.gradient(smooth, 1.0 / FPS, axis=0), axis=1)
        change = speed[30:] - speed[:-30]
        assert change.min() > -0.75
        assert change.max() < 0.75

from __future__ import annotations

import numpy as np
import pytest

from gambol.drawing.camera import Camera
from gambol.drawing.framing import Outline, frame_pictures
from gambol.geometry.arrays import Array

ASPECT = 16 / 9
GIRTH = 0.6


def wander(pictures: int, seed: int) -> Array:
    """Thirty points of a body that walks about, jumps and stretches."""
    random = np.random.default_rng(seed)
    path = np.cumsum(random.normal(0.0, 0.05, (pictures, 1, 3)) + [0.04, 0.0, 0.0], axis=0)
    return path + random.uniform(-1.0, 1.0, (pictures, 30, 3)) * [0.4, 0.4, 0.9] + [0.0, 0.0, 1.0]


@pytest.mark.parametrize("orbit", [False, True])
@pytest.mark.parametrize("below", [0.0, 0.2])
def test_everybody_is_inside_every_picture_and_fills_it(orbit: bool, below: float) -> None:
    aim = Camera.beside(np.array([1.0, 0.0, 0.0]))
    aims = [aim.orbit(n / 30.0) if orbit else aim for n in range(150)]
    outlines = [Outline(wander(150, seed), GIRTH) for seed in (1, 2)]
    cameras, middles, heights = frame_pictures(outlines, aims, 0.0, 30.0, ASPECT, below)
    filled = []
    for n, camera in enumerate(cameras):
        # A ball around every point: its outline in the picture is found by brute force.
        angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)[:, None]
        rim = GIRTH * (np.cos(angles) * camera.right + np.sin(angles) * camera.up)
        shown = camera.project(np.concatenate([o.points[n] for o in outlines])[:, None] + rim) - middles[n]
        shares = shown.reshape(-1, 2) / heights[n] / [ASPECT, 1.0]
        assert (np.abs(shares[:, 0]) < 0.5).all()
        assert (shares[:, 1] < 0.5).all()
        assert (shares[:, 1] > below - 0.5).all()
        filled.append(max(np.ptp(shares[:, 0]), np.ptp(shares[:, 1]) / (1.0 - below)))
    assert np.mean(filled) > 0.6


def test_the_window_moves_smoothly() -> None:
    aim = Camera.beside(np.array([1.0, 0.0, 0.0]))
    points = wander(300, 3)
    cameras, middles, heights = frame_pictures([Outline(points, 0.0)], [aim] * 300, 0.0, 30.0, ASPECT, 0.0)
    places = np.array([camera.target for camera in cameras]) + middles @ np.stack((aim.right, aim.up))
    jerk = np.abs(np.diff(places, n=2, axis=0)).max()
    assert jerk < 0.2 * np.abs(np.diff(points.mean(axis=1), n=2, axis=0)).max()
    assert np.abs(np.diff(heights)).max() < 0.03 * heights.mean()


def test_one_picture_and_one_point_can_be_framed() -> None:
    aim = Camera.beside(np.array([1.0, 0.0, 0.0]))
    framing = frame_pictures([Outline(np.zeros((1, 1, 3)), 0.0)], [aim], 0.0, 30.0, ASPECT, 0.0)
    assert framing.heights[0] > 0.0
    np.testing.assert_allclose(framing.cameras[0].project(np.zeros(3)), framing.middles[0], atol=1e-12)

"""Frame a film: a camera that follows the characters smoothly, with all of them inside every picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d

from gambol.drawing.camera import Camera
from gambol.geometry.arrays import Array
from gambol.geometry.filters import cover

_MARGIN = 0.07
"""Share of the picture that stays free at every edge."""
_LENS = 2.6
"""Distance of the camera in widths or heights of what it shows: a lens of 22 degrees."""
_SMALLEST = 0.5
"""Least height of the picture in metres."""
_SMOOTH = 1.0
"""Seconds before and after a picture over which its window is smoothed."""


class Outline(NamedTuple):
    """Where a figure is in every picture."""

    points: Array
    """(pictures, points, 3) metres, world."""
    girth: float
    """Metres that it reaches beyond its points."""


class Framing(NamedTuple):
    """Cameras of a film and what of their pictures is shown."""

    cameras: list[Camera]
    middles: Array
    """(pictures, 2) middle of the window in picture coordinates (m)."""
    heights: Array
    """(pictures,) height of the window (m)."""


def frame_pictures(
    outlines: Sequence[Outline], aims: Sequence[Camera], floor: float, fps: float, aspect: float, below: float
) -> Framing:
    """Return cameras that follow the outlines, and windows that these fill but for a margin.

    All outlines are inside the window. `aims` gives the directions of the cameras, `aspect` is the width of the picture
    by its height, `below` the share at the bottom to keep free.
    """
    size = 2 * round(_SMOOTH * fps) + 1
    low = np.min([outline.points.min(axis=1) for outline in outlines], axis=0)
    high = np.max([outline.points.max(axis=1) for outline in outlines], axis=0)
    centers = uniform_filter1d(0.5 * (low + high), size, axis=0, mode="nearest")
    ground = np.column_stack((centers[:, :2], np.full(len(centers), floor)))[:, None]
    axes = np.array([np.stack((aim.right, aim.up, aim.toward), axis=1) for aim in aims])
    placed = [((points - centers[:, None]) @ axes, girth) for points, girth in (*outlines, Outline(ground, 0.0))]
    low, high = _bound(placed, size)
    # The target is as near as the nearest point, so that all points are before the camera.
    distances = _LENS * np.maximum((high - low)[:, :2].max(axis=1), _SMALLEST)
    nearest = 0.5 * (low + high)
    nearest[:, 2] = high[:, 2]
    targets = centers + np.einsum("nij,nj->ni", axes, nearest)
    cameras = [
        replace(aim, target=target, distance=distance)
        for aim, target, distance in zip(aims, targets, distances.tolist(), strict=True)
    ]
    seen = []
    for points, girth in placed:
        away = points - nearest[:, None]
        scale = 1.0 / (1.0 - away[..., 2:] / distances[:, None, None])
        seen += [(away[..., :2] * scale + side * girth * scale, 0.0) for side in (-1.0, 1.0)]
    low, high = _bound(seen, size)
    free = 1.0 - 2.0 * _MARGIN
    wide, tall = (high - low).T
    heights = np.maximum(np.maximum(tall / (free - below), wide / (free * aspect)), _SMALLEST)
    return Framing(cameras, 0.5 * (low + high) - np.outer(0.5 * below * heights, [0.0, 1.0]), heights)


def _bound(placed: Sequence[tuple[Array, float]], size: int) -> tuple[Array, Array]:
    """Return smooth bounds (pictures, axes) of points (pictures, points, axes) with their girths."""
    high = np.max([points.max(axis=1) + girth for points, girth in placed], axis=0)
    low = np.max([girth - points.min(axis=1) for points, girth in placed], axis=0)
    return -cover(low, size), cover(high, size)

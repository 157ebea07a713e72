"""A strip of poses on a ground: the whole movement in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.quaternions import Array
from gambol.motion.figure import floor_height
from gambol.motion.motion import Motion
from gambol.render.painter import Camera, Figure, paint, paint_ground

_APART = 0.62
"""Poses stand at least this far from each other, in metres along the picture."""
_OVERLAP = 0.8
"""Neighbours may overlap by a fifth of the width they have together."""
_MARGIN = 0.3
_FLOOR_REACH = 0.75
"""Half the side of the floor, in widths of the picture."""


def travel(motion: Motion) -> Array:
    """Unit horizontal direction of the movement as a whole; where it stays in place, where the body faces."""
    root = motion.placement.positions[:, 0, :2]
    way = root[-1] - root[0]
    if np.linalg.norm(way) < 0.4:
        way = facing(motion, 0)[:2] if motion.rig else np.array([1.0, 0.0])
    return np.array([*(way / np.linalg.norm(way)), 0.0])


def facing(motion: Motion, frame: int) -> Array:
    """Horizontal direction (unit) that the hips face in a frame; the rig must be known."""
    assert motion.rig is not None
    hips = [motion.placement.positions[frame, motion.rig.parts[f"{s}_thigh"]] for s in ("left", "right")]
    forward = np.cross(hips[0] - hips[1], [0.0, 0.0, 1.0])
    return forward / max(float(np.linalg.norm(forward)), 1e-9)


def save_strip(motions: Sequence[Motion], path: Path, poses: int = 9) -> None:
    """Draw a strip for each motion, one below the other, into an image file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    laid = [_lay_out(motion, poses) for motion in motions]
    widths = [window[1] - window[0] for _, _, window, _ in laid]
    heights = [window[3] - window[2] for _, _, window, _ in laid]
    inches = 12.0
    scale = inches / max(widths)
    picture = Picture(figsize=(inches, scale * sum(heights)), dpi=130)
    FigureCanvasAgg(picture)
    grid = picture.add_gridspec(len(laid), 1, height_ratios=heights, left=0, right=1, bottom=0, top=1, hspace=0)
    for row, (camera, posed, window, floor) in enumerate(laid):
        axes = picture.add_subplot(grid[row])
        middle = np.concatenate([corners.reshape(-1, 3) for corners, _ in posed]).mean(axis=0)
        paint_ground(axes, camera, middle, _FLOOR_REACH * max(widths), floor)
        paint(axes, camera, posed, floor)
        centre = 0.5 * (window[0] + window[1])
        axes.set_xlim(centre - 0.5 * max(widths), centre + 0.5 * max(widths))
        axes.set_ylim(window[2], window[3])
    picture.savefig(path)


def _telling_frames(motion: Motion, poses: int) -> NDArray[np.intp]:
    """Evenly spaced frames over the clip, or most of it where a cycle would show the same pose again and again."""
    body = motion.placement.positions - motion.placement.positions[:, :1]
    last = len(motion) - 1
    spaced = [
        np.unique(np.linspace(0, share * last, poses).round().astype(int)) for share in np.linspace(1.0, 0.75, 11)
    ]
    variety = [
        min((float(np.abs(body[f[lag:]] - body[f[:-lag]]).mean()) for lag in (1, 2, 3) if len(f) > lag), default=0.0)
        for f in spaced
    ]
    return next(f for f, v in zip(spaced, variety, strict=True) if v >= 0.7 * max(variety))


def _lay_out(motion: Motion, poses: int) -> tuple[Camera, list[tuple[Array, Array]], Array, float]:
    """Camera, posed figures side by side, the window (left, right, bottom, top) and the floor."""
    figure = Figure(motion)
    camera = Camera.beside(travel(motion))
    frames = _telling_frames(motion, poses)
    along = motion.placement.positions[frames] @ camera.right
    reach = along - along[:, :1]
    wanted = np.zeros(len(frames))
    for n in range(1, len(wanted)):
        touching = reach[n - 1].max() - reach[n].min()
        wanted[n] = wanted[n - 1] + max(_APART, _OVERLAP * touching, abs(along[n, 0] - along[n - 1, 0]))
    roots = motion.placement.positions[frames, 0] * [1.0, 1.0, 0.0]
    posed = [
        (figure.corners(frame) - root + place * camera.right, figure.colors)
        for frame, root, place in zip(frames, roots, wanted, strict=True)
    ]
    flat = camera.project(np.concatenate([corners.reshape(-1, 3) for corners, _ in posed]))
    low, high = flat.min(axis=0) - _MARGIN, flat.max(axis=0) + _MARGIN
    return camera, posed, np.array([low[0], high[0], low[1], high[1]]), floor_height(motion)

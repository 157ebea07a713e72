"""Convert markers to a motion of points, so that recordings that no person can be fitted to are drawn and converted."""

from __future__ import annotations

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.figure import COLORS
from gambol.motion.marker_names import find_marker_parts
from gambol.motion.motion import POINTS_FORMAT, Motion, Origin
from gambol.motion.recording import Markers
from gambol.motion.shapes import Segments, build_mesh
from gambol.motion.skeleton import Dof, Skeleton

_RADIUS = 0.012
"""Radius (m) of the ball that a marker is drawn as."""
_SIDE = {"left": 1, "right": -1}
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def markers_to_points(markers: Markers, reason: str) -> Motion:
    """Return a motion with one joint per marker and no rig; `reason` is why no person was fitted.

    Gaps are filled linearly, and at the ends with the nearest position. Markers that are never visible are left out.
    """
    shown = [n for n, missing in enumerate(markers.missing) if missing < 1.0]
    if not shown:
        raise InputError("no marker is ever visible", file=markers.name)
    names = tuple(markers.names[n] for n in shown)
    filled = np.concatenate([_fill(markers.positions[:, n]) for n in shown], axis=1)
    joints = np.arange(1, len(names) + 1)
    dofs = tuple(Dof(int(joint), "slide", axis) for joint in joints for axis in _AXES)
    skeleton = Skeleton(("markers", *names), (-1, *[0] * len(names)), np.zeros((len(names) + 1, 3)), dofs)
    parts = find_marker_parts(names)
    colors = np.array([COLORS[_SIDE.get(parts.get(name, "").partition("_")[0], 0)] for name in names])
    balls = Segments(
        joints, np.zeros((len(names), 3)), np.tile(quat.IDENTITY, (len(names), 1)), np.full((len(names), 3), _RADIUS)
    )
    note = f"shown as points: {reason}"
    return Motion(
        skeleton,
        filled,
        markers.frame_time,
        markers.name,
        Origin(format=POINTS_FORMAT, unit=1.0),
        (*markers.notes, note),
        skin=build_mesh(balls, colors, rings=6, sides=8),
    )


def _fill(path: Array) -> Array:
    """Return a path (frames, 3) without gaps."""
    frames = np.arange(len(path))
    seen = np.isfinite(path).all(axis=1)
    return np.stack([np.interp(frames, frames[seen], path[seen, axis]) for axis in range(3)], axis=1)

"""Find the vertical axis of a marker file, and the rotation that makes it the world's z axis."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.marker_names import find_marker_parts

METRES = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}
"""Metres per unit of length used in laboratory files."""

_TURNS = {
    "+X": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "-X": ((0, 1, 0), (0, 0, -1), (-1, 0, 0)),
    "+Y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "-Y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "+Z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-Z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}
_UPPER = ("head", "neck", "chest", "spine", "pelvis")
_LOWER = ("foot", "toes", "shank")


def rotation_to_z_up(up: str) -> Array:
    """Return the rotation matrix (3, 3) from a file's axes, of which `up` ("+Y", "-Z"...) points up, to the world's.

    A horizontal x axis is kept, because people walk along x in most laboratories and in OpenSim.
    """
    return np.array(_TURNS[up], dtype=float)


def nearest_axis(vector: Array) -> str:
    """Return the signed axis nearest to a vector, e.g. "+Y"."""
    axis = int(np.argmax(np.abs(vector)))
    return f"{'-' if vector[axis] < 0.0 else '+'}{'XYZ'[axis]}"


def format_up_note(up: str, reason: str) -> str:
    """Return the note about which axis is up and why."""
    return f"{up.lower().removeprefix('+')} is up in the file: {reason}"


def find_up_axis(names: Sequence[str], positions: Array, otherwise: str) -> tuple[str, str]:
    """Return the signed axis that points up in `positions` (frames, markers, 3), and the reason.

    Known trunk markers are above known leg markers. Without them, the vertical is the longest extent of all markers,
    which are assumed to be above the floor at 0.
    """
    parts = find_marker_parts(names)
    part = np.array([parts.get(name, "").removeprefix("left_").removeprefix("right_") for name in names])
    upright = _center(positions[:, np.isin(part, _UPPER)]) - _center(positions[:, np.isin(part, _LOWER)])
    rise = _median(upright)
    if np.isfinite(rise).all():
        return nearest_axis(rise), "the trunk's markers are above the legs'"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        extent = _median(np.nanmax(positions, axis=1, initial=-np.inf) - np.nanmin(positions, axis=1, initial=np.inf))
    if not (np.isfinite(extent).all() and extent.any()):
        return otherwise, "default of the format (no markers to tell)"
    level = _median(positions.reshape(-1, 3))
    along = np.where(np.arange(3) == np.argmax(extent), np.where(level < 0.0, -1.0, 1.0), 0.0)
    return nearest_axis(along), "the markers extend farthest along it"


def _center(positions: Array) -> Array:
    """Return the mean of the visible markers per frame (frames, 3); NaN where none is visible."""
    seen = np.isfinite(positions)
    count = seen.sum(axis=1)
    return np.where(count > 0, np.where(seen, positions, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)


def _median(rows: Array) -> Array:
    """Return the median of the finite rows of (n, 3); NaN where there are none."""
    rows = rows[np.isfinite(rows).all(axis=1)]
    return np.median(rows, axis=0) if len(rows) else np.full(3, np.nan)

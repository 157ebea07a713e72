"""Fixed points, lines and planes as printed (L05 equation 3.5): solved frame by frame, and intersected.

Exact on clean motion; on recordings it finds nothing (see `stages.fixed`, which is used by default).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.fixed import find_chord
from gambol.stages.solids import Solid, inside_box

_RANK = 1e-6
"""Singular value (rad) of T_t - I below which a direction is in the null space."""
_PARALLEL = 1e-3
"""Eigenvalue relative to the largest below which the lines of many frames count as one line."""


class FixedSet(NamedTuple):
    """Points of a body that stay fixed from frame `first` to frame `last`."""

    kind: Literal["point", "line", "plane"]
    points: Array
    """(n, 3) in the body's frame: the point, the ends of the line within the body, or the body's own points."""
    first: int
    last: int


def find_fixed_sets_as_printed(solid: Solid, tolerance: float = 0.01, min_frames: int = 8) -> list[FixedSet]:
    """Solve equation 3.5 for every frame and intersect the solutions: exact, and sensitive to noise."""
    lines = [_solution(solid, frame, tolerance) for frame in range(solid.frames - 1)]
    found, first = [], 0
    while first < len(lines):
        last, kind, points = _intersection(solid, lines, first, tolerance)
        if last - first + 2 >= min_frames and points is not None:
            found.append(FixedSet(kind, points, first, last + 1))
            first = last + 1
        else:
            first += 1
    return found


class _Solution(NamedTuple):
    """All r with (T - I) r = -b in the least-squares sense: a point and the projector off the null space."""

    point: Array
    away: Array
    consistent: bool


def _solution(solid: Solid, frame: int, tolerance: float) -> _Solution:
    turn = solid.rotations[frame + 1] @ solid.rotations[frame].T
    shift = solid.positions[frame + 1] - turn @ solid.positions[frame]
    left, sizes, right = np.linalg.svd(turn - np.eye(3))
    known = sizes > _RANK
    point = right.T @ (np.where(known, 1.0 / np.where(known, sizes, 1.0), 0.0) * (left.T @ -shift))
    missed = float(np.linalg.norm((turn - np.eye(3)) @ point + shift))
    return _Solution(point, right[known].T @ right[known], missed <= tolerance)


def _intersection(
    solid: Solid, lines: list[_Solution], first: int, tolerance: float
) -> tuple[int, Literal["point", "line", "plane"], Array | None]:
    """Return the last frame up to which the solutions from `first` on intersect on the body, and where."""
    matrix, vector = np.zeros((3, 3)), np.zeros(3)
    last, kind, points = first - 1, "point", None
    for number in range(first, len(lines)):
        matrix = matrix + lines[number].away
        vector = vector + lines[number].away @ lines[number].point
        place = np.linalg.lstsq(matrix, vector, rcond=_PARALLEL)[0]
        near = [np.linalg.norm(one.away @ (place - one.point)) <= tolerance for one in lines[first : number + 1]]
        here = _in_body(solid, matrix, place, first)
        if not (lines[number].consistent and all(near)) or here is None:
            break
        last, (kind, points) = number, here
    return last, kind, points  # type: ignore[return-value]


def _in_body(solid: Solid, matrix: Array, place: Array, frame: int) -> tuple[str, Array] | None:
    """Return the part of an intersection that lies on the body, in its frame."""
    sizes, axes = np.linalg.eigh(matrix)
    if sizes[-1] < 1e-6:
        return "plane", solid.points
    inverse = solid.rotations[frame].T
    point = inverse @ (place - solid.positions[frame])
    if sizes[0] < _PARALLEL * sizes[-1]:
        line = inverse @ axes[:, 0]
        chord = find_chord(solid, point - line * float(line @ (point - solid.middle)), line)
        return None if chord is None else ("line", chord)
    return ("point", point[None]) if inside_box(point, solid.low, solid.high) else None

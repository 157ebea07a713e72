"""Find points, lines and planes of a body that stay fixed over an interval of frames.

L05 section 3.4.1, equations 3.1 to 3.5: with W_t the body's frame in the world, T_t = W_{t+1} W_t^-1 brings a point's
position at t to the next, and fixed points are the null space of T_t - I, intersected over frames.

`find_fixed_sets_as_printed` solves equation 3.5 frame by frame and intersects the solutions. Between two frames a
standing foot rotates by less than the noise, so that the axis of T_t is arbitrary, and on recordings it finds little. A
rotation minus I also has rank 0 or 2, never 1: two frames fix a line or everything. `find_fixed_points` therefore pools
the frames of an interval: the same null space, written as W_t x = r for one r, is the minimum of

    sum_t |(R_t - mean R) x + (p_t - mean p)|^2,

a quadratic form whose small eigenvalues belong to directions that stay fixed too. `rigid_contacts` finds the intervals.
For feet on a floor, heights and speeds of their points are more reliable: see `contacts`. All work at the recorded
frame rate.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.solids import Solid, inside_box, minimise_in_box

_RANK = 1e-6
"""Singular value (rad) of T_t - I below which a direction is in the null space, in the printed form."""
_PARALLEL = 1e-3
"""Eigenvalue relative to the largest below which the lines of many frames count as one line."""
_CHORD = 0.3
"""Least length of a line within the body, as a share of the body's size."""


class FixedSet(NamedTuple):
    """Points of a body that stay fixed from frame `first` to frame `last`."""

    kind: Literal["point", "line", "plane"]
    points: Array
    """(n, 3) in the body's frame: the point, the ends of the line within the body, or the body's own points."""
    first: int
    last: int


def find_fixed_points(solid: Solid, kind: str, first: int, last: int, tolerance: float) -> Array | None:
    """Return points of the body that stay within the tolerance of their mean place over an interval, or None."""
    if kind == "plane":
        return solid.points if _strays(solid, solid.points, first, last) <= tolerance else None
    form = solid.scatter(first, last)
    # A small weight on the distance from the body's middle makes the problem definite; it moves points by at most a
    # tenth of the tolerance.
    weight = (0.1 * tolerance / solid.reach) ** 2
    matrix, slope = form[:3, :3] + weight * np.eye(3), form[:3, 3] - weight * solid.middle
    best = np.linalg.solve(matrix, -slope)
    if float(np.append(best, 1.0) @ form @ np.append(best, 1.0)) > tolerance**2:
        return None
    point = minimise_in_box(matrix, slope, best, solid.low, solid.high)
    axes = np.linalg.eigh(form[:3, :3])[1]
    points = point[None] if kind == "point" else _chord(solid, point, axes[:, 0])
    return None if points is None or _strays(solid, points, first, last) > tolerance else points


def _chord(solid: Solid, point: Array, direction: Array) -> Array | None:
    """Return the ends (2, 3) of a line through a point within the body's box; None if it is too short for a line."""
    steep = np.abs(direction) > 1e-9
    shares = np.sort((np.stack((solid.low, solid.high)) - point)[:, steep] / direction[steep], axis=0)
    start, end = float(shares[0].max()), float(shares[1].min())
    if end - start < _CHORD * 2.0 * solid.reach:
        return None
    return np.stack((point + start * direction, point + end * direction))


def _strays(solid: Solid, points: Array, first: int, last: int) -> float:
    """Return the largest distance of any of the points (n, 3) from its mean place in an interval."""
    tracks = solid.tracks(points, first, last)
    return float(np.linalg.norm(tracks - tracks.mean(axis=0), axis=2).max())


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
        chord = _chord(solid, point - line * float(line @ (point - solid.middle)), line)
        return None if chord is None else ("line", chord)
    return ("point", point[None]) if inside_box(point, solid.low, solid.high) else None

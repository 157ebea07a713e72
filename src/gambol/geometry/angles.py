"""Decompose rotations into three angles about orthogonal axes, continuous over time.

A rotation has two such triples of angles, and each angle is periodic. In a sequence of rotations every frame gets the
triple nearest to that of the frame before, so that the angles jump only where the rotations do.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import conjugate, mean, multiply, rotate, shortest_arc, to_matrix

_ORTHOGONAL = 1e-7
"""Largest scalar product of axes that are orthogonal."""
_LOCKED = 1e-6
"""Distance from gimbal lock, in half a radian, from which angles are not decided by rounding."""


def angles_about(axes: ArrayLike, quaternions: Array) -> Array:
    """Return angles (frames, 3) with R(axes[0]) R(axes[1]) R(axes[2]) = quaternion, unwrapped over time."""
    chosen = np.asarray(axes, dtype=float)
    if len(chosen) != 3:
        raise InputError(f"a joint that turns about {len(chosen)} axes", fix="use three at most")
    found = _decompose(chosen, quaternions)
    if found is None:
        from scipy.spatial.transform import Rotation

        if not max(abs(chosen[1] @ chosen[0]), abs(chosen[1] @ chosen[2])) < _ORTHOGONAL:
            raise InputError("successive axes of a joint are not orthogonal", fix="use three that are")
        rotations = Rotation.from_quat(quaternions, scalar_first=True)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Gimbal lock")
            found = rotations.as_davenport(chosen, order="intrinsic")
    return _nearest_branch(found)


def _decompose(axes: Array, quaternions: Array) -> Array | None:
    """Return angles (frames, 3) about three orthogonal axes, in a third of the time that SciPy's general method takes.

    None where the axes are not orthogonal, or a rotation is near gimbal lock. In half angles, (a + c, b + d) and
    (a - c, b - d) have as directions half the sum and half the difference of the outer angles.
    """
    across = np.cross(axes[0], axes[1])
    if not np.allclose(axes @ axes.T, np.eye(3), rtol=0.0, atol=1e-12):
        return None
    a = quaternions[:, 0]
    b, c, d = (quaternions[:, 1:] @ axis for axis in (axes[0], axes[1], across))
    together, apart = np.hypot(a + c, b + d), np.hypot(a - c, b - d)
    if min(together.min(), apart.min()) < _LOCKED:
        return None
    half, other = np.arctan2(b + d, a + c), np.arctan2(b - d, a - c)
    middle = 2.0 * np.arctan2(together, apart) - 0.5 * np.pi
    outer = np.stack((half + other, (half - other) * np.sign(across @ axes[2])))
    outer -= whole_turns(outer)
    return np.stack((outer[0], middle, outer[1]), axis=1)


def angles_near(axes: ArrayLike, quaternions: Array, reference: Array) -> Array:
    """Return angles (frames, 3) as `angles_about` does, but in every frame the triple nearest to `reference`."""
    first = angles_about(axes, quaternions)
    both = [first, first * [1.0, -1.0, 1.0] + np.pi]
    near = [a - whole_turns(a - reference) for a in both]
    distances = [np.sum((a - reference) ** 2, axis=1, keepdims=True) for a in near]
    return np.where(distances[0] <= distances[1], near[0], near[1])


def angles_from_start(axes: ArrayLike, quaternions: Array, start: Array) -> Array:
    """Return angles (frames, 3) as `angles_about` does, choosing the branch that begins nearest to `start` (3,)."""
    first = angles_about(axes, quaternions)
    both = [first, first * [1.0, -1.0, 1.0] + np.pi]
    near = [a - whole_turns(a[0] - start) for a in both]
    return min(near, key=lambda a: float(np.sum((a[0] - start) ** 2)))


def whole_turns(angles: Array) -> Array:
    """Return the multiples of a full turn that are nearest to angles (rad)."""
    return np.asarray(2.0 * np.pi * np.round(angles / (2.0 * np.pi)))


def gimbal_margin(angles: Array) -> float:
    """Return how far the middle angle stays from +-90 degrees (gimbal lock): 1 at 0 degrees, 0 locked."""
    return float(np.min(np.abs(np.cos(angles[:, 1]))))


def find_safest_order(quaternions: Array) -> tuple[int, ...]:
    """Return the order of the x, y and z rotations (0, 1, 2) that stays farthest from gimbal lock over a clip.

    The sine of the middle angle is the entry (first, last) of the rotation matrix, up to its sign.
    """
    orders = list(itertools.permutations(range(3)))
    sines = np.abs(to_matrix(quaternions)).max(axis=0)
    return min(orders, key=lambda order: round(float(sines[order[0], order[2]]), 3))


def _nearest_branch(angles: Array) -> Array:
    """Unwrap over time, switching to the equivalent triple (a + pi, pi - b, c + pi) where that is nearer.

    Switching preserves distances between triples, so each decision is independent of those before it.
    """
    other = angles * [1.0, -1.0, 1.0] + np.pi
    stay, change = (
        np.sum(((to - angles[:-1] + np.pi) % (2.0 * np.pi) - np.pi) ** 2, axis=1) for to in (angles[1:], other[1:])
    )
    changed = np.concatenate(([False], np.cumsum(change < stay) % 2 == 1))
    return np.unwrap(np.where(changed[:, None], other, angles), axis=0)


def find_safest_axes(quaternions: Array) -> tuple[Array, Array]:
    """Return a rest orientation (4,) and three orthogonal axes (3, 3) that keep a clip away from gimbal lock.

    Lock occurs when the first axis, fixed in the parent, aligns with the last, fixed in the rotating frame. Seen from
    the rotating frame the first axis traces a curve on the sphere; the last axis is the direction farthest from it.
    """
    matrices = to_matrix(quaternions)
    before, after = _hemisphere(15), _hemisphere(60)
    seen = np.einsum("fji,uj->ufi", matrices, before)
    locked = np.abs(seen @ after.T).max(axis=1)
    first, last = np.unravel_index(int(np.argmin(locked)), locked.shape)
    outside, inside = before[first], after[last]
    middle = mean(quaternions)
    start = rotate(conjugate(middle), outside)
    start -= inside * (inside @ start)
    start /= np.linalg.norm(start)
    rest = multiply(shortest_arc(rotate(middle, start), outside), middle)
    return rest, np.stack((start, np.cross(inside, start), inside))


def _hemisphere(count: int) -> Array:
    """Return the coordinate axes and `count` unit vectors spread evenly over half a sphere, with their mirror images.

    A body's y axis points to the left: what is found for a clip is then the mirror image of what is found for its
    mirror image.
    """
    n = np.arange(count) + 0.5
    z, around = n / count, n * np.pi * (3.0 - np.sqrt(5.0))
    flat = np.sqrt(1.0 - z**2)
    spread = np.stack((flat * np.cos(around), flat * np.sin(around), z), axis=1)
    return np.vstack((np.eye(3)[::-1], spread, spread * [1.0, -1.0, 1.0]))

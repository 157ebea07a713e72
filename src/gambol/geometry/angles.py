"""Three successive turns about orthogonal axes: from rotations to angles that run on smoothly.

A rotation has two such triples and each angle repeats every turn. A curve of rotations is given the
triple nearest to that of the frame before, so that no jump appears that the rotations do not have.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from numpy.typing import ArrayLike

from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import shortest_arc, conjugate, mean, multiply, rotate, to_matrix


def angles_about(axes: ArrayLike, quaternions: Array) -> Array:
    """Angles (frames, 3) with turn(axes[0]) turn(axes[1]) turn(axes[2]) = quaternion, unwrapped in time."""
    from scipy.spatial.transform import Rotation

    rotations = Rotation.from_quat(quaternions, scalar_first=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Gimbal lock")
        first = rotations.as_davenport(np.asarray(axes, dtype=float), order="intrinsic")
    return _nearest_branch(first)


def angles_near(axes: ArrayLike, quaternions: Array, reference: Array) -> Array:
    """Angles (frames, 3) as `angles_about` gives them, but in every frame the triple nearest to `reference`."""
    first = angles_about(axes, quaternions)
    both = [first, first * [1.0, -1.0, 1.0] + np.pi]
    near = [a - 2.0 * np.pi * np.round((a - reference) / (2.0 * np.pi)) for a in both]
    distances = [np.sum((a - reference) ** 2, axis=1, keepdims=True) for a in near]
    return np.where(distances[0] <= distances[1], near[0], near[1])


def angles_from_start(axes: ArrayLike, quaternions: Array, begin: Array) -> Array:
    """Angles (frames, 3) as `angles_about` gives them, of all such curves the one that begins nearest to some (3,)."""
    first = angles_about(axes, quaternions)
    both = [first, first * [1.0, -1.0, 1.0] + np.pi]
    near = [a - 2.0 * np.pi * np.round((a[0] - begin) / (2.0 * np.pi)) for a in both]
    return min(near, key=lambda a: float(np.sum((a[0] - begin) ** 2)))


def gimbal_margin(angles: Array) -> float:
    """How far the middle of three turns about distinct axes stays from +-90 degrees: 1 far, 0 locked."""
    return float(np.min(np.abs(np.cos(angles[:, 1]))))


def find_safest_order(quaternions: Array) -> tuple[int, ...]:
    """The order of the x, y and z turns (0, 1, 2) that stays farthest from gimbal lock over a clip.

    The sine of the middle angle is the entry (first, last) of the rotation matrix, up to its sign.
    """
    orders = list(itertools.permutations(range(3)))
    sines = np.abs(to_matrix(quaternions)).max(axis=0)
    return min(orders, key=lambda order: round(float(sines[order[0], order[2]]), 3))


def _nearest_branch(angles: Array) -> Array:
    """Unwrap in time, changing to the other triple (a + pi, pi - b, c + pi) where that is nearer.

    The change keeps distances between triples, so whether to change does not depend on changes before.
    """
    other = angles * [1.0, -1.0, 1.0] + np.pi
    stay, change = (
        np.sum(((to - angles[:-1] + np.pi) % (2.0 * np.pi) - np.pi) ** 2, axis=1) for to in (angles[1:], other[1:])
    )
    changed = np.concatenate(([False], np.cumsum(change < stay) % 2 == 1))
    return np.unwrap(np.where(changed[:, None], other, angles), axis=0)


def find_safest_axes(quaternions: Array) -> tuple[Array, Array]:
    """A rest orientation (4,) and three orthogonal axes (3, 3) that keep a clip's rotations away from gimbal lock.

    Turns lock when the first axis, fixed outside, meets the last, fixed in the turning frame. Seen from that frame the
    first axis draws a curve on the sphere, and there is always a direction away from a curve: it becomes the last axis.
    """
    matrices = to_matrix(quaternions)
    directions = _hemisphere(120)
    seen = np.einsum("fji,uj->ufi", matrices, directions[::4])
    locked = np.abs(seen @ directions.T).max(axis=1)
    first, last = np.unravel_index(int(np.argmin(locked)), locked.shape)
    outside, inside = directions[::4][first], directions[last]
    middle = mean(quaternions)
    start = rotate(conjugate(middle), outside)
    start -= inside * (inside @ start)
    start /= np.linalg.norm(start)
    rest = multiply(shortest_arc(rotate(middle, start), outside), middle)
    return rest, np.stack((start, np.cross(inside, start), inside))


def _hemisphere(count: int) -> Array:
    """Unit vectors spread evenly over half a sphere; the coordinate axes are among them."""
    n = np.arange(count) + 0.5
    z, around = n / count, n * np.pi * (3.0 - np.sqrt(5.0))
    flat = np.sqrt(1.0 - z**2)
    return np.vstack(
        (np.eye(3)[::-1], np.eye(3)[:1], np.stack((flat * np.cos(around), flat * np.sin(around), z), axis=1))
    )

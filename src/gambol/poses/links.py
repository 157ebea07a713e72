"""Frames of all links of a skeleton in many poses, as matrices with frames along the last axis.

A joint with several axes becomes a link for each of them, so that a link has one axis at most. NumPy then handles all
links of a level of the tree at once, in a third of the time that quaternions of joints take.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton


class PlacedLinks(NamedTuple):
    """Joints of a skeleton in poses; places are seen from the root."""

    root: Array
    """(3, frames) place of the root in the world (m)."""
    frames: Array
    """(3, 4, joints, frames): axes of joints in the world, and their origins (m)."""
    screws: Array
    """(6, dofs, frames): angular velocity, and linear velocity at the root's place, per unit of a coordinate's rate."""

    def locate(self, joints: Sequence[int] | NDArray[np.intp], points: Array) -> Array:
        """Return the places (3, points, frames) of points (points, 3) of joints (points,) (m)."""
        at, (x, y, z) = self.frames[:, :, joints], points.T[:, :, None]
        return np.asarray(at[:, 0] * x + at[:, 1] * y + at[:, 2] * z + at[:, 3])


class SkeletonLinks:
    """The links of a skeleton down to some joints."""

    def __init__(self, skeleton: Skeleton, joints: Iterable[int]) -> None:
        """Other joints than those and the ones above them have no place and no screws."""
        placed = {each for joint in joints for each in skeleton.path_to_root(joint)}
        parents: list[int] = []
        offsets, rests, axes = [], [], []
        self._last: list[int] = []
        """Link of every joint that its frame is that of."""
        turning, sliding = [], []
        for joint, parent in enumerate(skeleton.parents):
            if joint not in placed:
                self._last.append(0)
                continue
            turns = skeleton.columns(joint, "turn")
            sliding += [(column, len(parents)) for column in skeleton.columns(joint, "slide")]
            for number, column in enumerate(turns or [None]):
                above = self._last[parent] if parent >= 0 else -1
                parents.append(len(parents) - 1 if number else above)
                offsets.append(np.zeros(3) if number else skeleton.offsets[joint])
                rests.append(quat.IDENTITY if number else skeleton.rests[joint])
                axes.append(np.zeros(3) if column is None else np.array(skeleton.dofs[column].axis))
                if column is not None:
                    turning.append((column, len(parents) - 1))
            self._last.append(len(parents) - 1)
        self._offsets, self._axes = np.array(offsets).T[..., None], np.array(axes).T[..., None]
        self._turning, self._sliding = (np.array(each, dtype=int).reshape(-1, 2).T for each in (turning, sliding))
        self._slides = np.array([skeleton.dofs[column].axis for column in self._sliding[0]]).reshape(-1, 3).T[..., None]
        self._parents, self._levels = np.array(parents), _list_levels(parents)
        # A turn by an angle about an axis: along + cos (1 - along) + sin cross.
        rest, axis = quat.to_matrix(np.array(rests)), np.array(axes)
        along = axis[:, :, None] * axis[:, None]
        crossed = np.cross(axis[:, None], np.eye(3)).swapaxes(1, 2)
        parts = rest @ along, rest @ (np.eye(3) - along), rest @ crossed
        self._fixed, self._cos, self._sin = (part.transpose(1, 2, 0)[..., None] for part in parts)

    def place(self, q: Array) -> PlacedLinks:
        """Return the joints in poses (frames, dofs)."""
        columns, links = self._turning
        angles = np.zeros((len(self._parents), len(q)))
        angles[links] = q.T[columns]
        local = np.empty((3, 4, *angles.shape))
        np.multiply(self._cos, np.cos(angles), out=local[:, :3])
        local[:, :3] += self._sin * np.sin(angles)
        local[:, :3] += self._fixed
        local[:, 3] = self._offsets
        for slide, (column, link) in enumerate(self._sliding.T):
            local[:, 3, link] += q[:, column] * self._slides[:, slide]
        root = local[:, 3, 0].copy()
        local[:, 3, 0] = 0.0
        for level, above in self._levels:
            up, own = local[:, :, above], local[:, :, level]
            placed = up[:, 0, None] * own[0]
            placed += up[:, 1, None] * own[1]
            placed += up[:, 2, None] * own[2]
            placed[:, 3] += up[:, 3]
            local[:, :, level] = placed
        return PlacedLinks(root, local[:, :, self._last], self._find_screws(local, q.shape[1]))

    def _find_screws(self, frames: Array, dofs: int) -> Array:
        screws = np.zeros((6, dofs, frames.shape[-1]))
        columns, links = self._turning
        at, axis = frames[:, :, links], self._axes[:, links]
        x, y, z = at[:, 0] * axis[0] + at[:, 1] * axis[1] + at[:, 2] * axis[2]
        u, v, w = at[:, 3]
        screws[:, columns] = x, y, z, v * z - w * y, w * x - u * z, u * y - v * x
        for slide, (column, link) in enumerate(self._sliding.T):
            above, axis = self._parents[link], self._slides[:, slide]
            screws[3:, column] = axis if above < 0 else np.einsum("abf,bc->af", frames[:, :3, above], axis)
        return screws


def _list_levels(parents: list[int]) -> list[tuple[Array, Array]]:
    """Return links and their parents for every level of a tree below its root."""
    depth: list[int] = []
    for parent in parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    levels = [[link for link, each in enumerate(depth) if each == level] for level in range(1, max(depth) + 1)]
    return [(np.array(level), np.array(parents)[level]) for level in levels]

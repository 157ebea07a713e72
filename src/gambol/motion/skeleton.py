"""A skeleton: a tree of named joints with degrees of freedom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

MAX_JOINTS = 10_000
Vector = tuple[float, float, float]
"""Coordinates x, y and z."""


@dataclass(frozen=True)
class Dof:
    """One degree of freedom: a slide along (metres) or a turn about (radians) an axis of the joint's frame."""

    joint: int
    kind: Literal["slide", "turn"]
    axis: Vector
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in depth-first order. A joint's frame relative to its parent's is

    translate(offset + slides) . rest . turn_1 . turn_2 ...

    with the slides and turns of its degrees of freedom in the order of `dofs`.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; -1 for the root, which comes first."""
    offsets: Array
    """(joints, 3) metres, in the parent's frame."""
    dofs: tuple[Dof, ...]
    """In the order of the columns of `q`."""
    rests: Array = None  # type: ignore[assignment]
    """(joints, 4) rest orientation relative to the parent; identity when not given."""
    ends: frozenset[int] = frozenset()
    """Joints that only mark the end of a bone (BVH's End Sites)."""

    def __post_init__(self) -> None:
        count = len(self.names)
        rests = np.tile(quat.IDENTITY, (count, 1)) if self.rests is None else self.rests
        for field, value, shape in (
            ("offsets", self.offsets, (count, 3)),
            ("rests", rests, (count, 4)),
        ):
            object.__setattr__(self, field, _frozen(value, shape, field))
        quat.check_unit(self.rests, "rests of a skeleton")
        if not 0 < count <= MAX_JOINTS:
            raise InputError(f"a skeleton needs 1 to {MAX_JOINTS} joints, got {count}")
        if len(set(self.names)) != count:
            twice = next(n for i, n in enumerate(self.names) if n in self.names[:i])
            raise InputError(f"two joints are named '{twice}'")
        _check_depth_first(self.parents, count)
        check_joints(self, {dof.joint for dof in self.dofs})

    def __repr__(self) -> str:
        return f"Skeleton({len(self.names)} joints, {len(self.dofs)} degrees of freedom)"

    @cached_property
    def levels(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Joints and their parents, for each level of the tree below the root."""
        depth = np.zeros(len(self.names), dtype=int)
        for joint, parent in enumerate(self.parents[1:], start=1):
            depth[joint] = depth[parent] + 1
        parents = np.array(self.parents)
        return [(joints, parents[joints]) for joints in (np.flatnonzero(depth == d) for d in range(1, depth.max() + 1))]

    @cached_property
    def dof_layers(self) -> list[tuple[str, NDArray[np.intp], NDArray[np.intp], Array]]:
        """Degrees of freedom in layers with at most one per joint and kind: kind, columns, joints, axes."""
        layers: dict[tuple[str, int], list[int]] = {}
        seen: dict[tuple[str, int], int] = {}
        for column, dof in enumerate(self.dofs):
            rank = seen.get((dof.kind, dof.joint), 0)
            seen[dof.kind, dof.joint] = rank + 1
            layers.setdefault((dof.kind, rank), []).append(column)
        return [
            (
                kind,
                np.array(columns),
                np.array([self.dofs[c].joint for c in columns]),
                np.array([self.dofs[c].axis for c in columns]),
            )
            for (kind, _), columns in sorted(layers.items())
        ]

    @cached_property
    def lower(self) -> Array:
        """(dofs,) least values of the coordinates (rad, m); -inf where there is no limit."""
        return _freeze(np.array([dof.lower for dof in self.dofs], dtype=float))

    @cached_property
    def upper(self) -> Array:
        """(dofs,) largest values of the coordinates (rad, m); inf where there is no limit."""
        return _freeze(np.array([dof.upper for dof in self.dofs], dtype=float))

    @cached_property
    def turning(self) -> NDArray[np.bool_]:
        """(dofs,) which coordinates are turns (rad); the others are slides (m)."""
        return _freeze(np.array([dof.kind == "turn" for dof in self.dofs], dtype=bool))

    def index(self, name: str) -> int:
        """Return the index of a joint by name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(f"no joint '{name}'", fix=f"joints: {', '.join(self.names)}") from None

    def columns(self, joint: int, kind: str | None = None) -> list[int]:
        """Return the columns of `q` that move a joint, in order; of one kind (slide or turn), if given."""
        return [c for c, d in enumerate(self.dofs) if d.joint == joint and kind in (None, d.kind)]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every joint, in order."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents[1:], start=1):
            lists[parent].append(joint)
        return tuple(map(tuple, lists))

    def path_to_root(self, joint: int) -> list[int]:
        """Return the joint, its parent and so on up to the root."""
        path = [joint]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        return path

    def change_axes(self, axes: Array, scale: float = 1.0) -> Skeleton:
        """Return the skeleton in world axes rotated by the matrix `axes` and lengths multiplied by `scale`.

        The joints' own frames rotate too, so that the angles in `q` keep their values.
        """
        q_axes = quat.from_matrix(axes)
        rests = quat.multiply(quat.multiply(q_axes, self.rests), quat.conjugate(q_axes))
        turned_dofs = tuple(replace(d, axis=_snap(axes @ d.axis)) for d in self.dofs)
        return replace(
            self,
            offsets=scale * self.offsets @ axes.T,
            rests=np.where((self.rests == quat.IDENTITY).all(axis=1)[:, None], self.rests, rests),
            dofs=turned_dofs,
        )


def _snap(vector: Array) -> Vector:
    """Remove -0.0 and the rounding noise of rotations by quarter turns."""
    x, y, z = (round(float(x), 15) + 0.0 for x in vector)
    return x, y, z


def _frozen(value: ArrayLike, shape: tuple[int, ...], field: str) -> Array:
    array = np.array(value, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(f"{field} must be finite and of shape {shape}, got shape {array.shape}")
    return _freeze(array)


def _freeze(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def check_joints(skeleton: Skeleton, joints: Iterable[int]) -> None:
    """Raise an InputError for numbers that are not those of joints of a skeleton."""
    for joint in joints:
        if not 0 <= joint < len(skeleton.names):
            raise InputError(f"no joint {joint} in a skeleton of {len(skeleton.names)}")


def _check_depth_first(parents: tuple[int, ...], count: int) -> None:
    if len(parents) != count or parents[0] != -1:
        raise InputError("every joint needs one parent, with the root first and its parent -1")
    path = [0]
    for joint, parent in enumerate(parents[1:], start=1):
        while path and path[-1] != parent:
            path.pop()
        if not path:
            raise InputError(f"joint {joint} does not follow its parent {parent} depth first")
        path.append(joint)

"""What poses are solved for: where points of a body should be, and coordinates that a pose stays near.

A target compares a sum of points, each times a share, with a position: a point (share 1), a point seen from another (1
and -1), the mean of some points, such as a centre of mass. Solvers minimise squared residuals, each times its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.kinematics import locate_points
from gambol.motion.skeleton import Skeleton

FrameIndex = slice | NDArray[np.intp]
_PRIOR = 5e-3
"""Weight of the distance from a guess, in m per rad: decides what the targets leave open (a straight arm's twist)."""
_SMALLEST = 1e-9
"""Length (m) up to which a direction is not defined."""
_ARM = 0.3
"""Metres from a joint to points that show how it is turned."""


@dataclass(frozen=True, eq=False)
class BodyTarget:
    """Where a sum of points of a body should be; `aim_point` makes those of a point, or of one seen from another."""

    joints: Sequence[int] | NDArray[np.intp]
    points: Array
    """(points, 3) in the frames of the joints (m)."""
    shares: Array
    """(points,) factors."""
    position: Array
    """(frames, 3), or (3,) in all frames (m)."""
    weight: float | Array = 1.0
    """One value, or one per frame (frames,)."""
    axes: Array | None = None
    """(n, 3) orthogonal unit vectors of the world along which positions count; None: along all."""
    unit: bool = False
    """Whether directions are compared, not distances."""

    def compare(self, place: Array, jacobian: Array, frames: FrameIndex = slice(None)) -> tuple[Array, Array]:
        """Return the weighted residual (frames, rows) of a sum (frames, 3), and its Jacobian from (frames, 3, dofs)."""
        position = self.position if self.position.ndim == 1 else self.position[frames]
        if self.axes is not None:
            place, position = np.einsum("fk,rk->fr", place, self.axes), position @ self.axes.T
            jacobian = np.einsum("fkd,rk->frd", jacobian, self.axes)
        if self.unit:
            place, jacobian = _normalise_places(place, jacobian)
        weight = np.asarray(self.weight)
        weight = weight if weight.ndim == 0 else weight[frames, None]
        return weight * (place - position), weight[..., None] * jacobian


class PosePrior(NamedTuple):
    """Coordinates that a pose stays near where targets leave it open."""

    q: Array
    """(frames, dofs), or (dofs,) of one pose."""
    weights: Array | float
    """(dofs,) or of all, in m per rad and per metre; coordinates of infinite weight stay as they are here."""


def stay_near(skeleton: Skeleton, q: Array, weight: float = _PRIOR) -> PosePrior:
    """Return a cost on the distance of angles, but not of slides, from `q` within limits; `weight` in m per rad."""
    return PosePrior(np.clip(q, skeleton.lower, skeleton.upper), weight * skeleton.turning)


def aim_point(
    joint: int,
    point: Array,
    position: Array,
    weight: float | Array = 1.0,
    base: int | None = None,
    base_point: Array = np.zeros(3),
) -> BodyTarget:
    """Return the target of a point (3,) in a joint's frame, in the world or seen from a point of a base, world axes."""
    if base is None:
        return BodyTarget((joint,), point[None], np.ones(1), position, weight)
    return BodyTarget((joint, base), np.array([point, base_point]), np.array([1.0, -1.0]), position, weight)


def orient_joint(joint: int, orientations: Array, weight: float) -> list[BodyTarget]:
    """Return targets of points about a joint that show its orientations (frames, 4) or (4,) in the world."""
    return [aim_point(joint, arm, quat.rotate(orientations, arm), weight, joint) for arm in _ARM * np.eye(3)]


def list_contact_targets(skeleton: Skeleton, contacts: Sequence[Contact]) -> list[BodyTarget]:
    """Return the points of contacts at their places, each along the axes in which it is fixed."""
    targets = []
    for contact in contacts:
        for n, (point, place) in enumerate(zip(contact.points, contact.places, strict=True)):
            axes = [contact.axes[axis] for fixed, axis in contact.constrained_axes if fixed == n]
            if axes:
                target = aim_point(skeleton.index(contact.body), point, place)
                targets.append(replace(target, axes=np.array(axes)))
    return targets


def _normalise_places(places: Array, jacobians: Array) -> tuple[Array, Array]:
    """Return unit vectors (n, k) of places (n, k), and their Jacobian from that of the places (n, k, dofs)."""
    size = np.maximum(lengths(places), _SMALLEST)[:, None]
    along, moved = places / size, jacobians / size[..., None]
    return along, moved - along[..., None] * (along[:, None] @ moved)


def measure_targets(
    skeleton: Skeleton, targets: Sequence[BodyTarget], q: Array, frames: FrameIndex = slice(None)
) -> tuple[Array, Array]:
    """Return weighted residuals (frames, rows) of poses (frames, dofs), and their Jacobian (frames, rows, dofs).

    `frames` are those of the targets that the poses belong to.
    """
    joints = [joint for target in targets for joint in target.joints]
    places, slopes = locate_points(skeleton, q, joints, np.concatenate([target.points for target in targets]))
    measured, first = [], 0
    for target in targets:
        part = slice(first, first := first + len(target.joints))
        place = np.einsum("p,fpk->fk", target.shares, places[:, part])
        measured.append(target.compare(place, np.einsum("p,fpkd->fkd", target.shares, slopes[:, part]), frames))
    residuals, jacobians = zip(*measured, strict=True)
    return np.concatenate(residuals, axis=1), np.concatenate(jacobians, axis=1)

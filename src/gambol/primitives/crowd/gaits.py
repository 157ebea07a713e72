"""Which steps take a walker along its way: prototypes blended so that stride and turn are those that are wanted.

M17 section 2.4 blends straight and curved, short and long steps. Every prototype is a point in the plane of how far a
radian of phase leads and by how much it turns. A wanted point has its blend from the corners of the triangle that it
lies in: three prototypes at most, and the blend changes continuously as the point moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import InputError
from gambol.features.layout import FORWARD, TURN
from gambol.geometry.arrays import Array
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.variants import Variation, add_variants

if TYPE_CHECKING:
    from scipy.spatial import Delaunay

BASE_WALK = "walk"
"""The prototype that the others are made of."""
WALKER_VARIANTS = {
    "stand": Variation(steps=0.0),
    "long": Variation(steps=1.3),
    "left": Variation(turn=0.6),
    "right": Variation(turn=-0.6),
    "turn left": Variation(steps=0.0, turn=1.2),
    "turn right": Variation(steps=0.0, turn=-1.2),
}
"""What a walker needs besides a walk: to stand, to hurry, to bend its way and to turn on the spot."""


def make_walker_prototypes(prototypes: Prototypes) -> Prototypes:
    """A walk, and what one needs besides it to be steered; styles of these names are kept as they are.

    Where no style is called a walk, the first is the walk.
    """
    if BASE_WALK not in prototypes.names:
        prototypes = replace(prototypes, names=(BASE_WALK, *prototypes.names[1:]))
    ahead = 2.0 * np.pi * float(prototypes.channels[prototypes.index(BASE_WALK), :, FORWARD].mean())
    if ahead < _LEAST_STRIDE:
        raise InputError(
            f"a stride that leads {prototypes.layout.leg * ahead:.2f} m ahead is no walk to steer", fix="bring a walk"
        )
    missing = {name: (BASE_WALK, how) for name, how in WALKER_VARIANTS.items() if name not in prototypes.names}
    return add_variants(prototypes, missing).select([BASE_WALK, *WALKER_VARIANTS])


_LEAST_STRIDE = 0.2
"""Leg lengths that a stride leads ahead at least."""
_SHRUNK = 1.0 - 1e-9
"""So that what is brought to the rim of the plane is found inside it."""


@dataclass(frozen=True, eq=False)
class GaitPlane:
    """The plane of strides and turns."""

    prototypes: Prototypes

    @cached_property
    def corners(self) -> Array:
        """(prototypes, 2): metres forward and radians to the left, per radian of phase, on the average of a stride."""
        channels = self.prototypes.channels.mean(axis=1)
        return np.stack((self.prototypes.layout.leg * channels[:, FORWARD], channels[:, TURN]), axis=1)

    @cached_property
    def _mesh(self) -> Delaunay:
        """Triangles between the corners, in units in which the plane is as wide as high."""
        from scipy.spatial import Delaunay, QhullError

        try:
            return Delaunay(self.corners / self._scale)
        except QhullError:
            raise InputError(
                "these prototypes cannot be steered: all go straight, or none does", fix="add left and right steps"
            ) from None

    @cached_property
    def _scale(self) -> Array:
        return np.maximum(np.abs(self.corners).max(axis=0), 1e-9)

    @cached_property
    def _middle(self) -> Array:
        return self._mesh.points.mean(axis=0)

    def blend(self, forward: Array, turn: Array) -> Array:
        """Shares (n, prototypes) whose strides lead `forward` (n,) metres and `turn` (n,) radians per radian of phase.

        What no blend can do is brought to the nearest that one can.
        """
        mesh = self._mesh
        wanted = np.stack((forward, turn), axis=1) / self._scale
        within = mesh.find_simplex(wanted)
        outside = within < 0
        if outside.any():
            edges = mesh.points[mesh.convex_hull]
            wanted[outside] = _SHRUNK * _nearest(edges - self._middle, wanted[outside] - self._middle) + self._middle
            within[outside] = mesh.find_simplex(wanted[outside])
        transform = mesh.transform[within]
        first = np.einsum("nij,nj->ni", transform[:, :2], wanted - transform[:, 2])
        shares = np.maximum(np.concatenate((first, 1.0 - first.sum(axis=1, keepdims=True)), axis=1), 0.0)
        out = np.zeros((len(wanted), len(self.prototypes.names)))
        np.put_along_axis(out, mesh.simplices[within], shares / shares.sum(axis=1, keepdims=True), axis=1)
        return out


def _nearest(edges: Array, points: Array) -> Array:
    """The points of some edges nearest to others (n, 2)."""
    way = edges[:, 1] - edges[:, 0]
    along = np.einsum("nej,ej->ne", points[:, None] - edges[:, 0], way) / np.maximum(np.sum(way**2, axis=1), 1e-12)
    feet = edges[:, 0] + np.clip(along, 0.0, 1.0)[..., None] * way
    chosen = np.argmin(np.sum((points[:, None] - feet) ** 2, axis=2), axis=1)
    return feet[np.arange(len(points)), chosen]

"""Blend prototypes to given travel and turn per stride (M17 section 2.4).

M17 blends straight and curved, short and long steps. Every prototype is a point in the plane of travel and turn per
radian of phase. A target point is blended from the corners of the triangle that contains it: three prototypes at most,
and the blend is continuous in the point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.features.layout import FORWARD, TURN
from gambol.geometry.arrays import Array
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.variants import add_variants
from gambol.primitives.variation import Variation

if TYPE_CHECKING:
    from scipy.spatial import Delaunay

BASE_WALK = "walk"
"""Name of the prototype that the others are made from."""
STAND, STEP = "stand", "step"
"""Names of standing on both feet, and of steps on the spot, between which and the others blends are."""
_LIFT = 0.08
"""Lift of steps on the spot, in leg lengths: 7 cm. People who step or turn on the spot do not drag their feet."""
WALKER_VARIANTS = {
    STAND: Variation(steps=0.0),
    STEP: Variation(steps=0.0, lift=_LIFT),
    "long": Variation(steps=1.3),
    "left": Variation(turn=0.6),
    "right": Variation(turn=-0.6),
    "turn left": Variation(steps=0.0, turn=1.2, lift=_LIFT),
    "turn right": Variation(steps=0.0, turn=-1.2, lift=_LIFT),
}
"""Prototypes that steering needs besides a walk: standing, steps on the spot, long steps, arcs, turns on the spot."""


def make_walker_prototypes(prototypes: Prototypes) -> Prototypes:
    """Return a walk and its WALKER_VARIANTS, on a floor at height 0; prototypes with these names are used unchanged.

    If no prototype is called "walk", the first is the walk.
    """
    prototypes = replace(prototypes, layout=replace(prototypes.layout, floor=0.0))
    if BASE_WALK not in prototypes.names:
        prototypes = replace(prototypes, names=(BASE_WALK, *prototypes.names[1:]))
    ahead = 2.0 * np.pi * float(prototypes.channels[prototypes.index(BASE_WALK), :, FORWARD].mean())
    if ahead < _LEAST_STRIDE:
        raise InputError(
            f"a stride goes {prototypes.layout.leg * ahead:.2f} m forward, too little to steer with",
            fix="use a forward walk",
        )
    missing = {name: (BASE_WALK, how) for name, how in WALKER_VARIANTS.items() if name not in prototypes.names}
    made = add_variants(prototypes, missing).select([BASE_WALK, *WALKER_VARIANTS])
    contacts = made.contacts.copy()
    contacts[made.index(STAND)] = 1.0
    return replace(made, contacts=contacts)


_LEAST_STRIDE = 0.2
"""Shortest stride of a walk, in leg lengths."""
_SHRUNK = 1.0 - 1e-9
"""Shrinks points projected to the edge of the plane, so that they lie inside."""


@dataclass(frozen=True, eq=False)
class GaitPlane:
    """The plane of travel and turn per radian of phase, spanned by prototypes."""

    prototypes: Prototypes

    @cached_property
    def corners(self) -> Array:
        """(prototypes, 2) mean metres forward and radians to the left, per radian of phase."""
        channels = self.prototypes.channels.mean(axis=1)
        return np.stack((self.prototypes.layout.leg * channels[:, FORWARD], channels[:, TURN]), axis=1)

    @cached_property
    def _used(self) -> NDArray[np.intp]:
        """Indices of the prototypes that are blended: who steps on the spot does not stand."""
        names = self.prototypes.names
        return np.array([n for n, name in enumerate(names) if name != STAND or STEP not in names])

    @cached_property
    def _mesh(self) -> Delaunay:
        """Triangles between the corners, scaled to equal ranges of travel and turn."""
        from scipy.spatial import Delaunay, QhullError

        try:
            return Delaunay(self.corners[self._used] / self._scale)
        except QhullError:
            raise InputError(
                "prototypes do not span travel and turn, so they cannot be steered", fix="add left and right steps"
            ) from None

    @cached_property
    def _scale(self) -> Array:
        return np.maximum(np.abs(self.corners).max(axis=0), 1e-9)

    @cached_property
    def _middle(self) -> Array:
        return self._mesh.points.mean(axis=0)

    def blend(self, forward: Array, turn: Array) -> Array:
        """Return shares (n, prototypes) for `forward` (n,) metres and `turn` (n,) radians per radian of phase.

        Targets outside the plane are moved to the nearest point inside.
        """
        mesh = self._mesh
        target = np.stack((forward, turn), axis=1) / self._scale
        within = mesh.find_simplex(target)
        outside = within < 0
        if outside.any():
            edges = mesh.points[mesh.convex_hull]
            target[outside] = _SHRUNK * _nearest(edges - self._middle, target[outside] - self._middle) + self._middle
            within[outside] = mesh.find_simplex(target[outside])
        transform = mesh.transform[within]
        first = np.einsum("nij,nj->ni", transform[:, :2], target - transform[:, 2])
        shares = np.maximum(np.concatenate((first, 1.0 - first.sum(axis=1, keepdims=True)), axis=1), 0.0)
        out = np.zeros((len(target), len(self.prototypes.names)))
        np.put_along_axis(out, self._used[mesh.simplices[within]], shares / shares.sum(axis=1, keepdims=True), axis=1)
        return out


def _nearest(edges: Array, points: Array) -> Array:
    """Return the points (n, 2) on edges that are nearest to points (n, 2)."""
    vector = edges[:, 1] - edges[:, 0]
    along = np.einsum("nej,ej->ne", points[:, None] - edges[:, 0], vector) / np.maximum(
        np.sum(vector**2, axis=1), 1e-12
    )
    feet = edges[:, 0] + np.clip(along, 0.0, 1.0)[..., None] * vector
    chosen = np.argmin(np.sum((points[:, None] - feet) ** 2, axis=2), axis=1)
    return feet[np.arange(len(points)), chosen]

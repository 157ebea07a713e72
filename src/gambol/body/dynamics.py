"""Numerical dynamics of a character by Pinocchio: inverse and forward dynamics, mass matrix, momenta.

Every degree of freedom becomes a Pinocchio joint, added depth first (Pinocchio's derivatives need that order); the last
one of a skeleton joint carries the segment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array


class Momentum(NamedTuple):
    """Linear (kg m/s) and angular momentum (kg m²/s, about the centre of mass), world axes."""

    linear: Array
    angular: Array


class Dynamics:
    """The dynamics of a character. Methods take one pose (dofs,) or many (frames, dofs)."""

    def __init__(self, character: Character) -> None:
        self.character = character
        self.model = _build(character)
        self._data = self.model.createData()

    def torques(self, q: Array, velocity: Array, acceleration: Array) -> Array:
        """Return the generalised forces of a motion without contacts: inverse dynamics, gravity included."""
        return self._each(lambda *x: pin.rnea(self.model, self._data, *x).copy(), q, velocity, acceleration)

    def acceleration(self, q: Array, velocity: Array, torque: Array) -> Array:
        """Return the accelerations under generalised forces: forward dynamics."""
        return self._each(lambda *x: pin.aba(self.model, self._data, *x).copy(), q, velocity, torque)

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix (..., dofs, dofs)."""

        def one(x: Array) -> Array:
            upper = np.triu(pin.crba(self.model, self._data, x))
            return upper + np.triu(upper, 1).T

        return self._each(one, q)

    def center_of_mass(self, q: Array) -> Array:
        """Return the centre of mass (..., 3) in metres."""
        return self._each(lambda x: pin.centerOfMass(self.model, self._data, x).copy(), q)

    def total_inertia(self, q: Array) -> Array:
        """Return the inertia tensor (..., 3, 3) of the whole body about its centre of mass, world axes (kg m²)."""

        def one(x: Array) -> Array:
            pin.ccrba(self.model, self._data, x, np.zeros(self.model.nv))
            return self._data.Ig.inertia.copy()

        return self._each(one, q)

    def momentum(self, q: Array, velocity: Array) -> Momentum:
        """Return linear momentum and angular momentum about the centre of mass."""
        both = self._each(lambda *x: pin.computeCentroidalMomentum(self.model, self._data, *x).np.copy(), q, velocity)
        return Momentum(both[..., :3], both[..., 3:])

    def momentum_rate(self, q: Array, velocity: Array, acceleration: Array) -> Momentum:
        """Return the rates of the momenta: total force and moment about the centre of mass, gravity included."""
        compute = pin.computeCentroidalMomentumTimeVariation

        def one(*x: Array) -> Array:
            compute(self.model, self._data, *x)
            return self._data.dhg.np.copy()

        both = self._each(one, q, velocity, acceleration)
        return Momentum(both[..., :3], both[..., 3:])

    def _each(self, function, *arrays: Array) -> Array:  # type: ignore[no-untyped-def]
        if np.ndim(arrays[0]) == 1:
            return function(*(np.ascontiguousarray(a, dtype=float) for a in arrays))
        return np.stack([function(*row) for row in zip(*(np.ascontiguousarray(a) for a in arrays), strict=True)])


def _build(character: Character) -> pin.Model:
    skeleton = character.skeleton
    order = [d.joint for d in skeleton.dofs]
    if order != sorted(order):
        raise ValueError("degrees of freedom must be ordered by joint, depth first")
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    ends: dict[int, tuple[int, pin.SE3]] = {-1: (0, pin.SE3.Identity())}
    for joint, parent in enumerate(skeleton.parents):
        before, placement = ends[parent]
        # Translations act before the rest orientation, rotations after it.
        placement = placement * pin.SE3(np.eye(3), skeleton.offsets[joint])
        rest = pin.SE3(quat.to_matrix(skeleton.rests[joint]), np.zeros(3))
        columns = skeleton.columns(joint, "slide") + skeleton.columns(joint, "turn")
        rested = False
        for column in columns:
            dof = skeleton.dofs[column]
            if dof.kind == "turn" and not rested:
                placement, rested = placement * rest, True
            kind = pin.JointModelPrismaticUnaligned if dof.kind == "slide" else pin.JointModelRevoluteUnaligned
            before = model.addJoint(before, kind(np.array(dof.axis)), placement, f"{skeleton.names[joint]}_{column}")
            placement = pin.SE3.Identity()
        if not rested:
            placement = placement * rest
        if character.masses[joint] > 0.0:
            inertia = pin.Inertia(character.masses[joint], character.centers[joint], character.inertias[joint])
            model.appendBodyToJoint(before, inertia, placement)
        ends[joint] = (before, placement)
        model.addFrame(pin.Frame(skeleton.names[joint], before, placement, pin.FrameType.OP_FRAME))
    return model

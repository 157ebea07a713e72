"""Places and velocity Jacobians of a character's points and of its centre of mass, by Pinocchio."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from gambol.body.dynamics import Dynamics
from gambol.geometry.arrays import Array


class PlacedPoint(NamedTuple):
    """A point of a body in the world."""

    position: Array
    """(3,) metres."""
    rotation: Array
    """(3, 3) of the body."""
    jacobian: Array
    """(6, dofs) velocity of the point (m/s), then angular velocity of the body (rad/s), world axes, per rate of `q`."""


class Jacobians:
    """A pose of a character, of which points can be asked for."""

    def __init__(self, dynamics: Dynamics) -> None:
        self._model = dynamics.model
        self._data = self._model.createData()
        names = dynamics.character.skeleton.names
        self._frames = [self._model.getFrameId(name, pin.FrameType.OP_FRAME) for name in names]

    def take(self, q: Array) -> None:
        """Compute what belongs to a pose (dofs,)."""
        pin.computeJointJacobians(self._model, self._data, q)
        pin.updateFramePlacements(self._model, self._data)
        self.center_jacobian: Array = pin.jacobianCenterOfMass(self._model, self._data, q, False).copy()
        self.center: Array = self._data.com[0].copy()

    def place(self, joint: int, offset: Array) -> PlacedPoint:
        """Return a point at an offset (3,) in the frame of a joint."""
        frame = self._frames[joint]
        placed = self._data.oMf[frame]
        jacobian = pin.getFrameJacobian(self._model, self._data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        lever = placed.rotation @ offset
        jacobian[:3] -= _cross(lever) @ jacobian[3:]
        return PlacedPoint(placed.translation + lever, placed.rotation.copy(), jacobian)


def _cross(lever: Array) -> Array:
    x, y, z = lever
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])

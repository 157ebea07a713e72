"""Muscle torques beside passive springs and dampers, and their cost (L05 eq. 5.10, 5.11, 5.14 and 5.16).

The torque t of a joint by inverse dynamics is that of its muscles and that of its passive tissue:

    t = m - (k1 + k2) / 2 (q - r) - (k1 - k2) / 2 (sqrt((q - r)² + w²) - w) - d q',

with stiffness k1 above and k2 below the rest angle r, and damping d. The cost is the integral of
a m² + s q''² + p (q - r)², summed over joints. L05 has neither the cost of accelerations, without which solvers do not
converge, nor that of posture, without which a neck whose spring is about as stiff as gravity hangs where it may. All
of it is per kilogram of the body, so that one style serves bodies of different mass. L05 passes from one stiffness to
the other by a sigmoid of the angle (5.11), with which a spring pushes away from its rest angle on one side of it if k1
and k2 differ much; here its stiffness is between k1 and k2 everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import casadi as ca
import numpy as np
from scipy import sparse

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.solve.assemble import to_columns
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Index
from gambol.terms.space import Space
from gambol.terms.torque import JointTorque

MUSCLE_PARAMETERS = ("cost", "stiffness above", "stiffness below", "damping", "smoothness", "posture", "rest")
"""Of a joint: 1/(N m/kg)²/s, N m/rad/kg twice, N m s/rad/kg, 1/(rad/s²)²/s, 1/rad²/s, rad."""
_WIDTH = 0.05
"""Radians over which one stiffness passes into the other."""
_COUNT = len(MUSCLE_PARAMETERS)
IS_REST = np.arange(_COUNT) == _COUNT - 1
"""(7,) which of them is an angle; all others are positive."""


@dataclass(frozen=True, eq=False)
class MuscleCost:
    """Squared muscle torques of all joints, integrated over time."""

    torque: JointTorque
    """Torques already added to the same space."""
    parameters: Array
    """(joint dofs, 7) `MUSCLE_PARAMETERS` of every degree of freedom but the root's, or those of every inner frame,
    (frames - 2, joint dofs, 7), which have no derivatives."""

    def add(self, space: Space) -> None:
        """Add one kernel per joint and inner frame."""
        space.problem.add_kernel(_make_muscle().kernel, self._columns(space), self._frames(space))

    def differentiate_gradient(self, space: Space, x: Array) -> sparse.coo_array:
        """Return derivatives (variables, joint dofs * 7) of the cost's gradient by the parameters."""
        columns, parameters = self._columns(space), self._frames(space)
        found = _make_muscle().gradient_slopes.map(len(columns))(to_columns(x[columns]), to_columns(parameters))
        values = np.array(found).reshape(4, len(columns), _COUNT)
        places = np.arange(len(columns)) % len(self.parameters) * _COUNT
        rows, numbers = np.broadcast_arrays(columns.T[:, :, None], places[:, None] + np.arange(_COUNT))
        shape = (space.problem.size, self.parameters.size)
        return sparse.coo_array((values.ravel(), (rows.ravel(), numbers.ravel())), shape)

    def differentiate_cost(self, space: Space, x: Array) -> Array:
        """Return derivatives (joint dofs, 7) of the cost by the parameters."""
        columns, parameters = self._columns(space), self._frames(space)
        found = _make_muscle().cost_slopes.map(len(columns))(to_columns(x[columns]), to_columns(parameters))
        return np.asarray(np.array(found).T.reshape(len(space) - 2, *self.parameters.shape).sum(axis=0))

    def torques(self, space: Space, x: Array) -> Array:
        """Return the muscle torques (frames - 2, joint dofs) per kilogram (N m/kg) in a solution x."""
        columns, parameters = self._columns(space), self._frames(space)
        found = _make_muscle().torque.map(len(columns))(to_columns(x[columns]), to_columns(parameters))
        return np.asarray(found).reshape(len(space) - 2, -1)

    def _columns(self, space: Space) -> Index:
        """Return variables (inner frames * joint dofs, 4): torque, angle, and the angles before and after."""
        joints = find_joint_columns(space)
        torques = space.problem.shared((space, self.torque))[:, joints]
        inner = np.arange(1, len(space) - 1)
        angles = (space.q[frames][:, joints] for frames in (inner, inner - 1, inner + 1))
        return np.stack([torques, *angles], axis=-1).reshape(-1, 4)

    def _frames(self, space: Space) -> Array:
        """Return the kernel's parameters (inner frames * joint dofs, 7)."""
        count, own = len(space) - 2, self.parameters.shape[-2:]
        rows = np.broadcast_to(self.parameters, (count, *own)).reshape(-1, own[1])
        return np.column_stack([rows, np.repeat(space.frame_times[1:-1], own[0])])


def find_joint_columns(space: Space) -> Index:
    """Return the columns of q that are not the root's."""
    return np.flatnonzero([dof.joint > 0 for dof in space.character.skeleton.dofs])


class _Muscle(NamedTuple):
    """Functions of one joint in one frame: torque and angles, and parameters."""

    kernel: Kernel
    torque: ca.Function
    cost_slopes: ca.Function
    """Derivatives (7,) of the cost by the parameters."""
    gradient_slopes: ca.Function
    """Derivatives (4, 7) of the cost's gradient by the parameters."""


@cache
def _make_muscle() -> _Muscle:
    x, p = ca.SX.sym("x", 4), ca.SX.sym("p", _COUNT + 1)
    torque, angle, before, after = ca.vertsplit(x)
    cost, above, below, damping, smoothness, posture, rest, step = ca.vertsplit(p)
    away = angle - rest
    spring = 0.5 * (above + below) * away + 0.5 * (above - below) * (ca.sqrt(away**2 + _WIDTH**2) - _WIDTH)
    passive = spring + damping * (after - before) / (2.0 * step)
    muscle = GRAVITY * torque + passive  # torques of the space are in body weights times metres
    bend = (before - 2.0 * angle + after) / step**2
    price = step * (cost * muscle**2 + smoothness * bend**2 + posture * away**2)
    rates = {
        "cost_slopes": ca.gradient(price, p)[:_COUNT],
        "gradient_slopes": ca.jacobian(ca.gradient(price, x), p[:_COUNT]),
    }
    return _Muscle(
        make_kernel("muscle", x, p, ca.SX(0, 1), price),
        ca.Function("torque", [x, p], [muscle]),
        **{name: ca.Function(name, [x, p], [ca.densify(rate)]) for name, rate in rates.items()},
    )

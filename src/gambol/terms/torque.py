"""Joint torques as unknowns tied to the motion by inverse dynamics, and their cost (L05 eq. 5.14 to 5.17).

In every frame but the first and the last, with velocities and accelerations by central differences, the torques are
those of the motion less what the contacts, external forces and grasps of the laws give. The root has no muscles: what
would have to be given there (5.15) is a residual with a cost of its own, as printed (5.17), and of second order in the
frame time where `terms.momentum.Laws` hold. Torques are variables, as L05 found best for convergence (section 5.7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from gambol.body.character import GRAVITY
from gambol.body.inverse_dynamics import TorqueKernel, make_torque_kernel
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.forces import Wrench, WrenchConstraints
from gambol.terms.contacts import ContactConstraint
from gambol.terms.momentum import NewtonEuler, add_contact_forces
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class JointTorque:
    """Squared torques of the joints, integrated over time."""

    laws: NewtonEuler
    """Already added to the same space: their forces act on the body."""
    weight: Array | float
    """(dofs,) or one for all: cost per (N m)² and second; the root's are not used."""
    root: float
    """Cost per N² and (N m)² and second of what is missing at the root."""
    tell: Callable[[str], None] | None = None
    """Hears of a compilation."""

    def add(self, space: Space) -> None:
        """Torques and wrenches as variables, the rows that tie them to the motion, and squares."""
        problem, unit, step = space.problem, _unit(space), space.frame_time
        inner, dofs = np.arange(1, len(space) - 1), space.character.skeleton.dofs
        forces: tuple[ContactConstraint | Wrench, ...] = (*(self.laws.holds if self.laws.pushes else ()), *self.laws.forces)
        made = make_torque_kernel(space.character, sorted({force.body for force in forces}), self.tell)
        about = space.dynamics.center_of_mass(space.start[len(space) // 2])
        wrenches = self._wrenches(space, made.bodies, forces, about)
        torques = problem.shared((space, self), lambda: problem.add_variables(np.zeros((len(inner), len(dofs)))))
        columns = np.hstack([space.q[inner - 1], space.q[inner], space.q[inner + 1], wrenches])
        pull = np.broadcast_to(self.laws.gravity, len(space))[inner]
        fixed = np.tile(np.concatenate([made.constants, about]), (len(inner), 1))
        use = problem.add_kernel(made.kernel, columns, np.column_stack([fixed, pull]), _factors(made, step, len(dofs), unit))
        rows = problem.add_constraints("inverse dynamics", np.zeros(torques.shape))
        use.add(rows, np.arange(len(inner))[:, None], np.arange(len(dofs)), 1.0 / unit)
        problem.add_linear(rows, torques, -1.0)
        joints = np.array([dof.joint > 0 for dof in dofs])
        weight = np.broadcast_to(self.weight, len(dofs))[joints] * unit**2 * step
        problem.add_squares("joint torque", torques[:, joints, None], weight=weight)
        problem.add_squares("root residual", torques[:, ~joints, None], weight=self.root * unit**2 * step)

    def torques(self, space: Space, x: Array) -> Array:
        """(frames - 2, dofs) N m (N of slides) in a solution x, from the second frame to the last but one."""
        return np.asarray(_unit(space) * x[space.problem.shared((space, self))])

    def _wrenches(self, space: Space, bodies: tuple[str, ...], forces: Sequence[ContactConstraint | Wrench], about: Array) -> Index:
        """(inner frames, 6 x bodies) moment about a point and force on every body, in body weights, as variables."""
        problem, count = space.problem, len(space) - 2
        wrenches = problem.add_variables(np.zeros((count, len(bodies), 2, 3)))
        rows = problem.add_constraints("wrenches on bodies", np.zeros(wrenches.shape))
        problem.add_linear(rows, wrenches, -1.0)
        for force in forces:
            frames = np.arange(max(force.first, 1), min(force.last, count) + 1)
            moment, push = np.moveaxis(rows[frames - 1, bodies.index(force.body)], 1, 0)
            given = WrenchConstraints(push, moment, about)
            if isinstance(force, ContactConstraint):
                add_contact_forces(space, force, frames, given, 1.0 / _unit(space))
            else:
                force.add_wrench(space, frames, given, 1.0 / _unit(space))
        return wrenches.reshape(count, -1)


def _factors(made: TorqueKernel, step: float, dofs: int, unit: float) -> Array:
    """From three poses and wrenches to the inputs of inverse dynamics."""
    differences = np.array([[0.0, 1.0, 0.0], [-0.5 / step, 0.0, 0.5 / step], np.array([1.0, -2.0, 1.0]) / step**2])
    return np.asarray(block_diag(np.kron(differences, np.eye(dofs)), unit * np.eye(6 * len(made.bodies))))


def _unit(space: Space) -> float:
    """Newtons of a body weight, so that unknowns are of the size of the others."""
    return GRAVITY * space.character.mass

"""Joint torques tied to the motion by inverse dynamics: their cost (L05 eq. 5.14 to 5.17), and limits of motors.

In every frame but the first and the last, torques follow from inverse dynamics of the motion (velocities and
accelerations by central differences) and of the contact forces, external forces and grasps in `NewtonEuler`. The root
has no actuator: the wrench missing there (5.15) is a residual with a cost of its own, as printed (5.17); it is of
second order in the frame time where `terms.momentum.NewtonEuler` is satisfied. Torques are variables, which L05 found
best for convergence (section 5.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import block_diag

from gambol.assumptions import GRAVITY
from gambol.body.inverse_dynamics import TorqueKernel, make_torque_kernel
from gambol.contacts.contact import Contact
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.problem import Index, KernelUse
from gambol.terms.forces import Wrench, WrenchConstraints
from gambol.terms.momentum import NewtonEuler, add_contact_forces
from gambol.terms.space import Space, join_factors


@dataclass(frozen=True, eq=False)
class JointTorque:
    """Squared torques of the joints, integrated over time."""

    laws: NewtonEuler
    """Laws already added to the same space, whose forces act on the body."""
    weight: Array | float
    """(dofs,) or one for all: cost per (N m)² and second; weights of the root are ignored."""
    root: float
    """Cost per N², or (N m)², and second of the residual at the root."""
    progress: Progress = silent
    """Called with a message before a compilation."""

    def add(self, space: Space) -> None:
        """Add torques and wrenches as variables, constraints that tie them to the motion, and their squares."""
        problem, unit, steps = space.problem, _unit(space), space.frame_times[1:-1]
        forces: tuple[Contact | Wrench, ...] = (
            *(self.laws.contacts if self.laws.contact_forces else ()),
            *self.laws.forces,
        )
        bodies = sorted({force.body for force in forces})
        use = _use_inverse_dynamics(space, bodies, forces, self.laws.gravity, self.progress)
        dofs, inner = space.character.skeleton.dofs, np.arange(len(space) - 2)
        torques = problem.shared((space, self), lambda: problem.add_variables(np.zeros((len(inner), len(dofs)))))
        dynamics = problem.add_constraints("inverse dynamics", np.zeros(torques.shape))
        use.add(dynamics, inner[:, None], np.arange(len(dofs)), 1.0 / unit)
        problem.add_linear(dynamics, torques, -1.0)
        joints = np.array([dof.joint > 0 for dof in dofs])
        weight = np.broadcast_to(self.weight, len(dofs))[joints] * unit**2 * steps[:, None]
        problem.add_squares("joint torque", torques[:, joints, None], weight=weight)
        problem.add_squares("root residual", torques[:, ~joints, None], weight=self.root * unit**2 * steps[:, None])

    def torques(self, space: Space, x: Array) -> Array:
        """Return the torques (frames - 2, dofs) of the inner frames in a solution x, in N m (slides: N)."""
        return np.asarray(_unit(space) * x[space.problem.shared((space, self))])


@dataclass(frozen=True, eq=False)
class TorqueLimit:
    """Keeps joint torques within limits; what a motion needs beyond them costs its square."""

    contacts: tuple[Contact, ...]
    """Contacts whose forces `NewtonEuler` has added to the same space: all that act on the body."""
    bodies: tuple[str, ...]
    """Bodies that may have contacts, also those without: other bodies need another kernel, compiled in a minute."""
    strongest: Array
    """(dofs,) N m; inf without a limit."""
    cost: float
    """Per square of torque beyond its limit, as a share of the limit, and second."""
    progress: Progress = silent
    """Called with a message before a compilation."""

    def add(self, space: Space) -> None:
        """Add two inequalities per joint and inner frame, and a variable for what is beyond the limit."""
        problem, limited = space.problem, np.flatnonzero(np.isfinite(self.strongest))
        use = _use_inverse_dynamics(space, self.bodies, self.contacts, GRAVITY, self.progress)
        inner = np.arange(len(space) - 2)
        limits = problem.add_constraints("joint torque", -np.ones((len(inner), len(limited))), 1.0)
        use.add(limits, inner[:, None], limited, 1.0 / self.strongest[limited])
        beyond = problem.add_variables(np.zeros(limits.shape))
        problem.add_linear(limits, beyond, -1.0)
        weight = self.cost * space.frame_times[1:-1, None]
        problem.add_squares("torque beyond limits", beyond[..., None], weight=weight)


def _use_inverse_dynamics(
    space: Space,
    bodies: Sequence[str],
    forces: Sequence[Contact | Wrench],
    gravity: float | Array,
    progress: Progress,
) -> KernelUse:
    """Add inverse dynamics of the inner frames to a problem, with the wrenches of forces on bodies as variables."""
    inner = np.arange(1, len(space) - 1)
    made = make_torque_kernel(space.character, bodies, progress)
    about = space.dynamics.center_of_mass(space.start[len(space) // 2])
    wrenches = _add_wrenches(space, made.bodies, forces, about)
    columns = np.hstack([space.q[inner - 1], space.q[inner], space.q[inner + 1], wrenches])
    fixed = np.tile(np.concatenate([made.constants, about]), (len(inner), 1))
    pull = np.broadcast_to(gravity, len(space))[inner]
    factors = _factors(made, space, _unit(space))
    return space.problem.add_kernel(made.kernel, columns, np.column_stack([fixed, pull]), factors)


def _add_wrenches(space: Space, bodies: tuple[str, ...], forces: Sequence[Contact | Wrench], about: Array) -> Index:
    """Add variables (inner frames, 6 x bodies): moment about a point and force on every body, in body weights."""
    problem, count = space.problem, len(space) - 2
    wrenches = problem.add_variables(np.zeros((count, len(bodies), 2, 3)))
    sums = problem.add_constraints("wrenches on bodies", np.zeros(wrenches.shape))
    problem.add_linear(sums, wrenches, -1.0)
    for force in forces:
        frames = np.arange(max(force.first, 1), min(force.last, count) + 1)
        if not len(frames):  # it acts in the first or the last frame only
            continue
        moment, push = np.moveaxis(sums[frames - 1, bodies.index(force.body)], 1, 0)
        given = WrenchConstraints(push, moment, about)
        if isinstance(force, Contact):
            add_contact_forces(space, force, frames, given, 1.0 / _unit(space))
        else:
            force.add_wrench(space, frames, given, 1.0 / _unit(space))
    return wrenches.reshape(count, -1)


def _factors(made: TorqueKernel, space: Space, unit: float) -> Array:
    """Return the matrix from three poses and wrenches to the inputs of inverse dynamics, or one for each frame."""
    each, wrenches = np.eye(len(space.character.skeleton.dofs)), unit * np.eye(6 * len(made.bodies))
    found = []
    for before, after in pairwise(space.step_times):
        rate = np.array([[-1.0 / before, 1.0 / before, 0.0], [0.0, -1.0 / after, 1.0 / after]])
        bend = (rate[1] - rate[0]) / (0.5 * (before + after))
        speed = np.array([-1.0, 0.0, 1.0]) / (before + after)
        found.append(np.kron(np.array([[0.0, 1.0, 0.0], speed, bend]), each))
    joined = join_factors(found)
    if joined.ndim == 2:
        return np.asarray(block_diag(joined, wrenches))
    return np.array([block_diag(one, wrenches) for one in joined])


def _unit(space: Space) -> float:
    """Return the unit of torques and wrenches (N): a body weight, so that unknowns are of one order of magnitude."""
    return GRAVITY * space.character.mass

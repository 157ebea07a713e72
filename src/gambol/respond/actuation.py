"""Find the actuated and the near-unactuated directions of a motion (YL08, section 4.1, equation 1).

Inverse dynamics over all gait cycles of a clip gives the torques of the upper body. The eigenvectors of their second
moment span the actuation space; those of the smallest eigenvalues are the near-unactuated coordinates. All cycles are
used, since single cycles of one clip give different directions. The paper takes principal components about the mean;
the last of them may still carry a constant torque, which the constraint of no torque would drop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.assumptions import BODY_CUTOFF
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate, low_pass
from gambol.legs.character import LEG_PARTS
from gambol.motion.cycles import Cycles, weigh_cycles

_SAMPLED = 0.04
"""Seconds between the frames at which the stiffness is evaluated."""
_TILT = 1e-5
"""Step (rad) of the finite differences that give the stiffness of a pose."""


@dataclass(frozen=True, eq=False)
class Actuation:
    """Directions of the upper body's torque space, from the most used to the least."""

    directions: Array
    """(dofs, dofs) orthonormal columns."""
    powers: Array
    """(dofs,) mean squared torque along each direction, (N m)²."""
    axes: Array
    """(dofs, 3) rotation axes of the coordinates, each in its joint's frame."""

    def free(self, count: int) -> Array:
        """Return the near-unactuated coordinates as columns (dofs, count)."""
        if not 0 <= count <= len(self.powers):
            raise InputError(
                f"{count} near-unactuated coordinates (k) are out of range", fix=f"choose 0 to {len(self.powers)}"
            )
        return self.directions[:, len(self.powers) - count :]

    def reversed(self) -> Actuation:
        """Return the directions in reverse order, as a control experiment."""
        return Actuation(self.directions[:, ::-1], self.powers[::-1], self.axes)


def upper_body_columns(character: Character) -> list[int]:
    """Return the columns of root and upper body: all but those of the legs."""
    names = character.skeleton.names
    return [c for c, dof in enumerate(character.skeleton.dofs) if not names[dof.joint].endswith(LEG_PARTS)]


def has_cycle(fitted: Fit) -> bool:
    """Whether the clip has a cycle; without one the whole clip is used."""
    return weigh_cycles(fitted.source).whole < 1.0


def compute_actuation(fitted: Fit, cycles: Cycles | None = None, *, centred: bool = False) -> Actuation:
    """Compute the actuation space over all cycles of a clip, or those given; `centred` as printed in the paper."""
    columns = upper_body_columns(fitted.character)[6:]
    torques = _torques(fitted)[:, columns]
    weights = (weigh_cycles(fitted.source) if cycles is None else cycles).coverage
    if centred:
        torques = torques - weights @ torques
    powers, directions = np.linalg.eigh((torques * weights[:, None]).T @ torques)
    axes = np.array([fitted.character.skeleton.dofs[column].axis for column in columns])
    return Actuation(directions[:, ::-1], powers[::-1], axes)


def _torques(fitted: Fit) -> Array:
    q = low_pass(fitted.motion.q, fitted.motion.frame_time, BODY_CUTOFF)
    return Dynamics(fitted.character).torques(q, *differentiate(q, fitted.motion.frame_time))


def destabilising_stiffness(fitted: Fit, free: Array, cycles: Cycles | None = None) -> float:
    """Return the largest negative stiffness (N m/rad) of gravity and acceleration along free directions (dofs, k).

    The trunk is an inverted pendulum: along some directions its stiffness is negative, more so while it accelerates
    upwards. The worst frame of each cycle is averaged over all cycles of the clip, or those given.
    """
    if free.shape[1] == 0:
        return 0.0
    dynamics, frame_time = Dynamics(fitted.character), fitted.motion.frame_time
    columns = upper_body_columns(fitted.character)[6:]
    q = low_pass(fitted.motion.q, frame_time, BODY_CUTOFF)
    velocity, acceleration = differentiate(q, frame_time)
    leaning = np.zeros((len(columns), q.shape[1]))
    leaning[range(len(columns)), columns] = _TILT

    def worst(n: int) -> float:
        speed, speeding = (np.repeat(curve[n : n + 1], len(columns), axis=0) for curve in (velocity, acceleration))
        ahead, behind = (dynamics.torques(q[n] + lean, speed, speeding)[:, columns] for lean in (leaning, -leaning))
        stiffness = free.T @ ((ahead - behind) / (2.0 * _TILT)) @ free
        return max(0.0, -float(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))[0]))

    sampled = np.arange(0, len(q), max(1, int(_SAMPLED / frame_time)))
    curve = np.interp(np.arange(len(q)), sampled, [worst(n) for n in sampled.tolist()])
    return (weigh_cycles(fitted.source) if cycles is None else cycles).mean_maximum(curve)

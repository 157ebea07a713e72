"""Which coordinates a motion moves with muscle and which it lets swing: YL08, section 4.1, equation 1.

Inverse dynamics over the cycles of a clip gives the torques of the upper body; the eigenvectors of their second moment
are the actuation space, the last of them the near-unactuated coordinates. All cycles count: of a clip's cycles each
alone gives other free directions. The paper's principal components are taken about the mean; then the last ones may
still need a constant torque, which "no torque there" would let go of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate, low_pass
from gambol.legs.character import LEG
from gambol.motion.cycles import Cycles, weigh_cycles

_CUTOFF = 8.0
_SAMPLED = 0.04
"""Seconds between the frames at which what topples is looked at."""
_TILT = 1e-5
"""Radians by which a coordinate is moved to find the stiffness of a pose."""


@dataclass(frozen=True, eq=False)
class Actuation:
    """Directions of the upper body's torque space, from the most used to the least."""

    directions: Array
    """(dofs, dofs) orthonormal columns."""
    powers: Array
    """(dofs,) mean squared torque along each, (N m)²."""
    axes: Array
    """(dofs, 3) about which the coordinates turn, each in its joint's frame."""

    def free(self, count: int) -> Array:
        """(dofs, count): the near-unactuated coordinates."""
        if not 0 <= count <= len(self.powers):
            raise InputError(f"k is {count}", fix=f"it counts near-unactuated coordinates: 0 to {len(self.powers)}")
        return self.directions[:, len(self.powers) - count :]

    def reversed(self) -> Actuation:
        """The most used directions taken for the least used ones, to see what that breaks."""
        return Actuation(self.directions[:, ::-1], self.powers[::-1], self.axes)


def upper_body_columns(character: Character) -> list[int]:
    """Coordinates of the root and the upper body: all but those of the legs."""
    names = character.skeleton.names
    return [c for c, dof in enumerate(character.skeleton.dofs) if not names[dof.joint].endswith(LEG)]


def has_cycle(fitted: Fit) -> bool:
    """Whether the clip has any cycle; else all of it is taken for one."""
    return weigh_cycles(fitted.source).whole < 1.0


def compute_actuation(fitted: Fit, cycles: Cycles | None = None, *, centred: bool = False) -> Actuation:
    """The actuation space of a clip over all its cycles, or over those given; `centred` as the paper prints it."""
    columns = upper_body_columns(fitted.character)[6:]
    torques = _torques(fitted)[:, columns]
    weights = (weigh_cycles(fitted.source) if cycles is None else cycles).coverage
    if centred:
        torques = torques - weights @ torques
    powers, directions = np.linalg.eigh((torques * weights[:, None]).T @ torques)
    axes = np.array([fitted.character.skeleton.dofs[column].axis for column in columns])
    return Actuation(directions[:, ::-1], powers[::-1], axes)


def _torques(fitted: Fit) -> Array:
    q = low_pass(fitted.motion.q, fitted.motion.frame_time, _CUTOFF)
    return Dynamics(fitted.character).torques(q, *differentiate(q, fitted.motion.frame_time))


def destabilising_stiffness(fitted: Fit, free: Array, cycles: Cycles | None = None) -> float:
    """N m/rad that gravity and the motion's own accelerations take from the free directions (dofs, k) at their worst.

    A trunk is an inverted pendulum: along some directions its stiffness is negative, more so while it is accelerated
    upwards. The worst moment of a cycle counts, averaged over all cycles of the clip or over those given.
    """
    if free.shape[1] == 0:
        return 0.0
    dynamics, frame_time = Dynamics(fitted.character), fitted.motion.frame_time
    columns = upper_body_columns(fitted.character)[6:]
    q = low_pass(fitted.motion.q, frame_time, _CUTOFF)
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

"""Which coordinates a motion moves with muscle and which it lets swing: YL08, section 4.1, equation 1.

Inverse dynamics over one cycle gives the torques of the upper body; the eigenvectors of their second moment are the
actuation space, the last of them the near-unactuated coordinates. The paper's principal components are taken about the
mean; then the last ones may still need a constant torque, which "no torque there" would let go of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass, differentiate
from gambol.legs.character import LEG
from gambol.motion.cycles import find_cycle

_CUTOFF = 8.0
_SAMPLES = 24
"""Frames of a cycle at which what topples it is looked at."""


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


def upper_columns(character: Character) -> list[int]:
    """Coordinates of the root and the upper body: all but those of the legs."""
    names = character.skeleton.names
    return [c for c, dof in enumerate(character.skeleton.dofs) if not names[dof.joint].endswith(LEG)]


def cycle_of(fitted: Fit, frames: slice | None = None) -> slice:
    """The frames given, a cycle of the clip, or the whole clip where it has none."""
    if frames is not None:
        return frames
    try:
        return find_cycle(fitted.source)
    except InputError:
        return slice(0, len(fitted.motion))


def has_cycle(fitted: Fit) -> bool:
    """Whether the clip comes back to where it was: else all of it is taken for one cycle."""
    whole = cycle_of(fitted)
    return whole.stop - whole.start < len(fitted.motion)


def actuation_of(fitted: Fit, frames: slice | None = None, *, centred: bool = False) -> Actuation:
    """The actuation space of a clip, over some frames or a cycle that is found; `centred` as the paper prints it."""
    columns = upper_columns(fitted.character)[6:]
    torques = _torques(fitted)[cycle_of(fitted, frames)][:, columns]
    if centred:
        torques = torques - torques.mean(axis=0)
    powers, directions = np.linalg.eigh(torques.T @ torques / len(torques))
    axes = np.array([fitted.character.skeleton.dofs[column].axis for column in columns])
    return Actuation(directions[:, ::-1], powers[::-1], axes)


def _torques(fitted: Fit) -> Array:
    q = low_pass(fitted.motion.q, fitted.motion.frame_time, _CUTOFF)
    return Dynamics(fitted.character).torques(q, *differentiate(q, fitted.motion.frame_time))


def toppling(fitted: Fit, free: Array, frames: slice | None = None) -> float:
    """N m/rad that gravity and the motion's own accelerations take from the free directions (dofs, k) at their worst.

    A trunk is a pendulum on its head: along some directions its stiffness is negative, more so while it is thrown up.
    """
    if free.shape[1] == 0:
        return 0.0
    dynamics, cycle = Dynamics(fitted.character), cycle_of(fitted, frames)
    columns = upper_columns(fitted.character)[6:]
    q = low_pass(fitted.motion.q, fitted.motion.frame_time, _CUTOFF)
    velocity, acceleration = differentiate(q, fitted.motion.frame_time)
    tilt = 1e-5
    worst = 0.0
    for n in np.unique(np.linspace(cycle.start, cycle.stop - 1, _SAMPLES).astype(int)):
        leaning = np.zeros((len(columns), q.shape[1]))
        leaning[range(len(columns)), columns] = tilt
        speed, speeding = (np.repeat(curve[n : n + 1], len(columns), axis=0) for curve in (velocity, acceleration))
        ahead, behind = (dynamics.torques(q[n] + lean, speed, speeding)[:, columns] for lean in (leaning, -leaning))
        stiffness = free.T @ ((ahead - behind) / (2.0 * tilt)) @ free
        worst = max(worst, -float(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))[0]))
    return worst

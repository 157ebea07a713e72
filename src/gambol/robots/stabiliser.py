"""Balance of a walking robot: its divergent component of motion is led back by ankle torques and foot forces.

The divergent component ξ = c + c'/ω leaves the zero moment point z at the rate ω (ξ − z), with ω² = g/h. Its error,
relative to the support foot, moves the wanted point by (1 + k/ω) times that error, as far as the soles reach. Feet that
carry weight turn until the ground's moments are those of the wanted point, and rise or sink until their forces are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.robots.biped import Biped
from gambol.robots.whole_body import SolePose

_FEEDBACK = 4.0
"""Rate k (1/s) at which errors of the divergent component are led back."""
_TURN = 0.02
"""Turning rate of a sole of JVRC-1 per error of the moment (rad/s per N m)."""
_LIFT = 1e-4
"""Rising rate of a sole of JVRC-1 per error of the difference of forces (m/s per N)."""
_LEAK = 3.0
"""Rate (1/s) at which soles return to level."""
_LARGEST_TURN, _LARGEST_LIFT = 0.15, 0.03
_CARRIES = 30.0
"""Newtons above which a foot of JVRC-1 is on the ground."""


class SensedState(NamedTuple):
    """What sensors tell."""

    q: Array
    """(dofs,)."""
    velocity: Array
    """(dofs,)."""
    wrenches: Array
    """(2, 6) force (N) and moment (N m) of the ground on each foot, at the middle of the sole, in its axes."""


class Balance(NamedTuple):
    """How soles differ from what was planned."""

    tilts: Array
    """(2, 2) roll and pitch of each sole (rad)."""
    lifts: Array
    """(2,) heights of the soles (m)."""
    error: Array
    """(2,) of the divergent component (m)."""

    @classmethod
    def none(cls) -> Balance:
        """Return no difference."""
        return cls(np.zeros((2, 2)), np.zeros(2), np.zeros(2))

    def move(self, soles: tuple[SolePose, SolePose]) -> tuple[SolePose, SolePose]:
        """Return planned soles with the corrections."""
        moved = []
        for sole, (roll, pitch), lift in zip(soles, self.tilts, self.lifts, strict=True):
            tilt = np.array([[1.0, 0.0, pitch], [0.0, 1.0, -roll], [-pitch, roll, 1.0]])
            left, _, right = np.linalg.svd(tilt)
            moved.append(SolePose(sole.position + [0.0, 0.0, lift], sole.rotation @ left @ right))
        return moved[0], moved[1]


class WantedBalance(NamedTuple):
    """What was planned."""

    center: Array
    """(3,) of mass (m)."""
    velocity: Array
    """(2,) of the centre of mass (m/s)."""
    zero_moment_point: Array
    """(2,) metres."""
    soles: tuple[SolePose, SolePose]
    support: tuple[bool, bool]
    """Which feet should carry."""


class Stabiliser:
    """Keeps a robot's balance."""

    def __init__(self, robot: Biped) -> None:
        self.robot = robot
        self._jacobians = Jacobians(robot.dynamics)
        size, mass = robot.size_ratio, robot.mass_ratio
        self._turn, self._lift = _TURN / (mass * size), _LIFT * size / mass
        self._largest_lift, self._carries = _LARGEST_LIFT * size, _CARRIES * mass

    def correct(self, balance: Balance, wanted: WantedBalance, sensed: SensedState, seconds: float) -> Balance:
        """Return what to add to the soles, some seconds after the last such correction."""
        self._jacobians.take(sensed.q)
        soles = [foot.place(self._jacobians) for foot in self.robot.feet]
        omega = np.sqrt(GRAVITY / wanted.center[2])
        ratio = self._share(wanted)
        center = self._jacobians.center[:2] - ratio @ [sole.position[:2] for sole in soles]
        planned = wanted.center[:2] - ratio @ [sole.position[:2] for sole in wanted.soles]
        velocity = self._jacobians.center_jacobian[:2] @ sensed.velocity
        error = planned - center + (wanted.velocity - velocity) / omega
        point = wanted.zero_moment_point - (1.0 + _FEEDBACK / omega) * error
        share = self._share(wanted._replace(zero_moment_point=point))
        weight = self.robot.character.mass * GRAVITY
        tilts, lifts = balance.tilts.copy(), balance.lifts
        for side in range(2):
            force, moment = sensed.wrenches[side, 2], sensed.wrenches[side, 3:5]
            rate = -_LEAK * tilts[side]
            if wanted.support[side] and force > self._carries:
                turn = wanted.soles[side].rotation[:2, :2]
                half = self.robot.feet[side].half
                offset = np.clip(turn.T @ (point - wanted.soles[side].position[:2]), -half, half)
                goal = share[side] * weight * np.array([offset[1], -offset[0]])
                rate = rate + self._turn * (moment - goal)
            tilts[side] = np.clip(tilts[side] + seconds * rate, -_LARGEST_TURN, _LARGEST_TURN)
        rate = -_LEAK * (lifts[0] - lifts[1])
        if all(wanted.support):
            forces = sensed.wrenches[:, 2]
            rate += self._lift * ((forces[0] - forces[1]) - weight * (share[0] - share[1]))
        apart = float(np.clip(lifts[0] - lifts[1] + seconds * rate, -self._largest_lift, self._largest_lift))
        return Balance(tilts, np.array([0.5, -0.5]) * apart, error)

    def _share(self, wanted: WantedBalance) -> Array:
        """Return the shares (2,) of the weight that feet carry, by the place of the zero moment point between them."""
        if not all(wanted.support):
            return np.array(wanted.support, float)
        left, right = (sole.position[:2] for sole in wanted.soles)
        way = left - right
        share = float(np.clip((wanted.zero_moment_point - right) @ way / (way @ way), 0.0, 1.0))
        return np.array([share, 1.0 - share])

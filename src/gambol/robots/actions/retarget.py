"""Retarget human gait cycles to a robot: angles of its upper body and the path of its pelvis (M17 section 3.3).

The robot's upper arms and forearms take the directions of the human's relative to the path, as far as joint limits
allow. Its trunk deviates from the parking posture as the human's from its mean: the mean lean of a rig depends on where
it has its hips and shoulders (eight walks of CMU lean back by 4 to 10 degrees). Its head stays level. Wrists, which no
direction decides, stay near the parking posture. The legs are the walker's.

Paths are scaled by leg length. People walk faster, with longer steps, than the robot can: `find_slowdown` finds factors
for a whole set of cycles, so that they keep their order from short to long and from slow to fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.features.layout import FORWARD, LEFT, Layout
from gambol.features.strides import FOOT_POINTS, find_strides
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.motion.kinematics import Placement, place_local
from gambol.motion.motion import Motion
from gambol.primitives.bodies import integrate_periodic
from gambol.primitives.prototypes import Prototypes, prototypes_of
from gambol.robots.actions.pose_fit import AnglePrior, UpperBodyFit
from gambol.stages.feet import SIDES

_STIFFNESS = 0.06
"""Weight of an angle (rad) about its reference beside that of a direction: large enough that a nearly straight elbow,
which leaves the shoulder free to turn, gives no jumps; errors of directions are a few tenths of a degree."""
_FIRST, _NEXT = 40, 6
"""Iterations for the first phase, and for others, which begin at the one before."""


class Slowdown(NamedTuple):
    """Factors between cycles scaled by leg length and those that a robot walks."""

    length: float = 1.0
    duration: float = 1.0


@dataclass(frozen=True, eq=False)
class RobotCycle:
    """A gait cycle of a robot, from strike to strike of the right foot: the left foot steps, then the right."""

    angles: Array
    """(phases + 1, columns) of the upper body; the last phase equals the first."""
    path: Array
    """(phases + 1, 3) of the pelvis: ahead, left (m) and heading (rad)."""
    duration: float
    """Seconds of a step, half of the cycle."""

    @property
    def length(self) -> float:
        """Mean length (m) of both steps."""
        return 0.5 * float(self.path[-1, 0] - self.path[0, 0])

    def slow_down(self, slowdown: Slowdown) -> RobotCycle:
        """Return the cycle with shorter steps that last longer."""
        return replace(
            self, path=self.path * [slowdown.length, slowdown.length, 1.0], duration=self.duration * slowdown.duration
        )


def retarget_strides(motion: Motion, fit: UpperBodyFit) -> list[RobotCycle]:
    """Return all gait cycles of a human motion as those of a robot, scaled by leg length."""
    return [
        retarget_prototype(prototypes_of(motion, {"stride": [stride]}), "stride", fit)
        for stride in find_strides(motion)
    ]


def retarget_prototype(prototypes: Prototypes, name: str, fit: UpperBodyFit) -> RobotCycle:
    """Return a closed gait cycle of a human as that of a robot, scaled by leg length."""
    place = prototypes.index(name)
    layout, channels = prototypes.layout, prototypes.channels[place]
    strike = _find_right_strike(prototypes.contacts[place])
    channels = np.roll(channels, -strike, axis=0)
    placed = place_local(layout.skeleton, Placement(*_make_local(layout, channels)))
    angles = fit_angles(fit, center_trunk(fit, find_directions(layout, placed)))
    ahead, aside = (fit.limbs.leg * channels[:, column] for column in (FORWARD, LEFT))
    travel = 2.0 * np.pi * float(ahead.mean())
    phases = np.linspace(0.0, 1.0, len(channels) + 1)
    path = np.stack(
        [
            travel * phases + _close(integrate_periodic(ahead)),
            _close(integrate_periodic(aside)),
            _close(_find_headings(layout, placed)),
        ],
        axis=1,
    )
    path[:, :2] -= path[0, :2]
    return RobotCycle(_close(angles), path, 0.5 * float(prototypes.periods[place]))


def find_slowdown(cycles: Sequence[RobotCycle], fastest: float, longest: float) -> Slowdown:
    """Return factors with which no cycle of a set has longer steps (m) or is faster (m/s) than a robot can."""
    length = min(1.0, longest / max(cycle.length for cycle in cycles))
    speed = max(length * cycle.length / cycle.duration for cycle in cycles)
    return Slowdown(length, max(1.0, speed / fastest))


def find_directions(layout: Layout, placed: Placement) -> Array:
    """Return the directions (phases, bones, 3) of a human's bones in the order of `UpperBodyFit.bones`."""
    parts, positions = layout.rig.parts, placed.positions
    hips, shoulders = ([positions[:, parts[f"{side}_{part}"]] for side in SIDES] for part in ("thigh", "upper_arm"))
    found = [np.sum(shoulders, axis=0) - np.sum(hips, axis=0), shoulders[0] - shoulders[1]]
    for side in SIDES:
        elbow = parts[f"{side}_forearm"]
        hand = parts.get(f"{side}_hand", layout.skeleton.children[elbow][0])
        found += [
            positions[:, elbow] - positions[:, parts[f"{side}_upper_arm"]],
            positions[:, hand] - positions[:, elbow],
        ]
    level = [np.broadcast_to(axis, found[0].shape) for axis in np.eye(3)[:2]]
    directions = np.stack([*found, *level], axis=1)
    return directions / lengths(directions)[..., None]


def center_trunk(fit: UpperBodyFit, directions: Array) -> Array:
    """Return directions (phases, bones, 3) whose trunk is turned so that its mean is that of the parking posture."""
    parked = fit.measure_directions(fit.robot.posture[fit.columns])
    turn = _make_frame(*parked[:2]) @ _make_frame(*directions[:, :2].mean(axis=0)).T
    return np.concatenate((directions[:, :2] @ turn.T, directions[:, 2:]), axis=1)


def _make_frame(up: Array, left: Array) -> Array:
    """Return the rotation (3, 3) whose columns point ahead, left and up."""
    up = up / lengths(up)
    left = left - (left @ up) * up
    left = left / lengths(left)
    return np.stack([cross(left, up), left, up], axis=1)


def fit_angles(fit: UpperBodyFit, directions: Array) -> Array:
    """Return angles (phases, columns) of a robot whose bones have directions (phases, bones, 3)."""
    prior = AnglePrior(fit.robot.posture[fit.columns], np.full(len(fit.columns), _STIFFNESS))
    angles, iterations, found = prior.angles, _FIRST, []
    for goals in directions:
        angles = fit.fit(angles, prior, iterations, goals)
        found.append(angles)
        iterations = _NEXT
    return np.array(found)


def _make_local(layout: Layout, channels: Array) -> tuple[Array, Array]:
    """Return positions and rotations of joints relative to their parents; the root is at the origin."""
    rotations = layout.rotations(channels)
    positions = np.broadcast_to(layout.skeleton.offsets, (*rotations.shape[:2], 3)).copy()
    positions[:, 0] = 0.0
    return positions, rotations


def _find_headings(layout: Layout, placed: Placement) -> Array:
    """Return headings (phases,) of the pelvis relative to the path (rad)."""
    left, right = (placed.positions[:, layout.rig.parts[f"{side}_thigh"]] for side in SIDES)
    across = left - right
    return np.arctan2(-across[:, 0], across[:, 1])


def _find_right_strike(contacts: Array) -> int:
    """Return the phase (sample) at which the right foot strikes: of several, the nearest to half a cycle."""
    columns = [FOOT_POINTS.index(name) for name in FOOT_POINTS if name.startswith("right")]
    touching = contacts[:, columns].max(axis=1) > CONTACT_THRESHOLD
    strikes = np.flatnonzero(touching & ~np.roll(touching, 1))
    half = len(contacts) // 2
    return int(strikes[np.abs(strikes - half).argmin()]) if len(strikes) else half


def _close(values: Array) -> Array:
    """Return periodic values with the first one again at the end."""
    return np.concatenate((values, values[:1]))

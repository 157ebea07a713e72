"""Retarget human gait cycles to a robot: angles of its upper body and the path of its pelvis (M17 section 3.3).

The upper body is solved for the targets of reference motions (`references.kinematic`); the pelvis is level and the legs
are the walker's. The trunk deviates from the parking posture as the human's from its mean: the mean lean of a rig
depends on where it has its hips and shoulders (eight walks of CMU lean back by 4 to 10 degrees). The head stays level.
Wrists, which no target turns, stay as in the parking posture.

Paths are scaled by leg length. People walk faster, with longer steps, than the robot can: `find_slowdown` finds factors
for a whole set of cycles, so that they keep their order from short to long and from slow to fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.features.layout import FORWARD, HEIGHT, LEFT
from gambol.features.strides import FOOT_POINTS
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import unit_vectors
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.motion.motion import Motion
from gambol.primitives.bodies import integrate_periodic
from gambol.primitives.prototypes import Prototypes
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.references.hips import measure_scale
from gambol.robots.references.kinematic import aim_body
from gambol.robots.references.person import PersonBodies, track_person
from gambol.stages.feet import SIDES

_STIFFNESS = 0.02
"""Cost of an angle about that of the parking posture (m per rad): large enough that a nearly straight elbow, which
leaves the shoulder free to turn, gives no jumps."""


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
    """(phases + 1, 2) of the pelvis: ahead and left (m)."""
    duration: float
    """Seconds of a step, half of the cycle."""

    @property
    def length(self) -> float:
        """Mean length (m) of both steps."""
        return 0.5 * float(self.path[-1, 0] - self.path[0, 0])

    def slow_down(self, slowdown: Slowdown) -> RobotCycle:
        """Return the cycle with shorter steps that last longer."""
        return replace(self, path=slowdown.length * self.path, duration=slowdown.duration * self.duration)


def retarget_prototype(prototypes: Prototypes, name: str, body: UpperBody) -> RobotCycle:
    """Return a closed gait cycle of a human as that of a robot, scaled by leg length."""
    index = prototypes.index(name)
    layout, channels, duration = prototypes.layout, prototypes.channels[index], float(prototypes.periods[index])
    channels = np.roll(channels, -_find_right_strike(prototypes.contacts[index]), axis=0)
    travel = 2.0 * np.pi * float(channels[:, FORWARD].mean())
    sway = [_close(integrate_periodic(channels[:, column])) for column in (FORWARD, LEFT)]
    path = np.stack([travel * np.linspace(0.0, 1.0, len(channels) + 1) + sway[0], sway[1]], axis=1)
    path -= path[0]
    places = layout.leg * np.column_stack((path[:-1], channels[:, HEIGHT]))
    cycle = layout.motion(layout.rotations(channels), places, duration / len(channels), name)
    return RobotCycle(_close(_pose_upper_body(body, cycle)), body.robot.leg_length * path, 0.5 * duration)


def find_slowdown(cycles: Sequence[RobotCycle], fastest: float, longest: float) -> Slowdown:
    """Return factors with which no cycle of a set has longer steps (m) or is faster (m/s) than a robot can."""
    length = min(1.0, longest / max(cycle.length for cycle in cycles))
    speed = max(length * cycle.length / cycle.duration for cycle in cycles)
    return Slowdown(length, max(1.0, speed / fastest))


def _pose_upper_body(body: UpperBody, cycle: Motion) -> Array:
    """Return the angles (phases, columns) with which a robot moves as the person of a rig does."""
    person = track_person(cycle)
    scale = measure_scale(person.character, body.robot)
    targets, _ = aim_body(body.robot, center_trunk(body, person.bodies, scale), scale)
    return body.solve(targets, np.broadcast_to(body.parked, (len(cycle), len(body.parked))), _STIFFNESS)


def center_trunk(body: UpperBody, person: PersonBodies, scale: float) -> PersonBodies:
    """Return a person at the robot's hips whose trunk leans as the parked robot's on average, and whose head is level.

    Arms keep their directions. `scale` is the size of the robot relative to the person.
    """
    robot, parking = body.robot, body.parking
    hips, shoulders = (
        np.mean([robot.places[f"{side}_{part}"].locate(parking)[0] for side in SIDES], axis=0)
        for part in ("thigh", "upper_arm")
    )
    person = person.shift(hips / scale - person.positions["pelvis"])
    trunk = np.mean([person.positions[f"{side}_upper_arm"] for side in SIDES], axis=0) - hips / scale
    mean = unit_vectors(unit_vectors(trunk).mean(axis=0))
    leaning = quat.rotate(quat.shortest_arc(mean, unit_vectors(shoulders - hips)), trunk)
    arms = {f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm", "hand")}
    moved = {name: places + (name in arms) * (leaning - trunk) for name, places in person.positions.items()}
    joint, chest = robot.places["chest"].joint, person.rotations["chest"]
    parked = quat.multiply(parking.rotations[0, joint], quat.conjugate(robot.orient_standing(joint)))
    turned = quat.multiply(quat.multiply(parked, quat.conjugate(quat.mean(chest))), chest)
    level = np.broadcast_to(quat.IDENTITY, chest.shape)
    return PersonBodies(moved, {**person.rotations, "chest": turned, "head": level})


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

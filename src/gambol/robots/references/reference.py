"""A reference motion as arrays for those who train controllers, and as files.

Fields of the .npz file, which trackers such as those of mjlab and BeyondMimic read (frames, bodies, joints; metres,
radians, seconds; world axes, z up; quaternions w, x, y, z):

- `fps`: frames per second; `joint_names`, `body_names`
- `joint_pos`, `joint_vel` (frames, joints)
- `body_pos_w`, `body_quat_w`, `body_lin_vel_w`, `body_ang_vel_w` (frames, bodies, 3 or 4); body 0 is the base
- `root_pos`, `root_rot` (frames, 3 or 4): those of the base
- `qpos`, `qvel` (frames, 7 or 6 + joints): base and joints as MuJoCo has them; the base turns in its own axes
- `contacts`, `flat_contacts` (frames, 2): whether the left and the right sole rest, and do so flat
- `ground` (frames, 2, 4): heights of the ground below their corners (heel, heel, toes, toes)
- `contact_forces` (frames, 2, 3), in newtons; `joint_torques` (frames, joints), in newton metres

gambol itself reads the same file: `gambol view`, `render`, `check`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body.robot_description import JOINTS
from gambol.fit.forces import GroundForces, SolePoints, compute_joint_torques, estimate_ground_forces
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.output import write_text
from gambol.io.runs import RecordedRun, write_run
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.sole_shapes import find_sole
from gambol.stages.feet import SIDES

_TOUCHING = 0.015
"""Height (m) up to which a corner of a sole can carry load."""
_UNFILTERED = 1e6
"""Cutoff (Hz): a motion that was solved has no noise."""


@dataclass(frozen=True, eq=False)
class ReferenceMotion:
    """A motion of a robot and what a person's soles did."""

    __repr__ = summarise_fields

    biped: Biped
    motion: Motion
    touching: NDArray[np.bool_]
    """(frames, 2) whether the left and the right sole rest."""
    flat: NDArray[np.bool_]
    """(frames, 2) whether they rest flat."""
    ground: Array
    """(frames, 2, 4) heights of the ground below the corners of the left and the right sole (m)."""

    @cached_property
    def forces(self) -> GroundForces:
        """Forces of the ground on the corners of the soles."""
        feet = [self.biped.places[f"{side}_foot"].joint for side in SIDES]
        points = [find_sole(self.biped, side) for side in SIDES]
        bodies = tuple(self.biped.skeleton.names[foot] for foot, sole in zip(feet, points, strict=True) for _ in sole)
        soles = SolePoints(bodies, np.concatenate(points), self.ground.reshape(len(self.motion), -1), _TOUCHING)
        description = self.biped.description
        return estimate_ground_forces(
            description.character, self.motion, _UNFILTERED, soles=soles, strongest=description.strongest
        )

    @cached_property
    def torques(self) -> Array:
        """(frames, joints) N m."""
        character = self.biped.description.character
        return compute_joint_torques(character, self.motion, self.forces, _UNFILTERED)[:, JOINTS]

    @cached_property
    def speeds(self) -> Array:
        """(frames, joints) rad/s."""
        return np.asarray(np.gradient(self.motion.q[:, JOINTS], self.motion.frame_time, axis=0))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the fields by name."""
        description, placed, step = self.biped.description, self.motion.placement, self.motion.frame_time
        bodies = list(description.links.values())
        positions, rotations = placed.positions[:, bodies], quat.make_continuous(placed.rotations[:, bodies])
        moving, turning = np.gradient(positions, step, axis=0), _find_spins(rotations, step)
        own_turning = quat.rotate(quat.conjugate(rotations[:, 0]), turning[:, 0])
        angles = self.motion.q[:, JOINTS]
        per_foot = self.forces.forces.reshape(len(self.motion), 2, -1, 3).sum(axis=2)
        return {
            "fps": np.array([1.0 / step]),
            "joint_names": np.array(description.joint_names),
            "body_names": np.array(list(description.links)),
            "joint_pos": angles,
            "joint_vel": self.speeds,
            "body_pos_w": positions,
            "body_quat_w": rotations,
            "body_lin_vel_w": moving,
            "body_ang_vel_w": turning,
            "root_pos": positions[:, 0],
            "root_rot": rotations[:, 0],
            "qpos": np.hstack((positions[:, 0], rotations[:, 0], angles)),
            "qvel": np.hstack((moving[:, 0], own_turning, self.speeds)),
            "contacts": self.touching,
            "flat_contacts": self.flat,
            "ground": self.ground,
            "contact_forces": per_foot,
            "joint_torques": self.torques,
        }

    def save(self, path: Path, beside: Mapping[str, NDArray[Any]] = {}) -> None:
        """Write an .npz file, with further fields `beside` its own; an interrupted write leaves no partial file."""
        character, forces = self.biped.description.character, self.forces
        run = RecordedRun(
            self.motion,
            character.masses,
            character.centers,
            character.inertias,
            forces.bodies,
            forces.local_points,
            forces.forces,
        )
        write_run(run, path, {**self.arrays(), **beside})

    def save_table(self, path: Path, overwrite: bool = True) -> Path:
        """Write a .csv file, a row per frame: position and quaternion (x, y, z, w) of the base, joint angles.

        It has no head, as tables of retargeted LAFAN1 clips have none.
        """
        values = self.arrays()
        rows = np.hstack((values["root_pos"], np.roll(values["root_rot"], -1, axis=1), values["joint_pos"]))
        return write_text(path, "\n".join(",".join(f"{x:.9g}" for x in row) for row in rows) + "\n", overwrite)


def _find_spins(rotations: Array, step: float) -> Array:
    """Return angular velocities (frames, bodies, 3) of continuous orientations, by central differences."""
    rates = np.gradient(rotations, step, axis=0)
    return np.asarray(2.0 * quat.multiply(rates, quat.conjugate(rotations))[..., 1:])

"""Poses of one person as rows: the place of the root and the rotation vectors of all joints about their mean pose.

M17 section 4.2 describes a person by 159 joint angles. A row has three numbers for the root's place in the frame of the
trial (m), and three for every joint that can turn, the root included (rad).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.features.encoding import apply_rotation_vectors, compute_rotation_vectors
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, check_shapes
from gambol.interaction.trials import GroundFrame, Trial
from gambol.motion.channels import compute_coordinates
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import check_joints
from gambol.poses.reach import Arm

PLACE = slice(0, 3)
"""Columns of the root's place."""


@dataclass(frozen=True, eq=False)
class PersonRows:
    """How the poses of a person become rows, and back; made by `find_person_rows`."""

    arm: Arm
    """The one whose hand touches."""
    rig: Rig
    origin: Origin
    joints: tuple[int, ...]
    """Those that can turn."""
    reference: Array
    """(joints of the skeleton, 4) mean rotations in the parents' frames."""

    def __post_init__(self) -> None:
        skeleton = self.arm.skeleton
        check_shapes(self, reference=(len(skeleton.names), 4))
        quat.check_unit(self.reference, "reference of a person")
        check_joints(skeleton, (*self.joints, *self.rig.parts.values()))

    @property
    def size(self) -> int:
        """Number of columns."""
        return 3 + 3 * len(self.joints)

    def encode(self, local: Placement) -> Array:
        """Return the rows (frames, size) of joints' frames relative to their parents, the root's to the trial."""
        vectors = compute_rotation_vectors(local.rotations, self.reference, self.joints)
        return np.hstack((local.positions[:, 0], vectors))

    def decode(self, rows: Array) -> Placement:
        """Return the joints' frames of rows (frames, size)."""
        positions = np.broadcast_to(self.arm.skeleton.offsets, (len(rows), *self.arm.skeleton.offsets.shape)).copy()
        positions[:, 0] = rows[:, PLACE]
        return Placement(positions, apply_rotation_vectors(rows[:, 3:], self.reference, self.joints))

    def make_motion(self, local: Placement, frame: GroundFrame, frame_time: float, name: str) -> Motion:
        """Return joints' frames, the root's relative to a frame on the ground, as a motion on the rig."""
        rotations = local.rotations.copy()
        rotations[:, 0] = quat.multiply(frame.turn, rotations[:, 0])
        q = compute_coordinates(self.arm.skeleton, rotations, frame.to_world(local.positions[:, 0]))
        return Motion(self.arm.skeleton, q, frame_time, name, self.origin, rig=self.rig)


def find_person_rows(trials: Sequence[Trial], person: int) -> PersonRows:
    """Return the rows of person 0 or 1 in all trials, on the rig of the first."""
    first = trials[0].people[person]
    names, rig = first.skeleton.names, first.rig
    assert rig is not None  # a trial has arms
    for trial in trials[1:]:
        if trial.people[person].skeleton.names != names:
            raise InputError(
                f"'{trial.people[person].name}' is on another rig than '{first.name}'",
                fix="use 'gambol retarget' to bring all clips onto one rig",
            )
        if trial.hands[person].side != trials[0].hands[person].side:
            raise InputError(
                f"'{trial.people[person].name}' touches with the {trial.hands[person].side} hand, '{first.name}' with "
                f"the {trials[0].hands[person].side} one",
                fix="learn interactions of left and right hands one by one",
            )
    turned = np.concatenate([trial.local[person].rotations for trial in trials])
    reference = np.stack([quat.mean(turned[:, joint]) for joint in range(len(names))])
    joints = tuple(joint for joint in range(len(names)) if first.skeleton.columns(joint, "turn"))
    return PersonRows(trials[0].arms[person], rig, first.origin, joints, reference)

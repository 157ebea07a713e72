"""Describe a body by channels: rotation vectors of its joints about a mean pose, and the travel of its root.

M17 section 2.2 describes bodies by the rotations of 17 joints. A channel here is one number of the logarithm of a
joint's rotation relative to its mean (which keeps logarithms small), or of the root: height, forward, left and turn,
the last three per radian of phase. Blending channels blends movements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.features.encoding import apply_rotation_vectors, compute_rotation_vectors
from gambol.features.strides import Stride, compute_leg_length, find_sole_points, find_touching
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, check_shapes, summarise_fields
from gambol.motion.channels import compute_coordinates
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Skeleton, check_joints

HEIGHT, FORWARD, LEFT, TURN = range(-4, 0)
"""Columns of the root's channels, counted from the end."""
M17_PARTS = ("pelvis", "spine", "chest", "neck", "head") + tuple(
    f"{side}_{part}"
    for side in ("left", "right")
    for part in ("collar", "upper_arm", "forearm", "thigh", "shank", "foot")
)
"""The 17 body parts that M17 models: all but hands and toes."""
_STILL = 2e-3
"""Radians (0.1 degrees): a joint that moves less has no channels."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Which joints of a rig have channels, and the pose that their rotations are relative to."""

    __repr__ = summarise_fields

    skeleton: Skeleton
    rig: Rig
    origin: Origin
    joints: tuple[int, ...]
    """Indices of the joints that move; the root is the first."""
    reference: Array
    """(joints of the skeleton, 4) mean rotations in the parents' frames; the root's relative to the path."""
    soles: Array
    """(2, 2, 3) metres: heel and ball of the left and the right foot, in the foot's frame."""
    floor: float
    """Metres: the height of the soles in contact."""

    def __post_init__(self) -> None:
        count = len(self.skeleton.names)
        check_shapes(self, reference=(count, 4), soles=(2, 2, 3))
        quat.check_unit(self.reference, "reference of a layout")
        if not self.joints or self.joints[0] != 0 or len(set(self.joints)) != len(self.joints):
            raise InputError("the joints of a layout must be different, the root first")
        check_joints(self.skeleton, (*self.joints, *self.rig.parts.values()))

    @cached_property
    def leg(self) -> float:
        """Leg length from hip to ankle (metres)."""
        return compute_leg_length(self.skeleton, dict(self.rig.parts))

    @property
    def count(self) -> int:
        """Number of channels."""
        return 3 * len(self.joints) + 4

    def columns(self, parts: Sequence[str]) -> list[int]:
        """Return the channels of body parts; parts that do not move have none."""
        places = {joint: place for place, joint in enumerate(self.joints)}
        joints = [self.rig.parts[part] for part in parts if part in self.rig.parts]
        return [3 * places[joint] + axis for joint in joints if joint in places for axis in range(3)]

    def channels(self, stride: Stride) -> Array:
        """Return the channels (phases, C) of a stride."""
        return np.hstack((self._logs(stride.rotations), stride.root))

    def with_rotations(self, channels: Array, rotations: Array) -> Array:
        """Return channels (phases, C) with their rotations replaced by (phases, joints of the skeleton, 4)."""
        return np.hstack((self._logs(rotations), channels[:, -4:]))

    def _logs(self, rotations: Array) -> Array:
        return compute_rotation_vectors(rotations, self.reference, self.joints)

    def rotations(self, channels: Array) -> Array:
        """Return rotations (..., joints of the skeleton, 4) of channels (..., C); the root's relative to the path."""
        return apply_rotation_vectors(channels[..., :-4], self.reference, self.joints)

    def motion(self, local: Array, places: Array, frame_time: float, name: str) -> Motion:
        """Make a motion on the rig: local rotations (frames, joints, 4), root positions `places` (frames, 3)."""
        q = compute_coordinates(self.skeleton, local, places)
        return Motion(self.skeleton, q, frame_time, name, self.origin, rig=self.rig)


def layout_of(motion: Motion, strides: Sequence[Stride]) -> Layout:
    """Return the layout of a clip's rig for strides on rigs with the same joints; bone lengths may differ."""
    names = motion.skeleton.names
    for stride in strides:
        if stride.joints != names:
            raise InputError(
                f"its rig differs from that of '{motion.name}': {_difference(stride.joints, names)}",
                file=stride.source,
                fix="use 'gambol retarget' to bring all clips onto one rig",
            )
    turned = np.concatenate([stride.rotations[:-1] for stride in strides])
    reference = np.stack([quat.mean(turned[:, joint]) for joint in range(len(names))])
    away = quat.angle(quat.multiply(quat.conjugate(reference), turned)).max(axis=0)
    joints = [
        joint for joint in range(1, len(names)) if away[joint] > _STILL and motion.skeleton.columns(joint, "turn")
    ]
    _, floor = find_touching(motion)
    soles = find_sole_points(motion)
    return Layout(motion.skeleton, require_rig(motion), motion.origin, (0, *joints), reference, soles, floor)


def _difference(theirs: tuple[str, ...], ours: tuple[str, ...]) -> str:
    """Describe the difference between two lists of joints."""
    missing = [name for name in ours if name not in theirs]
    return f"it has no joint '{missing[0]}'" if missing else f"it has {len(theirs)} joints, expected {len(ours)}"

"""The channels of a body: rotation vectors of its joints about a mean pose, and how its root travels.

M17 section 2.2 describes bodies by the rotations of 17 joints. A channel here is one number of the logarithm of a
joint's rotation (against its mean, so that logs stay short), or of the root: height, forward, left and turn, the last
three per radian of phase. Blends of channels are blends of movements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.features.strides import FOOT_POINTS, Stride, compute_leg_length, find_touching
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import compute_joint_angles
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Skeleton
from gambol.stages.feet import find_foot_points

HEIGHT, FORWARD, LEFT, TURN = range(-4, 0)
"""Columns of the root's channels, from the end."""
M17_PARTS = ("pelvis", "spine", "chest", "neck", "head") + tuple(
    f"{side}_{part}"
    for side in ("left", "right")
    for part in ("collar", "upper_arm", "forearm", "thigh", "shank", "foot")
)
"""The joints that M17 models: all parts of a body but hands and toes."""
_STILL = 2e-3
"""Radians (0.1 degrees) that a joint moves at least to have channels."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Which joints of a rig have channels, and the pose that their rotations are seen from."""

    skeleton: Skeleton
    rig: Rig
    origin: Origin
    joints: tuple[int, ...]
    """Those that move; the root is the first."""
    reference: Array
    """(joints of the skeleton, 4) mean rotations in the parents' frames; the root's seen from the way."""
    soles: Array
    """(2, 2, 3) metres: heel and ball of the left and the right foot, in the foot's frame."""
    floor: float
    """Metres: the height at which they touch."""

    @cached_property
    def leg(self) -> float:
        """Metres from hip to ankle."""
        return compute_leg_length(self.skeleton, dict(self.rig.parts))

    @property
    def count(self) -> int:
        """How many channels there are."""
        return 3 * len(self.joints) + 4

    def columns(self, parts: Sequence[str]) -> list[int]:
        """Channels of some parts of the body, as far as they move."""
        places = {joint: place for place, joint in enumerate(self.joints)}
        joints = [self.rig.parts[part] for part in parts if part in self.rig.parts]
        return [3 * places[joint] + axis for joint in joints if joint in places for axis in range(3)]

    def channels(self, stride: Stride) -> Array:
        """(phases, channels) of a stride."""
        return np.hstack((self._logs(stride.rotations), stride.root))

    def with_rotations(self, channels: Array, rotations: Array) -> Array:
        """Channels (phases, C) with other rotations (phases, joints of the skeleton, 4)."""
        return np.hstack((self._logs(rotations), channels[:, -4:]))

    def _logs(self, rotations: Array) -> Array:
        chosen = list(self.joints)
        turned = quat.multiply(quat.conjugate(self.reference[chosen]), rotations[:, chosen])
        return quat.log(turned).reshape(len(turned), -1)

    def rotations(self, channels: Array) -> Array:
        """Rotations (..., joints of the skeleton, 4) of channels (..., C); the root's are seen from the way."""
        vectors = channels[..., :-4].reshape(*channels.shape[:-1], len(self.joints), 3)
        out = np.broadcast_to(self.reference, (*channels.shape[:-1], *self.reference.shape)).copy()
        chosen = list(self.joints)
        out[..., chosen, :] = quat.multiply(self.reference[chosen], quat.exp(vectors))
        return out

    def motion(self, local: Array, places: Array, frame_time: float, name: str) -> Motion:
        """A motion on the rig: rotations (frames, joints, 4) in the parents' frames, places (frames, 3) of the root."""
        q = np.zeros((len(local), len(self.skeleton.dofs)))
        for joint in range(len(self.skeleton.names)):
            columns = self.skeleton.columns(joint, "turn")
            if columns:
                q[:, columns] = compute_joint_angles(self.skeleton, joint, local[:, joint], np.zeros(len(columns)))
        for column in self.skeleton.columns(0, "slide"):
            q[:, column] = (places - self.skeleton.offsets[0]) @ np.array(self.skeleton.dofs[column].axis)
        return Motion(self.skeleton, q, frame_time, name, self.origin, rig=self.rig)


def layout_of(motion: Motion, strides: Sequence[Stride]) -> Layout:
    """The layout of a clip's rig for some strides on rigs with the same joints; bones may be of other lengths."""
    names = motion.skeleton.names
    for stride in strides:
        if stride.joints != names:
            raise InputError(
                f"is on another rig than '{motion.name}': {_difference(stride.joints, names)}",
                file=stride.source,
                fix="'gambol retarget' brings clips onto one rig",
            )
    turned = np.concatenate([stride.rotations[:-1] for stride in strides])
    reference = np.stack([quat.mean(turned[:, joint]) for joint in range(len(names))])
    away = quat.angle(quat.multiply(quat.conjugate(reference), turned)).max(axis=0)
    joints = [
        joint for joint in range(1, len(names)) if away[joint] > _STILL and motion.skeleton.columns(joint, "turn")
    ]
    points = {point.name: point.point for point in find_foot_points(motion)}
    soles = np.array([points[name] for name in FOOT_POINTS]).reshape(2, 2, 3)
    _, floor = find_touching(motion)
    return Layout(motion.skeleton, require_rig(motion), motion.origin, (0, *joints), reference, soles, floor)


def _difference(theirs: tuple[str, ...], ours: tuple[str, ...]) -> str:
    """What tells two lists of joints apart, in a few words."""
    missing = [name for name in ours if name not in theirs]
    return f"it has no joint '{missing[0]}'" if missing else f"it has {len(theirs)} joints for {len(ours)}"

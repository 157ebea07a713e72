"""Where the bodies of a person are: of one that was fitted to a clip, or of bodies attached to the joints of a rig.

Fitting takes 50 ms for a frame on its own. So frames that come one by one are not fitted: in the frames of the rig's
joints, bodies stay where they were on average in a clip of the same rig.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gambol.body.measure import Landmarks, require_rig
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import NeutralPose, has_body
from gambol.motion.rig import find_common_joint
from gambol.stages.feet import SIDES

_LIMBS = ("thigh", "shank", "foot", "upper_arm", "forearm", "hand")


class PersonBodies(NamedTuple):
    """Bodies of a person by name."""

    positions: Mapping[str, Array]
    """(frames, 3) each (m)."""
    rotations: Mapping[str, Array]
    """(frames, 4) each, from axes that point ahead, left and up."""

    def cut(self, frames: slice) -> PersonBodies:
        """Return some of the frames."""
        return PersonBodies(*({name: values[frames] for name, values in each.items()} for each in self))


class AttachedBodies(NamedTuple):
    """Bodies of a person in the frames of a rig's joints."""

    names: tuple[str, ...]
    joints: list[int]
    points: Array
    """(bodies, 3) m."""
    turns: Array
    """(bodies, 4)."""

    def follow(self, rig: Placement) -> PersonBodies:
        """Return where the bodies are as the rig moves."""
        turned = rig.rotations[:, self.joints]
        positions = rig.positions[:, self.joints] + quat.rotate(turned, self.points)
        rotations = quat.multiply(turned, self.turns)
        return PersonBodies(
            *({name: values[:, n] for n, name in enumerate(self.names)} for values in (positions, rotations))
        )


def track_person(source: Fit) -> PersonBodies:
    """Return the bodies of a fitted person; heads look where the rig's do, not ahead on average, as they are fitted."""
    names, placed = source.character.skeleton.names, source.motion.placement
    positions, rotations = (
        {name: values[:, n] for n, name in enumerate(names)} for values in (placed.positions, placed.rotations)
    )
    rotations["head"] = quat.multiply(rotations["head"], _find_mean_yaw(source.source))
    return PersonBodies(positions, rotations)


def _find_mean_yaw(rig: Motion) -> Array:
    """Return the mean rotation (4,) of a rig's head about its vertical, from the chest: none in its rest pose.

    A rig that does not stand in its rest pose is taken to look ahead on average.
    """
    if not has_body(rig) or not (neutral := NeutralPose(rig)).rests:
        return quat.IDENTITY
    head = require_rig(rig).parts["head"]
    chest = quat.conjugate(quat.from_matrix(Landmarks(rig).chest_frame))
    turned = quat.multiply(
        chest, quat.multiply(rig.placement.rotations[:, head], quat.conjugate(neutral.rotations[head]))
    )
    return quat.normalise(quat.mean(turned) * (1.0, 0.0, 0.0, 1.0))


def attach_person(source: Fit) -> AttachedBodies:
    """Attach the bodies of a fitted person to joints of the rig, where they are on average.

    Joints of limbs are those of the rig. The chest moves with the joint that both shoulders are below.
    """
    person, rig, parts = track_person(source), source.source.placement, require_rig(source.source).parts
    limbs = {name: parts[name] for side in SIDES for part in _LIMBS if (name := f"{side}_{part}") in parts}
    shoulders = [parts[f"{side}_upper_arm"] for side in SIDES]
    joints = {name: parts[name] for name in ("pelvis", "head")} | limbs
    joints["chest"] = find_common_joint(source.source.skeleton, shoulders)
    joints |= {f"{side}_{tip}_tip": parts[f"{side}_foot"] for side in SIDES for tip in ("heel", "ball")}
    joints |= {f"{side}_hand": parts[f"{side}_forearm"] for side in SIDES if f"{side}_hand" not in parts}
    points, turns = np.zeros((len(joints), 3)), np.zeros((len(joints), 4))
    for n, (name, joint) in enumerate(joints.items()):
        back = quat.conjugate(rig.rotations[:, joint])
        turns[n] = quat.mean(quat.multiply(back, person.rotations[name]))
        if name not in limbs:
            points[n] = quat.rotate(back, person.positions[name] - rig.positions[:, joint]).mean(axis=0)
    return AttachedBodies(tuple(joints), list(joints.values()), points, turns)

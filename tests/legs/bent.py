"""Change the knees of clips: other flexions, and legs that are turned by half a turn where a knee is overextended."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES


def find_bends(motion: Motion, side: str) -> Array:
    """(frames,) angles between thigh and shank in radians, which have no sign."""
    thigh, shank = find_bones(motion, side)
    cosine = np.sum(thigh * shank, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shank, axis=1)
    return np.arccos(np.clip(cosine, -1.0, 1.0))


def find_bones(motion: Motion, side: str) -> tuple[Array, Array]:
    """Thigh and shank (frames, 3) in the world."""
    parts, places = require_rig(motion).parts, motion.placement.positions
    hip, knee, ankle = (places[:, parts[f"{side}_{part}"]] for part in ("thigh", "shank", "foot"))
    return knee - hip, ankle - knee


def change_flexion(motion: Motion, change: Callable[[Array], Array], sides: tuple[str, ...] = SIDES) -> Motion:
    """Replace the flexion (frames,) of knees, which bend forward in the clip, about their mean axis."""
    parts, world = require_rig(motion).parts, motion.placement.rotations
    local = local_frames(motion.skeleton, motion.q).rotations
    for side in sides:
        thigh, shank = (parts[f"{side}_{part}"] for part in ("thigh", "shank"))
        bends = quat.rotate(quat.conjugate(world[:, thigh]), np.cross(*find_bones(motion, side)))
        axis = bends.sum(axis=0) / np.linalg.norm(bends.sum(axis=0))
        was = find_bends(motion, side)
        extra = quat.from_axis_angle(np.broadcast_to(axis, (len(was), 3)), change(was) - was)
        local[:, shank] = quat.multiply(extra, local[:, shank])
    return replace_rotations(motion, local)


def turn_legs(motion: Motion, side: str, frames: Array) -> Motion:
    """Turn thigh and shank about their own bones by half a turn in some frames (frames,): no joint centre moves."""
    parts, world = require_rig(motion).parts, motion.placement.rotations.copy()
    joints = [parts[f"{side}_{part}"] for part in ("thigh", "shank", "foot")]
    for joint, bone in zip(joints[:2], find_bones(motion, side), strict=True):
        half = quat.from_axis_angle(bone / np.linalg.norm(bone, axis=1)[:, None], np.full(len(motion), np.pi))
        world[frames, joint] = quat.multiply(half, world[:, joint])[frames]
    local = local_frames(motion.skeleton, motion.q).rotations
    for joint in joints:
        local[:, joint] = quat.multiply(quat.conjugate(world[:, motion.skeleton.parents[joint]]), world[:, joint])
    return replace_rotations(motion, local)

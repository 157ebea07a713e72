"""The upper body of a rig: its joints, its rest pose with hanging arms, and the axes about which postures differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import Placement, local_frames, place_local
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.poses.reach import HandPoint, find_arm
from gambol.stages.feet import SIDES

_OUTWARD = 0.12
"""Radians between the vertical and the line from shoulder to hand of a hanging arm, away from the body."""


@dataclass(frozen=True, eq=False)
class PersonUpperBody:
    """Trunk, head and arms of a person; made by `find_upper_body`."""

    parts: Mapping[str, int]
    """Joint of every body part."""
    joints: tuple[int, ...]
    """All joints above the pelvis."""
    arms: Mapping[str, tuple[int, ...]]
    """Joints of the left and the right arm, from the collar to the fingers."""
    rest: Array
    """(joints of the skeleton, 4) rotations in the parents' frames: the mean pose, with hanging arms."""
    lateral: Array
    """(joints of the skeleton, 3) axis to the left in the rest pose, in the parents' frames: a turn bows forward."""
    forward: Array
    """(joints of the skeleton, 3) the axis to the front, likewise."""
    hinges: Mapping[str, Array]
    """(3,) axis of flexion of the left and the right elbow, in the frame of the joint before."""
    bones: Mapping[str, tuple[Array, Array]]
    """(3,) offsets (m) of the left and the right elbow and hand from the joints before."""


def find_upper_body(motion: Motion) -> PersonUpperBody:
    """Return the upper body of a person; an arm at rest is bent as in the frame in which its hand is lowest."""
    skeleton, parts = motion.skeleton, require_rig(motion).parts
    paths = [skeleton.path_to_root(joint) for joint in range(len(skeleton.names))]
    joints = tuple(joint for joint, path in enumerate(paths) if parts["spine"] in path)
    arms = {side: tuple(j for j in joints if parts[f"{side}_collar"] in paths[j]) for side in SIDES}
    local = local_frames(skeleton, motion.q)
    rest = np.stack([quat.mean(local.rotations[:, joint]) for joint in range(len(skeleton.names))])
    rest[0] = find_upright(motion)
    for side, arm in arms.items():
        lowest = motion.placement.positions[:, parts[f"{side}_hand"], 2].argmin()
        rest[list(arm)] = local.rotations[lowest, list(arm)]
        _hang_arm(skeleton, parts, side, rest)
    placed = place_local(skeleton, Placement(local.positions[:1], rest[None])).rotations[0]
    parents = placed[np.maximum(skeleton.parents, 0)]
    lateral = quat.rotate(quat.conjugate(parents), [0.0, 1.0, 0.0])
    forward = quat.rotate(quat.conjugate(parents), [1.0, 0.0, 0.0])
    hinges = {side: find_arm(motion, HandPoint(side, np.zeros(3))).hinge for side in SIDES}
    offsets = skeleton.offsets
    bones = {side: (offsets[parts[f"{side}_forearm"]], offsets[parts[f"{side}_hand"]]) for side in SIDES}
    return PersonUpperBody(parts, joints, arms, rest, lateral, forward, hinges, bones)


def _hang_arm(skeleton: Skeleton, parts: Mapping[str, int], side: str, rest: Array) -> None:
    """Turn an upper arm of a rest pose (joints, 4), in place, so that the hand is below the shoulder."""
    placed = place_local(skeleton, Placement(skeleton.offsets[None], rest[None]))
    shoulder, hand = parts[f"{side}_upper_arm"], parts[f"{side}_hand"]
    outward = _OUTWARD if side == "left" else -_OUTWARD
    down = quat.rotate(quat.from_axis_angle([1.0, 0.0, 0.0], outward), -UP)
    turn = quat.shortest_arc(placed.positions[0, hand] - placed.positions[0, shoulder], down)
    parent = placed.rotations[0, skeleton.parents[shoulder]]
    turned = quat.multiply(turn, quat.multiply(parent, rest[shoulder]))
    rest[shoulder] = quat.multiply(quat.conjugate(parent), turned)


def find_upright(motion: Motion) -> Array:
    """Return the mean orientation (4,) of the pelvis of a person who faces along x."""
    turns = quat.from_axis_angle(UP, -find_headings(motion))
    return quat.mean(quat.multiply(turns, motion.placement.rotations[:, 0]))


def find_headings(motion: Motion) -> Array:
    """Return the direction (frames,) in radians from the world's x axis that the pelvis faces."""
    parts, places = require_rig(motion).parts, motion.placement.positions
    left = places[:, parts["left_thigh"]] - places[:, parts["right_thigh"]]
    return np.unwrap(np.arctan2(-left[:, 0], left[:, 1]))

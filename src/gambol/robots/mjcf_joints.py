"""Joints of a skeleton for the bodies of MuJoCo's model of a robot.

Where hinges turn a body about a point beside its origin, its joint is at that point, and a further joint, which does
not move, is at its origin. Hinges about several points, or slides after hinges, become several joints, of which the
last carries the body.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3
"""MuJoCo's kinds of joints."""
_NEAR = 1e-6
"""Metres between points that are one."""


class MjcfJoint(NamedTuple):
    """A joint of the skeleton."""

    name: str
    parent: int
    body: int
    anchor: Array
    """(3,) its origin in the frame of the body (m)."""
    columns: list[int]
    """Numbers of its hinges and slides in MuJoCo's model."""


def find_robot_bodies(model: Any) -> list[int]:
    """Return the bodies of the robot."""
    roots = model.jnt_bodyid[model.jnt_type == FREE]
    if not len(roots):
        raise InputError("the base is fixed", fix="add '<freejoint/>' to the root body of the robot")
    trees = [np.flatnonzero(model.body_rootid == root) for root in roots]
    robots = [tree for tree in trees if model.body_jntnum[tree].sum() > 1] or trees
    if len(robots) > 1:
        names = ", ".join(f"'{model.body(tree[0]).name}'" for tree in robots)
        raise InputError(f"{len(robots)} bodies have a free base and joints: {names}", fix="give a file with one robot")
    return [int(body) for body in robots[0]]


def list_mjcf_joints(model: Any, bodies: list[int]) -> tuple[list[MjcfJoint], dict[int, int], dict[int, int]]:
    """Return joints, and the numbers of those that carry bodies and of those that are at their origins, by body."""
    joints: list[MjcfJoint] = []
    carriers: dict[int, int] = {}
    origins: dict[int, int] = {}
    for body in bodies:
        name, parent = model.body(body).name or f"body {body}", carriers.get(int(model.body_parentid[body]), -1)
        *before, (anchor, columns) = _group_columns(model, body)
        for number, group in enumerate(before):
            joints.append(MjcfJoint(f"{name} joint {number}", parent, body, *group))
            parent = len(joints) - 1
        carriers[body] = origins[body] = len(joints)
        joints.append(MjcfJoint(name, parent, body, anchor, columns))
        if anchor.any():
            origins[body] = len(joints)
            joints.append(MjcfJoint(f"{name} origin", carriers[body], body, np.zeros(3), []))
    return joints, carriers, origins


def _group_columns(model: Any, body: int) -> list[tuple[Array, list[int]]]:
    """Return the hinges and slides of a body that one joint can have, and where it is in the frame of the body."""
    groups: list[tuple[Array, list[int]]] = [(np.zeros(3), [])]
    turned = False
    for column in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
        kind, anchor = model.jnt_type[column], np.array(model.jnt_pos[column])
        if kind == BALL:
            raise InputError(
                f"joint '{model.joint(column).name}' turns about all axes", fix="write three hinges in its place"
            )
        if kind == FREE:
            continue
        if turned and (kind == SLIDE or np.abs(anchor - groups[-1][0]).max() > _NEAR):
            groups.append((groups[-1][0], []))
            turned = False
        if kind == HINGE and not turned:
            groups[-1] = (np.where(np.abs(anchor) > _NEAR, anchor, 0.0), groups[-1][1])
            turned = True
        groups[-1][1].append(column)
    return groups


def place_mjcf_joints(model: Any, joints: list[MjcfJoint]) -> tuple[Array, Array]:
    """Return offsets (joints, 3) and rest orientations (joints, 4)."""
    offsets, rests = np.zeros((len(joints), 3)), np.tile(quat.IDENTITY, (len(joints), 1))
    for n, (_, parent, body, anchor, _) in enumerate(joints):
        before = joints[parent].anchor if parent >= 0 else np.zeros(3)
        if parent >= 0 and joints[parent].body == body:
            offsets[n] = anchor - before
        else:
            rests[n] = model.body_quat[body]
            offsets[n] = model.body_pos[body] + quat.rotate(rests[n], anchor) - before
    return offsets, rests

"""Write the file of a robot to check and fill in: parts by shape, else by common words in names, and how it walks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from gambol.body.robot_description import JOINTS
from gambol.errors import InputError, make_printable
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.rig_names import quote_name, split_side
from gambol.robots.biped import Biped
from gambol.robots.biped_file import (
    ARM_PARTS,
    GRASP_ENTRIES,
    LEG_ENTRIES,
    LEG_PARTS,
    PART_ENTRIES,
    SOLE_ENTRIES,
    load_biped,
)
from gambol.robots.body_parts import Limb, find_arms, find_carrier, find_legs, find_neck_end, stand_up
from gambol.robots.descriptions import read_description
from gambol.robots.sole_shapes import find_sole
from gambol.robots.standing import StandingRobot
from gambol.robots.walking_settings import check_walking
from gambol.stages.feet import SIDES

_HEAD = """\
# A robot and its parts, to give in place of the robot: check what is filled in, and fill in what is marked 'needed'.
# A limb is all joints from the first of the hip or shoulder (thigh, upper_arm) over knee or elbow (shank, forearm) to
# the last of the ankle or wrist (foot, hand). Others may stay empty; 'up' and 'facing' are in the axes of the base.
"""
_SOLE_LINE = "# Corners of soles in the frames of the feet (m): heel left, heel right, toes left, toes right."
_WALKING_LINE = """
# How it walks, derived from sizes and masses; all may be left out. Grasping points in the frames of the last joints of
# the arms (m), angles of joints in which it parks (rad), stiffness of their controllers (N m/rad), inertia of motors
# about a joint (kg m²), longest step (m, s)."""
_WORDS = dict(zip((*LEG_PARTS, *ARM_PARTS), ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"), strict=True))
"""Words in the names of joints."""


def format_robot_file(path: Path, name: str) -> str:
    """Return the text of the file of a robot at a path, or with that name; the file calls it `name`."""
    standing = stand_up(read_description(path))
    names = _name_by_words(standing) | _name_by_shape(standing)
    directions, soles, walking = {"up": standing.up}, {}, list[str]()
    with suppress(InputError):
        biped = load_biped(path)
        directions["facing"] = quat.rotate(biped.frame, np.array([1.0, 0.0, 0.0]))
        soles = {key: find_sole(biped, side) for side, key in zip(SIDES, SOLE_ENTRIES, strict=True)}
        walking = [_WALKING_LINE, *_format_walking(biped)]
    lines = [_HEAD, f"robot: {quote_name(name)}"]
    lines += [
        f"{key}: {_format_numbers(directions[key])}" if key in directions else f"{key}:" for key in ("up", "facing")
    ]
    lines += [f"{part}: {quote_name(names[part])}" if part in names else _leave_empty(part) for part in PART_ENTRIES]
    lines += ["", _SOLE_LINE]
    lines += [f"{key}: {_format_rows(soles[key])}" if soles else f"{key}:" for key in SOLE_ENTRIES]
    lines += [*walking, "", "# Joints that turn:", *(f"#   {make_printable(name)}" for name in _list_turning(standing))]
    return "\n".join([*lines, ""])


def _format_walking(robot: Biped) -> Iterator[str]:
    """Yield the lines of how a robot walks, or one that says why it cannot."""
    try:
        check_walking(robot)
    except InputError as error:
        yield f"# {make_printable(error.problem)}"
        return
    yield "walking:"
    for side, key in zip(SIDES, SOLE_ENTRIES, strict=True):
        if side in robot.settings.soles:
            yield f"  {key}: {_format_rows(robot.settings.soles[side])}"
    for hand, key in zip(robot.hands, GRASP_ENTRIES, strict=False):
        yield f"  {key}: {_format_numbers(hand.point)}"
    for key, values in (("posture", np.round(robot.posture, 4) + 0.0), ("stiffness", robot.stiffness)):
        yield f"  {key}:"
        for joint, value in zip(robot.description.joint_names, values[JOINTS], strict=True):
            yield f"    {quote_name(joint)}: {value:.4g}"
    yield f"  armature: {robot.armature:.4g}"
    yield f"  step: {{length: {robot.longest_step:.4g}, seconds: {robot.step_seconds:.4g}}}"


def _leave_empty(part: str) -> str:
    return f"{part}:  # needed" if part in LEG_ENTRIES else f"{part}:"


def _list_turning(robot: StandingRobot) -> list[str]:
    """Return the names of the joints that turn, without the base."""
    joints = dict.fromkeys(dof.joint for dof in robot.skeleton.dofs[JOINTS] if dof.kind == "turn")
    return [robot.skeleton.names[joint] for joint in joints]


def _name_by_words(robot: StandingRobot) -> dict[str, str]:
    """Return the joints of parts by common words: the first of each, but the last of ankle and wrist."""
    found: dict[str, str] = {}
    for name in _list_turning(robot):
        side, base = split_side(name)
        for part in (part for part, word in _WORDS.items() if side and word in base):
            if part in ("foot", "hand") or f"{side}_{part}" not in found:
                found[f"{side}_{part}"] = name
    return found


def _name_by_shape(robot: StandingRobot) -> dict[str, str]:
    """Return the joints of parts by shape, as far as they are found."""
    found: dict[str, str] = {}
    with suppress(InputError):
        legs = find_legs(robot)
        found |= _name_limbs(robot, legs, LEG_PARTS)
        arms = find_arms(robot, legs)
        if arms:
            found |= _name_limbs(robot, arms, ARM_PARTS)
            found["chest"] = robot.skeleton.names[find_carrier(robot, arms)]
            head = find_neck_end(robot, legs, arms)
            found |= {} if head is None else {"head": robot.skeleton.names[head]}
    return found


def _name_limbs(robot: StandingRobot, limbs: tuple[Limb, ...], parts: tuple[str, ...]) -> dict[str, str]:
    """Return the joints of limbs by part; a hand has none where nothing turns below the elbow."""
    found = {}
    for side, limb in zip(SIDES, limbs, strict=True):
        ends = limb.columns[0], limb.hinge, limb.columns[-1]
        for part, column in zip(parts if ends[1] != ends[2] else parts[:2], ends, strict=False):
            found[f"{side}_{part}"] = robot.skeleton.names[robot.joint_of(column)]
    return found


def _format_rows(rows: Array) -> str:
    return f"[{', '.join(map(_format_numbers, rows))}]"


def _format_numbers(numbers: Array) -> str:
    return f"[{', '.join(f'{number:.6g}' for number in np.round(numbers, 6) + 0.0)}]"

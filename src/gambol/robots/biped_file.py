"""Mapping files of robots: which joints are which parts of the body, where the robot faces, and its soles.

A mapping file names its robot and is given in place of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from gambol.body.robot_description import ROOT_DOFS, RobotDescription
from gambol.errors import InputError, make_printable
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry
from gambol.motion.rig_names import quote_name, split_side
from gambol.robots.biped import Biped, find_biped, make_biped
from gambol.robots.body_parts import BodyParts, Limb, find_arms, find_chest, find_left, find_legs, find_neck_end
from gambol.robots.descriptions import is_mapping, read_description
from gambol.robots.sole_shapes import find_sole
from gambol.robots.standing import StandingRobot, find_hinge
from gambol.stages.feet import SIDES

_LEG, _ARM = ("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")
_NEEDED = (*(f"{side}_{part}" for side in SIDES for part in (*_LEG, *_ARM[:2])),)
_PARTS = ("chest", "head", *(f"{side}_{part}" for side in SIDES for part in (*_LEG, *_ARM)))
_SOLES = tuple(f"{side}_sole" for side in SIDES)
_KEYS = ("robot", "up", "facing", *_PARTS, *_SOLES)
_HEAD = """\
# A robot and its parts, to give in place of the robot: check what is filled in, and fill in what is marked 'needed'.
# A limb is all joints from the first of the hip or shoulder (thigh, upper_arm) over knee or elbow (shank, forearm) to
# the last of the ankle or wrist (foot, hand). Others may stay empty; 'up' and 'facing' are in the axes of the base.
"""
_SOLE_LINE = "# Corners of soles in the frames of the feet (m): heel left, heel right, toes left, toes right."
_WORDS = {
    "thigh": "hip",
    "shank": "knee",
    "foot": "ankle",
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "hand": "wrist",
}
"""Words in the names of joints of robots."""
_Found = TypeVar("_Found")


def load_biped(path: Path) -> Biped:
    """Load a robot (URDF, MJCF, a name such as jvrc1) and find its parts, or read a mapping file of it."""
    return _read_biped(path) if is_mapping(path) else find_biped(read_description(path))


def _read_biped(path: Path) -> Biped:
    whole = read_yaml_entry(path, "the mapping")
    entries = {key: entry for key, entry in whole.read_mapping(_KEYS).items() if entry.value is not None}
    missing = [key for key in ("robot", *_NEEDED) if key not in entries]
    if missing:
        raise whole.error(f"the mapping lacks {', '.join(missing)}", "fill them in")
    description = read_description(path)
    robot = StandingRobot(description, _read_direction(entries["up"]) if "up" in entries else description.up)
    joints = {part: _find_joint(robot, entries[part]) for part in _PARTS if part in entries}
    legs, arms = (
        (_read_limb(robot, entries, joints, parts, "left"), _read_limb(robot, entries, joints, parts, "right"))
        for parts in (_LEG, _ARM)
    )
    chest = joints["chest"] if "chest" in joints else find_chest(robot, arms)
    parts = BodyParts(legs, arms, chest, joints.get("head"), _read_left(robot, entries, legs))
    soles = {side: _read_corners(entries[key]) for side, key in zip(SIDES, _SOLES, strict=True) if key in entries}
    return make_biped(robot, parts, soles)


def _find_joint(robot: StandingRobot, entry: YamlEntry) -> int:
    try:
        return robot.skeleton.index(entry.read_text())
    except InputError as error:
        raise entry.error(error.problem, error.fix) from None


def _read_limb(
    robot: StandingRobot, entries: Mapping[str, YamlEntry], joints: Mapping[str, int], parts: tuple[str, ...], side: str
) -> Limb:
    first, bend, *rest = (joints[f"{side}_{part}"] for part in parts if f"{side}_{part}" in joints)
    last = rest[0] if rest else bend
    path = robot.skeleton.path_to_root(last)
    if not (first in path and bend in path[: path.index(first)]):
        names = ", ".join(f"{side}_{part}" for part in parts)
        raise entries[f"{side}_{parts[0]}"].error(f"{names} are not joints of one limb, in this order")
    columns = [c for c in robot.list_turns(last) if robot.joint_of(c) in path[: path.index(first) + 1]]
    bending = [column for column in columns if robot.joint_of(column) == bend]
    if not bending:
        raise entries[f"{side}_{parts[1]}"].error(f"joint '{robot.skeleton.names[bend]}' does not turn")
    center = robot.description.character.centers[last]
    return Limb(tuple(columns), find_hinge(robot.skeleton, robot.posture, bending, first, last, center))


def _read_left(robot: StandingRobot, entries: Mapping[str, YamlEntry], legs: tuple[Limb, Limb]) -> Array:
    if "facing" not in entries:
        return find_left(robot, legs)
    ahead = quat.rotate(robot.placed.rotations[0, 0], _read_direction(entries["facing"]))
    left = cross(UP, ahead)
    if not np.linalg.norm(left) > 0.0:
        raise entries["facing"].error("'facing' is vertical")
    return np.asarray(left / np.linalg.norm(left))


def _read_direction(entry: YamlEntry) -> Array:
    numbers = np.array([number.read_number() for number in entry.read_list()])
    if numbers.shape != (3,) or not numbers.any():
        raise entry.error(f"'{entry.what}' must be a direction: three numbers, not all zero")
    return numbers


def _read_corners(entry: YamlEntry) -> Array:
    rows = [[number.read_number() for number in row.read_list()] for row in entry.read_list()]
    if [len(row) for row in rows] != [3] * 4:
        raise entry.error(f"'{entry.what}' must be four corners of three numbers")
    return np.array(rows)


def format_biped_template(description: RobotDescription, robot: str) -> str:
    """Return the text of a mapping file for a robot (a path or name), filled in by shape, else by names of joints."""
    standing = StandingRobot(description, description.up)
    legs = _try(lambda: find_legs(standing))
    arms = None if legs is None else _try(lambda: find_arms(standing, legs))
    names = _guess_by_name(standing)
    names |= {} if legs is None else _name_limbs(standing, legs, _LEG)
    lines = [f"robot: {quote_name(robot)}", f"up: {_format_numbers(description.up)}"]
    if legs is not None:
        ahead = quat.rotate(quat.conjugate(standing.placed.rotations[0, 0]), cross(find_left(standing, legs), UP))
    lines.append("facing:" if legs is None else f"facing: {_format_numbers(ahead)}")
    soles: dict[str, Array] = {}
    if legs is not None and arms is not None:
        head = find_neck_end(standing, legs, arms)
        names |= _name_limbs(standing, arms, _ARM) | {"chest": standing.skeleton.names[find_chest(standing, arms)]}
        names |= {} if head is None else {"head": standing.skeleton.names[head]}
        biped = find_biped(description)
        soles = {f"{side}_sole": find_sole(biped, side) for side in SIDES}
    for part in _PARTS:
        needed = "  # needed" if part in _NEEDED and part not in names else ""
        lines.append(f"{part}: {quote_name(names[part])}" if part in names else f"{part}:{needed}")
    lines += ["", _SOLE_LINE]
    lines += [f"{key}: [{', '.join(map(_format_numbers, soles[key]))}]" if soles else f"{key}:" for key in _SOLES]
    joints = dict.fromkeys(dof.joint for dof in standing.skeleton.dofs[len(ROOT_DOFS) :] if dof.kind == "turn")
    lines += ["", "# Joints that turn:", *(f"#   {make_printable(standing.skeleton.names[joint])}" for joint in joints)]
    return "\n".join([_HEAD, *lines, ""])


def _try(find: Callable[[], _Found]) -> _Found | None:
    try:
        return find()
    except InputError:
        return None


def _guess_by_name(robot: StandingRobot) -> dict[str, str]:
    """Return the names of joints of parts by common words: the first joint of each, but the last of ankle and wrist."""
    found: dict[str, str] = {}
    for joint in dict.fromkeys(dof.joint for dof in robot.skeleton.dofs[len(ROOT_DOFS) :]):
        name = robot.skeleton.names[joint]
        side, base = split_side(name)
        for part in (part for part, word in _WORDS.items() if side and word in base):
            if part in ("foot", "hand") or f"{side}_{part}" not in found:
                found[f"{side}_{part}"] = name
    return found


def _name_limbs(robot: StandingRobot, limbs: tuple[Limb, Limb], parts: tuple[str, ...]) -> dict[str, str]:
    """Return the names of the joints of limbs by part; a hand has none where nothing turns below the elbow."""
    found: dict[str, str] = {}
    for side, limb in zip(SIDES, limbs, strict=True):
        joints = [robot.joint_of(column) for column in (limb.columns[0], limb.hinge, limb.columns[-1])]
        found |= {f"{side}_{part}": robot.skeleton.names[joint] for part, joint in zip(parts, joints, strict=True)}
        if joints[1] == joints[2]:
            del found[f"{side}_{parts[2]}"]
    return found


def _format_numbers(numbers: Array) -> str:
    return f"[{', '.join(f'{number:.6g}' for number in np.round(numbers, 6) + 0.0)}]"

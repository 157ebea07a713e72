"""Read mapping files of robots: which joints are which parts of the body, where the robot faces, and its soles.

A mapping file names its robot and is given in place of it. `biped_template` writes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry
from gambol.robots.biped import Biped, find_biped, make_biped
from gambol.robots.body_parts import BodyParts, Limb, find_carrier, find_left
from gambol.robots.descriptions import is_mapping, read_description
from gambol.robots.standing import StandingRobot, find_hinge
from gambol.stages.feet import SIDES

LEG_PARTS, ARM_PARTS = ("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")
"""First joint, knee or elbow, and last joint of a limb."""
NEEDED_ENTRIES = tuple(f"{side}_{part}" for side in SIDES for part in (*LEG_PARTS, *ARM_PARTS[:2]))
PART_ENTRIES = ("chest", "head", *(f"{side}_{part}" for side in SIDES for part in (*LEG_PARTS, *ARM_PARTS)))
SOLE_ENTRIES = tuple(f"{side}_sole" for side in SIDES)
_ACROSS = 1e-3
"""Metres by which a left leg may be on the right."""
_KEYS = ("robot", "up", "facing", *PART_ENTRIES, *SOLE_ENTRIES)


def load_biped(path: Path) -> Biped:
    """Load a robot (URDF, MJCF, a name such as jvrc1) and find its parts, or read a mapping file of it."""
    return _read_biped(path) if is_mapping(path) else find_biped(read_description(path))


def _read_biped(path: Path) -> Biped:
    whole = read_yaml_entry(path, "the mapping")
    entries = {key: entry for key, entry in whole.read_mapping(_KEYS).items() if entry.value is not None}
    missing = [key for key in ("robot", *NEEDED_ENTRIES) if key not in entries]
    if missing:
        raise whole.error(f"the mapping lacks {', '.join(missing)}", "fill them in")
    description = read_description(path)
    robot = StandingRobot(description, _read_direction(entries["up"]) if "up" in entries else description.up)
    joints = {part: _find_joint(robot, entries[part]) for part in PART_ENTRIES if part in entries}
    legs, arms = (
        (_read_limb(robot, entries, joints, parts, "left"), _read_limb(robot, entries, joints, parts, "right"))
        for parts in (LEG_PARTS, ARM_PARTS)
    )
    chest = joints["chest"] if "chest" in joints else find_carrier(robot, arms)
    parts = BodyParts(legs, arms, chest, joints.get("head"), _read_left(robot, entries, legs))
    soles = {side: _read_corners(entries[key]) for side, key in zip(SIDES, SOLE_ENTRIES, strict=True) if key in entries}
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
    one, other = (robot.at(robot.joint_of(leg.columns[0])) for leg in legs)
    if float((one - other) @ left) < -_ACROSS * float(np.linalg.norm(left)):
        raise entries["facing"].error("the left leg is on the right", "reverse 'facing', or swap left and right")
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

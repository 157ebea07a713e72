"""Read robot files: a description, which joints are which parts of the body, where it faces, soles, and how it walks.

A robot file is given in place of its description. `biped_template` writes one. All but the description may be left out:
parts and soles are then found by shape, and how it walks is derived from masses and sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.body.robot_description import JOINTS, RobotDescription
from gambol.errors import InputError, StrPath
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry
from gambol.robots.biped import Biped, find_biped, make_biped
from gambol.robots.body_parts import BodyParts, Limb, find_carrier, find_left, find_parts, stand_up
from gambol.robots.descriptions import find_robot, is_robot_file, list_robots, read_description
from gambol.robots.standing import StandingRobot, find_hinge
from gambol.robots.walking_settings import WalkingSettings
from gambol.stages.feet import SIDES

LEG_PARTS, ARM_PARTS = ("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")
"""First joint, knee or elbow, and last joint of a limb."""
LEG_ENTRIES, _ARM_ENTRIES = (
    tuple(f"{side}_{part}" for side in SIDES for part in parts) for parts in (LEG_PARTS, ARM_PARTS[:2])
)
PART_ENTRIES = ("chest", "head", *(f"{side}_{part}" for side in SIDES for part in (*LEG_PARTS, *ARM_PARTS)))
SOLE_ENTRIES = tuple(f"{side}_sole" for side in SIDES)
GRASP_ENTRIES = tuple(f"{side}_grasp" for side in SIDES)
_ACROSS = 1e-3
"""Metres by which a left leg may be on the right."""
_KEYS = ("robot", "package", "up", "facing", *PART_ENTRIES, *SOLE_ENTRIES, "walking")
_WALKING = (*SOLE_ENTRIES, *GRASP_ENTRIES, "posture", "stiffness", "armature", "step")
_STIFFEST = 1e9
"""Largest stiffness of a joint (N m/rad)."""
_LEAST = 1e-9
"""Least armature (kg m²), length (m) and duration (s) of a step."""


def load_biped(robot: StrPath = "jvrc1") -> Biped:
    """Load a robot: a URDF, MJCF or robot file, or a name such as jvrc1. Parts not given are found by shape."""
    path = find_robot(Path(robot))
    if is_robot_file(path):
        return _read_biped(path)
    if not path.suffix:
        raise InputError(
            f"no robot '{path}'", fix=f"robots: {', '.join(list_robots())}, or the path of a URDF, MJCF or robot file"
        )
    return find_biped(read_description(path))


def _read_biped(path: Path) -> Biped:
    whole = read_yaml_entry(path, "the robot file")
    entries = _drop_empty(whole.read_mapping(_KEYS))
    description = read_description(path)
    robot = StandingRobot(description, _read_direction(entries["up"])) if "up" in entries else stand_up(description)
    joints = {part: _find_joint(robot, entries[part]) for part in PART_ENTRIES if part in entries}
    if joints:
        parts = _read_parts(robot, whole, entries, joints)
    else:
        parts = find_parts(robot)
        parts = replace(parts, left=_read_left(robot, entries, parts.legs))
    soles = _read_sides(entries, SOLE_ENTRIES, _read_corners)
    return make_biped(robot, parts, soles, _read_settings(description, entries.get("walking")))


def _drop_empty(entries: Mapping[str, YamlEntry]) -> dict[str, YamlEntry]:
    return {key: entry for key, entry in entries.items() if entry.value is not None}


def _read_parts(
    robot: StandingRobot, whole: YamlEntry, entries: Mapping[str, YamlEntry], joints: Mapping[str, int]
) -> BodyParts:
    """Return the parts that a file gives: legs, and arms if it gives any."""
    armed = any(part in joints for part in _ARM_ENTRIES)
    missing = [key for key in (*LEG_ENTRIES, *(_ARM_ENTRIES if armed else ())) if key not in joints]
    if missing:
        raise whole.error(f"the robot file lacks {', '.join(missing)}", "fill them in")
    left, right = (_read_limb(robot, entries, joints, LEG_PARTS, side) for side in SIDES)
    arms = tuple(_read_limb(robot, entries, joints, ARM_PARTS, side) for side in SIDES) if armed else ()
    chest = joints["chest"] if "chest" in joints else find_carrier(robot, arms) if arms else 0
    return BodyParts((left, right), arms, chest, joints.get("head"), _read_left(robot, entries, (left, right)))


def _read_settings(description: RobotDescription, entry: YamlEntry | None) -> WalkingSettings:
    if entry is None:
        return WalkingSettings()
    entries = _drop_empty(entry.read_mapping(_WALKING))
    step = _drop_empty(entries["step"].read_mapping(("length", "seconds"))) if "step" in entries else {}
    numbers = {
        "armature": entries.get("armature"),
        "longest_step": step.get("length"),
        "step_seconds": step.get("seconds"),
    }
    return WalkingSettings(
        posture=_read_posture(description, entries["posture"]) if "posture" in entries else None,
        stiffness=_read_stiffness(description, entries["stiffness"]) if "stiffness" in entries else None,
        soles=_read_sides(entries, SOLE_ENTRIES, _read_corners),
        grasps=_read_sides(entries, GRASP_ENTRIES, _read_point),
        **{name: number.read_number(least=_LEAST) for name, number in numbers.items() if number is not None},
    )


def _read_posture(description: RobotDescription, entry: YamlEntry) -> Array:
    angles = entry.read_mapping(description.joint_names)
    joints = [angles[name].read_number() if name in angles else 0.0 for name in description.joint_names]
    return np.concatenate((np.zeros(JOINTS.start), joints))


def _read_stiffness(description: RobotDescription, entry: YamlEntry) -> Array:
    """Return the stiffness (dofs,) of the first word that is in the name of a joint, else the default, else nan."""
    words = {word: number.read_number(_STIFFEST, 0.0) for word, number in entry.read_mapping().items()}
    rest = words.pop("default", np.nan)
    found = [
        words.get(name, next((words[word] for word in words if word in name), rest)) for name in description.joint_names
    ]
    return np.concatenate((np.zeros(JOINTS.start), found))


def _read_sides(
    entries: Mapping[str, YamlEntry], keys: tuple[str, ...], read: Callable[[YamlEntry], Array]
) -> dict[str, Array]:
    return {side: read(entries[key]) for side, key in zip(SIDES, keys, strict=True) if key in entries}


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
    facing = entries["facing"]
    ahead = quat.rotate(robot.placed.rotations[0, 0], _read_direction(facing))
    left = cross(UP, ahead)
    if not np.linalg.norm(left) > 0.0:
        raise facing.error("'facing' is vertical")
    one, other = (robot.at(robot.joint_of(leg.columns[0])) for leg in legs)
    if float((one - other) @ left) < -_ACROSS * float(np.linalg.norm(left)):
        raise facing.error("the left leg is on the right", "reverse 'facing', or swap left and right")
    return np.asarray(left / np.linalg.norm(left))


def _read_direction(entry: YamlEntry) -> Array:
    numbers = _read_point(entry)
    if not numbers.any():
        raise entry.error(f"'{entry.what}' must be a direction: three numbers, not all zero")
    return numbers


def _read_point(entry: YamlEntry) -> Array:
    numbers = np.array([number.read_number() for number in entry.read_list()])
    if numbers.shape != (3,):
        raise entry.error(f"'{entry.what}' must be three numbers")
    return numbers


def _read_corners(entry: YamlEntry) -> Array:
    rows = [[number.read_number() for number in row.read_list()] for row in entry.read_list()]
    if [len(row) for row in rows] != [3] * 4:
        raise entry.error(f"'{entry.what}' must be four corners of three numbers")
    return np.array(rows)

"""Poses drawn by hand: the standing pose of rough motions.

The other poses are no part of solving a sketch: `scripts/make_poses.py` made the database of transition poses that
comes with gambol from them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gambol.body.character import Character
from gambol.body.soles import find_soles
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place

Drawing = Mapping[str, tuple[float, ...]]
"""Turns of joints in degrees, the same on both sides; for the pelvis only the lean."""

DRAWINGS: dict[str, Drawing] = {
    "stand": {"upper_arm": (0, 8, 0), "forearm": (10,), "thigh": (3, 2, 0), "shank": (6,), "foot": (3, 0)},
    "crouch": {
        "pelvis": (35,), "spine": (10, 0), "chest": (8, 0, 0), "head": (0, -25, 0), "upper_arm": (-55, 20, 0),
        "forearm": (12,), "thigh": (100, 4, 0), "shank": (100,), "foot": (32, 0),
    },
    "takeoff": {
        "pelvis": (22,), "spine": (2, 0), "chest": (-2, 0, 0), "head": (0, -8, 0), "upper_arm": (130, 10, 0),
        "forearm": (22,), "thigh": (5, 3, 0), "shank": (16,), "foot": (-40, 0),
    },
    "tuck": {
        "pelvis": (18,), "spine": (8, 0), "chest": (6, 0, 0), "head": (0, -5, 0), "upper_arm": (110, 12, 0),
        "forearm": (30,), "thigh": (70, 4, 0), "shank": (85,), "foot": (0, 0),
    },
    "landing": {
        "pelvis": (18,), "spine": (14, 0), "chest": (10, 0, 0), "head": (0, -20, 0), "upper_arm": (70, 10, 0),
        "forearm": (30,), "thigh": (85, 4, 0), "shank": (48,), "foot": (8, 0),
    },
    "absorb": {
        "pelvis": (35,), "spine": (14, 0), "chest": (10, 0, 0), "head": (0, -28, 0), "upper_arm": (45, 25, 0),
        "forearm": (30,), "thigh": (105, 5, 0), "shank": (105,), "foot": (32, 0),
    },
}  # fmt: skip


def has_drawings(character: Character) -> bool:
    """Whether the drawings fit this character: it must be human."""
    return character.skeleton.names[0] == "pelvis"


def pose_from_drawing(character: Character, name: str) -> Array:
    """Return coordinates (dofs,) of a drawn pose with the lowest sole on the floor; non-human characters stand."""
    skeleton = character.skeleton
    q = np.clip(_turned(character, name), skeleton.lower, skeleton.upper)
    placed = place(skeleton, q[None])
    low = np.inf
    for words, sole in find_soles(character).items():
        if words.endswith("foot"):
            joint = skeleton.index(sole.body)
            corners = placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], sole.corners)
            low = min(low, float(corners[:, 2].min()))
    q[skeleton.columns(0, "slide")[2]] -= low
    return q


def _turned(character: Character, name: str) -> Array:
    """Return coordinates (dofs,) with the turns of a drawing."""
    skeleton = character.skeleton
    q = np.zeros(len(skeleton.dofs))
    for part, angles in DRAWINGS[name].items() if has_drawings(character) else ():
        for joint in (part, f"left_{part}", f"right_{part}"):
            if joint in skeleton.names[1:]:
                columns = skeleton.columns(skeleton.index(joint), "turn")
                q[columns] = np.radians(angles[: len(columns)])
    return q

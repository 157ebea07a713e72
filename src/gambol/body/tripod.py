"""A three-legged character with a barrel-shaped body, a neck and a head (L05 section 3.9.1)."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton, Vector

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_LEGS = {"front": 0.0, "left": 120.0, "right": 240.0}
"""Direction of each leg about the vertical, in degrees."""
_SPLAY = 25.0
"""Angle in degrees by which thighs lean outward at rest, and shanks back in."""


def make_tripod(height: float = 1.2, mass: float = 60.0) -> Character:
    """Return a three-legged character of a height (m, at rest) and mass (kg), with 6 + 2 + 3 + 18 dofs."""
    if not (0.2 <= height <= 5.0 and 0.0 < mass < 2000.0):
        raise InputError(
            f"height {height:g} m or mass {mass:g} kg is out of range", fix="give 0.2 to 5 m and less than 2000 kg"
        )
    joints = _Joints()
    barrel, reach = 0.16 * height, 0.3 * height
    joints.add("barrel", "", np.zeros(3), _cylinder(0.5 * mass, barrel, 0.25 * height, np.zeros(3)))
    for axis in (_X, _Y, _Z):
        joints.dofs.append(Dof(0, "slide", axis))
    joints.turns("barrel", [(_Z, 1e4), (_Y, 1e4), (_X, 1e4)])
    top = np.array([0.0, 0.0, 0.12 * height])
    joints.add("neck", "barrel", top, _cylinder(0.05 * mass, 0.05 * height, 0.2 * height, 0.5 * top))
    joints.turns("neck", [(_Y, 60.0), (_X, 60.0)])
    joints.add("head", "neck", 1.6 * top, _cylinder(0.1 * mass, 0.09 * height, 0.15 * height, 0.5 * top))
    joints.turns("head", [(_Z, 90.0), (_Y, 60.0), (_X, 45.0)])
    joints.end("head_tip", "head", top)
    for name, degrees in _LEGS.items():
        _leg(joints, name, np.radians(degrees), barrel, reach, mass)
    return joints.character(f"{height:g} m tripod")


def _leg(joints: _Joints, name: str, angle: float, barrel: float, reach: float, mass: float) -> None:
    out = np.array([np.cos(angle), np.sin(angle), 0.0])
    side = (-float(np.sin(angle)), float(np.cos(angle)), 0.0)
    ahead = (float(np.cos(angle)), float(np.sin(angle)), 0.0)
    splay = np.radians(_SPLAY)
    thigh = reach * (np.sin(splay) * out - np.cos(splay) * np.array(_Z))
    shank = reach * (-0.5 * np.sin(splay) * out - np.cos(splay) * np.array(_Z))
    foot = -0.12 * reach * np.array(_Z)
    joints.add(f"{name}_thigh", "barrel", barrel * out, _rod(0.06 * mass, thigh))
    joints.turns(f"{name}_thigh", [(side, 80.0), (ahead, 50.0), (_Z, 50.0)])
    joints.add(f"{name}_shank", f"{name}_thigh", thigh, _rod(0.04 * mass, shank))
    joints.turns(f"{name}_shank", [(side, 120.0)])
    joints.add(f"{name}_foot", f"{name}_shank", shank, _rod(0.05 / 3.0 * mass, foot))
    joints.turns(f"{name}_foot", [(side, 60.0), (ahead, 40.0)])
    joints.end(f"{name}_foot_tip", f"{name}_foot", foot)


class _Joints:
    """Joints of a character under construction, in depth-first order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[Array] = []
        self.segments: list[tuple[float, Array, Array]] = []
        self.dofs: list[Dof] = []
        self.ends: set[int] = set()

    def add(self, name: str, parent: str, offset: Array, segment: tuple[float, Array, Array]) -> None:
        self.parents.append(self.names.index(parent) if parent else -1)
        self.names.append(name)
        self.offsets.append(offset)
        self.segments.append(segment)

    def end(self, name: str, parent: str, offset: Array) -> None:
        self.ends.add(len(self.names))
        self.add(name, parent, offset, (0.0, np.zeros(3), np.zeros((3, 3))))

    def turns(self, name: str, axes: list[tuple[Vector, float]]) -> None:
        joint = self.names.index(name)
        self.dofs += [Dof(joint, "turn", axis, -np.radians(limit), np.radians(limit)) for axis, limit in axes]

    def character(self, name: str) -> Character:
        skeleton = Skeleton(
            tuple(self.names), tuple(self.parents), np.array(self.offsets), tuple(self.dofs), ends=frozenset(self.ends)
        )
        masses, centers, inertias = (np.array(part) for part in zip(*self.segments, strict=True))
        return Character(skeleton, masses, centers, inertias, name)


def _cylinder(mass: float, radius: float, height: float, center: Array) -> tuple[float, Array, Array]:
    across = mass * (3.0 * radius**2 + height**2) / 12.0
    return mass, center, np.diag([across, across, 0.5 * mass * radius**2])


def _rod(mass: float, bone: Array) -> tuple[float, Array, Array]:
    """Return mass, centre and inertia of a rod along a bone, with a thickness of a sixth of its length."""
    length = float(np.linalg.norm(bone))
    along = bone / length
    across, about = mass * length**2 / 12.0, 0.5 * mass * (length / 12.0) ** 2
    return mass, 0.5 * bone, across * np.eye(3) + (about - across) * np.outer(along, along)

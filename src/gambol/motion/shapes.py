"""The figure that shows a skeleton: one rounded ellipsoid a segment, rigid in its joint's frame.

Every picture (strip, browser, glTF, USD) is drawn from these segments, so that they all agree. They are
for the eye: the segments that carry mass belong to the character.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion

# Half width (left to right) and half depth (front to back) of a segment as shares of body height.
_GIRTH = {
    "pelvis": (0.086, 0.054), "spine": (0.074, 0.047), "chest": (0.092, 0.057), "neck": (0.030, 0.030),
    "head": (0.045, 0.054), "collar": (0.034, 0.034), "upper_arm": (0.027, 0.027), "forearm": (0.022, 0.022),
    "hand": (0.022, 0.013), "thigh": (0.047, 0.047), "shank": (0.033, 0.033), "foot": (0.025, 0.019),
    "toes": (0.024, 0.013),
}  # fmt: skip
_HEAD = 0.11
"""From the joint at the top of the neck to the crown."""
_THIN = 0.011
_SHORTEST = 0.02
_FULLNESS = 0.8
"""Exponent that makes the ends of an ellipsoid blunter: 1 an ellipsoid, 0 a box."""


class Segments(NamedTuple):
    """Rounded ellipsoids fixed to joints."""

    joints: NDArray[np.intp]
    """(segments,) the joint each is fixed to."""
    centers: Array
    """(segments, 3) metres, in the joint's frame."""
    rotations: Array
    """(segments, 4) orientation in the joint's frame."""
    radii: Array
    """(segments, 3) half axes in metres: width, depth, and half the length along the bone."""


class Mesh(NamedTuple):
    """Triangles fixed to joints."""

    vertices: Array
    """(vertices, 3) metres, in the frame of each vertex's joint."""
    normals: Array
    """(vertices, 3)."""
    faces: NDArray[np.uint32]
    """(triangles, 3), counter-clockwise seen from outside."""
    joints: NDArray[np.intp]
    """(vertices,)."""


def body_segments(motion: Motion) -> Segments:
    """One segment for every bone; of the usual girth where the rig is known, else thin."""
    rig = motion.rig
    placed = motion[:1].placement
    positions, rotations = placed.positions[0], placed.rotations[0]
    parts = _part_of_joints(motion)
    stature = float(np.ptp(positions, axis=0).max()) or 1.0 if rig is None else _stature(motion)
    found: list[tuple[int, Array, Array, Array]] = []
    for joint, tip in _bones(motion, parts):
        bone = tip - positions[joint]
        length = float(np.linalg.norm(bone))
        part = parts.get(joint, "")
        width, depth = _GIRTH.get(part, (_THIN, _THIN))
        if length < _SHORTEST * stature * (0.2 if part not in _GIRTH else 0.5) or length == 0.0:
            continue
        # A bone without a part of its own (a finger, a tail) is never thicker than a third of its length.
        thickest = np.inf if part in _GIRTH else 0.3 * length
        blunt = min(width, depth) * stature if part in ("pelvis", "spine", "chest", "neck") else 0.35 * width * stature
        if part == "head":
            bone, length = bone / length * _HEAD * stature, _HEAD * stature
        radii = np.array([min(width * stature, thickest), min(depth * stature, thickest), 0.5 * length + blunt])
        across = _across(motion, joint, part, positions)
        frame = _frame_along(bone / length, across)
        inverse = quat.conjugate(rotations[joint])
        center = quat.rotate(inverse, 0.5 * bone)
        found.append((joint, center, quat.multiply(inverse, quat.from_matrix(frame)), radii))
    if not found:
        found = [(0, np.zeros(3), quat.IDENTITY, np.full(3, 0.05))]
    joints, centers, turned, radii_all = zip(*found, strict=True)
    return Segments(np.array(joints), np.array(centers), np.array(turned), np.array(radii_all))


def _part_of_joints(motion: Motion) -> dict[int, str]:
    """The part each joint belongs to, without side; joints of the back between two parts count as the lower."""
    if motion.rig is None:
        return {}
    sided = {joint: part.removeprefix("left_").removeprefix("right_") for part, joint in motion.rig.parts.items()}
    out: dict[int, str] = {}
    for joint, parent in enumerate(motion.skeleton.parents):
        above = out.get(parent, "")
        between = above if above in ("pelvis", "spine", "chest", "neck") and joint not in motion.skeleton.ends else ""
        out[joint] = sided.get(joint, between)
    return {j: ("spine" if p == "pelvis" and j != motion.rig.parts["pelvis"] else p) for j, p in out.items() if p}


def _bones(motion: Motion, parts: dict[int, str]) -> list[tuple[int, Array]]:
    """Joints and where their bones end, in the first frame: one bone for each child, a few where parts fork."""
    skeleton = motion.skeleton
    positions = motion[:1].placement.positions[0]
    bones: list[tuple[int, Array]] = []
    for joint, children in enumerate(skeleton.children):
        part = parts.get(joint, "")
        ends = [positions[c] for c in children]
        if part == "pelvis" and motion.rig is not None:
            thighs = [positions[motion.rig.parts[f"{s}_thigh"]] for s in ("left", "right")]
            back = motion.rig.parts.get("spine", motion.rig.parts.get("chest"))
            hips = 0.5 * (thighs[0] + thighs[1])
            above = positions[back] if back is not None else positions[joint]
            raised = above - hips if np.linalg.norm(above - hips) > 1e-6 else np.array([0.0, 0.0, 1e-3])
            bones.append((joint, positions[joint] + raised / np.linalg.norm(raised) * 0.05 * _stature(motion)))
        elif part in ("chest", "spine", "neck", "foot", "hand", "head") and children:
            bones.append((joint, _main_end(motion, joint, part, positions)))
        else:
            bones += [(joint, end) for end in ends]
        if part == "head" and not children:
            up = positions[joint] - positions[skeleton.parents[joint]]
            bones.append((joint, positions[joint] + up / max(np.linalg.norm(up), 1e-9)))
    return bones


def _main_end(motion: Motion, joint: int, part: str, positions: Array) -> Array:
    """Where a part that forks ends: the trunk towards the head, a hand or foot at its farthest child."""
    skeleton, rig = motion.skeleton, motion.rig
    if rig is not None and part in ("chest", "spine", "neck"):
        towards = skeleton.path_to_root(rig.parts["head"])
        nearest = [c for c in skeleton.children[joint] if c in towards]
        if nearest and np.linalg.norm(skeleton.offsets[nearest[0]]) > 0:
            return positions[nearest[0]]
    return max(
        (positions[c] for c in skeleton.children[joint]),
        key=lambda p: float(np.linalg.norm(p - positions[joint])),
    )


def _across(motion: Motion, joint: int, part: str, positions: Array) -> Array:
    """The left-hand direction that a segment's width lies along."""
    if motion.rig is None:
        return np.array([0.0, 1.0, 0.0])
    upper = part in ("chest", "neck", "head", "collar", "upper_arm", "forearm", "hand")
    pair = [motion.rig.parts[f"{s}_{'upper_arm' if upper else 'thigh'}"] for s in ("left", "right")]
    return positions[pair[0]] - positions[pair[1]]


def _stature(motion: Motion) -> float:
    """Body height from the length of the legs: head and arms may be posed, legs are half of a person."""
    assert motion.rig is not None
    offsets = np.linalg.norm(motion.skeleton.offsets, axis=1)
    return float(offsets[motion.rig.parts["left_shank"]] + offsets[motion.rig.parts["left_foot"]]) / 0.48


def _frame_along(direction: Array, across: Array) -> Array:
    """Axes (columns) with z along a bone and x as near to `across` as can be."""
    side = across - direction * (across @ direction)
    if np.linalg.norm(side) < 1e-3 * max(float(np.linalg.norm(across)), 1e-9):
        side = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    side = side / np.linalg.norm(side)
    return np.stack((side, np.cross(direction, side), direction), axis=-1)


@lru_cache
def unit_shape(rings: int = 10, sides: int = 16) -> tuple[Array, NDArray[np.uint32]]:
    """Vertices and triangles of the rounded ellipsoid with half axes of 1."""
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1]
    around = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    ring, side = np.meshgrid(polar, around, indexing="ij")
    blunt = np.sign(np.cos(ring)) * np.abs(np.cos(ring)) ** _FULLNESS
    waist = np.sin(ring) ** _FULLNESS
    body = np.stack((waist * np.cos(side), waist * np.sin(side), blunt), axis=-1).reshape(-1, 3)
    vertices = np.vstack((body, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    top, bottom = len(body), len(body) + 1
    faces: list[tuple[int, int, int]] = []
    for s in range(sides):
        after = (s + 1) % sides
        faces.append((top, s, after))
        for r in range(rings - 2):
            a, b, c, d = r * sides + s, r * sides + after, (r + 1) * sides + s, (r + 1) * sides + after
            faces += [(a, c, b), (b, c, d)]
        last = (rings - 2) * sides
        faces.append((bottom, last + after, last + s))
    return vertices, np.array(faces, dtype=np.uint32)


def body_mesh(motion: Motion, rings: int = 10, sides: int = 16) -> Mesh:
    """The segments of a motion's figure as one mesh, every vertex fixed to its joint."""
    segments = body_segments(motion)
    vertices, faces = unit_shape(rings, sides)
    shaped = segments.centers[:, None] + quat.rotate(segments.rotations[:, None], vertices * segments.radii[:, None])
    slopes = np.sign(vertices) * np.abs(vertices) ** (2.0 / _FULLNESS - 1.0)
    normals = quat.rotate(segments.rotations[:, None], slopes / segments.radii[:, None])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    count = len(segments.joints)
    offsets = (np.arange(count) * len(vertices))[:, None, None]
    return Mesh(
        vertices=shaped.reshape(-1, 3),
        normals=normals.reshape(-1, 3),
        faces=(faces[None] + offsets).reshape(-1, 3).astype(np.uint32),
        joints=np.repeat(segments.joints, len(vertices)),
    )


def side_of_joints(motion: Motion) -> NDArray[np.int8]:
    """For every joint 1 on the left, -1 on the right, 0 in the middle or where the rig is not known."""
    sides = np.zeros(len(motion.skeleton.names), dtype=np.int8)
    own = {j: 1 if p.startswith("left") else -1 for p, j in motion.rig.parts.items() if "_" in p} if motion.rig else {}
    for joint, parent in enumerate(motion.skeleton.parents):
        sides[joint] = own.get(joint, sides[parent] if parent >= 0 else 0)
    return sides


COLORS = {0: (0.84, 0.82, 0.78), 1: (0.91, 0.49, 0.33), -1: (0.31, 0.55, 0.74)}
"""Colour (red, green, blue) of the middle, the left and the right of a body."""


def floor_height(motion: Motion) -> float:
    """Height of the ground: 0, unless the feet never come near it."""
    lowest = float(np.percentile(motion.placement.positions[:, :, 2].min(axis=1), 5))
    return 0.0 if abs(lowest) < 0.12 else lowest

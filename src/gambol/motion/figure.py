"""Build the figure that displays a motion: a smooth body where the rig is known, else one segment per bone.

The figure is for display only; the segments that carry mass belong to the character.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.assumptions import LEG_SHARE
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.body_limbs import add_arm, add_leg, find_collar
from gambol.motion.body_size import BodySize
from gambol.motion.body_trunk import Trunk
from gambol.motion.cage import BODY, FACE, LEFT, RIGHT, Cage
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import BODY_SIDES, NeutralPose, has_body
from gambol.motion.shapes import Mesh, Segments, build_mesh, invert_frames
from gambol.motion.subdivision import subdivide

COLORS = {BODY: (0.84, 0.82, 0.78), LEFT: (0.94, 0.59, 0.30), RIGHT: (0.20, 0.42, 0.68), FACE: (0.25, 0.27, 0.31)}
"""Colour (red, green, blue) of the middle (0), left (1) and right (-1) of a body, and of its face (2).

Left and right differ in lightness too, and for people who do not see red or green.
"""
_INFLUENCES = 4
"""Most joints that a vertex follows."""

# Half width (left to right) and half depth (front to back) of a segment as fractions of body height.
_GIRTH = {
    "pelvis": (0.086, 0.054), "spine": (0.074, 0.047), "chest": (0.092, 0.057), "neck": (0.030, 0.030),
    "head": (0.045, 0.054), "collar": (0.034, 0.034), "upper_arm": (0.027, 0.027), "forearm": (0.022, 0.022),
    "hand": (0.022, 0.013), "thigh": (0.047, 0.047), "shank": (0.033, 0.033), "foot": (0.025, 0.019),
    "toes": (0.024, 0.013),
}  # fmt: skip
_TRUNK = ("pelvis", "spine", "chest", "neck")
_UPPER = ("chest", "neck", "head", "collar", "upper_arm", "forearm", "hand")
_THIN, _THICK = 0.011, 0.04
_ROD = 0.14
"""Half width of a segment of an unknown rig, as a fraction of its length; limits as fractions of body height."""
_SHORTEST = 0.004
_HEAD, _PELVIS = 0.11, 0.05
"""Length of the head above its joint and of the pelvis towards the spine, as fractions of body height."""


def build_body_mesh(motion: Motion, coarse: bool = False) -> Mesh:
    """Return the figure of a motion as one mesh: its skin if it has one, a body, or one segment per bone.

    A coarse one has about a quarter of the triangles, for many figures in one picture.
    """
    if motion.skin is not None:
        return motion.skin
    if has_body(motion):
        return _build_skinned_body(motion, coarse)
    segments = build_body_segments(motion)
    return build_mesh(segments, color_joints(motion)[segments.joints], *((5, 8) if coarse else (10, 16)))


def _build_skinned_body(motion: Motion, coarse: bool) -> Mesh:
    """Return the body of a known rig, bound in its neutral pose."""
    pose, cage = NeutralPose(motion), Cage()
    size = BodySize(pose)
    trunk = Trunk(cage, pose, size)
    for side, sign in BODY_SIDES:
        add_leg(cage, pose, size, side, trunk.find_leg_ring(sign))
        upper = pose.parts[f"{side}_upper_arm"]
        add_arm(cage, pose, size, side, trunk.find_arm_ring(sign, find_collar(pose, side), upper))
    corners, weights, quads, zones = cage.finish(len(pose.positions))
    step, finer = subdivide(quads, len(corners))
    vertices, weights = step @ corners, step @ weights
    if not coarse:
        quads, zones = finer, np.repeat(zones, 4)
    faces = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    normals = _find_normals(vertices, faces)
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :_INFLUENCES]
    shares = np.take_along_axis(weights, joints, axis=1)
    # Vertices on the border of two colours are there twice, so that the border is sharp.
    names, found = np.unique(zones, return_inverse=True)
    kept, numbers = np.unique(faces.ravel() * len(names) + np.repeat(found, 6), return_inverse=True)
    own, zone = np.divmod(kept, len(names))
    return Mesh(
        vertices=vertices[own],
        normals=normals[own],
        faces=numbers.reshape(-1, 3).astype(np.uint32),
        joints=np.where(shares > 0.0, joints, 0)[own],
        colors=np.array([COLORS[name] for name in names.tolist()])[zone],
        weights=(shares / shares.sum(axis=1, keepdims=True))[own],
        inverse_binds=invert_frames(pose.positions, pose.rotations),
    )


def _find_normals(vertices: Array, faces: NDArray[np.intp]) -> Array:
    """Return the normals of vertices: those of their triangles, weighted by area."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    outward = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    normals: Array = np.stack([np.bincount(faces.ravel(), column, len(vertices)) for column in outward.T], axis=1)
    return normals / np.maximum(lengths(normals)[:, None], 1e-12)


def build_body_segments(motion: Motion) -> Segments:
    """Return one segment per bone of non-zero length; they are thin where the rig is unknown.

    Helpers, such as IK targets, have no segments, nor have the joints above the body.
    """
    pose = _FirstPose(motion)
    found = [
        pose.segment(joint, bone)
        for joint in pose.drawn
        for bone in pose.bones(joint)
        if np.linalg.norm(bone) > _SHORTEST * pose.stature
    ]
    if not found:
        found = [(0, np.zeros(3), quat.IDENTITY, np.full(3, 0.05))]
    joints, centers, rotations, radii = zip(*found, strict=True)
    return Segments(np.array(joints), np.array(centers), np.array(rotations), np.array(radii))


class _FirstPose:
    """The first frame of a motion, in which segments are placed along the bones."""

    def __init__(self, motion: Motion) -> None:
        self.skeleton = motion.skeleton
        self.joints = dict(motion.rig.parts) if motion.rig else {}
        placed = motion[:1].placement
        self.positions, self.rotations = placed.positions[0], placed.rotations[0]
        self.parts = self._parts()
        self.drawn, drawn = motion.body_joints, set(motion.body_joints)
        self.children = [[c for c in below if c in drawn] for below in self.skeleton.children]
        legs = [self.joints.get(f"left_{part}") for part in ("thigh", "shank", "foot")]
        steps = np.zeros((1, 3)) if None in legs else np.diff(self.positions[legs], axis=0)
        by_legs = float(np.linalg.norm(steps, axis=1).sum()) / LEG_SHARE
        self.stature = by_legs or float(np.ptp(self.positions, axis=0).max()) or 1.0

    def _parts(self) -> dict[int, str]:
        """Return the part of each joint without its side; joints between two parts of the trunk count as the lower."""
        own = {joint: part.removeprefix("left_").removeprefix("right_") for part, joint in self.joints.items()}
        parts: dict[int, str] = {}
        for joint, parent in enumerate(self.skeleton.parents):
            above = parts.get(parent, "")
            inherited = above if above in _TRUNK and joint not in self.skeleton.ends else ""
            parts[joint] = own.get(joint, "spine" if inherited == "pelvis" else inherited)
        return parts

    def bones(self, joint: int) -> list[Array]:
        """Return the bone vectors of a joint (metres, world): one per child, or one main bone for branching parts."""
        part = self.parts[joint]
        bones = [self.positions[child] - self.positions[joint] for child in self.children[joint]]
        if part == "pelvis":
            return [self._up_the_back() * _PELVIS * self.stature]
        if part == "head":
            return [self._crown(joint, bones) * _HEAD * self.stature]
        if part in ("spine", "chest", "neck"):
            to_head = self.skeleton.path_to_root(self.joints["head"])
            towards = [b for c, b in zip(self.children[joint], bones, strict=True) if c in to_head and b.any()]
            return towards or bones[:1]
        if part in ("hand", "foot") and bones:
            return [max(bones, key=lambda bone: float(np.linalg.norm(bone)))]
        return bones

    def _up_the_back(self) -> Array:
        hips = 0.5 * (self.positions[self.joints["left_thigh"]] + self.positions[self.joints["right_thigh"]])
        back = self.joints.get("spine", self.joints.get("chest", self.joints["head"]))
        return _unit(self.positions[back] - hips, np.array([0.0, 0.0, 1.0]))

    def _crown(self, joint: int, bones: list[Array]) -> Array:
        neck = self.positions[joint] - self.positions[max(self.skeleton.parents[joint], 0)]
        longest = max(bones, key=lambda bone: float(np.linalg.norm(bone)), default=neck)
        return _unit(longest, _unit(neck, np.array([0.0, 0.0, 1.0])))

    def segment(self, joint: int, bone: Array) -> tuple[int, Array, Array, Array]:
        """Return joint, centre, orientation and half axes of the segment along a bone, in the joint's frame."""
        part = self.parts[joint]
        length = float(np.linalg.norm(bone))
        width, depth = (share * self.stature for share in _GIRTH.get(part, (_THIN, _THIN)))
        if not self.joints:
            width = depth = max(width, min(_ROD * length, _THICK * self.stature))
        if part not in _GIRTH:  # keeps fingers and tails thinner than a third of their length
            width, depth = min(width, 0.3 * length), min(depth, 0.3 * length)
        beyond = min(width, depth) if part in _TRUNK else 0.35 * width
        inverse = quat.conjugate(self.rotations[joint])
        frame = quat.from_matrix(_frame_along(bone / length, self._across(part)))
        center = quat.rotate(inverse, 0.5 * bone)
        return joint, center, quat.multiply(inverse, frame), np.array([width, depth, 0.5 * length + beyond])

    def _across(self, part: str) -> Array:
        """Return the direction of a segment's width: towards the person's left."""
        if not self.joints:
            return np.array([0.0, 1.0, 0.0])
        pair = "upper_arm" if part in _UPPER and "left_upper_arm" in self.joints else "thigh"
        return self.positions[self.joints[f"left_{pair}"]] - self.positions[self.joints[f"right_{pair}"]]


def _unit(vector: Array, otherwise: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else otherwise


def _frame_along(direction: Array, across: Array) -> Array:
    """Return axes (columns) with z along a bone and x as close to `across` as possible."""
    other = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    flat = across - direction * (across @ direction)
    side = _unit(flat if np.linalg.norm(flat) > 1e-3 * np.linalg.norm(across) else other, other)
    return np.stack((side, np.cross(direction, side), direction), axis=-1)


def color_joints(motion: Motion) -> Array:
    """Return the colours (joints, 3) of joints: left, right and middle differ where the rig is known."""
    return np.array([COLORS[int(side)] for side in find_joint_sides(motion)])


def find_joint_sides(motion: Motion) -> NDArray[np.int8]:
    """Return for every joint 1 (left), -1 (right) or 0 (middle, or rig unknown)."""
    sides = np.zeros(len(motion.skeleton.names), dtype=np.int8)
    own = {j: 1 if p.startswith("left") else -1 for p, j in motion.rig.parts.items() if "_" in p} if motion.rig else {}
    for joint, parent in enumerate(motion.skeleton.parents):
        sides[joint] = own.get(joint, sides[parent] if parent >= 0 else 0)
    return sides


def estimate_floor_height(motion: Motion) -> float:
    """Return the height of the ground (m): 0, unless the lowest joints stay more than 0.12 m away from it."""
    lowest = float(np.percentile(motion.placement.positions[:, :, 2].min(axis=1), 5))
    return 0.0 if abs(lowest) < 0.12 else lowest

"""Keep people out of each other: bodies as spheres, and constraints for pairs that come too near.

Pairs of spheres that intersect in a solved motion are kept apart along the direction between them, from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.composition.conditions import BodyPart
from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.figure import build_body_segments
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.solve.problem import Index

if TYPE_CHECKING:
    from gambol.composition.blocks import BlockProblem, Cast, Take

_TOLERANCE = 0.005
"""Metres by which bodies may intersect."""
_STIFF = 1e5
"""Cost per square metre and second by which a pair stays nearer than it should: bodies give way a little."""


@dataclass(frozen=True, eq=False)
class BodySpheres:
    """A person's body as spheres."""

    joints: Index
    """(spheres,)"""
    points: Array
    """(spheres, 3) metres in the joints' frames"""
    radii: Array
    """(spheres,) metres"""

    def track(self, motion: Motion, q: Array) -> Array:
        """Return the centres (frames, spheres, 3) in poses (frames, dofs)."""
        placed = place(motion.skeleton, q)
        return placed.positions[:, self.joints] + quat.rotate(placed.rotations[:, self.joints], self.points)


def make_spheres(character: Character, motion: Motion) -> BodySpheres:
    """Return the body of a character, as its motion is drawn, as spheres along and across its segments."""
    segments, skeleton = build_body_segments(as_clip(motion[:1])), character.skeleton
    joints, points, radii = [], [], []
    for joint, center, rotation, (width, depth, half) in zip(*segments, strict=True):
        if not character.masses[joint]:  # toes are part of the foot
            center, joint = center + skeleton.offsets[joint], skeleton.parents[joint]
        radius = min(width, depth)
        axes = quat.to_matrix(rotation)
        wide = 0 if width >= depth else 1
        rows = [_spread(reach - radius, radius) for reach in (half, max(width, depth))]
        for along in rows[0]:
            for across in rows[1]:
                joints.append(joint)
                points.append(center + axes @ (along * np.eye(3)[2] + across * np.eye(3)[wide]))
                radii.append(radius)
    return BodySpheres(np.array(joints), np.array(points), np.array(radii))


def _spread(reach: float, radius: float) -> Array:
    """Return offsets of spheres that fill a length of twice `reach`."""
    if reach <= 0.2 * radius:
        return np.zeros(1)
    return np.linspace(-reach, reach, 1 + int(np.ceil(1.5 * reach / radius)))


@dataclass(frozen=True, eq=False)
class PairSeparation:
    """Points of two people that stay apart along given directions in some frames of a scene."""

    one: BodyPart
    other: BodyPart
    frames: Index
    directions: Array
    """(frames, 3) unit vectors from the second point to the first"""
    distance: float
    """Metres."""
    depths: Array
    """(frames,) metres by which they were nearer."""

    def add(self, block: BlockProblem) -> None:
        """Add one inequality per frame of the block."""
        free = block.find_free_frames()
        inside = np.isin(self.frames, free)
        if inside.any() and any(part.person in block.spaces for part in (self.one, self.other)):
            frames = self.frames[inside] - block.block.first
            problem, name = block.problem, f"{self.one} outside {self.other}"
            constraints = problem.add_constraints(name, np.full(len(frames), self.distance), np.inf)
            block.add_difference(constraints, frames, self.one, self.other, self.directions[inside])
            missing = problem.add_variables(np.maximum(self.depths[inside], 1e-3), 0.0)
            problem.add_linear(constraints, missing)
            problem.add_squares("intersection", missing[:, None], weight=_STIFF * block.cast.frame_time)


def find_intersections(cast: Cast, take: Take, deeper: float = _TOLERANCE) -> list[PairSeparation]:
    """Return separations of all pairs of spheres of two people that intersect by more than some metres."""
    spheres = {name: make_spheres(role.draft.character, role.draft.motion) for name, role in cast.roles.items()}
    tracks = {name: one.track(cast.roles[name].draft.motion, take.tracks[name].q) for name, one in spheres.items()}
    out = []
    for one, other in combinations(cast.roles, 2):
        reach = spheres[one].radii[:, None] + spheres[other].radii
        apart = tracks[one][:, :, None] - tracks[other][:, None]
        distance = np.linalg.norm(apart, axis=-1)
        near = distance < reach - deeper
        for first, second in zip(*np.nonzero(near.any(axis=0)), strict=True):
            mine, theirs = (_find_part(cast, name, spheres[name], n) for name, n in ((one, first), (other, second)))
            frames = np.flatnonzero(near[:, first, second])
            frames = frames[~_may_touch(cast, mine, theirs, frames)]
            if len(frames):
                way = apart[frames, first, second] / np.maximum(distance[frames, first, second], 1e-6)[:, None]
                depths = reach[first, second] - distance[frames, first, second]
                out.append(PairSeparation(mine, theirs, frames, way, float(reach[first, second]), depths))
    return out


def measure_depth(cast: Cast, take: Take) -> float:
    """Return how deep (m) the bodies of two people intersect at most; 0 if they do not."""
    return max((float(one.depths.max()) for one in find_intersections(cast, take, deeper=0.0)), default=0.0)


def _find_part(cast: Cast, person: str, spheres: BodySpheres, number: int) -> BodyPart:
    names = cast.roles[person].draft.character.skeleton.names
    x, y, z = spheres.points[number]
    return BodyPart(person, names[spheres.joints[number]], 0.0, (float(x), float(y), float(z)))


def _may_touch(cast: Cast, one: BodyPart, other: BodyPart, frames: Index) -> NDArray[np.bool_]:
    """Return in which frames (frames,) two parts may touch."""
    times = cast.frame_time * frames
    found = [any(condition.may_touch(one, other, time) for condition in cast.conditions) for time in times]
    return np.array(found, dtype=np.bool_)

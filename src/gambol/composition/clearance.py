"""Keep people out of each other: bodies as spheres, and constraints for pairs that come too near.

Pairs of spheres that intersect in a solved motion are kept apart along the direction between them, from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from gambol.composition.conditions import BodyPart, Condition, Hold
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
_HOLDING = ("hand", "forearm")
"""Parts that may touch where hands hold each other."""


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


def make_spheres(motion: Motion) -> BodySpheres:
    """Return the body of a character's motion, as it is drawn, as spheres along and across its segments."""
    segments = build_body_segments(as_clip(motion[:1]))
    joints, points, radii = [], [], []
    for joint, center, rotation, (width, depth, half) in zip(*segments, strict=True):
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

    def add(self, block: BlockProblem) -> None:
        """Add one inequality per frame of the block."""
        free = block.find_free_frames()
        inside = np.isin(self.frames, free)
        if inside.any() and any(part.person in block.spaces for part in (self.one, self.other)):
            frames = self.frames[inside] - block.block.first
            name = f"{self.one} outside {self.other}"
            constraints = block.problem.add_constraints(name, np.full(len(frames), self.distance), np.inf)
            block.add_difference(constraints, frames, self.one, self.other, self.directions[inside])


def find_intersections(cast: Cast, take: Take, deeper: float = _TOLERANCE) -> list[PairSeparation]:
    """Return separations of all pairs of spheres of two people that intersect by more than some metres."""
    spheres = {name: make_spheres(role.draft.motion) for name, role in cast.roles.items()}
    tracks = {name: one.track(cast.roles[name].draft.motion, take.tracks[name].q) for name, one in spheres.items()}
    out = []
    for one, other in combinations(cast.roles, 2):
        reach = spheres[one].radii[:, None] + spheres[other].radii
        apart = tracks[one][:, :, None] - tracks[other][:, None]
        distance = np.linalg.norm(apart, axis=-1)
        near = distance < reach - deeper
        for first, second in zip(*np.nonzero(near.any(axis=0)), strict=True):
            parts = [_find_part(cast, name, spheres[name], n) for name, n in ((one, first), (other, second))]
            frames = np.flatnonzero(near[:, first, second])
            frames = frames[~_are_held(cast.conditions, parts, frames, cast.frame_time)]
            if len(frames):
                way = apart[frames, first, second] / np.maximum(distance[frames, first, second], 1e-6)[:, None]
                out.append(PairSeparation(parts[0], parts[1], frames, way, float(reach[first, second])))
    return out


def measure_depth(cast: Cast, take: Take) -> float:
    """Return how deep (m) the bodies of two people intersect at most; below 0 is the distance between them."""
    spheres = {name: make_spheres(role.draft.motion) for name, role in cast.roles.items()}
    tracks = {name: one.track(cast.roles[name].draft.motion, take.tracks[name].q) for name, one in spheres.items()}
    deepest = -np.inf
    for one, other in combinations(cast.roles, 2):
        apart = np.linalg.norm(tracks[one][:, :, None] - tracks[other][:, None], axis=-1)
        depth = spheres[one].radii[:, None] + spheres[other].radii - apart
        for first, second in np.ndindex(*depth.shape[1:]):
            parts = [_find_part(cast, name, spheres[name], n) for name, n in ((one, first), (other, second))]
            frames = np.arange(len(depth))
            kept = ~_are_held(cast.conditions, parts, frames, cast.frame_time)
            if kept.any():
                deepest = max(deepest, float(depth[kept, first, second].max()))
    return deepest


def _find_part(cast: Cast, person: str, spheres: BodySpheres, number: int) -> BodyPart:
    names = cast.roles[person].draft.character.skeleton.names
    x, y, z = spheres.points[number]
    return BodyPart(person, names[spheres.joints[number]], 0.0, (float(x), float(y), float(z)))


def _are_held(conditions: tuple[Condition, ...], parts: list[BodyPart], frames: Index, frame_time: float) -> Array:
    """Return in which frames two parts may touch, since a hold joins them."""
    held = np.zeros(len(frames), dtype=bool)
    for condition in (one for one in conditions if isinstance(one, Hold)):
        sides: Mapping[str, BodyPart] = {condition.one.person: condition.one, condition.other.person: condition.other}
        if {part.person for part in parts} != set(sides):
            continue
        if all(_touches(part, sides[part.person]) for part in parts):
            start = -np.inf if condition.start is None else condition.start
            end = np.inf if condition.end is None else condition.end
            held |= (frames * frame_time >= start - 1e-6) & (frames * frame_time <= end + 1e-6)
    return held


def _touches(part: BodyPart, held: BodyPart) -> bool:
    """Whether a part is the held one, or next to it on the same arm."""
    if part.body == held.body:
        return True
    side, _, kind = part.body.partition("_")
    return held.body.startswith(f"{side}_") and kind in _HOLDING and held.body.partition("_")[2] in _HOLDING

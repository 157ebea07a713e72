"""Keep people out of each other: bodies as spheres, and constraints for pairs that come too near.

Pairs of spheres that intersect in a solved motion are kept apart along the direction between them, from then on. Where
a condition presses people together, forces keep them apart; elsewhere they avoid each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.body.character import Character
from gambol.composition.conditions import HIT_FORCE_COST, BodyPart, Condition
from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.figure import build_body_segments
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.solve.problem import Index
from gambol.terms.forces import Press, PressSide

if TYPE_CHECKING:
    from gambol.composition.blocks import BlockProblem, Cast, Take

_TOLERANCE = 0.005
"""Metres by which bodies may intersect."""
_STIFF = 1e5
"""Cost per square metre and second by which a pair stays nearer than it should: bodies give way a little."""
_FLESH = 1e5
"""N/m by which bodies that are pressed together give way."""


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
    cause: Condition | None = None
    """What presses them together, in frames that follow each other; None where they should avoid each other."""

    @property
    def people(self) -> tuple[str, str]:
        """Who is concerned."""
        return (self.one.person, self.other.person)

    def find_forces(self, block: BlockProblem, person: str) -> tuple[PressSide, ...]:
        """Return the force on a person whom the other presses, if both are in a block."""
        if not all(name in block.spaces for name in self.people):
            return ()
        return tuple(press.side(self.people.index(person)) for press in block.share(self, lambda: self._make(block)))

    def _make(self, block: BlockProblem) -> tuple[Press, ...]:
        inside = np.isin(self.frames, block.find_free_frames())
        if not inside.any():
            return ()
        frames, parts = self.frames[inside] - block.block.first, (self.one, self.other)
        points = np.array([block.find_point(part) for part in parts])
        places = np.mean([block.track(part)[frames] for part in parts], axis=0)
        bodies, along = (self.one.body, self.other.body), self.directions[inside]
        return (Press(bodies, points, int(frames[0]), along, places, self.distance, _FLESH, HIT_FORCE_COST),)

    def add(self, block: BlockProblem) -> None:
        """Add one inequality per frame of the block, unless they are pressed together."""
        inside = np.isin(self.frames, block.find_free_frames())
        if self.cause is None and inside.any() and any(name in block.spaces for name in self.people):
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
            between = apart[:, first, second]
            for cause, frames in _find_causes(cast, mine, theirs, np.flatnonzero(near[:, first, second])):
                length = distance[frames, first, second]
                way, depths = between[frames] / np.maximum(length, 1e-6)[:, None], reach[first, second] - length
                out.append(PairSeparation(mine, theirs, frames, way, float(reach[first, second]), depths, cause))
    return _choose_deepest(out)


def _choose_deepest(found: list[PairSeparation]) -> list[PairSeparation]:
    """Return separations with one force for two bodies that press: where they penetrate deepest."""
    chosen: dict[Any, PairSeparation] = {}
    for one in found:
        key = (
            id(one) if one.cause is None else (one.cause, *((part.person, part.body) for part in (one.one, one.other)))
        )
        if key not in chosen or chosen[key].depths.max() < one.depths.max():
            chosen[key] = one
    return list(chosen.values())


def measure_depth(cast: Cast, take: Take) -> float:
    """Return how deep (m) the bodies of two people intersect at most; 0 if they do not."""
    return max((float(one.depths.max()) for one in find_intersections(cast, take, deeper=0.0)), default=0.0)


def _find_part(cast: Cast, person: str, spheres: BodySpheres, number: int) -> BodyPart:
    names = cast.roles[person].draft.character.skeleton.names
    x, y, z = spheres.points[number]
    return BodyPart(person, names[spheres.joints[number]], 0.0, (float(x), float(y), float(z)))


def _find_causes(cast: Cast, one: BodyPart, other: BodyPart, frames: Index) -> Iterator[tuple[Condition | None, Index]]:
    """Yield frames in which two parts may not intersect, by what presses them together; those have no gaps."""
    times = cast.frame_time * frames
    touching = [any(condition.may_touch(one, other, time) for condition in cast.conditions) for time in times]
    left = ~np.array(touching, dtype=np.bool_)
    for condition in cast.conditions:
        pressed = left & [condition.presses(one.person, other.person, time) for time in times]
        if pressed.any():
            yield condition, np.arange(frames[pressed][0], frames[pressed][-1] + 1)
            left &= ~pressed
    if left.any():
        yield None, frames[left]

"""Capsules around the links of a robot, and the depth of self-collisions.

Every shape gets capsules side by side in the smallest box around it: a limb gets one, a trunk two or more. Neighbours,
and pairs that overlap as the robot stands, are left out: capsules are rounder than links are.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.segments import find_nearest_points
from gambol.geometry.vectors import UP, lengths
from gambol.motion.kinematics import Placement
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.feet import SIDES

if TYPE_CHECKING:
    from gambol.robots.biped import Biped

_SMALL = 0.03
"""Radius of capsules that are left out, as a share of the length of a leg."""
_FEWEST = 3
"""Points that have no volume."""
_LEGS = ("thigh", "shank", "foot")
_BESIDE = {("trunk", "head"), *(("trunk", f"{side}_{part}") for side in SIDES for part in ("thigh", "upper_arm"))}
_BESIDE |= {(f"{side}_{one}", f"{side}_{other}") for side in SIDES for one, other in itertools.combinations(_LEGS, 2)}
_BESIDE |= {(f"{side}_upper_arm", f"{side}_forearm") for side in SIDES}
"""Parts that may touch."""


class Nearest(NamedTuple):
    """Nearest points of pairs of capsules; arrays of (frames, pairs) and (frames, pairs, 3)."""

    depth: Array
    """Depth of their collision (m); negative where they are apart."""
    points: tuple[Array, Array]
    """On the axes of both (m)."""


@dataclass(frozen=True, eq=False)
class SelfContacts:
    """Capsules of a robot and the pairs of them that must not touch."""

    joints: NDArray[np.intp]
    """(capsules,) joint of each."""
    ends: Array
    """(capsules, 2, 3) of its axis in the frame of its joint (m)."""
    radii: Array
    """(capsules,) m."""
    pairs: NDArray[np.intp]
    """(pairs, 2) numbers of capsules."""

    def locate_ends(self, placed: Placement) -> Array:
        """Return the ends (frames, capsules, 2, 3) of the axes of all capsules (m)."""
        turned = quat.rotate(placed.rotations[:, self.joints, None], self.ends)
        return np.asarray(placed.positions[:, self.joints, None] + turned)

    def find_nearest(self, placed: Placement) -> Nearest:
        """Return how near the pairs are to each other."""
        ends = self.locate_ends(placed)
        return self.compare(*(ends[:, column] for column in self.pairs.T))

    def compare(self, one: Array, other: Array) -> Nearest:
        """Return how near the pairs are to each other, from the ends (frames, pairs, 2, 3) of both axes."""
        points = find_nearest_points(one, other)
        apart = lengths(points[0] - points[1])
        return Nearest(self.radii[self.pairs].sum(axis=1) - apart, points)


@lru_cache(maxsize=16)
def find_self_contacts(biped: Biped) -> SelfContacts:
    """Return the capsules of a robot that has shapes."""
    description = biped.description
    fitted: list[tuple[int, Array, float]] = []
    for shapes in (description.collisions, description.visuals):
        done = {joint for joint, _, _ in fitted}
        fitted += [
            (shape.joint, axis, radius)
            for shape in shapes
            if shape.joint not in done and len(points := shape.sample()) > _FEWEST
            for axis, radius in _wrap(points)
            if radius > _SMALL * biped.leg_length
        ]
    joints = np.array([joint for joint, _, _ in fitted], dtype=int)
    ends = np.array([axis for _, axis, _ in fitted]).reshape(-1, 2, 3)
    radii = np.array([radius for _, _, radius in fitted])
    parts = _find_parts(biped)
    found = [
        (a, b)
        for a, b in itertools.combinations(range(len(joints)), 2)
        if (one := parts[joints[a]]) != (other := parts[joints[b]]) and not {(one, other), (other, one)} & _BESIDE
    ]
    every = SelfContacts(joints, ends, radii, np.array(found, dtype=int).reshape(-1, 2))
    apart = every.find_nearest(biped.standing).depth[0] < 0.0
    return SelfContacts(joints, ends, radii, every.pairs[apart])


def measure_narrowest(biped: Biped) -> float:
    """Return the distance (m) between the soles of a standing robot at which its shanks or feet would touch."""
    contacts, parts, placed = find_self_contacts(biped), _find_parts(biped), _stand_parallel(biped)
    lower = [parts[joint].endswith(("shank", "foot")) for joint in contacts.joints]
    legs = np.array([lower[one] and lower[other] for one, other in contacts.pairs], dtype=bool)
    middles = locate_soles(biped, placed)[0].mean(axis=1)
    gap = -float(contacts.find_nearest(placed).depth[0, legs].max(initial=-np.inf))
    return float(np.linalg.norm(middles[0] - middles[1])) - gap


def _stand_parallel(biped: Biped) -> Placement:
    """Return where joints are if legs that are spread at angles of zero are turned until shanks are vertical."""
    parts, left = np.array(_find_parts(biped)), biped.locate("left_thigh") - biped.locate("right_thigh")
    positions, rotations = biped.standing.positions.copy(), biped.standing.rotations.copy()
    for side in SIDES:
        hip, knee, ankle = (biped.locate(f"{side}_{part}") for part in _LEGS)
        bone = ankle - knee
        turn = quat.shortest_arc((bone @ left) / (left @ left) * left + bone[2] * UP, -UP)
        leg = np.isin(parts, [f"{side}_thigh", f"{side}_shank"])
        positions[0, leg] = hip + quat.rotate(turn, positions[0, leg] - hip)
        rotations[0, leg] = quat.multiply(turn, rotations[0, leg])
        positions[0, parts == f"{side}_foot"] += hip + quat.rotate(turn, ankle - hip) - ankle
    return Placement(positions, rotations)


def _wrap(points: Array) -> list[tuple[Array, float]]:
    """Return axes (2, 3) and radii (m) of capsules side by side in the smallest box around points (n, 3)."""
    to_box, sides = _find_box(points.tobytes())
    turn, half = to_box[:3, :3].T, 0.5 * sides
    thin, wide, long = np.argsort(half)
    count = max(1, round(half[wide] / max(half[thin], 1e-6)))
    radius = float(half[thin])
    along = max(half[long] - radius, 0.0) * turn[:, long]
    across = np.linspace(-1.0, 1.0, count) if count > 1 else np.zeros(1)
    places = -turn @ to_box[:3, 3] + np.outer(across * (half[wide] - radius), turn[:, wide])
    return [(np.stack((place - along, place + along)), radius) for place in places]


@lru_cache(maxsize=256)
def _find_box(content: bytes) -> tuple[Array, Array]:
    """Return the transform (4, 4) into the smallest box around the bytes of points (n, 3), and its sides (3,) (m).

    Cached, since every clip for a robot reads the robot anew, and this takes most of the time.
    """
    import trimesh

    points = np.frombuffer(content).reshape(-1, 3)
    far = np.unique(np.argmax(points @ trimesh.creation.icosphere(2).vertices.T, axis=0))
    to_box, sides = trimesh.bounds.oriented_bounds(points[far])
    return np.asarray(to_box), np.asarray(sides)


def _find_parts(biped: Biped) -> list[str]:
    """Return the part of the body to which every joint belongs."""
    skeleton, places = biped.skeleton, biped.places
    first: dict[int, str] = {}
    for side, (upper, lower) in itertools.product(SIDES, (("thigh", "shank"), ("upper_arm", "forearm"))):
        if f"{side}_{lower}" not in places:
            continue
        hinge = places[f"{side}_{lower}"].joint
        path = skeleton.path_to_root(hinge)
        first[path[path.index(places[f"{side}_{upper}"].joint) - 1]] = f"{side}_{upper}"
        first[hinge] = f"{side}_{lower}"
    first |= {places[f"{side}_foot"].joint: f"{side}_foot" for side in SIDES}
    if "head" in places:
        path = skeleton.path_to_root(places["head"].joint)
        chest = path.index(places["chest"].joint) if places["chest"].joint in path else 1
        first[path[max(chest - 1, 0)]] = "head"
    return [
        next((first[each] for each in skeleton.path_to_root(joint) if each in first), "trunk")
        for joint in range(len(skeleton.names))
    ]

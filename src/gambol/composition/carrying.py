"""Something that several people carry: a rigid body with mass, held by all their hands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gambol.body.character import Character
from gambol.body.kernels import make_kernels
from gambol.composition.conditions import BodyPart, Gentle
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.shapes import build_box, join_meshes
from gambol.motion.skeleton import Dof, Skeleton
from gambol.terms.deviation import PoseTarget
from gambol.terms.forces import Grasp, UnknownForce
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import AccelerationCost
from gambol.terms.space import make_space

if TYPE_CHECKING:
    from gambol.composition.blocks import BlockProblem

_HANDLE_COST = 100.0
"""Cost per square kilonewton and second of the force at a handle."""
_SMOOTH = 1e-3
"""Cost of accelerations of the load."""
_COLOR = (0.72, 0.58, 0.4)
_BESIDE, _POLE = 0.35, 0.02
"""Metres from the hands to the box, for the bodies, and half the thickness of the poles that are held."""
LOAD = "load"


@dataclass(frozen=True)
class Carry(Gentle):
    """A box that people carry between them, with both hands each: they walk one behind the other."""

    people: tuple[str, ...]
    mass: float
    """Kilograms."""
    size: tuple[float, float, float]
    """Metres: along the way, across, and high."""
    goal_of: None = None

    @property
    def span(self) -> tuple[float, float]:
        """The whole scene."""
        return 0.0, np.inf

    def make_body(self) -> Character:
        """Return the load as a character of one body."""
        skeleton = Skeleton(
            (LOAD,),
            (-1,),
            np.zeros((1, 3)),
            tuple(Dof(0, kind, axis) for kind in ("slide", "turn") for axis in _AXES[kind]),
        )
        length, width, height = self.size
        squares = np.array([width**2 + height**2, length**2 + height**2, length**2 + width**2])
        inertia = np.diag(self.mass * squares / 12.0)
        return Character(skeleton, np.array([self.mass]), np.zeros((1, 3)), inertia[None], LOAD)

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Return no."""
        return False

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return the sides of the hands of a person at the handles."""
        grasps = block.share(self, lambda: self._make_grasps(block))
        first = 2 * self.people.index(person)
        return tuple(grasp.side(0) for grasp in grasps[first : first + 2])

    def add(self, block: BlockProblem) -> None:
        """Add the load: its place in every frame, and the laws of its motion."""
        grasps, body = block.share(self, lambda: self._make_grasps(block)), self.make_body()
        steps = block.take.step_times[block.block.first : block.block.last]
        start = self._draft(block)
        space = make_space(block.problem, body, make_kernels(body, (LOAD,)), start, steps, LOAD)
        block.loads[self] = space
        sides = tuple(grasp.side(1) for grasp in grasps)
        for side in sides:
            side.add(space)
        NewtonEuler((), forces=sides).add(space)
        AccelerationCost(_SMOOTH * np.ones(6)).add(space)
        for frame in next(iter(block.people.values())).pinned:
            PoseTarget(frame, start[frame], np.ones(6), exact=True).add(space)

    def make_motion(self, q: Array, frame_time: float) -> Motion:
        """Return the load as a motion that is drawn as a box."""
        half = 0.5 * np.array(self.size)
        inner = half - [min(_BESIDE, 0.6 * half[0]), 0.0, 0.0]
        boxes = [build_box(-inner, inner, 0, _COLOR)]
        for side in (1.0, -1.0):  # poles, at whose ends the hands are
            middle = np.array([0.0, side * half[1], 0.0])
            pole = np.array([half[0] + _POLE, _POLE, _POLE])
            boxes.append(build_box(middle - pole, middle + pole, 0, _COLOR))
        return Motion(self.make_body().skeleton, q, frame_time, LOAD, skin=join_meshes(boxes))

    def _make_grasps(self, block: BlockProblem) -> tuple[Grasp, ...]:
        hands = self._track_hands(block)
        centre = hands.mean(axis=(0, 1))
        along = self._find_directions(hands)
        last = hands.shape[2] - 1
        made = []
        for person, pair in zip(self.people, hands, strict=True):
            ahead = float(np.mean(np.sum((pair.mean(axis=0) - centre) * along, axis=1)))
            for side, sign in (("left", 1.0), ("right", -1.0)):
                hand = BodyPart(person, f"{side}_hand")
                handle = [np.sign(ahead) * 0.5 * self.size[0], sign * 0.5 * self.size[1], 0.0]
                points = np.array([block.find_point(hand), handle])
                made.append(Grasp((hand.body, LOAD), points, 0, last, _HANDLE_COST))
        return tuple(made)

    def _track_hands(self, block: BlockProblem) -> Array:
        """Return where hands are (people, 2, frames, 3) before the block is solved."""
        return np.array(
            [[block.track(BodyPart(name, f"{side}_hand")) for side in ("left", "right")] for name in self.people]
        )

    def _find_directions(self, hands: Array) -> Array:
        """Return unit vectors (frames, 3) over the floor from the last of the people to the first."""
        way = (hands[0] - hands[-1]).mean(axis=0) * [1.0, 1.0, 0.0]
        return np.asarray(way / np.linalg.norm(way, axis=1)[:, None])

    def _draft(self, block: BlockProblem) -> Array:
        """Return coordinates (frames, 6) of the load: those that were solved before, else between the hands."""
        hands = self._track_hands(block)
        along = self._find_directions(hands)
        yaw = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
        between = np.column_stack([hands.mean(axis=(0, 1)), yaw, np.zeros((len(yaw), 2))])
        if self not in block.take.loads:
            return between
        solved = block.take.loads[self][block.block.first : block.block.last + 1]
        return np.where(solved.any(axis=1, keepdims=True), solved, between)


_AXES = {
    "slide": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "turn": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
}

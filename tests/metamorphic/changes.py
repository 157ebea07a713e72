"""Changes of a clip that must not change an answer: of its place, heading, hand, names, rate and length."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import from_axis_angle, multiply, rotate
from gambol.geometry.vectors import UP
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

MIRROR = np.array([1.0, -1.0, 1.0])
"""Across the world's xz plane; turns change sign about the other axes."""


def swap_side(name: str) -> str:
    """Return the name of the joint or body part of the other side."""
    for one, other in (("Left", "Right"), ("left", "right")):
        if one in name:
            return name.replace(one, other)
        if other in name:
            return name.replace(other, one)
    return name


@dataclass(frozen=True)
class Change:
    """A change of a clip: mirrored, then turned about the vertical, then moved; joints renamed; frames left out."""

    name: str
    degrees: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mirrored: bool = False
    renamed: bool = False
    every: int = 1
    """Frames from one that stays to the next."""
    cut: float = 0.0
    """Seconds left out at the beginning and at the end."""
    turn: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "turn", from_axis_angle(UP, np.radians(self.degrees)))

    def apply(self, motion: Motion) -> Motion:
        """Return the changed clip. Coordinates keep their values, except for what is moved or left out."""
        end = round(self.cut / motion.frame_time)
        motion = motion[end : len(motion) - end : self.every]
        motion = _mirror(motion) if self.mirrored else motion
        motion = replace(motion, skeleton=turn_world(motion.skeleton, self.turn))
        q, slides = motion.q.copy(), motion.skeleton.columns(0, "slide")
        q[:, slides] += np.linalg.solve(np.array([motion.skeleton.dofs[c].axis for c in slides]).T, self.shift)
        names = tuple(map(self._rename, range(len(motion.skeleton.names)), motion.skeleton.names))
        return replace(motion, q=q, skeleton=replace(motion.skeleton, names=names))

    def vector(self, vector: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return a vector of the world, such as a force, changed as the clip is."""
        x, y, z = rotate(self.turn, np.array(vector) * (MIRROR if self.mirrored else 1.0))
        return float(x), float(y), float(z)

    def part(self, name: str) -> str:
        """Return the body part that one of the clip becomes."""
        return swap_side(name) if self.mirrored else name

    def undo(self, answer: Motion) -> dict[str, Array]:
        """Return the places (frames, 3) of joints of an answer as they would be for the unchanged clip."""
        back = rotate(self.turn * [1.0, -1.0, -1.0, -1.0], answer.placement.positions - self.shift)
        back = back * (MIRROR if self.mirrored else 1.0)
        names = [name.partition(" ")[2] if self.renamed else name for name in answer.skeleton.names]
        return {self.part(name): back[:, joint] for joint, name in enumerate(names)}

    def _rename(self, joint: int, name: str) -> str:
        return f"bone{joint} {name}" if self.renamed else name


def turn_world(skeleton: Skeleton, turn: Array) -> Skeleton:
    """Return a skeleton whose root stands in a world that is turned by a quaternion."""
    offsets, rests = skeleton.offsets.copy(), skeleton.rests.copy()
    offsets[0], rests[0] = rotate(turn, offsets[0]), multiply(turn, rests[0])
    slides = skeleton.columns(0, "slide")
    dofs = tuple(
        replace(dof, axis=tuple(rotate(turn, np.array(dof.axis)))) if column in slides else dof
        for column, dof in enumerate(skeleton.dofs)
    )
    return replace(skeleton, offsets=offsets, rests=rests, dofs=dofs)


def _mirror(motion: Motion) -> Motion:
    """Return the mirror image of a motion, with joints named after the sides on which they are."""
    mirrored = reflect_motion(motion)
    return replace(mirrored, skeleton=replace(mirrored.skeleton, names=tuple(map(swap_side, motion.skeleton.names))))


SAME = Change("twice")
FRAMES = (
    Change("moved by 10 m", shift=(10.0, 0.0, 0.0)),
    Change("moved by 10 km", shift=(-1e4, 20.0, 0.0)),
    Change("turned by 37 degrees", degrees=37.0),
    Change("turned by 211 degrees, moved", degrees=211.0, shift=(3.0, -4.0, 0.0)),
    Change("renamed joints", renamed=True),
)
"""Answers are the same to 1e-6."""
WORLD = (
    Change("turned by 90 degrees", degrees=90.0),
    Change("turned, moved by 5 km, renamed", degrees=37.0, shift=(5e3, -20.0, 0.0), renamed=True),
    Change("mirrored", mirrored=True),
)
"""The same in few changes, for recordings, which take longer."""
OTHERS = (Change("mirrored", mirrored=True), Change("half the rate", every=2), Change("cut by 0.3 s", cut=0.3))
"""Answers are the same to 5 % of what they change."""

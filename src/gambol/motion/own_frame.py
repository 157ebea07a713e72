"""Put a clip into a frame of its own, so that nothing that is computed from it depends on where it stands.

Solvers stop by the largest residual along any axis of the world, and lose digits far from its origin. The coordinates
of a clip stay the same; only the frame in which its root stands is another. What is computed on it goes back to the
world with the skeleton of the clip.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.quaternions import IDENTITY, conjugate, from_axis_angle, multiply, rotate
from gambol.geometry.vectors import UP
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class OwnFrame:
    """The frame of a clip: a place of the world is first shifted, then turned about the vertical at the origin."""

    shift: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) metres."""
    turn: Array = field(default_factory=lambda: IDENTITY)
    """(4,) quaternion, from the world to the frame."""

    def enter(self, skeleton: Skeleton) -> Skeleton:
        """Return a skeleton of the world in this frame; coordinates of its motions stay the same."""
        return _move(skeleton, self.turn, self.shift)

    def leave(self, skeleton: Skeleton) -> Skeleton:
        """Return a skeleton of this frame in the world."""
        return _move(skeleton, conjugate(self.turn), -rotate(self.turn, self.shift))


def find_own_frame(motion: Motion) -> OwnFrame:
    """Return the frame in which the hips are above the origin, facing along x, when the clip begins.

    On an unknown rig it is the world.
    """
    if motion.rig is None:
        return OwnFrame()
    places = motion[:1].placement.positions[0]
    left, right = (places[motion.rig.parts[f"{side}_thigh"]] for side in ("left", "right"))
    x, y, _ = np.cross(left - right, UP)
    return OwnFrame(-0.5 * (left + right) * [1.0, 1.0, 0.0], from_axis_angle(UP, -np.arctan2(y, x)))


def enter_own_frame(motion: Motion) -> Motion:
    """Return the clip in its own frame."""
    return replace(motion, skeleton=find_own_frame(motion).enter(motion.skeleton))


def _move(skeleton: Skeleton, turn: Array, shift: Array) -> Skeleton:
    """Return the skeleton with its root's frame moved by a shift, then turned by a quaternion about the origin."""
    offsets, rests, slides = skeleton.offsets.copy(), skeleton.rests.copy(), set(skeleton.columns(0, "slide"))
    offsets[0], rests[0] = rotate(turn, offsets[0] + shift), multiply(turn, rests[0])
    dofs = tuple(
        replace(dof, axis=tuple(rotate(turn, np.array(dof.axis)).tolist())) if column in slides else dof
        for column, dof in enumerate(skeleton.dofs)
    )
    return replace(skeleton, offsets=offsets, rests=rests, dofs=dofs)

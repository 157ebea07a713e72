"""Keep legs apart in steps that cross: a leg passes the other on the side on which it passes in the clip.

Points along both legs are compared pair by pair. Where a pair is nearer than the legs are thick, seen along the
direction between them in the clip, they are kept apart along that direction. As a leg swings past it points backward,
then to the leg's own side, then forward: the foot passes beside the other first, and then crosses in front of it.
"""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.spacetime.recovery.grounded import GroundedMotion
from gambol.spacetime.recovery.window import PINNED
from gambol.terms.contacts import Separation

_THICKNESS = 0.09
"""Metres between the centre lines of two legs that touch."""
_CLIP = 0.9
"""Share of the distance in the clip that is required where the clip itself is nearer than that."""
_TOLERANCE = 0.005


def find_crossings(clip: GroundedMotion, q: Array) -> list[Separation]:
    """Return constraints for the frames in which the legs of poses (frames, dofs) pass through each other."""
    sides = [_leg_points(clip.character, side) for side in ("left", "right")]
    before, after = clip.motion.q, q
    out = []
    tracks = [
        [[_track(clip.character, poses, *spot) for spot in spots] for spots in sides] for poses in (before, after)
    ]
    for m, (body, point) in enumerate(sides[0]):
        for n, (other, facing) in enumerate(sides[1]):
            apart = tracks[0][0][m] - tracks[0][1][n]
            distance = np.linalg.norm(apart, axis=1)
            directions = apart / distance[:, None]
            least = np.minimum(_THICKNESS, _CLIP * distance)
            now = np.sum((tracks[1][0][m] - tracks[1][1][n]) * directions, axis=1)
            near = now < least - _TOLERANCE
            near[:PINNED] = near[len(near) - PINNED :] = False
            frames = np.flatnonzero(near)
            if len(frames):
                points = np.array([point, facing])
                out.append(Separation((body, other), points, frames, directions[frames], least[frames]))
    return out


def _leg_points(character: Character, side: str) -> list[tuple[str, Array]]:
    """Return points along a leg: the middle of the shank, the ankle, heel and ball."""
    skeleton = character.skeleton
    shank, foot = f"{side}_shank", f"{side}_foot"
    tips = [skeleton.offsets[skeleton.index(f"{side}_{end}_tip")] for end in ("heel", "ball")]
    return [(shank, 0.5 * skeleton.offsets[skeleton.index(foot)]), (foot, np.zeros(3)), *((foot, tip) for tip in tips)]


def _track(character: Character, q: Array, body: str, point: Array) -> Array:
    placed, joint = place(character.skeleton, q), character.skeleton.index(body)
    return np.asarray(placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point))

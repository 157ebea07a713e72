"""Keep legs apart in steps that cross: a leg passes the other on the side on which it passes in the clip.

Points along both legs are compared pair by pair. Where a pair is nearer than the legs are thick, seen along the
direction between them in the clip, they are kept apart along that direction. As a leg swings past it points backward,
then to the leg's own side, then forward: the foot passes beside the other first, and then crosses in front of it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from gambol.body.character import Character
from gambol.contacts.contact import BodyPoint
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.window import PINNED
from gambol.stages.feet import SIDES, track_point
from gambol.terms.contacts import Separation

_THICKNESS = 0.09
"""Metres between the centre lines of two legs that touch."""
_CLIP = 0.9
"""Share of the distance in the clip that is required where the clip itself is nearer than that."""
_TOLERANCE = 0.005


def find_crossings(clip: GroundedMotion, q: Array) -> list[Separation]:
    """Return constraints for the frames in which the legs of poses (frames, dofs) pass through each other."""
    answer = replace(clip.motion, q=q)
    left, right = (_find_leg_points(clip.character, side) for side in SIDES)
    out = []
    for one, other in product(left, right):
        apart, now = (track_point(motion, one) - track_point(motion, other) for motion in (clip.motion, answer))
        distance = np.linalg.norm(apart, axis=1)
        directions = apart / distance[:, None]
        least = np.minimum(_THICKNESS, _CLIP * distance)
        near = np.sum(now * directions, axis=1) < least - _TOLERANCE
        near[:PINNED] = near[len(near) - PINNED :] = False
        frames = np.flatnonzero(near)
        if len(frames):
            points = np.array([one.point, other.point])
            out.append(Separation((one.body, other.body), points, frames, directions[frames], least[frames]))
    return out


def make_sides(clip: GroundedMotion) -> Separation:
    """Return the constraint of L05 (6.3): feet stay on their own sides of the pelvis, as that is turned in a clip."""
    across = quat.rotate(clip.motion.placement.rotations[:, 0], (0.0, 1.0, 0.0)) * [1.0, 1.0, 0.0]
    across /= np.linalg.norm(across, axis=1)[:, None]
    feet = (f"{SIDES[0]}_foot", f"{SIDES[1]}_foot")
    return Separation(feet, np.zeros((2, 3)), np.arange(len(across)), across, 0.0)


def _find_leg_points(character: Character, side: str) -> list[BodyPoint]:
    """Return points along a leg: the middle of the shank, the ankle, heel and ball."""
    skeleton = character.skeleton
    shank, foot = f"{side}_shank", f"{side}_foot"
    tips = [BodyPoint(end, foot, skeleton.offsets[skeleton.index(f"{side}_{end}_tip")]) for end in ("heel", "ball")]
    middle = BodyPoint("shank", shank, 0.5 * skeleton.offsets[skeleton.index(foot)])
    return [middle, BodyPoint("ankle", foot, np.zeros(3)), *tips]

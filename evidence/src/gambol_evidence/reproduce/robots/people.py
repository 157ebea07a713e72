"""Where a robot's links are, compared with the joint centres of the person whose clip it follows."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.verb import ReferenceResult
from gambol.spacetime.resampling import sample_fit
from gambol.stages.feet import SIDES

LINKS = tuple(f"{side}_{part}" for part in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand") for side in SIDES)
"""Hips, knees, ankles, shoulders, elbows and wrists; hips first."""


def sample_person(clip: Motion, result: ReferenceResult) -> Fit:
    """Return the person of a clip at the frames of a reference motion of it."""
    fitted, slower = fit(Character.from_motion(clip), clip), result.figures["scale_ratio"] ** 0.5
    return sample_fit(fitted, result.motion.times / slower, result.motion.frame_time / slower)


def locate_person(person: Fit) -> Array:
    """Return the joint centres (frames, links, 3) of a person (m)."""
    names = person.character.skeleton.names
    return np.asarray(person.motion.placement.positions[:, [names.index(link) for link in LINKS]])


def locate_robot(biped: Biped, q: Array) -> Array:
    """Return the links (frames, links, 3) of a robot (m)."""
    placed, places = place(biped.skeleton, q), [biped.places[link] for link in LINKS]
    joints, points = [one.joint for one in places], np.array([one.point for one in places])
    return np.asarray(placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], points))


def center_at_hips(places: Array) -> Array:
    """Return places (frames, links, 3) from the middle between the hips."""
    return np.asarray(places - places[:, :2].mean(axis=1, keepdims=True))


def measure_pose_error(biped: Biped, q: Array, person: Fit, scale: float) -> float:
    """Return the mean distance (m) of a robot's links from a person's, scaled about the hips."""
    away = center_at_hips(locate_robot(biped, q)) - scale * center_at_hips(locate_person(person))
    return float(np.linalg.norm(away, axis=2).mean())

"""The recorded high five and trials edited from it, made once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction.trials import Trial
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.interaction.edited_trials import EditedTrial, TrialSpread, make_edited_trials
from gambol_evidence.reproduce.interaction.real_pairs import HIGH_FIVE, load_pair
from gambol_evidence.reproduce.interaction.standing import make_standing
from gambol_evidence.reproduce.interaction.upper_body import find_upper_body

CELLS = (2, 7)


@cache
def make_high_five(data: Path) -> Trial:
    return load_pair(data, HIGH_FIVE)


@cache
def make_standing_high_five(data: Path) -> Trial:
    return make_standing(make_high_five(data))


@cache
def make_some_trials(data: Path, walking: bool, spread: TrialSpread = TrialSpread()) -> list[EditedTrial]:
    """Some cells in every style once."""
    return make_edited_trials(make_high_five(data), 3, walking=walking, spread=spread, repetitions=1, cells=CELLS)


def track(person: Motion, part: str) -> Array:
    """Positions (frames, 3) of a body part."""
    return np.asarray(person.placement.positions[:, person.rig.parts[part]])


def measure_flexion(person: Motion, side: str) -> Array:
    """Flexion (frames,) in radians of an elbow; negative beyond straight."""
    elbow = person.rig.parts[f"{side}_forearm"]
    upper = track(person, f"{side}_forearm") - track(person, f"{side}_upper_arm")
    lower = track(person, f"{side}_hand") - track(person, f"{side}_forearm")
    parent = person.placement.rotations[:, person.skeleton.parents[elbow]]
    axis = quat.rotate(parent, find_upper_body(person).hinges[side])
    return np.arctan2(np.sum(np.cross(upper, lower) * axis, axis=1), np.sum(upper * lower, axis=1))


def measure_clearance(points: Array, one: Array, other: Array) -> float:
    """Least distance (m) of points (frames, 3) from the lines between two others (frames, 3)."""
    along = other - one
    share = np.clip(np.sum((points - one) * along, axis=1) / np.sum(along**2, axis=1), 0.0, 1.0)
    return float(np.linalg.norm(one + share[:, None] * along - points, axis=1).min())

"""How fast a person can go through a meeting, by phase: no joint may turn or move faster than it did in the trials.

Where a movement begins and ends all joints are slow, so that who noticed the other one late can catch up there.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction.model import SEGMENTS, InteractionModel
from gambol.motion.kinematics import place_local

_HURRY = 1.3
"""Largest rate of a joint, relative to its largest one in the trials."""
_FASTEST = 2.0
"""Standard deviations of the paces of trials by which the fastest of them are above the mean."""
_MET = 0.5
"""Phase of the contact."""
_LARGEST = 0.97
"""Quantile of the rates that is taken to be the largest: at single phases a course is rough."""
_MOST = 4.0
"""Largest pace, relative to that of the trials."""
_STILL, _STILL_TURN = 0.05, 0.2
"""Speed (m/s) and rate of turn (rad/s) that every joint may have."""


@lru_cache(maxsize=64)
def limit_paces(model: InteractionModel, shares: tuple[float, ...]) -> tuple[Array, Array]:
    """Return phases (phases,), and the largest paces there of person 1 in a style, in phases per second."""
    phases, person = np.linspace(0.0, 1.0, len(model.course.table)), model.people[0]
    features = model.course.combine(np.array(shares), model.course.goal_space.mean)
    local = person.decode(model.course.evaluate_all(phases, features)[:, model.columns[0]])
    step = phases[1]
    usual = np.exp(model.log_rates[(phases >= _MET).astype(int)] @ np.append(1.0, shares))
    turns = quat.angle(quat.multiply(quat.conjugate(local.rotations[:-1]), local.rotations[1:])) / step
    moves = np.linalg.norm(np.diff(place_local(person.arm.skeleton, local).positions, axis=0), axis=2) / step
    middles = (np.arange(2 * SEGMENTS) + 0.5) / (2 * SEGMENTS)
    spread = np.interp(phases, middles, np.sqrt(np.sum(model.pace_variations**2, axis=0)))
    recorded = usual * np.exp(_FASTEST * spread)
    paces = [_limit(rates, recorded, least) for rates, least in ((turns, _STILL_TURN), (moves, _STILL))]
    return phases, np.asarray(np.minimum(np.min(paces, axis=0), _MOST * usual))


def _limit(rates: Array, recorded: Array, least: float) -> Array:
    """Return the paces (phases,) at which rates (phases - 1, joints) per phase are as large as they may be.

    `recorded` (phases,) are the largest paces of the trials.
    """
    at = np.maximum(np.concatenate((rates[:1], rates)), np.concatenate((rates, rates[-1:])))
    most = _HURRY * np.maximum(np.quantile(at * recorded[:, None], _LARGEST, axis=0), least)
    return np.asarray(np.maximum((most / np.maximum(at, 1e-9)).min(axis=1), _HURRY * recorded))

"""Both people of a learned meeting, in a style that may change while it goes on (M17 section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.model import SEGMENTS, InteractionModel
from gambol.interaction.trials import GroundFrame, Trial
from gambol.motion.kinematics import Placement

_TOUCH = 0.1
"""Distance (m) between the hands of the course within which they are brought together."""


@dataclass(frozen=True, eq=False)
class MeetingPlan:
    """What to generate."""

    style: Mapping[str, float] = field(default_factory=dict)
    until: Mapping[str, float] | None = None
    """Style at the end; the style changes evenly with the phase. None: it stays."""
    goal: Array | None = None
    """(3,) contact point in the frame of person 1 (m). None: the mean of those learned."""
    pace: float = 1.0
    """Relative to the pace that was learned for the style."""
    seed: int | None = None
    """Of the variation from the mean, like that between trials. None: the mean."""


def generate_meeting(model: InteractionModel, plan: MeetingPlan, frame: GroundFrame, name: str = "meeting") -> Trial:
    """Return both people as a trial, person 1 in a frame on the ground."""
    course = model.course
    goal = course.goal_space.clamp(course.goal_space.mean if plan.goal is None else plan.goal)
    first = course.share_styles(plan.style)
    last = first if plan.until is None else course.share_styles(plan.until)
    random = None if plan.seed is None else np.random.default_rng(plan.seed)
    phases = _find_phases(model, first, last, plan.pace, random)
    shares = first + phases[:, None] * (last - first)
    rows = course.evaluate_all(phases, np.stack([course.combine(share, goal) for share in shares]))
    if random is not None:
        rows = rows + _vary(model, phases, random)
    ones, twos = rows[:, model.columns[2]], rows[:, model.columns[3]]
    together = np.exp(-((ones - twos) ** 2).sum(axis=1, keepdims=True) / _TOUCH**2)
    middle = 0.5 * (ones + twos)
    people = []
    for person, columns, own, number in zip(model.people, model.columns[:2], (ones, twos), (1, 2), strict=True):
        local = person.decode(rows[:, columns])
        rotations, _ = person.arm.reach(local, own + together * (middle - own), together)
        people.append(
            person.make_motion(Placement(local.positions, rotations), frame, model.frame_time, f"{name}-{number}")
        )
    contact = int(np.abs(phases - 0.5).argmin())
    hands = (model.people[0].arm.hand, model.people[1].arm.hand)
    return Trial((people[0], people[1]), hands, contact, dict(plan.style))


def _vary(model: InteractionModel, phases: Array, random: np.random.Generator) -> Array:
    """Return a variation (frames, columns) from the mean rows at phases."""
    curves = np.einsum("v,vpc->pc", random.normal(size=len(model.variations)), model.variations)
    grid = np.linspace(0.0, 1.0, len(curves))
    return np.stack([np.interp(phases, grid, column) for column in curves.T], axis=1)


def _find_phases(
    model: InteractionModel, first: Array, last: Array, pace: float, random: np.random.Generator | None
) -> Array:
    """Return phases (frames,) from 0 to 1 at the pace of the styles, varied like that of the trials if random."""
    phases, step = [0.0], model.frame_time * pace
    middles = (np.arange(2 * SEGMENTS) + 0.5) / (2 * SEGMENTS)
    varied = np.zeros(2 * SEGMENTS)
    if random is not None:
        varied = random.normal(size=len(model.pace_variations)) @ model.pace_variations
    while phases[-1] < 1.0:
        style = np.append(1.0, first + phases[-1] * (last - first))
        log_rate = model.log_rates[int(phases[-1] >= 0.5)] @ style + np.interp(phases[-1], middles, varied)
        phases.append(phases[-1] + step * float(np.exp(log_rate)))
    return np.minimum(phases, 1.0)

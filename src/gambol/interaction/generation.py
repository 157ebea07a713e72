"""Both people of a learned meeting, in a style that may change while it goes on (M17 section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.model import SEGMENTS, InteractionModel
from gambol.interaction.trials import GroundFrame, Trial
from gambol.motion.kinematics import Placement

_NEAR, _TOUCH = 0.1, 0.03
"""Distances (m) between the hands of the course within which both are moved by what they miss each other by at the
contact, and within which they are brought together: hands that hit each other do not wait for it."""


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
    contact = int(np.abs(phases - 0.5).argmin())
    *goals, near = _bring_together(ones, twos, contact)
    people = []
    for person, columns, goal_path, number in zip(model.people, model.columns[:2], goals, (1, 2), strict=True):
        local = person.decode(rows[:, columns])
        rotations, _ = person.arm.reach(local, goal_path, near)
        people.append(
            person.make_motion(Placement(local.positions, rotations), frame, model.frame_time, f"{name}-{number}")
        )
    hands = (model.people[0].arm.hand, model.people[1].arm.hand)
    return Trial((people[0], people[1]), hands, contact, dict(plan.style))


def _bring_together(ones: Array, twos: Array, contact: int) -> tuple[Array, Array, Array]:
    """Return paths (frames, 3) of both hands, together at the contact, and how near it (frames, 1) they are."""
    miss = ones - twos
    squares = (miss**2).sum(axis=1, keepdims=True)
    near = np.exp(-np.maximum(squares - squares[contact], 0.0) / _NEAR**2)
    left = miss - near * miss[contact]
    touch = np.exp(-(left**2).sum(axis=1, keepdims=True) / _TOUCH**2)
    moved = 0.5 * (miss - (1.0 - touch) * left)
    return ones - moved, twos + moved, near


def _vary(model: InteractionModel, phases: Array, random: np.random.Generator) -> Array:
    """Return a variation (frames, columns) from the mean rows at phases."""
    curves = np.einsum("v,vpc->pc", random.normal(size=len(model.variations)), model.variations)
    grid = np.linspace(0.0, 1.0, len(curves))
    return np.stack([np.interp(phases, grid, column) for column in curves.T], axis=1)


def _find_phases(
    model: InteractionModel, first: Array, last: Array, pace: float, random: np.random.Generator | None
) -> Array:
    """Return phases (frames,) from 0 to 1 at the pace of the styles, varied like that of the trials if random.

    The contact is on a frame: hands that hit each other are centimetres apart half a frame before.
    """
    phases, step = [0.0], model.frame_time * pace
    middles = (np.arange(2 * SEGMENTS) + 0.5) / (2 * SEGMENTS)
    varied = np.zeros(2 * SEGMENTS)
    if random is not None:
        varied = random.normal(size=len(model.pace_variations)) @ model.pace_variations
    while phases[-1] < 1.0:
        style = np.append(1.0, first + phases[-1] * (last - first))
        log_rate = model.log_rates[int(phases[-1] >= 0.5)] @ style + np.interp(phases[-1], middles, varied)
        phases.append(phases[-1] + step * float(np.exp(log_rate)))
    found = np.minimum(phases, 1.0)
    contact = np.abs(found - 0.5).argmin()
    return np.interp(found, [0.0, found[contact], 1.0], [0.0, 0.5, 1.0])

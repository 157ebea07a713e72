"""Explain why a sketch has no solution: which contact or law cannot be satisfied, when, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.geometry.arrays import Array
from gambol.poses.targets import aim_point, measure_targets
from gambol.progress import Progress, silent
from gambol.spacetime.evaluate import FrameErrors
from gambol.spacetime.program import Outcome
from gambol.spacetime.synthesis import MomentumForm, SketchPlan, SketchWeights, synthesise
from gambol.terms.momentum import group_frames
from gambol.terms.space import Term

SOFT_WEIGHT = 1e3
"""Cost of residual force in soft sketches: a tenth of a body weight for a second costs as much as a pose error of one
radian."""
_REGULARISATION = 1e-4
"""Metres per radian: weight of staying near the start where contacts leave the pose free."""
_TOLERANCE = 2e-3
"""Distance (m) of a contact from its place that is accepted."""
_MAX_POWER = 80.0
"""W/kg, more than the peak power of the best jumpers' legs."""


def find_obstacle(
    plan: SketchPlan,
    weights: SketchWeights = SketchWeights(),
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> tuple[str, bool]:
    """Say why a plan has no solution, and whether it has one with residual force."""
    missed = _out_of_reach(plan)
    if missed:
        return missed, False
    soft = synthesise(plan, weights, MomentumForm(residual_weight=SOFT_WEIGHT), terms=terms, progress=progress)
    return (describe_residual(soft), True) if soft.solution.converged else (soft.solution.status, False)


def describe_residual(soft: Outcome) -> str:
    """Describe the largest residual force of a solution and its time."""
    force = soft.marks["residual force"]
    worst = int(np.argmax(force))
    when = worst * soft.motion.frame_time
    return f"at {when:.2f} s it needs {force[worst]:.2g} body weights of force that contacts cannot give"


def find_doubts(verdict: FrameErrors) -> list[str]:
    """Describe what obeys the laws of motion but is beyond human strength."""
    if not verdict.power > _MAX_POWER:
        return []
    much = f"it needs {verdict.power:.0f} W/kg, more than the best jumpers reach"
    return [f"{much}: shorten the distance, or give the stage before the flight more time"]


def _out_of_reach(plan: SketchPlan) -> str:
    """Describe contacts that the body cannot reach together, or not in an exact pose, whatever the laws of motion."""
    exact = {pose.frame: pose for pose in plan.poses if pose.exact}
    groups = group_frames(plan.constraints, len(plan.start))
    middles = [int(frames[len(frames) // 2]) for frames, active in groups if active]
    found = []
    for frame in sorted({*exact, *middles}):
        active = [contact for contact in plan.constraints if contact.is_active(frame)]
        fixed = exact[frame].weight > 0.0 if frame in exact else np.zeros(plan.start.shape[1], dtype=bool)
        q = np.where(fixed, exact[frame].q, plan.start[frame]) if frame in exact else plan.start[frame]
        distances = _nearest_distances(plan.rough.character, q, fixed, active)
        for contact, distance in zip(active, distances, strict=True):
            if distance > _TOLERANCE:
                when = frame * plan.rough.motion.frame_time
                text = f"the {contact.body.replace('_', ' ')} is {distance:.2g} m from its contact at {when:.2f} s"
                found.append((distance, text))
    return "; ".join(text for _, text in sorted(found, reverse=True)[:2])


def _nearest_distances(
    character: Character, start: Array, fixed: NDArray[np.bool_], active: Sequence[Contact]
) -> list[float]:
    """Return the distances (m) of contacts from their places in the pose that is nearest to all of them."""
    from scipy.optimize import least_squares

    skeleton, q = character.skeleton, start[None].copy()
    free = np.flatnonzero(~fixed & (skeleton.upper > skeleton.lower))
    lower, upper = skeleton.lower[free], skeleton.upper[free]
    begin = np.clip(start[free], lower, upper)
    targets = [
        aim_point(skeleton.index(contact.body), point, position)
        for contact in active
        for point, position in zip(contact.points, contact.places, strict=True)
    ]

    def measure(values: Array) -> tuple[Array, Array]:
        q[0, free] = values
        residual, jacobian = measure_targets(skeleton, targets, q)
        return residual[0], jacobian[0][:, free]

    found = least_squares(
        lambda x: np.concatenate([measure(x)[0], _REGULARISATION * (x - begin)]),
        begin,
        lambda x: np.vstack([measure(x)[1], _REGULARISATION * np.eye(len(x))]),
        (lower - 1e-9, upper + 1e-9),
    )
    distances = np.linalg.norm(measure(found.x)[0].reshape(-1, 3), axis=1)
    ends = np.cumsum([len(contact.points) for contact in active])[:-1]
    return [float(part.max()) for part in np.split(distances, ends)]

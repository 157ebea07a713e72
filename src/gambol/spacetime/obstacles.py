"""What stands in the way of a sketch: which contact or law cannot be kept, when, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.solve.ipopt import OnIteration
from gambol.spacetime.evaluate import FrameErrors
from gambol.spacetime.program import Outcome
from gambol.spacetime.synthesis import MomentumForm, SketchPlan, SketchWeights, synthesise
from gambol.terms.contacts import ContactConstraint
from gambol.terms.momentum import group_frames

SOFT_WEIGHT = 1e3
"""Of momentum from nowhere: a tenth of a body weight for a second costs as much as a pose that is a radian off."""
_LAZY = 1e-4
"""Metres a radian that a pose stays near its start, where contacts leave it free."""
_KEPT = 2e-3
"""Metres that are no obstacle."""
_STRONG = 80.0
"""Watts a kilogram: more than the best jumpers' legs give for a moment."""


def find_obstacle(plan: SketchPlan, weights: SketchWeights = SketchWeights(), progress: OnIteration | None = None) -> tuple[str, bool]:
    """Why a plan has no solution, and whether its soft form has one."""
    missed = _out_of_reach(plan)
    if missed:
        return missed, False
    soft = synthesise(plan, weights, MomentumForm(soft=SOFT_WEIGHT), progress=progress)
    return (describe_residual(soft), True) if soft.solution.converged else (soft.solution.status, False)


def describe_residual(soft: Outcome) -> str:
    """How much force from nowhere a soft solution took, and when most."""
    force = soft.marks["residual force"]
    worst = int(np.argmax(force))
    when = worst * soft.motion.frame_time
    return f"at {when:.2f} s it needs {force[worst]:.2g} body weights of force from nowhere"


def find_doubts(verdict: FrameErrors) -> list[str]:
    """What keeps to all laws and is still not to be believed of a person."""
    if not verdict.power > _STRONG:
        return []
    much = f"it asks for {verdict.power:.0f} watts a kilogram, more than the best jumpers give"
    return [f"{much}: shorten the way, or give the stage before more time"]


def _out_of_reach(plan: SketchPlan) -> str:
    """Holds that the body cannot reach at once, or not in an exact pose, whatever the laws of motion say."""
    exact = {pose.frame: pose for pose in plan.poses if pose.exact}
    middles = [int(frames[len(frames) // 2]) for frames, held in group_frames(plan.constraints, len(plan.start)) if held]
    found = []
    for frame in sorted({*exact, *middles}):
        held = [contact for contact in plan.constraints if contact.is_active(frame)]
        fixed = exact[frame].weight > 0.0 if frame in exact else np.zeros(plan.start.shape[1], dtype=bool)
        q = np.where(fixed, exact[frame].q, plan.start[frame]) if frame in exact else plan.start[frame]
        for contact, off in zip(held, _nearest(plan.rough.character, q, fixed, held), strict=True):
            if off > _KEPT:
                when = frame * plan.rough.motion.frame_time
                text = f"the {contact.body.replace('_', ' ')} is {off:.2g} m from where it is held at {when:.2f} s"
                found.append((off, text))
    return "; ".join(text for _, text in sorted(found, reverse=True)[:2])


def _nearest(character: Character, start: Array, fixed: NDArray[np.bool_], held: Sequence[ContactConstraint]) -> list[float]:
    """How far (m) contacts stay from their places in the pose that comes nearest to all of them."""
    from scipy.optimize import least_squares

    skeleton = character.skeleton
    free = np.flatnonzero(~fixed & np.array([dof.upper > dof.lower for dof in skeleton.dofs]))
    lower, upper = (np.array([getattr(skeleton.dofs[c], end) for c in free]) for end in ("lower", "upper"))

    def off(moved: Array) -> Array:
        """(poses, points * 3) metres from the places."""
        q = np.tile(start, (len(moved), 1))
        q[:, free] = moved
        placed = place(skeleton, q)
        away = []
        for contact in held:
            joint = skeleton.index(contact.body)
            turned = quat.rotate(placed.rotations[:, joint, None], contact.points)
            away.append((placed.positions[:, joint, None] + turned - contact.places).reshape(len(moved), -1))
        return np.hstack(away)

    def slopes(x: Array) -> Array:
        steps = 1e-6 * np.eye(len(x))
        return np.vstack([((off(x + steps) - off(x - steps)) / 2e-6).T, _LAZY * np.eye(len(x))])

    begin = np.clip(start[free], lower, upper)
    found = least_squares(
        lambda x: np.concatenate([off(x[None])[0], _LAZY * (x - begin)]), begin, slopes, (lower - 1e-9, upper + 1e-9)
    )
    ends = np.split(off(found.x[None])[0], np.cumsum([3 * len(contact.points) for contact in held])[:-1])
    return [float(np.linalg.norm(part.reshape(-1, 3), axis=1).max()) for part in ends]

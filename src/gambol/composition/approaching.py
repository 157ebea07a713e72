"""Draft how somebody reaches for a place, or leans out of the way, before and after a condition asks for it.

Likeness to the clip asks for nothing between frames: a hand that must be somewhere in one frame gets there, and back,
within a tenth of a second. People take longer. Here the condition is satisfied first in a short part of the scene, in
which residual forces are allowed; what that changes of the arm, or of the trunk for a head, is faded in and out of the
draft with the least jerk, and likeness is to the result.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.composition.blocks import Block, BlockProblem, Cast, Take, solve_problem
from gambol.composition.conditions import Avoid, BodyPart, Meet, Reach
from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.motion.skeleton import Skeleton

_APPROACH = 0.4
"""Seconds that it takes to reach for something, and to come back."""
_REACHING = ("hand", "forearm", "head")


def draft_approaches(cast: Cast, take: Take, block: Block) -> Take:
    """Return the state with references of the people of a block that reach for what conditions ask of them."""
    plain = replace(take, references={n: q for n, q in take.references.items() if n not in block.people})
    references = dict(plain.references)
    for condition in (one for one in cast.conditions if isinstance(one, Avoid | Meet | Reach)):
        for part in (part for part in _find_parts(condition) if part.person in block.people):
            name = part.person
            change = _find_change(cast, plain, replace(block, people=(name,)), condition, part.body)
            if change is not None:
                references[name] = references.get(name, cast.roles[name].draft.motion.q) + change
    return replace(take, references=references)


def _find_parts(condition: Avoid | Meet | Reach) -> list[BodyPart]:
    """Return hands, arms and heads for which a condition asks something."""
    parts = [condition.part] if isinstance(condition, Reach) else [condition.one, condition.other]
    return [part for part in parts if part.body.endswith(_REACHING)]


def _find_change(cast: Cast, take: Take, block: Block, condition: Avoid | Meet | Reach, body: str) -> Array | None:
    """Return how one person's draft changes (frames, dofs) for a condition; None where the block has no part in it."""
    (start, end), step = condition.span, cast.frame_time
    middle, reach = round(0.5 * (start + end) / step), round((0.5 * (end - start) + _APPROACH) / step)
    first, last = max(middle - reach, block.first), min(middle + reach, block.last)
    made = BlockProblem(
        replace(cast, conditions=(condition,)), take, replace(block, first=first, last=last, relaxed=True)
    )
    if middle not in made.find_free_frames() or not made.concerns(condition):
        return None
    found = solve_problem(made)
    if not found.solution.converged:
        return None
    (name,) = block.people
    draft = cast.roles[name].draft.motion
    away = found.take.tracks[name].q[middle] - draft.q[middle]
    away[[dof.joint not in _find_limb(draft.skeleton, body) for dof in draft.skeleton.dofs]] = 0.0
    times = step * np.arange(cast.frames)
    return np.outer(follow_minimum_jerk(1.0 - np.maximum(start - times, times - end) / _APPROACH), away)


def _find_limb(skeleton: Skeleton, body: str) -> list[int]:
    """Return the joints from a body to the chest, or to the pelvis for a head."""
    joint, end, found = skeleton.index(body), skeleton.index("pelvis" if body == "head" else "chest"), []
    while joint != end:
        found.append(joint)
        joint = skeleton.parents[joint]
    return found

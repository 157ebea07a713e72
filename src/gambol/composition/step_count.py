"""Find how many steps somebody takes to a place: every number that legs can do is solved, and the least cost wins.

Each number of steps gives a pace and a stride with which the person arrives in time. Leaving those of the clip has a
cost beside that of the motion: people keep the ratio of step length to step rate at all speeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.composition.blocks import solve_block
from gambol.composition.cast import make_cast
from gambol.composition.composition import COMPOSITION_FPS, Composition, Person
from gambol.composition.conditions import Reach
from gambol.composition.roles import draft_role
from gambol.errors import InputError
from gambol.progress import Progress, silent
from gambol.solve.workers import solve_all

_GAIT_COST = 2.0
"""Cost per second of the squared logarithms of pace and stride."""
_PACES, _STRIDES = (0.6, 1.7), (0.4, 1.6)
"""Paces and strides that legs can do, relative to the clip."""
_MOST = 40
_TRIED = 5
"""Numbers of steps that are solved."""


@dataclass(frozen=True)
class StepCount:
    """A number of steps, with the pace and stride that it takes."""

    steps: int
    pace: float
    stride: float

    @property
    def gait_cost(self) -> float:
        """Cost per second of leaving the gait of the clip."""
        return _GAIT_COST * float(np.log(self.pace) ** 2 + np.log(self.stride) ** 2)


def choose_step_counts(
    asked: Composition, client: Any = None, progress: Progress = silent
) -> tuple[Composition, tuple[str, ...]]:
    """Return the composition with the numbers of steps that were to be found, and notes about them."""
    notes: list[str] = []
    for person in asked.people:
        if not any(action.steps == 0 for action in person.actions):
            continue
        goal = _find_goal(asked, person)
        counts = _list_counts(asked, person, goal)
        costs: dict[StepCount, float] = {}
        for count, cost in solve_all(client, _try_count, (asked, person), counts):
            costs[count] = cost
            progress(f"{person.name}: {count.steps} steps cost {cost:.3g}", 0, None)
        best = min(costs, key=lambda count: costs[count])
        if not np.isfinite(costs[best]):
            raise InputError(
                f"'{person.name}' cannot arrive at {goal.place} in {goal.time:g} s",
                fix="give more time, or a nearer place",
            )
        asked = _take_steps(asked, person, best)
        others = ", ".join(f"{count.steps}: {costs[count]:.3g}" for count in sorted(costs, key=lambda one: one.steps))
        notes.append(f"{person.name}: {best.steps} steps cost least ({others})")
    return asked, tuple(notes)


def _find_goal(asked: Composition, person: Person) -> Reach:
    goals = [one for one in asked.conditions if isinstance(one, Reach) and one.part.person == person.name]
    if not goals or asked.duration is None or len(person.actions) > 1:
        raise InputError(
            f"the number of steps of '{person.name}' cannot be found",
            fix="it needs one action, a 'reach' condition and a duration",
        )
    return goals[-1]


def _take_steps(asked: Composition, person: Person, count: StepCount) -> Composition:
    goal = _find_goal(asked, person)
    way = np.array(goal.place[:2]) - person.at
    heading = float(np.degrees(np.arctan2(way[1], way[0]))) if person.heading is None else person.heading
    action = replace(person.actions[0], steps=count.steps, pace=count.pace, stride=count.stride)
    sent = replace(person, actions=(action,), heading=heading)
    return replace(asked, people=tuple(sent if one.name == person.name else one for one in asked.people))


def _list_counts(asked: Composition, person: Person, goal: Reach) -> list[StepCount]:
    """Return the numbers of steps that fit best: pace and stride near those of the clip."""
    assert asked.duration is not None
    far = float(np.linalg.norm(np.array(goal.place[:2]) - person.at))
    drafts = [
        draft_role(replace(person, actions=(replace(person.actions[0], steps=n),)), COMPOSITION_FPS) for n in (4, 8)
    ]
    lasting = [one.draft.motion.duration for one in drafts]
    going = [np.linalg.norm(np.diff(one.draft.motion.placement.positions[[0, -1], 0, :2], axis=0)) for one in drafts]
    step_time, step_length = 0.25 * (lasting[1] - lasting[0]), 0.25 * float(going[1] - going[0])
    still, begun = lasting[0] - 4.0 * step_time, float(going[0]) - 4.0 * step_length
    found = []
    for steps in range(1, _MOST):
        pace = steps * step_time / max(asked.duration - still, 1e-3)
        stride = max(far - begun, 1e-3) / (steps * step_length)
        if _PACES[0] < pace < _PACES[1] and _STRIDES[0] < stride < _STRIDES[1]:
            found.append(StepCount(steps, pace, stride))
    if not found:
        raise InputError(
            f"no number of steps brings '{person.name}' {far:.1f} m in {asked.duration:g} s",
            fix="give more time, a nearer place, or a faster clip",
        )
    return sorted(found, key=lambda one: one.gait_cost)[:_TRIED]


def _try_count(given: tuple[Composition, Person], count: StepCount) -> float:
    """Return the cost of arriving with so many steps; infinity if that is impossible."""
    asked, person = given
    alone = _take_steps(asked, person, count)
    alone = replace(
        alone,
        people=tuple(one for one in alone.people if one.name == person.name),
        conditions=(_find_goal(asked, person),),
        order=(),
    )
    try:
        cast, _ = make_cast(alone)
    except InputError:
        return float("inf")
    found = solve_block(cast, cast.draft(), cast.whole)
    assert asked.duration is not None
    return found.objective + count.gait_cost * asked.duration if found.solution.converged else float("inf")

"""Plan a sequence of actions that ends at the comfortable distance from a drawer, and again when the drawer moves.

A sequence is a gait cycle of WALKING, one of APPROACHING, and OPENING; cycles of WALKING are added for drawers that are
farther away. The lengths of all steps are the same share of the way from the shortest to the longest that was learned,
chosen so that the robot ends where people reach comfortably: they plan several steps ahead for that (end-state comfort,
M17 sections 3.2 and 3.3). A robot goes aside only as far as hands need it: the foot on that side steps outward, the
other one follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.robots.actions.model import ActionModel, ActionTask
from gambol.robots.actions.trials import APPROACHING, OPENING, WALKING, DrawerTask
from gambol.robots.pattern import PERIOD, Gait

_AXES = {0: "ahead of where the robot would stand", 2: "above the floor"}
_ROUNDING = 1e-9
_ASIDE = 0.08
"""Longest step outward (m)."""
_BACK = 0.1
"""Longest step back (m)."""
_EASY = 0.15
"""Share of the learned range of places, at either end, that is used only if the robot cannot go aside."""


class PlannedStep(NamedTuple):
    """A step, or OPENING."""

    action: str
    task: ActionTask
    second: bool = False
    """Whether it is the second step of a gait cycle, that of the right foot."""
    aside: float = 0.0
    """Metres to the left by which the foot goes farther than side by side."""

    @property
    def length(self) -> float:
        """Metres from one footprint to the next."""
        return self.task.length

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.task.duration


ActionPlan = tuple[PlannedStep, ...]


def plan_actions(drawer: DrawerTask, model: ActionModel) -> ActionPlan:
    """Return the steps of a robot that stands, feet side by side, to a drawer whose place is relative to there."""
    _check_drawer(drawer, model)
    actions = [WALKING, WALKING, APPROACHING, APPROACHING]
    nearest = model.comfort + measure_advance(_list_bounds(actions, model)[0])
    if drawer.handle[0] < nearest:
        raise InputError(
            f"the drawer's handle is {drawer.handle[0]:.2f} m ahead, too near to walk up to it",
            fix=f"start at least {nearest:.2f} m away",
        )
    return _add_cycles(actions, drawer, model)


def replan_actions(plan: ActionPlan, current: int, drawer: DrawerTask, model: ActionModel) -> ActionPlan:
    """Return a plan in which the steps after the current one are new.

    `drawer` is relative to the floor midway between the feet at the end of the current step. If steps
    of the planned actions get there, only their lengths change. If not, cycles of WALKING, as short as need be, are
    inserted before a new APPROACHING, and a reach that has begun is broken off.
    """
    _check_drawer(drawer, model)
    now, done = plan[current], plan[: current + 1]
    planned = [step.action for step in plan[current + 1 :] if step.action != OPENING]
    handles = model.actions[APPROACHING].inputs[:, 2]
    if not planned and drawer.handle[0] <= handles.max() and _find_way_aside(drawer, model) == 0.0:
        _check_near(drawer, model)
        return (*done, _make_opening(drawer, model))
    if planned and _reaches(planned, drawer, model, not now.second, now.length):
        return (*done, *_make_steps(planned, drawer, model, not now.second, now.length))
    walked = now._replace(action=WALKING) if now.action == APPROACHING else now
    actions = [*([] if now.second else [WALKING]), APPROACHING, APPROACHING]
    return (*plan[:current], walked, *_add_cycles(actions, drawer, model, not now.second, now.length))


def measure_advance(lengths: Sequence[float] | Array, before: float = 0.0) -> float:
    """Return how far (m) a robot gets in steps of given lengths.

    It begins and ends midway between the feet, which are a last step apart, and `before` apart at the beginning.
    """
    return float(np.sum(lengths) + 0.5 * (before - lengths[-1])) if len(lengths) else 0.0


def list_gaits(steps: ActionPlan) -> list[Gait]:
    """Return how the walker makes the steps of a plan up to OPENING; `steps` begins with the one being made.

    A robot that stands begins with its left foot, as the walker does.
    """
    walked = takewhile(lambda step: step.action != OPENING, steps)
    return [
        Gait(np.array([step.length, step.aside]) / step.duration, samples=round(step.duration / PERIOD))
        for step in walked
    ]


def find_duration(action: str, length: float, model: ActionModel) -> float:
    """Return the duration (s) of a step by its length (m): that of the trials, in whole periods of the walker."""
    offset, slope = model.actions[action].timing
    least = int(np.ceil(length / model.fastest / PERIOD - 1e-9))
    return PERIOD * max(round((offset + slope * length) / PERIOD), least)


def _add_cycles(
    actions: Sequence[str], drawer: DrawerTask, model: ActionModel, second: bool = False, before: float = 0.0
) -> ActionPlan:
    """Return steps with as few more cycles of WALKING before them as get there."""
    while not _reaches(actions, drawer, model, second, before, _EASY):
        actions = [WALKING, WALKING, *actions]
    return _make_steps(actions, drawer, model, second, before)


def _reaches(
    actions: Sequence[str], drawer: DrawerTask, model: ActionModel, second: bool, before: float, easy: float = 0.0
) -> bool:
    """Return whether the longest steps get to the comfortable distance, and far enough aside."""
    aside = _find_way_aside(drawer, model, easy)
    if abs(aside) > _ASIDE * _find_leading(len(actions), second, aside).sum() + _ROUNDING:
        return False
    return drawer.handle[0] - model.comfort <= measure_advance(_list_bounds(actions, model)[1], before) + _ROUNDING


def _find_leading(steps: int, second: bool, aside: float) -> NDArray[np.bool_]:
    """Return which steps (steps,) the foot on the side to which a robot goes makes, and the other one follows."""
    of_right = (np.arange(steps) % 2 == 1) ^ second
    return (of_right == (aside < 0.0)) & (np.arange(steps) < steps - 1)


def _find_way_aside(drawer: DrawerTask, model: ActionModel, easy: float = 0.0) -> float:
    """Return how far (m) to the left a robot has to go, at least, until the drawer is within learned places."""
    learned = model.actions[APPROACHING].inputs[:, 3], model.actions[OPENING].inputs[:, 4]
    bounds = [(y.min() + easy * np.ptp(y), y.max() - easy * np.ptp(y)) for y in learned]
    low = max(place[1] - right for place, (_, right) in zip(drawer, bounds, strict=True))
    high = min(place[1] - left for place, (left, _) in zip(drawer, bounds, strict=True))
    return float(0.5 * (low + high) if low > high else min(max(0.0, low), high))


def _make_steps(
    actions: Sequence[str], drawer: DrawerTask, model: ActionModel, second: bool, before: float
) -> ActionPlan:
    """Return steps that end at the comfortable distance, equally far between their bounds, then OPENING."""
    low, high = _list_bounds(actions, model)
    way = drawer.handle[0] - model.comfort
    shortest, longest = (measure_advance(lengths, before) for lengths in (low, high))
    if way < shortest:  # shorter than any that were learned, or back
        none = measure_advance(0.0 * low, before)
        lengths = np.maximum(low * (way - none) / (shortest - none), -_BACK)
    else:
        lengths = low + (high - low) * (way - shortest) / (longest - shortest)
    aside = _find_way_aside(drawer, model, _EASY)
    leading = _find_leading(len(actions), second, aside)
    asides = leading * np.clip(aside / max(leading.sum(), 1), -_ASIDE, _ASIDE)
    at_end = drawer.move_nearer(measure_advance(lengths, before), float(asides.sum()))
    _check_near(at_end, model)
    steps = []
    for n, (action, length) in enumerate(zip(actions, lengths.tolist(), strict=True)):
        task = ActionTask(length, find_duration(action, length, model), at_end)
        steps.append(PlannedStep(action, task, second ^ bool(n % 2), float(asides[n])))
    return (*steps, _make_opening(at_end, model))


def _make_opening(drawer: DrawerTask, model: ActionModel) -> PlannedStep:
    return PlannedStep(OPENING, ActionTask(0.0, find_duration(OPENING, 0.0, model), drawer))


def _list_bounds(actions: Sequence[str], model: ActionModel) -> tuple[Array, Array]:
    """Return shortest and longest lengths (steps,) of steps (m)."""
    low, high = np.array([model.actions[action].lengths for action in actions]).T
    return low, high


def _check_near(drawer: DrawerTask, model: ActionModel) -> None:
    """Raise an error for a drawer nearer than any that was reached into."""
    nearest = float(model.actions[APPROACHING].inputs[:, 2].min())
    if drawer.handle[0] < nearest - _ROUNDING:
        raise InputError(
            f"the drawer's handle will be {drawer.handle[0]:.2f} m ahead, too near to reach for it",
            fix=f"move the drawer away, to {nearest:.2f} m at least",
        )


def _check_drawer(drawer: DrawerTask, model: ActionModel) -> None:
    """Raise an error for a drawer out of reach from where the robot would stand."""
    if not np.isfinite(drawer).all():
        raise InputError("the place of the drawer is not finite", fix="give metres")
    handles, items = model.actions[APPROACHING].inputs[:, 2:], model.actions[OPENING].inputs[:, 3:]
    at_end = drawer.move_nearer(drawer.handle[0] - model.comfort)
    apart, nearest = drawer.handle[1] - drawer.item[1], handles[:, 1].min() - items[:, 1].max()
    farthest = handles[:, 1].max() - items[:, 1].min()
    if not nearest <= apart <= farthest:
        raise InputError(
            f"the object is {apart:.3f} m to the right of the drawer's handle",
            fix=f"hands reach from {nearest:.3f} to {farthest:.3f} m",
        )
    for what, place, learned, axes in (
        ("handle", drawer.handle, handles, (2,)),
        ("object", at_end.item, items, (0, 2)),
    ):
        low, high = learned.min(axis=0), learned.max(axis=0)
        for axis in axes:
            if not low[axis] - _ROUNDING <= place[axis] <= high[axis] + _ROUNDING:
                raise InputError(
                    f"the drawer's {what} is {place[axis]:.3f} m {_AXES[axis]}",
                    fix=f"hands reach from {low[axis]:.3f} to {high[axis]:.3f} m",
                )

"""Play a plan of actions: postures of a robot over time, smooth where one action follows another.

Where another curve is followed, the difference of values, rates and accelerations fades out as a quintic polynomial.
(M17 section 3.3 interpolates the weights of sources; fading also serves a plan that changes in the middle of a step.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.robots.actions.model import ActionCurve, ActionModel
from gambol.robots.actions.sequence import ActionPlan, PlannedStep
from gambol.robots.actions.trials import OPENING
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.footprints import Swing

PARK = "park"
"""Action of steps on the spot in which the upper body returns to the parking posture."""
_FADE = 0.5
"""Least seconds in which a difference fades out."""
_PEAK = 1.875
"""Largest rate of the polynomial from rest to rest, relative to its mean."""
_SHARE = 0.5
"""Share of a joint's speed limit that a fading difference may take."""
_DONE = 1e-9


class ActionState(NamedTuple):
    """Where a player is."""

    angles: Swing
    """(columns,) angles of the upper body (rad), with rates and accelerations."""
    curve: ActionCurve
    """Followed now."""
    followed: PlannedStep | None
    """The step whose curve it is; None: a constant."""
    fading: Swing
    """Added to the curve, likewise."""
    left: float = 0.0
    """Seconds until nothing is added."""
    step: int = 0
    """Of the plan; the number of its steps: all is done, and the last posture is held."""
    elapsed: float = 0.0
    """Seconds since the beginning of the step."""


class ActionPlayer:
    """Plays plans with the curves of a model."""

    def __init__(self, body: UpperBody, model: ActionModel) -> None:
        self.body, self.model = body, model
        self._speeds = body.robot.description.speeds[body.columns]

    def start(self) -> ActionState:
        """Return the state of a robot that parks."""
        nothing = _make_nothing(self.body.parked)
        return ActionState(nothing._replace(place=self.body.parked), _hold(self.body.parked), None, nothing)

    def advance(self, state: ActionState, seconds: float, plan: ActionPlan) -> tuple[ActionState, Array]:
        """Return the state some seconds later and its posture (dofs,); the plan may differ from the current step on."""
        state = self._switch(state, plan)
        while state.step < len(plan) and (rest := plan[state.step].duration - state.elapsed) <= seconds + _DONE:
            state, seconds = _move(state, rest), max(seconds - rest, 0.0)
            state = self._switch(state._replace(step=state.step + 1, elapsed=0.0), plan)
        state = _move(state, seconds)
        posture = self.body.robot.posture.copy()
        posture[self.body.columns] = np.clip(state.angles.place, self.body.lower, self.body.upper)
        return state, posture

    def _switch(self, state: ActionState, plan: ActionPlan) -> ActionState:
        """Return the state that follows the curve of its step in the plan."""
        step = plan[state.step] if state.step < len(plan) else None
        if step == state.followed:
            return state
        state = state._replace(followed=step, curve=self._find_curve(step, state.angles.place))
        fading = Swing(*(np.subtract(*both) for both in zip(state.angles, _sample(state), strict=True)))
        slowest = float((_PEAK * np.abs(fading.place) / (_SHARE * self._speeds)).max())
        return state._replace(fading=fading, left=max(_FADE, slowest))

    def _find_curve(self, step: PlannedStep | None, angles: Array) -> ActionCurve:
        if step is None:
            return _hold(angles)
        return _hold(self.body.parked) if step.action == PARK else self.model.synthesise(step.action, step.task)


def _make_nothing(angles: Array) -> Swing:
    """Return a difference of zero for as many angles."""
    return Swing(*np.zeros((3, len(angles))))


def _hold(angles: Array) -> ActionCurve:
    """Return a curve that is constant."""
    return ActionCurve(angles, np.zeros_like(angles), np.zeros((len(angles), 1), complex))


def _move(state: ActionState, seconds: float) -> ActionState:
    """Return the state some seconds later on the same curve."""
    nothing = _make_nothing(state.fading.place)
    fading = state.fading.approach(nothing.place, state.left, seconds) if seconds < state.left else nothing
    state = state._replace(elapsed=state.elapsed + seconds, fading=fading, left=max(state.left - seconds, 0.0))
    angles = Swing(*(np.add(*both) for both in zip(_sample(state), fading, strict=True)))
    return state._replace(angles=angles)


def _sample(state: ActionState) -> Swing:
    """Return the curve with rates and accelerations per second."""
    step = state.followed
    if step is None:
        return Swing(*state.curve.evaluate(0.0))
    share = state.elapsed / step.duration
    phase, scale = (share, 1.0) if step.action == OPENING else (0.5 * (share + step.second), 0.5)
    value, rate, acceleration = state.curve.evaluate(phase)
    scale /= step.duration
    return Swing(value, scale * rate, scale**2 * acceleration)

"""Walk up to a drawer, open it with the left hand and reach into it with the right one (M17 sections 3.2 to 3.5).

A plan of actions gives the length and the duration of every step and the posture of the upper body. Hands follow the
synthesised posture and, more and more, what is missing to the true place. At every touchdown, and when the drawer
jumps, the next steps are planned again from where the drawer is seen. In the end the robot makes two steps on the spot
and parks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.geometry.vectors import rotate_plane
from gambol.robots.actions.model import ActionModel, ActionTask
from gambol.robots.actions.player import PARK, ActionPlayer, ActionState
from gambol.robots.actions.sequence import ActionPlan, PlannedStep, list_gaits, plan_actions, replan_actions
from gambol.robots.actions.trials import (
    APPROACHING,
    BEGIN,
    OPENING,
    PULL,
    PULLING,
    REACHING,
    DrawerTask,
)
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.execution import DrawerPull, Orders
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker, WalkingState

_JUMPED = 0.03
"""Metres by which a drawer has to move for a new plan."""
_SERVO = 0.15
"""Seconds in which what a hand stays behind its goal is added to the goal, but for a share of 1/e."""
_FARTHEST = 0.04
"""Metres that are added at most."""
_NEAR, _PATIENCE = 0.008, 2.0
"""A hand grasps when it is that near (m), or after so many seconds."""
_GRASP = 0.015
"""Metres from the handle within which a hand closes around it."""
_EASE = 0.8
"""Seconds in which a hand leaves its posture for a goal, and returns."""
_REST = 0.5
"""Seconds for which a robot stands at the end."""


class Drawer(NamedTuple):
    """A drawer for a robot that looks along x."""

    handle: Array
    """(3,) of the closed drawer (m)."""
    item: Array
    """(3,) the object when the drawer is open (m)."""

    def move(self, way: Array) -> Drawer:
        """Return the drawer at another place."""
        return Drawer(self.handle + way, self.item + way)


class _Ease(NamedTuple):
    """How a hand changes between its posture and a goal."""

    gap: Array = np.zeros(3)
    """(3,) from the new place to the hand when it changed (m)."""
    elapsed: float = _EASE
    """Seconds since."""
    reaches: bool = False


class DrawerPlanner:
    """Orders of a walker who opens a drawer; `drawer` is where it is now, and may be changed at any time."""

    def __init__(self, walker: Walker, model: ActionModel, drawer: Drawer) -> None:
        self._walker, self._model, self.drawer = walker, model, drawer
        self._body = UpperBody(walker.robot)
        self._player = ActionPlayer(self._body, model)
        self._jacobians = Jacobians(walker.robot.dynamics)
        self._playing = self._player.start()
        parked = ActionTask(0.0, walker.robot.step_seconds)
        self._parking = tuple(PlannedStep(PARK, parked, second) for second in (False, True))
        self.plan: ActionPlan = (*plan_actions(_relate(drawer, np.zeros(2)), model), *self._parking)
        self._planned_for = drawer
        self._started, self._rested, self._waited = False, 0.0, 0.0
        self._eases = [_Ease(), _Ease()]
        self._offsets = np.zeros((2, 3))
        """By which goals of the hands are moved, since hands stay behind them (m)."""
        self.notes: tuple[str, ...] = ()
        """What the user should know."""
        self.misses: list[float] = []
        """Metres from the left hand to the handle when it is grasped, and from the right hand to the object."""

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        """Return what to do in the next tick."""
        locate = self._find_drift(state, sensed)
        seen = Drawer(locate(self.drawer.handle), locate(self.drawer.item))
        if not self._started and state.first is not None and state.left == 0:
            self._started = True  # the first step begins with this tick
        posture = self._walker.posture
        if self._started:
            before = self._playing
            landed = state.support is not None and state.left == 0 and state.ticks == 0
            jumped = np.abs(seen.handle - self._planned_for.handle).max() > _JUMPED
            ended = landed and before.elapsed < TICK  # the player is in the next step already
            if before.step - ended < self._opening and (landed or jumped):
                self._replan(state, seen, before.step - ended)
            elif not jumped:
                self.notes = ()
            posture = self._advance()
        done = self._playing.step >= len(self.plan) and state.support is None
        self._rested += TICK if done else 0.0
        hands = self._ease(self._place_hands(state, posture, seen), state, posture)
        hands = self._correct(hands, locate)
        return Orders(list_gaits(self.plan[self._playing.step :]), posture, hands, self._rested > _REST)

    @property
    def opens(self) -> bool:
        """Whether the robot has stopped at the drawer: it makes no further steps to it."""
        return self._playing.step >= self._opening

    @property
    def pull(self) -> DrawerPull:
        """Where the drawer is, and whether it is grasped: a hand that misses the handle leaves it shut."""
        near = bool(self.misses) and self.misses[0] <= _GRASP
        return DrawerPull(self.drawer.handle, near and self._is_standing(self._playing.step))

    @property
    def _opening(self) -> int:
        """Number of the step in which the drawer is opened."""
        return next(number for number, step in enumerate(self.plan) if step.action == OPENING)

    def _is_standing(self, step: int) -> bool:
        return step < len(self.plan) and self.plan[step].action == OPENING

    def _find_drift(self, state: WalkingState, sensed: SensedState) -> Callable[[Array], Array]:
        """Return the map from true places (3,) to where they are for the commanded body: feet may have slipped."""
        side = 0 if state.support is None else state.support
        foot, wanted = self._walker.robot.feet[side], state.course.feet[side]
        self._jacobians.take(sensed.q)
        placed = foot.place(self._jacobians)
        turn = rotate_plane(wanted.heading - float(np.arctan2(placed.rotation[1, 0], placed.rotation[0, 0])))
        return lambda place: np.append(wanted.place[:2] + turn @ (place - placed.position)[:2], place[2])

    def _replan(self, state: WalkingState, seen: Drawer, current: int) -> None:
        """Plan the steps after the current one again."""
        feet = list(state.course.feet)
        last = 1 - state.support if state.support is not None else 0
        if state.course.swings and state.left > 0:
            goal = state.course.swings[0].goal
            feet[goal.side], last = goal, goal.side
        middle = 0.5 * (feet[0].place + feet[1].place)[:2]
        middle[1] = feet[last].place[1] - 0.5 * self._walker.size.width * (1.0 if last == 0 else -1.0)
        try:
            plan = replan_actions(self.plan[: self._opening + 1], current, _relate(seen, middle), self._model)
        except InputError as error:  # go on as planned
            self.notes = (f"the drawer moved out of reach: {error}",)
            return
        self.plan, self._planned_for, self.notes = (*plan, *self._parking), seen, ()

    def _ease(
        self, goals: tuple[Array | None, Array | None], state: WalkingState, posture: Array
    ) -> tuple[Array | None, Array | None]:
        """Return goals that are where hands are when these begin or end to have one: the way between fades out."""
        place, eased = _find_placement(state), list(goals)
        for side, goal in enumerate(goals):
            ease, reaches = self._eases[side], goal is not None
            if goal is None:
                goal = place(self._body.locate_hands(posture[self._body.columns])[side])
            if reaches != ease.reaches:
                now = place(self._body.locate_hands(state.q[self._body.columns])[side])
                ease = _Ease(now - goal, 0.0, reaches)
            share = follow_minimum_jerk(ease.elapsed, (0.0, _EASE))
            self._eases[side] = ease._replace(elapsed=ease.elapsed + TICK)
            eased[side] = goal + (1.0 - share) * ease.gap if reaches or share < 1.0 else None
        return eased[0], eased[1]

    def _correct(
        self, goals: tuple[Array | None, Array | None], locate: Callable[[Array], Array]
    ) -> tuple[Array | None, Array | None]:
        """Return goals of hands moved by what the sensed hands have stayed behind theirs, while the robot stands.

        A hand that holds the drawer is led by it: only along the pull has it a goal of its own.
        """
        if not self._is_standing(self._playing.step):
            self._offsets = np.zeros((2, 3))
            return goals
        moved: list[Array | None] = [None, None]
        for side, (goal, hand) in enumerate(zip(goals, self._walker.robot.hands, strict=True)):
            if goal is not None:
                place = locate(self._jacobians.place(hand.joint, hand.point).position)
                if side == 0 and self.pull.grasped:
                    goal = np.append(goal[:1], place[1:])
                change = TICK / _SERVO * (goal - place)
                self._offsets[side] = np.clip(self._offsets[side] + change, -_FARTHEST, _FARTHEST)
                moved[side] = goal + self._offsets[side]
        return moved[0], moved[1]

    def _advance(self) -> Array:
        """Return the posture (dofs,) a tick later; time stands still while a hand that is to grasp is not there."""
        before = self._playing
        after, posture = self._player.advance(before, TICK, self.plan)
        for side, moment in enumerate((PULLING[0], 1.0)):
            passed = [_find_progress(state, self._opening, self.plan) >= moment for state in (before, after)]
            if passed == [False, True]:
                hand = self._walker.robot.hands[side]
                miss = float(np.linalg.norm(self._jacobians.place(hand.joint, hand.point).position - self.drawer[side]))
                if miss > _NEAR and self._waited < _PATIENCE:
                    self._waited += TICK
                    return self._player.advance(before, 0.0, self.plan)[1]
                self.misses.append(miss)
                self._waited = 0.0
        self._playing = after
        return posture

    def _place_hands(self, state: WalkingState, posture: Array, seen: Drawer) -> tuple[Array | None, Array | None]:
        """Return places of hands that reach."""
        step = self._playing.step
        if step >= len(self.plan) or self.plan[step].action not in (APPROACHING, OPENING):
            return None, None
        now = self.plan[step]
        share = self._playing.elapsed / now.duration
        end = self._model.evaluate(now.action, 1.0, now.task)
        ends = self._body.locate_hands(np.clip(end, self._body.lower, self._body.upper))
        hands = self._body.locate_hands(posture[self._body.columns])
        place = _find_placement(state)

        def reach(side: int, goal: Array, weight: Array) -> Array:
            return np.asarray(place(hands[side]) + weight * (goal - place(ends[side])))

        if now.action == APPROACHING:
            phase = 0.5 * (share + now.second)
            weight = follow_minimum_jerk(phase, (BEGIN[0], 1.0))
            return (reach(0, seen.handle, weight), None) if weight > 0.0 else (None, None)
        pulled = seen.handle - [self._walker.robot.size_ratio * PULL * follow_minimum_jerk(share, PULLING), 0.0, 0.0]
        weight = follow_minimum_jerk(share, REACHING)
        return pulled, reach(1, seen.item, weight) if weight > 0.0 else None


def _find_progress(state: ActionState, opening: int, plan: ActionPlan) -> float:
    """Return the share of OPENING that is over, from 0 before to 1 after it."""
    if state.step != opening:
        return float(state.step > opening)
    return state.elapsed / plan[opening].duration


def _find_placement(state: WalkingState) -> Callable[[Array], Array]:
    """Return the map from places (3,) of hands relative to the planned centre of mass to places in the world."""
    center = state.course.cart_at(TICK * state.ticks).position + state.correction.position
    turn = rotate_plane(float(state.q[3]))
    return lambda at: np.append(center + turn @ at[:2], at[2])


def _relate(drawer: Drawer, middle: Array) -> DrawerTask:
    """Return a drawer relative to the floor midway (2,) between the feet."""
    handle, item = (tuple((place - [*middle, 0.0]).tolist()) for place in drawer)
    return DrawerTask(handle, item)

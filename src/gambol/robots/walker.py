"""A robot that walks: plans every 0.1 seconds, moves soles and centre of mass in between, and keeps its balance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.robots.base_axes import align_base
from gambol.robots.biped import Biped
from gambol.robots.cart import Cart
from gambol.robots.course import CLEARANCE, SwingPhase, WalkingCourse
from gambol.robots.dynamic_filter import SAMPLE, DynamicFilter
from gambol.robots.footprints import Footprint, Support, Swing
from gambol.robots.pattern import PERIOD, PLANNED_SAMPLES, Gait, WalkerSize, plan_walk
from gambol.robots.stabiliser import Balance, SensedState, Stabiliser, WantedBalance
from gambol.robots.walking_settings import check_walking
from gambol.robots.whole_body import BodyGoal, SolePose, WholeBody, pitch_root, stand_level

TICK = 0.005
"""Seconds between commands."""
_TICKS = round(PERIOD / TICK)
_MARGIN = 0.02
"""Metres by which planned zero moment points of JVRC-1 stay inside soles."""
_SHIFT = 6
"""Samples in which the weight is shifted before the first step."""
_FARTHER = 1.35
"""Longest step that a robot can make, relative to the longest that it makes when nothing pushes it."""
_TOLERATED = 1.0
"""Errors of the divergent component that are left to the stabiliser, as shares of half a sole."""
_LANDING = 2
"""Samples at the beginning of a step in which errors are those of the impact."""
_COMING = 0.5
"""Share of the distance between feet by which the divergent component should have left a foot at the end of a step."""
_DELAYS = 8
"""Samples by which a step is longer at most."""
_DOUBLE = 1
"""Samples at the beginning of a step in which both feet carry."""


class WalkingState(NamedTuple):
    """Where a walker is."""

    q: Array
    """(dofs,) joint angles commanded last."""
    course: WalkingCourse
    """Planned last."""
    correction: Cart
    """What the dynamic filter adds to the centre of mass."""
    balance: Balance
    support: int | None = None
    """Foot on which a step is made; None: the walker stands on both."""
    first: int | None = None
    """Foot to which a walker who stands shifts the weight."""
    left: int = 0
    """Samples of the step or of the shift that are left; 0: both feet are on the ground."""
    samples: int = 0
    """Samples of the whole step."""
    delayed: int = 0
    """Samples by which it is longer than planned."""
    ticks: int = 0
    """Since the last plan."""
    unsolved: int = 0
    """Plans so far for which the solver found no optimum."""
    correcting: Array = np.zeros((round(PERIOD / SAMPLE), 2))
    """(samples, 2) jerks of the correction (m/s³)."""


class Walker:
    """Walks; `filtered`: with the dynamic filter; `adaptive`: steps follow a body that was pushed.

    One that is not `balanced` walks in open loop: it does not use what its sensors tell.
    """

    def __init__(self, robot: Biped, *, filtered: bool = True, adaptive: bool = True, balanced: bool = True) -> None:
        robot = align_base(robot)
        check_walking(robot)
        self.robot, self._adaptive, self._balanced = robot, adaptive, balanced
        self._body, self._stabiliser = WholeBody(robot), Stabiliser(robot)
        self.posture = stand_level(robot)
        jacobians = Jacobians(robot.dynamics)
        jacobians.take(self.posture)
        left, right = (foot.place(jacobians).position for foot in robot.feet)
        ratio = robot.size_ratio
        length, width = robot.feet[0].half - ratio * _MARGIN
        self.size = WalkerSize(
            float(jacobians.center[2]),
            (float(length), float(width)),
            float(left[1] - right[1]),
            _FARTHER * robot.longest_step,
            ratio * WalkerSize.inward,
            ratio * WalkerSize.outward,
        )
        self._clearance = ratio * CLEARANCE
        self._omega = float(np.sqrt(GRAVITY / self.size.height))
        self._filter = DynamicFilter(robot, self.size.height) if filtered else None

    def start(self) -> WalkingState:
        """Return the state of a robot that stands at the origin and looks along x."""
        half = 0.5 * self.size.width
        feet = Footprint(0, 0.0, half, 0.0), Footprint(1, 0.0, -half, 0.0)
        rest = Cart.rest(np.zeros(2))
        course = WalkingCourse(rest, np.zeros((PLANNED_SAMPLES, 2)), PERIOD, feet, ())
        return WalkingState(self.posture, course, rest, Balance.none())

    def step(
        self,
        state: WalkingState,
        sensed: SensedState,
        gaits: Sequence[Gait],
        posture: Array | None = None,
        hands: tuple[Array | None, Array | None] = (None, None),
    ) -> WalkingState:
        """Return the state a tick later, which has the joint angles to command.

        Gaits are those of the step that is being made, or is to be made next, and of steps after it; none: stop.
        """
        posture = self.posture if posture is None else posture
        if state.ticks == 0:
            state = self._plan(state, gaits, posture)
        jerk = state.correcting[int(TICK * (state.ticks + 0.5) / SAMPLE)]
        state = state._replace(ticks=state.ticks + 1, correction=state.correction.advance(jerk, TICK))
        stance = state.course.at(TICK * state.ticks)
        cart = Cart(*(np.add(*both) for both in zip(stance.cart, state.correction, strict=True)))
        center = np.append(cart.position, self.size.height)
        point = stance.cart.find_zero_moment_point(self.size.height)
        soles = stance.soles
        if self._balanced:
            wanted = WantedBalance(center, cart.velocity, point, soles, stance.carrying)
            state = state._replace(balance=self._stabiliser.correct(state.balance, wanted, sensed, TICK))
            soles = self._level_swing(state.balance.move(soles), stance.carrying, state.q, sensed.q)
        goal = BodyGoal(soles, center, stance.heading, posture, hands)
        state = state._replace(q=self._body.follow(state.q, goal, TICK))
        return state if state.ticks < _TICKS else self._end_period(state)

    def _level_swing(
        self, soles: tuple[SolePose, SolePose], carrying: tuple[bool, bool], commanded: Array, sensed: Array
    ) -> tuple[SolePose, SolePose]:
        """Return soles of which one that swings is level and as high as planned although the body leans."""
        if all(carrying):
            return soles
        support, swinging = (soles[0], soles[1]) if carrying[0] else (soles[1], soles[0])
        lean = pitch_root(commanded) @ pitch_root(sensed).T  # from the body as it is to the body as commanded
        moved = SolePose(support.position + lean @ (swinging.position - support.position), lean @ swinging.rotation)
        return (support, moved) if carrying[0] else (moved, support)

    def _end_period(self, state: WalkingState) -> WalkingState:
        """Return the state at the time of the next plan; its course begins there."""
        course = state.course
        swing = course.swing_at(PERIOD)
        kept = () if swing is None else (course.swings[0]._replace(start=swing),)
        now = WalkingCourse(course.cart_at(PERIOD), course.jerks[1:], PERIOD, course.feet_at(PERIOD), kept)
        return state._replace(course=now, ticks=0, left=max(state.left - 1, 0))

    def _plan(self, state: WalkingState, gaits: Sequence[Gait], posture: Array) -> WalkingState:
        """Return the state with a course from now on, in the step that begins now if one does."""
        if state.left == 0 and state.support is not None:
            state = self._begin_step(state, 1 - state.support, gaits)
        elif state.left == 0 and state.first is not None:
            state = self._begin_step(state._replace(first=None), state.first, gaits)
        elif state.left == 0 and gaits:
            state = state._replace(first=0 if gaits[0].velocity[1] < 0.0 else 1, left=_SHIFT)
        cart = self._adapt(state)
        state = self._delay(state, cart)
        feet = state.course.feet
        gaits = [*gaits, *[Gait()] * PLANNED_SAMPLES]
        if state.support is not None:
            supports = [Support(state.left, (feet[state.support],))]
        elif state.first is not None:
            supports = [Support(state.left, feet), Support(gaits[0].samples, (feet[state.first],))]
        else:
            supports = [Support(PLANNED_SAMPLES, feet)]
        for gait in gaits[1:]:
            supports.append(Support(gait.samples, ()))
        plan = plan_walk(self.size, cart, supports, gaits)
        swings = self._find_swings(state, supports, plan.footprints)
        course = WalkingCourse(cart, plan.jerks, PERIOD, feet, swings)
        state = state._replace(course=course, unsolved=state.unsolved + (not plan.solved))
        if self._filter is None:
            return state
        return state._replace(correcting=self._filter.correct(state.q, course, state.correction, posture))

    def _adapt(self, state: WalkingState) -> Cart:
        """Return the planned cart, with the velocity that the body has where soles alone cannot bring that back."""
        cart = state.course.cart
        if not self._adaptive or state.support is None or state.samples - state.left < _LANDING:
            return cart
        away = state.course.feet[state.support].rotation @ self._find_excess(state, state.support)
        return cart._replace(velocity=cart.velocity + self._omega * away)

    def _find_excess(self, state: WalkingState, support: int) -> Array:
        """Return how far (2,) the divergent component is beyond what soles alone bring back, in axes of a foot (m)."""
        tolerated = _TOLERATED * self.robot.feet[0].half
        away = -state.course.feet[support].rotation.T @ state.balance.error
        return np.asarray(away - np.clip(away, -tolerated, tolerated))

    def _delay(self, state: WalkingState, cart: Cart) -> WalkingState:
        """Return the state with a longer step if the body would not come far enough from the foot on which it stands.

        No foot can step across the one that stands; a body that was pushed outward comes back if it waits.
        """
        if not self._adaptive or state.support is None or not 0 < state.left <= 2 or state.delayed >= _DELAYS:
            return state
        foot, outward = state.course.feet[state.support], 1.0 if state.support == 0 else -1.0
        if state.delayed == 0 and outward * self._find_excess(state, state.support)[1] <= 0.0:
            return state
        apart = foot.rotation.T @ (cart.position + cart.velocity / self._omega - foot.place[:2])
        inward = -outward * apart[1] * np.exp(self._omega * PERIOD * state.left)
        if inward > _COMING * self.size.width:
            return state
        return state._replace(left=state.left + 1, samples=state.samples + 1, delayed=state.delayed + 1)

    @staticmethod
    def _begin_step(state: WalkingState, foot: int, gaits: Sequence[Gait]) -> WalkingState:
        """Return the state in which a step on a foot begins, or, without gaits, the walker stands."""
        if not gaits:
            return state._replace(support=None, left=0)
        return state._replace(support=foot, left=gaits[0].samples, samples=gaits[0].samples, delayed=0)

    def _find_swings(
        self, state: WalkingState, supports: Sequence[Support], footprints: Sequence[Footprint]
    ) -> tuple[SwingPhase, ...]:
        """Return the swings of a plan."""
        swings, end, feet, goals = [], 0.0, list(state.course.feet), list(footprints)
        for number, support in enumerate(supports):
            end += PERIOD * support.samples
            if len(support.footprints) == 2 or not goals:
                continue
            goal = goals.pop(0)
            samples = state.samples if number == 0 else support.samples
            begin = end - PERIOD * (samples - _DOUBLE)
            swinging = next((s.start for s in state.course.swings if begin < 0.0), None)
            start = swinging or Swing.lift(feet[goal.side])
            swings.append(SwingPhase(goal.side, begin, end, start, goal, self._clearance))
            feet[goal.side] = goal
        return tuple(swings)

"""Person 1, who reacts to the hand of person 2 frame by frame, in any style (M17 section 4.3).

The hand tells phase, pace and contact point (`tracker`), and these tell the pose (`course`). Person 1 goes through the
phases no faster than people do, forward or, where the hand turns back before both have met, backward: who is surprised
arrives later. Where the hand does what it never did, person 1 waits for it; once they have met, it goes on to the end.
Feet that stand are locked (`feet`). The hand of person 1 is then moved by what the observed hand differs from the
expected one, the more the nearer both should be: hands meet where the hand of person 2 is. When the style changes, and
when one meeting follows another, the difference of the poses fades.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.feet import find_foot_course
from gambol.interaction.model import InteractionModel
from gambol.interaction.pace import limit_paces
from gambol.interaction.tracker import BankState, HandCourse, MeetingEstimate, follow_hand, start_bank
from gambol.interaction.trials import NEUTRAL, GroundFrame
from gambol.legs.locks import FootLock
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion

_FOLLOW = 0.05
"""Seconds in which phase and contact point follow the estimated ones."""
_HASTE, _REACTION = 2.0, 0.1
"""By how much of the usual pace person 1 changes its own in so many seconds. After as long without a sample that a
hypothesis explains it waits."""
_STAYING, _STAY_PACE = 0.3, 0.3
"""Seconds over which the pace of the hand is averaged, and its share of the usual pace below which person 1 stays."""
_BRAKING = 0.5
"""Seconds in which person 1 stops from the largest pace where the course begins or ends: people may walk there."""
_LATE = 0.25
"""How far (phase) before the contact a hand is that has left after it, so that person 1 need not go back."""
_MET = 0.5
"""Phase of the contact, from which a meeting goes on to its end."""
_GOAL_SPEED = 1.0
"""Metres per second by which the contact point moves, at most."""
_FADING = 8.0
"""Rate (1/s) at which differences of poses fade, critically damped: from rest, half in 0.2 s."""
_GIVE_UP = 0.3
"""Seconds of samples that nothing explains after which person 1 returns to rest."""
_REACH_SPEED, _REACH_ACCELERATION = 1.5, 60.0
"""Largest speed (m/s) and acceleration (m/s²) at which the hand of person 1 is moved away from its place in the course
or back to it."""
_FARTHEST = 0.15
"""Largest distance (m) by which it is moved to meet the observed hand."""
_AVERAGE = 0.01
"""Seconds over which the distance of the observed hand from the expected one is averaged."""
_NEAR, _TOUCH = 0.25, 0.1
"""Metres between both expected hands at which the hand of person 1 follows the observed one less, and touches less."""
_LEAST_SHARE = 1e-6


class PartnerState(NamedTuple):
    """Where person 1 is in the meeting."""

    bank: BankState
    phase: float
    goal: Array
    """(3,) contact point (m)."""
    aside: Array
    """(3,) metres from the expected hand of person 2 to the observed one, averaged."""
    shares: Array
    """(emotions,) of the style."""
    lock: FootLock
    """Of the feet of person 1."""
    told: float = 0.0
    """Phase that the hand told."""
    pace: float = 0.0
    """Phase per second."""
    met: bool = False
    """Whether the hands have met."""
    travel: float = 0.0
    """Pace that the hand told, relative to the usual one, averaged."""
    fading: Array | float = 0.0
    """(columns,) what is added to rows of the course; it fades. The expected hand of person 2 has none."""
    fading_rate: Array | float = 0.0
    """(columns,) per second."""
    reached: Array | float = 0.0
    """(3,) metres by which the hand of person 1 was moved to meet the observed one."""
    reach_rate: Array | float = 0.0
    """(3,) metres per second."""


class PartnerFrame(NamedTuple):
    """One frame of person 1."""

    local: Placement
    """Joints relative to their parents, the root relative to the frame of person 1; one frame."""
    estimate: MeetingEstimate
    hand: Array
    """(3,) place of the touching point (m), before the hand follows that of person 2."""
    outside: float
    """Metres from the expected hand of person 2 to the observed one, where that is not what was learned; else 0."""


def place_partner(model: InteractionModel, frame: PartnerFrame) -> Motion:
    """Return person 1 in a frame, at the origin, as a motion of one frame on the rig."""
    return model.people[0].make_motion(frame.local, GroundFrame(np.zeros(3), 0.0), model.frame_time, "person 1")


@dataclass(frozen=True, eq=False)
class Partner:
    """Reacts to a hand; `polish`: whether its own hand follows the observed one."""

    model: InteractionModel
    polish: bool = True

    def start(self, style: Mapping[str, float] = NEUTRAL) -> PartnerState:
        """Return the state at rest."""
        shares = self.model.course.share_styles(style)
        bank = start_bank(self._find_course(shares))
        return PartnerState(bank, 0.0, self.model.course.goal_space.mean, np.zeros(3), shares, FootLock.none(1))

    def step(
        self,
        state: PartnerState,
        hand: Array | None,
        style: Mapping[str, float] = NEUTRAL,
        seconds: float | None = None,
    ) -> tuple[PartnerState, PartnerFrame]:
        """Return the state and the pose after some seconds (default: a frame), given the hand (3,) of person 2.

        Its place is in the frame of person 1 (m); None: not seen.
        """
        elapsed = self.model.frame_time if seconds is None else seconds
        shares = self.model.course.share_styles(style)
        course = self._find_course(shares)
        bank, estimate = follow_hand(course, state.bank, hand, elapsed)
        moved = self._follow(self._change_style(state, shares)._replace(bank=bank), estimate, elapsed)
        if self.model.closed and estimate.unexplained > _GIVE_UP:
            moved = moved._replace(bank=start_bank(course))
        if self.model.closed and moved.phase >= 1.0:
            moved = self._begin_again(moved, shares, course)
        features = self.model.course.combine(shares, moved.goal)
        row = self.model.course.evaluate(moved.phase, features) + moved.fading
        explained = hand is not None and estimate.unexplained == 0.0
        moved = self._compare(moved, row, hand if explained else None, elapsed)
        moved, frame = self._pose(moved, row, estimate, elapsed)
        if hand is None or explained:
            return moved, frame
        return moved, frame._replace(outside=float(np.linalg.norm(hand - row[self.model.columns[3]])))

    def _find_course(self, shares: Array) -> HandCourse:
        return _find_course(self.model, tuple(shares.tolist()))

    def _follow(self, state: PartnerState, estimate: MeetingEstimate, seconds: float) -> PartnerState:
        """Return the state whose phase and goal follow the estimate."""
        known = estimate.unexplained == 0.0
        met = (state.met or (known and estimate.phase > _MET)) and state.phase > _MET - _LATE
        usual = float(np.exp(self.model.log_rates[int(state.phase > _MET)] @ np.append(1.0, state.shares)))
        fastest = float(np.interp(state.phase, *limit_paces(self.model, tuple(state.shares.tolist()))))
        moving, target = (estimate.phase - state.told) / max(seconds, 1e-9), estimate.phase
        if met and target < _MET - _LATE:
            moving, target = usual, 1.0
        elif not met and estimate.unexplained > _REACTION:
            moving, target = 0.0, min(target, state.phase)
        moving = _clip(moving, fastest)
        share, averaged = (1.0 - float(np.exp(-seconds / time)) for time in (_FOLLOW, _STAYING))
        travel = state.travel + averaged * (moving / (usual) - state.travel)
        if (feet := find_foot_course(self.model)) is not None:
            target += (1.0 - min(abs(travel) / _STAY_PACE, 1.0)) * (feet.find_rest(target) - target)
        behind = target - state.phase - moving * seconds
        wanted = _clip(moving + share * behind / max(seconds, 1e-9), fastest)
        if not self.model.closed:
            room = 1.0 - state.phase if wanted > 0.0 else state.phase
            wanted = _clip(wanted, float(np.sqrt(2.0 * fastest / _BRAKING * room)))
        pace = _clip(state.pace + _clip(wanted - state.pace, _HASTE * usual / _REACTION * seconds), fastest)
        phase = min(max(state.phase + pace * seconds, 0.0), 1.0)
        moved = _shorten(share * (estimate.goal - state.goal), _GOAL_SPEED * seconds)
        gone, left = state.fading_rate + _FADING * state.fading, float(np.exp(-_FADING * seconds))
        return state._replace(
            phase=phase,
            told=estimate.phase,
            met=met,
            pace=(phase - state.phase) / seconds if seconds else state.pace,
            travel=travel,
            goal=state.goal + moved,
            fading=left * (state.fading + seconds * gone),
            fading_rate=left * (state.fading_rate - _FADING * seconds * gone),
        )

    def _measure_change(self, phase: float, features: Array, other: float, others: Array) -> Array:
        """Return what the row (columns,) of a phase and features is more than another one."""
        apart = self.model.course.evaluate(phase, features) - self.model.course.evaluate(other, others)
        apart[self.model.columns[3]] = 0.0
        return apart

    def _change_style(self, state: PartnerState, shares: Array) -> PartnerState:
        """Return the state in a style, from which the pose differs less and less where the style was another one."""
        if np.array_equal(shares, state.shares):
            return state
        before, after = (self.model.course.combine(each, state.goal) for each in (state.shares, shares))
        apart = self._measure_change(state.phase, before, state.phase, after)
        return state._replace(shares=shares, fading=state.fading + apart)

    def _begin_again(self, state: PartnerState, shares: Array, course: HandCourse) -> PartnerState:
        """Return the state before a meeting, from which the pose after one differs less and less."""
        features = self.model.course.combine(shares, state.goal)
        apart = self._measure_change(state.phase, features, 0.0, features)
        bank = start_bank(course) if state.told > _MET else state.bank
        return state._replace(bank=bank, phase=0.0, met=False, fading=state.fading + apart)

    def _compare(self, state: PartnerState, row: Array, hand: Array | None, seconds: float) -> PartnerState:
        """Return the state with the distance of the observed hand from the expected one, averaged over samples."""
        if hand is None:
            return state
        share = 1.0 - float(np.exp(-seconds / _AVERAGE))
        return state._replace(aside=state.aside + share * (hand - row[self.model.columns[3]] - state.aside))

    def _pose(
        self, state: PartnerState, row: Array, estimate: MeetingEstimate, seconds: float
    ) -> tuple[PartnerState, PartnerFrame]:
        rows, _, one, two = (row[columns] for columns in self.model.columns)
        person = self.model.people[0]
        local = person.decode(rows[None])
        if (feet := find_foot_course(self.model)) is not None:
            lock, local = feet.lock(state.lock, local, state.phase, seconds)
            state = state._replace(lock=lock)
        apart = float((two - one) @ (two - one))
        # Where hands should be near each other, the hand goes to where it is expected from the observed one; where they
        # should touch, to the observed one.
        share = float(np.exp(-apart / _NEAR**2))
        change = share * (_shorten(state.aside, _FARTHEST) + float(np.exp(-apart / _TOUCH**2)) * (two - one))
        state = _approach(state, change, seconds)
        # By so much from the pose's own hand, and by the share to the one of the row: both differ by millimetres.
        goal = one + state.reached / max(share, _LEAST_SHARE)
        rotations, hand = person.arm.reach(local, goal[None], max(share, _LEAST_SHARE) if self.polish else 0.0)
        return state, PartnerFrame(Placement(local.positions, rotations), estimate, hand[0], 0.0)


def _approach(state: PartnerState, change: Array, seconds: float) -> PartnerState:
    """Return the state whose hand is moved by a change (3,) as soon as its speed and acceleration allow it."""
    away = change - state.reached
    far = float(np.linalg.norm(away))
    # As fast as it can still stop.
    speed = min(_REACH_SPEED, float(np.sqrt(2.0 * _REACH_ACCELERATION * far)))
    wanted = _shorten(away / max(seconds, 1e-9), speed)
    rate = state.reach_rate + _shorten(wanted - state.reach_rate, _REACH_ACCELERATION * seconds)
    return state._replace(reached=state.reached + rate * seconds, reach_rate=rate)


def _shorten(vector: Array, longest: float) -> Array:
    """Return a vector (3,) no longer than a length."""
    return np.asarray(min(1.0, longest / max(float(np.linalg.norm(vector)), 1e-9)) * vector)


def _clip(value: float, most: float) -> float:
    return min(max(value, -most), most)


@lru_cache(maxsize=16)
def _find_course(model: InteractionModel, shares: tuple[float, ...]) -> HandCourse:
    return model.find_hand_course(np.array(shares))

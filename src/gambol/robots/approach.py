"""Walk to a place: turn towards it, walk straight there, and stop with the feet side by side."""

from __future__ import annotations

import math

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import rotate_plane
from gambol.robots.biped import Biped
from gambol.robots.execution import Orders
from gambol.robots.footprints import Footprint
from gambol.robots.pattern import PERIOD, Gait
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker, WalkingState

_LONGEST = 5.0 / 7.0
"""Longest step as a share of the longest that a robot can make."""
_LARGEST_TURN = 0.25
"""Largest turn in a step (rad)."""
_STRAIGHT = 0.3
"""Angle (rad) beside the place up to which the walker goes there while it turns."""
_ASIDE = 0.05
"""Longest step aside of JVRC-1 (m), near the place."""
THERE = 0.02
"""Metres from the place at which no further step is made."""
_REST = 0.5
"""Seconds for which a robot stands at the end."""
_MOST = 200


class PlacePlanner:
    """Orders of a walker who goes to a place (2,), in metres; `place` may be changed until the walker is there."""

    def __init__(self, walker: Walker, place: Array) -> None:
        self._walker, self.place = walker, place
        self._on_the_spot = Gait(samples=round(walker.robot.step_seconds / PERIOD))
        self._gaits: list[Gait] = []
        self._rested, self._stopped = 0.0, False

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        """Return what to do in the next tick."""
        if state.ticks == 0:
            offset = rotate_plane(float(state.q[3] - sensed.q[3])) @ (self.place - sensed.q[:2])
            self._gaits = self._list_gaits(state, state.q[:2] + offset)
            self._stopped = not self._gaits
        # One who swayed, or slipped in the last step, steps again.
        self._rested = self._rested + TICK if self._stopped and state.support is None else 0.0
        return Orders(self._gaits, self._walker.posture, done=self._rested > _REST)

    def _list_gaits(self, state: WalkingState, place: Array) -> list[Gait]:
        """Return steps from the foot that stands, or will stand, to a place as the commanded body sees it."""
        feet = state.course.feet
        center: Array
        if state.support is None:
            center, heading = 0.5 * (feet[0].place + feet[1].place)[:2], feet[0].heading
        else:
            standing = feet[state.support] if state.left else feet[1 - state.support]
            center, heading = self._find_center(standing), standing.heading
        gaits: list[Gait] = []
        while len(gaits) < _MOST:
            way = place - center
            distance = float(np.linalg.norm(way))
            if distance < THERE:
                break
            step, turn = _choose_step(rotate_plane(heading).T @ way, self._walker.robot)
            gait = self._on_the_spot
            gaits.append(gait._replace(velocity=step / gait.seconds, turning=turn / gait.seconds))
            center = center + rotate_plane(heading) @ step
            heading += turn
        if not gaits and not state.left and _are_together(*feet):
            return []
        return [*gaits, self._on_the_spot]

    def _find_center(self, foot: Footprint) -> Array:
        """Return the middle (2,) of feet side by side of which one is known."""
        aside = 0.5 * self._walker.size.width * (-1.0 if foot.side == 0 else 1.0)
        return np.asarray(foot.place[:2] + foot.rotation @ [0.0, aside])


def _are_together(left: Footprint, right: Footprint) -> bool:
    """Return whether soles are side by side."""
    ahead = float((left.rotation.T @ (left.place - right.place)[:2])[0])
    return abs(ahead) < 0.5 * THERE and abs(left.heading - right.heading) < 0.02


def _choose_step(way: Array, robot: Biped) -> tuple[Array, float]:
    """Return a step (2,) and a turn towards a place that is ahead and to the left (2,) of a walker (m)."""
    longest, aside = _LONGEST * robot.longest_step, _ASIDE * robot.size_ratio
    distance = float(np.linalg.norm(way))
    if distance < longest:
        return np.clip(way, [-longest, -aside], [longest, aside]), 0.0
    beside = math.atan2(way[1], way[0])
    turn = min(max(beside, -_LARGEST_TURN), _LARGEST_TURN)
    length = distance / math.ceil(distance / longest) if abs(beside) < _STRAIGHT else 0.0
    return np.array([length, 0.0]), turn

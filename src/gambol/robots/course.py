"""Where soles and centre of mass are at any time of a walking plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.robots.cart import Cart
from gambol.robots.footprints import Footprint, Swing
from gambol.robots.whole_body import SolePose

CLEARANCE = 0.05
"""Height (m) of a swinging sole of JVRC-1 in the middle of a step."""
_LOWERING = 0.2
"""Share of a swing in which a sole sinks straight down: where it lands early, it does not stub its toe."""


class SwingPhase(NamedTuple):
    """A sole in the air."""

    foot: int
    begin: float
    """Seconds after the beginning of the course; negative where it began before."""
    end: float
    start: Swing
    """At the beginning of the phase or of the course, whichever is later."""
    goal: Footprint
    clearance: float = CLEARANCE
    """Height in the middle of the phase (m)."""

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.begin

    def swing_at(self, time: float) -> Swing:
        """Return the state at a time."""
        begun = max(self.begin, 0.0)
        above = self.end - _LOWERING * self.duration
        return self.start.approach(self.goal.place, (above if above > begun else self.end) - begun, time - begun)

    def height_at(self, time: float) -> float:
        """Return the height of the sole (m)."""
        s = (time - self.begin) / self.duration
        return self.clearance * 16.0 * s**2 * (1.0 - s) ** 2


class CourseMoment(NamedTuple):
    """A moment of a course."""

    cart: Cart
    places: tuple[Array, Array]
    """(3,) x, y and heading of the soles."""
    heights: tuple[float, float]
    """Of the soles (m)."""
    carrying: tuple[bool, bool]
    """Which soles carry weight."""

    @property
    def soles(self) -> tuple[SolePose, SolePose]:
        """Poses of the soles."""
        one, two = (
            SolePose(np.array([x, y, height]), quat.to_matrix(quat.from_axis_angle(UP, heading)))
            for (x, y, heading), height in zip(self.places, self.heights, strict=True)
        )
        return one, two

    @property
    def heading(self) -> float:
        """Mean of both soles (rad)."""
        return 0.5 * float(self.places[0][2] + self.places[1][2])


@dataclass(frozen=True, eq=False)
class WalkingCourse:
    """A course of soles and centre of mass."""

    cart: Cart
    """At the beginning."""
    jerks: Array
    """(samples, 2) m/s³."""
    period: float
    """Seconds of a sample."""
    feet: tuple[Footprint, Footprint]
    """Before the first swing ends."""
    swings: Sequence[SwingPhase]
    """One after the other."""

    def cart_at(self, time: float) -> Cart:
        """Return the cart at a time (s)."""
        cart = self.cart
        for jerk in self.jerks:
            if time <= self.period:
                return cart.advance(jerk, time)
            cart, time = cart.advance(jerk, self.period), time - self.period
        return cart

    def swing_at(self, time: float) -> Swing | None:
        """Return the state of the swinging sole, if one swings."""
        return next((swing.swing_at(time) for swing in self.swings if swing.begin < time < swing.end), None)

    def feet_at(self, time: float) -> tuple[Footprint, Footprint]:
        """Return the last footprints of both feet."""
        feet = list(self.feet)
        for swing in self.swings:
            if time >= swing.end - 1e-9:
                feet[swing.foot] = swing.goal
        return feet[0], feet[1]

    def at(self, time: float) -> CourseMoment:
        """Return what is where at a time (s)."""
        places, heights, carrying = [foot.place for foot in self.feet_at(time)], [0.0, 0.0], [True, True]
        for swing in self.swings:
            if swing.begin < time < swing.end - 1e-9:
                places[swing.foot] = swing.swing_at(time).place
                heights[swing.foot] = swing.height_at(time)
                carrying[swing.foot] = False
        return CourseMoment(
            self.cart_at(time), (places[0], places[1]), (heights[0], heights[1]), (carrying[0], carrying[1])
        )

"""Simulate a folk dance: two couples change places, one below the bridge of the other's arms.

M17 section 2.4, Fig. 2b; the paper gives no equations, these are ours. The hall has an axis x and places for both
couples at either end. With w = 1 for dancers that face up the hall and -1 down, phi the heading, g the distance along w
from the own couple to the other, and S the logistic function:

    role      the couple going up the hall bridges, the couple coming down crouches; roles change after turning around
    passing   e = S(near - g) S(g + past): arms are raised and backs bent as the others approach, until they have passed
    lane      y* = rest + e (width of the role - rest), on the dancer's side of the hall; lanes separate a bit earlier
    heading   d phi = -m sin(phi - phi*), phi* towards a point ahead on the lane; at the end of the hall phi* is back
              and k s sin^2((phi - phi*) / 2) is added, so that a dancer turns to the side s of its partner
    speed     d v = (v* - v) / tau, v* towards the place ahead, abreast of the partner; a dancer at an end leaves when
              both couples face each other, and until then goes to its place there, backward if necessary
    phase     coupled Hopf oscillators: partners are mirror images across the axis, both couples in step

Nothing depends on time explicitly; the state is positions, headings, speeds and phases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.crowd.dance_steps import DanceSteps
from gambol.primitives.crowd.paths import CrowdPaths, follow_oscillators
from gambol.primitives.oscillator import Couplings, phase_of, states_on_cycle, step_coupled

PARTNER = np.array([1, 0, 3, 2])
"""Index of the partner of each of the four dancers."""
_COUPLE = np.array([0, 0, 1, 1])
_FACED, _GLANCE = 0.8, 0.05
"""Cosine (37 degrees) above which a dancer faces another, and the width of the transition."""
_STEP = 0.04
"""Width of transitions along the hall (metres)."""


@dataclass(frozen=True)
class DanceHall:
    """Places of the dancers, and parameters of their laws."""

    length: float = 6.0
    """Metres between the places at both ends."""
    rest: float = 0.5
    """Metres from the axis to a dancer's place."""
    parting: float = 5.0
    """Metres between the couples at which lanes separate."""
    near: float = 2.6
    """Metres between the couples at which arms are half raised and backs half bent."""
    past: float = 1.3
    """Metres after passing at which arms and backs are half-way back."""
    soft: float = 0.2
    """Width of these transitions (metres)."""
    ahead: float = 0.7
    """Metres ahead on the lane of the point that a dancer heads for."""
    widest: float = 0.4
    """Largest heading off the axis (radians); small enough that the others still see that it comes."""
    heading: float = 3.0
    """m (1/s)."""
    about: float = 6.0
    """k (1/s): twice m, so that a dancer up to a quarter turn off still turns to its partner's side."""
    end: float = 0.25
    """Metres before its place at which a dancer turns around."""
    waiting: float = 0.5
    """Metres from its place within which a dancer waits for the others."""
    approach: float = 1.5
    """Speed per metre of distance to a place (1/s)."""
    backward: float = 0.35
    """Largest backward speed (m/s)."""
    abreast: float = 1.0
    """Relative reduction of speed per metre ahead of the partner."""
    lag: float = 0.25
    """tau (s)."""
    coupling: float = 0.6
    """1/s between any two oscillators: three others slow phases by less than half, so phases never run backward."""


class DancerStates(NamedTuple):
    """The state of all four dancers; the first two are a couple."""

    places: Array
    """(4, 2) metres up the hall and to the left of it."""
    headings: Array
    """(4,) radians."""
    speeds: Array
    """(4,) metres per second."""
    oscillators: Array
    """(4, 2)"""

    @property
    def facing(self) -> Array:
        """(4, 2) unit vectors."""
        return np.stack((np.cos(self.headings), np.sin(self.headings)), axis=1)

    @property
    def direction(self) -> Array:
        """(4,) 1 for a dancer that faces up the hall, -1 down."""
        return np.where(np.cos(self.headings) >= 0.0, 1.0, -1.0)

    @property
    def side(self) -> Array:
        """(4,) 1 for a dancer to the left of its partner, looking up the hall, -1 to the right."""
        aside = self.places[:, 1]
        return np.where(aside > aside[PARTNER], 1.0, -1.0)


class DanceCommand(NamedTuple):
    """Target speeds, turn rates and styles of the dancers. All are (4,)."""

    speed: Array
    """Metres per second."""
    turning: Array
    """Radians per second."""
    left_arm: Array
    """Share of the style with this arm raised; likewise below."""
    right_arm: Array
    crouch: Array


class DanceRecord(NamedTuple):
    """A simulated dance."""

    paths: CrowdPaths
    bridging: Array
    """(frames, 4) share of a raised arm, from 0 to 1."""
    crouching: Array
    """(frames, 4) share of the crouch, from 0 to 1."""


def draw_dancers(hall: DanceHall, seed: int, out_of_place: float = 0.3, turned: float = 0.2) -> DancerStates:
    """Draw couples at both ends that face each other, with random offsets (m), headings (rad) and phases."""
    draw = np.random.default_rng(seed)
    ends, sides = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    far, angle = out_of_place * np.sqrt(draw.uniform(size=4)), draw.uniform(0.0, 2.0 * np.pi, 4)
    places = _places(hall, ends, sides) + far[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    headings = np.where(ends < 0.0, 0.0, np.pi) + turned * draw.uniform(-1.0, 1.0, 4)
    return DancerStates(places, headings, np.zeros(4), states_on_cycle(draw.uniform(0.0, 2.0 * np.pi, 4)))


def command_dancers(hall: DanceHall, steps: DanceSteps, dancers: DancerStates) -> DanceCommand:
    """Return the commands of all dancers for the current state."""
    direction, along = dancers.direction, dancers.places[:, 0]
    couples = along.reshape(2, 2).mean(axis=1)
    gap = direction * (couples[1 - _COUPLE] - couples[_COUPLE])
    not_past = _logistic((gap + hall.past) / hall.soft)
    passing, parting = (not_past * _logistic((far - gap) / hall.soft) for far in (hall.near, hall.parting))
    width = np.where(direction > 0.0, steps.pillar, steps.below)
    lane = dancers.side * (hall.rest + parting * (width - hall.rest))
    lifted = np.where(direction > 0.0, passing, 0.0)
    left = dancers.side * direction < 0.0
    return DanceCommand(
        _speed(hall, steps, dancers, lane),
        _turning(hall, steps, dancers, lane),
        np.where(left, lifted, 0.0),
        np.where(left, 0.0, lifted),
        passing - lifted,
    )


def _turning(hall: DanceHall, steps: DanceSteps, dancers: DancerStates, lane: Array) -> Array:
    """Return turn rates (4,) in rad/s: along lanes (4,), or around at the end of the hall."""
    (along, aside), direction = dancers.places.T, dancers.direction
    straight = np.where(direction > 0.0, 0.0, np.pi)
    back = dancers.headings - straight - np.pi
    aslant = hall.widest * np.tanh(np.arctan(direction * (lane - aside) / hall.ahead) / hall.widest)
    off = dancers.headings - straight - aslant
    about = -dancers.side * direction * hall.about * np.sin(0.5 * back) ** 2 - hall.heading * np.sin(back)
    outside = _logistic((direction * along - 0.5 * hall.length + hall.end) / _STEP)
    target = outside * about - (1.0 - outside) * hall.heading * np.sin(off)
    return np.asarray(steps.turning * np.tanh(target / steps.turning))


def _speed(hall: DanceHall, steps: DanceSteps, dancers: DancerStates, lane: Array) -> Array:
    """Return speeds (4,) in m/s to the places ahead, or to those where dancers wait for the others."""
    places, facing, direction = dancers.places, dancers.facing, dancers.direction
    along = places[:, 0]
    end = np.where(along >= 0.0, 1.0, -1.0)
    here = _places(hall, end, dancers.side)
    there = np.stack((0.5 * direction * hall.length, lane), axis=1)
    underway = _logistic((0.5 * hall.length - hall.waiting - np.abs(along)) / _STEP)
    leaves = np.where(direction == end, 1.0, np.maximum(underway, _ready(dancers)))
    left = [np.sum((goals - places) * facing, axis=1) for goals in (here, there)]
    waiting, walking = (np.clip(hall.approach * far, -hall.backward, steps.speed) for far in left)
    held_back = np.clip(hall.abreast * direction * (along - along[PARTNER]), -0.3, 0.3)
    return np.asarray((waiting + leaves * (walking - waiting)) * (1.0 - held_back))


def _ready(dancers: DancerStates) -> Array:
    """Return (4,) from 0 to 1: whether the other couple faces a dancer and its partner faces the same direction."""
    direction, along = dancers.direction, dancers.places[:, 0]
    faces = direction[:, None] * dancers.facing[:, 0]
    others = -faces * ((along - along[:, None]) * direction[:, None] > 0.0)
    mine = _COUPLE[:, None] == _COUPLE
    return np.asarray(_logistic((np.where(mine, faces, others) - _FACED) / _GLANCE).prod(axis=1))


def simulate_dance(
    hall: DanceHall, steps: DanceSteps, start: DancerStates, seconds: float, fps: float, late: float = 0.0
) -> DanceRecord:
    """Simulate four dancers; the second couple stands for the first `late` seconds."""
    dancers, phases, step = start, phase_of(start.oscillators), 1.0 / fps
    mirrored = np.where(start.side[:, None] == start.side, 0.0, np.pi)
    couplings = Couplings(hall.coupling * (1.0 - np.eye(4)), mirrored)
    history: list[tuple[Array, ...]] = []
    for frame in range(round(seconds * fps)):
        wants = command_dancers(hall, steps, dancers)
        awake = np.where((_COUPLE == 1) & (frame * step < late), 0.0, 1.0)
        speeds = awake * (dancers.speeds + (wants.speed - dancers.speeds) * (1.0 - np.exp(-step / hall.lag)))
        turning = awake * wants.turning
        middle = dancers._replace(headings=dancers.headings + 0.5 * step * turning)
        places = dancers.places + step * speeds[:, None] * middle.facing
        oscillators = step_coupled(dancers.oscillators, np.array(steps.frequency), step, couplings)
        dancers = DancerStates(places, dancers.headings + step * turning, speeds, oscillators)
        phases = follow_oscillators(phases, phase_of(oscillators), steps.frequency * step)
        history.append((phases, places, dancers.headings, speeds, turning, *wants[2:]))
    phase, place, heading, speed, turn, left, right, crouch = (np.array(row) for row in zip(*history, strict=True))
    blends = steps.blend(*(row.ravel() for row in (speed, turn, left, right, crouch))).reshape(*phase.shape, -1)
    return DanceRecord(CrowdPaths(phase, place, heading, blends, sway_forward=True), left + right, crouch)


def measure_exchanges(hall: DanceHall, danced: DanceRecord) -> list[float]:
    """Return, for every time that the couples passed, the least distance (metres) from their places of the farthest
    dancer."""
    places = danced.paths.places
    couples = places[..., 0].reshape(-1, 2, 2).mean(axis=2)
    up = couples[:, 0] > couples[:, 1]
    passed = np.flatnonzero(up[1:] != up[:-1])
    ends, sides = (np.where(places[..., axis] >= 0.0, 1.0, -1.0) for axis in (0, 1))
    off = np.linalg.norm(places - _places(hall, ends, sides), axis=-1).max(axis=1)
    return [float(part.min()) for part in np.split(off, passed + 1)[1:]]


def _places(hall: DanceHall, ends: Array, sides: Array) -> Array:
    """Return places (..., 2) at `ends` and `sides` of the hall, both 1 or -1."""
    return np.stack((0.5 * ends * hall.length, sides * hall.rest), axis=-1)


def _logistic(x: Array) -> Array:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))

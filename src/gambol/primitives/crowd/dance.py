"""A figure of a folk dance that nobody directs: two couples change places, one below the bridge of the other's arms.

M17 section 2.4, Fig. 2b; the paper gives no equations for it, these are ours. The hall has an axis x and a place for
every dancer at either end of it. With p a dancer's place, phi its heading, f = cos phi where it faces along the axis,
g the metres that the other couple is ahead of its own, S the logistic function:

    role       bridge S(f), crouch S(-f): who goes up the hall bridges, so roles change whenever they have turned about
    passing    e = S(near - g) S(g + past): arms and backs bend as the others come, and no longer when they are past
    lane       y* = rest + e (width of the role - rest), to the side of the hall that it is on
    heading    d phi = -m sin(phi - phi*) + k s sin^2((phi - phi*) / 2): towards a point ahead on the lane, or about when
               there is no hall ahead; s is the side of its partner, towards whom it turns
    speed      d v = (v* - v) / tau: towards the place ahead, in line with the partner; from a place at the end only when
               the others face it, else back to that place
    phase      Hopf oscillators of all four, in mirror image across the axis

Nothing here is a function of time, and there is no memory but places, headings, speeds and oscillators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.geometry.quaternions import Array
from gambol.primitives.crowd.figure import Steps
from gambol.primitives.crowd.ways import Ways
from gambol.primitives.oscillator import Couplings, advanced, on_cycle, phase_of

PARTNER = np.array([1, 0, 3, 2])
"""Of each of the four dancers."""
_COUPLE = np.array([0, 0, 1, 1])
_HURRY = 2.0
"""How many times as fast as usual steps may follow while phases are not yet in agreement."""


@dataclass(frozen=True)
class Hall:
    """Where dancers belong, and how their laws are set."""

    length: float = 6.0
    """Metres between the places at both ends."""
    rest: float = 0.5
    """Metres from the axis of the hall to a dancer's place."""
    below: float = 0.28
    """Metres from the axis to someone who passes below the bridge: shoulders of partners nearly touch."""
    aside_at: float = 4.4
    """Metres between the couples at which lanes begin to part."""
    near: float = 2.6
    """Metres between the couples at which arms are lifted and backs bent half the way."""
    past: float = 1.3
    """Metres by which couples are past each other when they are let down half the way."""
    soft: float = 0.2
    """Metres within which that happens."""
    ahead: float = 0.7
    """Metres ahead on the lane of what a dancer heads for."""
    heading: float = 3.0
    """m (1/s)."""
    about: float = 6.0
    """k (1/s): twice m, so that a dancer up to a quarter turn off still turns to its partner's side."""
    approach: float = 1.5
    """Metres a second for every metre that is left to a place."""
    backward: float = 0.35
    """Metres a second that a dancer steps backward at most."""
    abreast: float = 1.0
    """Share of speed that a dancer holds back for every metre ahead of its partner."""
    lag: float = 0.25
    """tau (s)."""
    coupling: float = 0.6
    """Per second, between any two dancers' oscillators: within half of a step frequency in all, so none steps back."""
    end: float = 0.25
    """Metres before the end where a dancer turns about."""
    zone: float = 0.5
    """Metres from its place within which a dancer waits for the others."""


class Dancers(NamedTuple):
    """The state of all four; the first two are a couple."""

    places: Array
    """(4, 2) metres along the hall and to the left of it."""
    headings: Array
    """(4,)"""
    speeds: Array
    """(4,) metres a second."""
    oscillators: Array
    """(4, 2)"""


class Intent(NamedTuple):
    """What each dancer does now."""

    speed: Array
    """(4,) metres a second that are wanted."""
    turning: Array
    """(4,) radians a second."""
    left_arm: Array
    """(4,) shares from 0 to 1, and on."""
    right_arm: Array
    crouch: Array


class Danced(NamedTuple):
    """A dance over time."""

    ways: Ways
    below: Array
    """(frames, 4) how far each crouches."""
    bridging: Array
    """(frames, 4) how far each has an arm lifted."""


def begin(hall: Hall, seed: int, out_of_place: float = 0.3, turned: float = 0.2) -> Dancers:
    """Couples at both ends who face each other, out of place (m), turned (rad) and out of step at random."""
    draw = np.random.default_rng(seed)
    side = np.array([1.0, -1.0, 1.0, -1.0])
    places = np.stack((np.repeat((-0.5, 0.5), 2) * hall.length, side * hall.rest), axis=1)
    far, angle = out_of_place * np.sqrt(draw.uniform(size=4)), draw.uniform(0.0, 2.0 * np.pi, 4)
    places = places + far[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    headings = np.repeat((0.0, np.pi), 2) + turned * draw.uniform(-1.0, 1.0, 4)
    return Dancers(places, headings, np.zeros(4), on_cycle(draw.uniform(0.0, 2.0 * np.pi, 4)))


def intent(hall: Hall, steps: Steps, dancers: Dancers) -> Intent:
    """What each wants, from where the others are."""
    x, y = dancers.places.T
    facing = np.stack((np.cos(dancers.headings), np.sin(dancers.headings)), axis=1)
    way = np.where(facing[:, 0] >= 0.0, 1.0, -1.0)
    side, partner_side = np.where(y >= y[PARTNER], 1.0, -1.0), np.sign(y[PARTNER] - y) * way
    centre = np.array([dancers.places[_COUPLE == one].mean(axis=0) for one in (0, 1)])
    gap = way * (centre[1 - _COUPLE] - centre[_COUPLE])[:, 0]
    bridge = _logistic(facing[:, 0] / 0.1)
    leaving = _logistic((gap + hall.past) / hall.soft)
    passing = leaving * _logistic((hall.near - gap) / hall.soft)
    parting = leaving * _logistic((hall.aside_at - gap) / hall.soft)
    width = bridge * steps.reach + (1.0 - bridge) * hall.below
    lane = side * (hall.rest + parting * (width - hall.rest))

    # Outside the hall a dancer turns about; inside it heads for its lane.
    no_hall = _logistic((way * x - 0.5 * hall.length + hall.end) / 0.03)
    lane_heading = np.arctan2(lane - y, way * hall.ahead)
    back = np.where(way > 0.0, np.pi, 0.0)
    off, about = dancers.headings - lane_heading, dancers.headings - back
    round_to = hall.about * partner_side * np.sin(0.5 * about) ** 2 - hall.heading * np.sin(about)
    turning = no_hall * round_to - (1.0 - no_hall) * hall.heading * np.sin(off)

    # A place at the end is left when the others face it, and the partner is ready too.
    end = np.sign(x)
    home = np.stack((0.5 * end * hall.length, side * hall.rest), axis=1)
    there = np.stack((0.5 * way * hall.length, lane), axis=1)
    seen = [_logistic((_faced(dancers.places, facing, one) - 0.8) / 0.05) for one in range(4)]
    ready = np.array([np.prod(row[_COUPLE != _COUPLE[one]]) for one, row in enumerate(seen)])
    ready = ready * _logistic((np.sum(facing * facing[PARTNER], axis=1) - 0.8) / 0.05)
    out = _logistic((0.5 * hall.length - hall.zone - np.abs(x)) / 0.05)
    go = np.maximum(out, ready) * (way != end) + (way == end)
    speed = (1.0 - go) * _wanted_speed(hall, steps, dancers.places, facing, home)
    speed = speed + go * _wanted_speed(hall, steps, dancers.places, facing, there)
    held_back = hall.abreast * way * (x - x[PARTNER])
    speed = speed * (1.0 - np.clip(held_back, -0.3, 0.3))
    limit = steps.turning
    lifted, crouch = passing * bridge, passing * (1.0 - bridge)
    to_left = partner_side > 0.0
    return Intent(
        speed, limit * np.tanh(turning / limit), np.where(to_left, lifted, 0.0), np.where(to_left, 0.0, lifted), crouch
    )


def dance(hall: Hall, steps: Steps, start: Dancers, seconds: float, rate: float, late: float = 0.0) -> Danced:
    """Lets four dance; the second couple stands for some seconds first, should it be late."""
    dancers, phases, step = start, phase_of(start.oscillators), 1.0 / rate
    side = np.sign(start.places[:, 1])
    mirrored = np.where(side[:, None] == side, 0.0, np.pi)
    couplings = Couplings(hall.coupling * (1.0 - np.eye(4)), mirrored)
    history: list[tuple[Array, ...]] = []
    for frame in range(round(seconds * rate)):
        wants = intent(hall, steps, dancers)
        moving = np.where((_COUPLE == 1) & (frame * step < late), 0.0, 1.0)
        speeds = moving * (dancers.speeds + (wants.speed - dancers.speeds) * (1.0 - np.exp(-step / hall.lag)))
        turning = moving * wants.turning
        middle = dancers.headings + 0.5 * step * turning
        ahead = np.stack((np.cos(middle), np.sin(middle)), axis=1)
        oscillators = advanced(dancers.oscillators, steps.frequency, step, couplings)
        dancers = Dancers(
            dancers.places + step * speeds[:, None] * ahead, dancers.headings + step * turning, speeds, oscillators
        )
        behind = phase_of(oscillators) - phases
        behind = behind - 2.0 * np.pi * np.round(behind / (2.0 * np.pi))
        phases = phases + np.clip(behind, 0.0, _HURRY * steps.frequency * step)
        blend = steps.blend(speeds, turning, wants.left_arm, wants.right_arm, wants.crouch)
        lifted = wants.left_arm + wants.right_arm
        history.append((phases, dancers.places, dancers.headings, blend, wants.crouch, lifted))
    phase, places, headings, blends, below, bridging = (np.array(column) for column in zip(*history, strict=True))
    return Danced(Ways(phase, places, headings, blends, even=True), below, bridging)


def _faced(places: Array, facing: Array, one: int) -> Array:
    """(4,) how far each faces one of them: 1 straight, -1 away."""
    to = places[one] - places
    return np.asarray(np.sum(to * facing, axis=1) / np.maximum(np.linalg.norm(to, axis=1), 1e-9))


def _wanted_speed(hall: Hall, steps: Steps, places: Array, facing: Array, goals: Array) -> Array:
    left = np.sum((goals - places) * facing, axis=1)
    return np.clip(hall.approach * left, -hall.backward, steps.speed)


def _logistic(x: Array) -> Array:
    return 0.5 * (1.0 + np.tanh(0.5 * x))

"""A run of 3.2 m/s: 171 steps a minute of 1.12 m, each foot down for 0.245 s, then 0.105 s of flight.

Angles of thigh, knee and ankle, the share of stance (35 %) and a peak of about 2.4 times the body's weight
under the foot are rounded, from memory, from Novacheck, The biomechanics of running, Gait & Posture 7 (1998), the thigh
taken against the vertical. In flight the centre of mass is on its parabola to the last digit.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from gambol.geometry.arrays import Array
from samples.body import Arm
from samples.curves import wave
from samples.gait import Gait, Values, foot_knobs, posture_knobs
from samples.refine import knob
from samples.rig import GRAVITY

_FRAMES = 42
_STANCE = Polynomial([0.0, 1.0, -1.0])
"""s (1 - s): what every force is a multiple of, so that it grows from nothing and dies away."""
_LATE = Polynomial([-0.5, 1.0])


def _step(force: Polynomial, gait: Gait, phase: Array, sign: float, fall: float) -> tuple[Array, Array]:
    """Path and second rate, by phase, of a push over the stance of every step on top of a constant fall.

    `sign` is 1 for what every step repeats and -1 for what every other step turns round.
    """
    steps = np.floor(2.0 * phase)
    p = phase - 0.5 * steps
    s, flight = p / gait.toe_off, np.maximum(p - gait.toe_off, 0.0)
    within = np.minimum(s, 1.0)
    rate = force.integ() * gait.toe_off
    place = rate.integ() * gait.toe_off
    gained, moved = rate(1.0), place(1.0) + rate(1.0) * (0.5 - gait.toe_off)
    if sign > 0:
        first_rate, first = -2.0 * (moved - 0.125 * fall), 0.0
    else:
        first_rate = -0.5 * gained
        first = -0.5 * (moved + 0.5 * first_rate)
    path = first + first_rate * p + place(within) + gained * flight - 0.5 * fall * p**2
    second = np.where(s < 1.0, force(within), 0.0) - fall
    flip = np.where(steps % 2 == 0, 1.0, sign)
    return path * flip, second * flip


def _path(gait: Gait, v: Values, phase: Array) -> tuple[Array, Array]:
    """Constant speed, pushed up once a step, slowed and sped up again, and pushed from foot to foot."""
    weight = GRAVITY * gait.seconds**2
    shape = _STANCE**2 * 18.0 + _STANCE * 2.4
    shape = shape * (1.0 + v["early"][0] * _LATE)
    up = shape * (weight * 0.5 / gait.toe_off / shape.integ()(1.0))
    brake = _STANCE**2 * (v["brake"][0] * _LATE + v["brake"][1] * (_LATE**2 - 1.0 / 28.0)) * weight
    side = _STANCE * (v["side"][0] + v["side"][1] * _LATE + v["side"][2] * _LATE**2) * weight
    paths = (
        _step(brake, gait, phase, 1.0, 0.0),
        _step(side, gait, phase, -1.0, 0.0),
        _step(up, gait, phase, 1.0, weight),
    )
    place = np.stack([p for p, _ in paths], axis=-1)
    place += np.stack((gait.stride * phase + v["ahead"][0], 0.0 * phase, 0.0 * phase + v["height"][0]), axis=-1)
    return place, np.stack([a for _, a in paths], axis=-1)


def _arm(phase: Array) -> Arm:
    forward = -np.cos(2.0 * np.pi * phase)
    late = -np.cos(2.0 * np.pi * (phase - 0.04))
    degrees = np.radians(np.ones_like(phase))
    return Arm(
        np.radians(-14.0 + 31.0 * forward),
        14.0 * degrees,
        np.radians(16.0 + 8.0 * forward),
        np.radians(92.0 + 12.0 * late),
        5.0 * degrees,
    )


def run() -> Gait:
    """The run."""
    knobs = foot_knobs(strike=-14.0, push=24.0, off=58.0) | posture_knobs(lean=9.0)
    knobs |= {
        "strike": knob([np.radians(-12.0), 5.0, -40.0], [0.04, 1.0, 15.0]),
        "push": knob([np.radians(13.0), 4.5, 20.0], [0.04, 0.5, 10.0]),
        "off": knob([np.radians(46.0), 9.5, 40.0], [0.06, 1.5, 30.0]),
        "impact": knob([-15.0, 10.0], 10.0),
        "swing_pitch": knob([0.4, 1.0, 0.0, 0.0], 0.4),
        "swing_ahead": knob([-0.1, -0.1, 0.0, 0.0], 0.15),
        "swing_up": knob([0.03, -0.3, 0.1, -0.2], 0.15),
        "pelvis_roll": knob(wave(4.0, 0.12), 0.01),
        "pelvis_yaw": knob(wave(-5.0, 0.95), 0.01),
        "trunk_roll": knob(wave(-4.5, 0.12), 0.01),
        "trunk_yaw": knob(wave(13.0, 0.0), 0.015),
        "ahead": knob(-0.22, 0.05),
        "height": knob(0.95, 0.02),
        "early": knob(-0.5, 0.3),
        "brake": knob([5.0, 0.0], 2.0),
        "side": knob([-0.3, 0.0, 0.0], 0.3),
    }
    return Gait(
        name="run",
        cycle_frames=_FRAMES,
        cycles=4,
        stride=3.2 * _FRAMES / 60.0,
        flat=0.06,
        heel_off=0.13,
        push=0.27,
        toe_off=0.35,
        half_width=0.03,
        toe_out=np.radians(6.0),
        thigh={0: 27, 8: 23, 18: 6, 36: -21, 44: -19, 55: 2, 70: 37, 80: 44, 90: 36},
        knee={0: 14, 14: 40, 34: 20, 50: 62, 65: 98, 75: 88, 88: 38, 96: 14},
        ankle={0: 5, 15: 24, 36: -18, 50: -12, 70: -2, 85: 5, 95: 6},
        pressure={0: 0.06, 10: 0.13, 20: 0.18, 35: 0.21},
        arm=_arm,
        knobs=knobs,
        path=_path,
    )

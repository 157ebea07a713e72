"""A run at 3.2 m/s: 171 steps per minute of 1.12 m, each foot in contact for 0.245 s, then 0.105 s of flight.

Angles of thigh (relative to the vertical), knee and ankle, the share of stance (35 %) and a peak force of about 2.4
body weights are rounded, from memory, from Novacheck, The biomechanics of running, Gait & Posture 7 (1998). In flight
the centre of mass is exactly on its parabola.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from gambol.geometry.arrays import Array
from samples.body import Arm
from samples.curves import make_wave
from samples.gait import Gait, Values, foot_parameters, posture_parameters
from samples.refine import make_parameter
from samples.rig import GRAVITY

_FRAMES = 42
_STANCE = Polynomial([0.0, 1.0, -1.0])
"""s (1 - s): a factor of every force, so that forces start and end at 0."""
_LATE = Polynomial([-0.5, 1.0])


def _step(force: Polynomial, gait: Gait, phase: Array, sign: float, fall: float) -> tuple[Array, Array]:
    """Return path and second derivative, by phase, of a force over every stance plus a constant acceleration down.

    `sign` is 1 for forces that repeat every step and -1 for those that change sign every step.
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
    """Return path and acceleration: constant speed, and per step a push up, braking and drive, and a push sideways."""
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
    """Return the run."""
    parameters = foot_parameters(strike=-14.0, push=24.0, off=58.0) | posture_parameters(lean=9.0)
    parameters |= {
        "strike": make_parameter([np.radians(-12.0), 5.0, -40.0], [0.04, 1.0, 15.0]),
        "push": make_parameter([np.radians(13.0), 4.5, 20.0], [0.04, 0.5, 10.0]),
        "off": make_parameter([np.radians(46.0), 9.5, 40.0], [0.06, 1.5, 30.0]),
        "impact": make_parameter([-15.0, 10.0], 10.0),
        "swing_pitch": make_parameter([0.4, 1.0, 0.0, 0.0], 0.4),
        "swing_ahead": make_parameter([-0.1, -0.1, 0.0, 0.0], 0.15),
        "swing_up": make_parameter([0.03, -0.3, 0.1, -0.2], 0.15),
        "pelvis_roll": make_parameter(make_wave(4.0, 0.12), 0.01),
        "pelvis_yaw": make_parameter(make_wave(-5.0, 0.95), 0.01),
        "trunk_roll": make_parameter(make_wave(-4.5, 0.12), 0.01),
        "trunk_yaw": make_parameter(make_wave(13.0, 0.0), 0.015),
        "ahead": make_parameter(-0.22, 0.05),
        "height": make_parameter(0.95, 0.02),
        "early": make_parameter(-0.5, 0.3),
        "brake": make_parameter([5.0, 0.0], 2.0),
        "side": make_parameter([-0.3, 0.0, 0.0], 0.3),
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
        parameters=parameters,
        path=_path,
    )

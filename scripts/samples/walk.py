"""A walk at 1.35 m/s: 112 steps per minute of 0.72 m, each foot on the ground for 61 % of the cycle.

Angles of thigh (relative to the vertical), knee and ankle, rotations of pelvis and trunk, and the times of foot flat
and heel rise are rounded, from memory, from Perry & Burnfield, Gait Analysis (2nd ed. 2010); cadence, step width and
the path of the centre of pressure from Winter, The Biomechanics and Motor Control of Human Gait (2nd ed. 1991).
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from samples.body import Arm
from samples.curves import make_wave, sum_harmonics
from samples.gait import EVEN, ODD, Gait, Values, foot_parameters, posture_parameters
from samples.refine import make_parameter

_FRAMES = 64


def _path(gait: Gait, v: Values, phase: Array) -> tuple[Array, Array]:
    """Return path and acceleration: constant speed and height plus harmonics, one sway and two rises per cycle."""
    waves = ((EVEN, "center_ahead"), (ODD, "center_left"), (EVEN, "center_up"))
    place = np.stack([sum_harmonics(phase, orders, v[name]) for orders, name in waves], axis=-1)
    place += np.stack((gait.stride * phase + v["ahead"][0], 0.0 * phase, 0.0 * phase + v["height"][0]), axis=-1)
    second = np.stack([sum_harmonics(phase, orders, v[name], derivative=2) for orders, name in waves], axis=-1)
    return place, second


def _arm(phase: Array) -> Arm:
    forward = -np.cos(2.0 * np.pi * phase)
    late = -np.cos(2.0 * np.pi * (phase - 0.06))
    degrees = np.radians(np.ones_like(phase))
    return Arm(
        np.radians(-4.0 + 17.0 * forward),
        7.0 * degrees,
        8.0 * degrees,
        np.radians(22.0 + 9.0 * late),
        8.0 * degrees,
    )


def walk() -> Gait:
    """Return the walk."""
    parameters = foot_parameters(strike=-18.0, push=25.0, off=62.0) | posture_parameters(lean=2.0)
    parameters |= {
        "push": make_parameter([np.radians(19.0), 4.2, 15.0], [0.04, 0.5, 8.0]),
        "off": make_parameter([np.radians(60.0), 7.5, 10.0], [0.05, 1.0, 20.0]),
        "swing_pitch": make_parameter([-0.3, 1.0, 0.0, 0.0], 0.4),
        "swing_ahead": make_parameter([0.0, 0.0, -0.09, 0.0], 0.1),
        "swing_up": make_parameter([0.0, -0.15, 0.2, 0.0], 0.1),
        "pelvis_roll": make_parameter(make_wave(4.0, 0.14), 0.01),
        "pelvis_yaw": make_parameter(make_wave(-4.5, 0.0), 0.01),
        "trunk_roll": make_parameter(make_wave(-4.5, 0.14), 0.01),
        "trunk_yaw": make_parameter(make_wave(7.5, 0.0), 0.015),
        "ahead": make_parameter(-0.30, 0.05),
        "height": make_parameter(0.955, 0.02),
        "center_ahead": make_parameter([-0.01, 0.0, 0.0, 0.0], [0.01, 0.01, 0.003, 0.003]),
        "center_left": make_parameter([-0.007, 0.018, 0.0, 0.0], 0.01),
        "center_up": make_parameter([-0.0146, -0.0137, 0.0, 0.0], [0.003, 0.003, 0.0008, 0.0008]),
    }
    return Gait(
        name="walk",
        cycle_frames=_FRAMES,
        cycles=4,
        stride=1.35 * _FRAMES / 60.0,
        flat=0.10,
        heel_off=0.27,
        push=0.5,
        toe_off=0.61,
        half_width=0.055,
        toe_out=np.radians(6.0),
        thigh={0: 21, 12: 19, 30: -2, 50: -19, 61: -11, 75: 17, 86: 25, 95: 22},
        knee={0: 6, 14: 18, 40: 6, 50: 12, 61: 37, 72: 60, 86: 27, 96: 5},
        ankle={0: 0, 7: -6, 25: 4, 45: 10, 61: -14, 76: 0, 86: 2, 95: 0},
        pressure={0: 0.03, 10: 0.08, 30: 0.15, 50: 0.21, 61: 0.23},
        arm=_arm,
        parameters=parameters,
        path=_path,
    )

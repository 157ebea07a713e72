"""A standing broad jump of 1.45 m: crouch, swing, 0.45 s of flight, a soft landing, and up again.

Arms swing back in the crouch, forward and up in the push and down again in flight, as in Ashby & Heegaard, Role of arm
motion in the standing long jump, Journal of Biomechanics 35 (2002). The angles are estimates, fitted to the forces: in
flight the centre of mass is exactly on its parabola and the trunk turns against legs and arms so that angular momentum
is constant; on the ground the centre of pressure stays under the feet.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from samples import rig
from samples.body import Arm, Figure, Posture, angular_momentum, pose_on_center
from samples.curves import differentiate, ease_step, interpolate_keys, join_quintics, make_bump
from samples.legs import Foot, rotate_about
from samples.refine import FreeParameter, make_parameter, missing_moment, penalise_below, refine

Values = dict[str, Array]

SECONDS = 2.9
_HEEL_OFF, _OFF, _LAND, _FLAT = 0.86, 1.10, 1.55, 1.63
_REST, _BOTTOM, _SOFT, _RISING, _UP = 0.15, 0.80, 1.75, 2.25, 2.75
_DISTANCE = 1.45
_HALF_WIDTH, _TOE_OUT = 0.10, np.radians(6.0)
_HEEL, _BALL = complex(*rig.HEEL[[0, 2]]), complex(*rig.BALL[[0, 2]])

# Angles in degrees at key times: of pelvis and chest forward, of the arms, and of the knee for guidance.
_KEYS = np.array(
    [0.15, 0.4, 0.6, 0.75, 0.87, 0.96, 1.03, 1.10, 1.19, 1.28, 1.37, 1.46, 1.55, 1.64, 1.75, 1.9, 2.1, 2.4, 2.75]
)
_PELVIS = np.array([2, 12, 26, 36, 38, 34, 27, 18, 8, 2, 5, 12, 18, 24, 30, 32, 24, 8, 2])
_TRUNK = np.array([1, 5, 12, 16, 16, 12, 7, 2, 2, 6, 12, 16, 18, 18, 17, 15, 10, 3, 1])
_SHOULDER = np.array([0, -22, -48, -58, -42, 15, 75, 120, 138, 130, 112, 92, 76, 62, 48, 36, 22, 5, 0])
_ELBOW = np.array([16, 14, 12, 12, 18, 28, 30, 24, 22, 26, 30, 32, 32, 32, 32, 30, 26, 18, 16])
_KNEE = np.array([8, 45, 80, 98, 92, 72, 48, 28, 26, 58, 66, 56, 46, 72, 92, 96, 72, 26, 8])


def _parameters() -> dict[str, FreeParameter]:
    """Return the parameters; positions of the centre of mass are relative to ankles and floor, with two derivatives."""
    held = np.full(len(_KEYS), 1.0)
    held[[0, -1]] = 0.05
    return {
        "rest": make_parameter([0.05, 0.976], [0.01, 0.001]),
        "bottom_ahead": make_parameter([0.10, 0.2, 3.0], [0.02, 0.1, 2.0]),
        "bottom_up": make_parameter([0.68, 0.0, 6.5], [0.02, 0.1, 3.0]),
        "off": make_parameter([0.45, 0.99, 1.95, 1.80], [0.015, 0.015, 0.03, 0.03]),
        "soft_ahead": make_parameter([_DISTANCE - 0.02, 0.4, -4.0], [0.03, 0.2, 2.0]),
        "soft_up": make_parameter([0.62, -0.1, 5.0], [0.03, 0.3, 5.0]),
        "rising_ahead": make_parameter([_DISTANCE + 0.04, 0.05, 0.0], [0.02, 0.05, 0.3]),
        "rising_up": make_parameter([0.80, 0.5, 0.0], [0.03, 0.1, 0.5]),
        "up": make_parameter([_DISTANCE + 0.05], 0.01),
        "off_pitch": make_parameter([np.radians(62.0), 11.0, 20.0], [0.05, 1.0, 15.0]),
        "land_pitch": make_parameter([np.radians(-14.0), 2.5, 0.0], [0.05, 1.0, 20.0]),
        "impact": make_parameter([-10.0, 10.0], 8.0),
        "air_ahead": make_parameter([0.0, 0.0, 0.0, 0.0], 0.15),
        "air_up": make_parameter([0.2, -0.1, 0.0, 0.0], 0.15),
        "air_pitch": make_parameter([0.0, 0.3, 0.0], 0.2),
        "pelvis": make_parameter(np.radians(_PELVIS), 0.08 * held),
        "trunk": make_parameter(np.radians(_TRUNK), 0.07 * held),
        "shoulder": make_parameter(np.radians(_SHOULDER), 0.20 * held),
        "elbow": make_parameter(np.radians(_ELBOW), 0.10 * held),
    }


def _path(v: Values, time: Array) -> tuple[Array, Array]:
    """Return position and acceleration (frames, 3) of the centre of mass: quintic pieces, a parabola in flight."""
    x, z, vx, vz = v["off"]
    flight = _LAND - _OFF
    g = rig.GRAVITY
    knots = (-1.0, _REST, _BOTTOM, _OFF, _LAND, _SOFT, _RISING, _UP, SECONDS + 1.0)
    start, end = (v["rest"][0], 0.0, 0.0), (v["up"][0], 0.0, 0.0)
    flown = (x, vx, 0.0), (x + flight * vx, vx, 0.0)
    ahead = join_quintics(
        knots, (start, start, v["bottom_ahead"], *flown, v["soft_ahead"], v["rising_ahead"], end, end)
    )
    rest = (v["rest"][1], 0.0, 0.0)
    off, land = (z, vz, -g), (z + flight * vz - 0.5 * g * flight**2, vz - g * flight, -g)
    up = join_quintics(knots, (rest, rest, v["bottom_up"], off, land, v["soft_up"], v["rising_up"], rest, rest))
    paths = (ahead, None, up)
    zero = np.zeros_like(time)
    place = np.stack([zero if p is None else p(time) for p in paths], axis=-1)
    second = np.stack([zero if p is None else p.derivative(2)(time) for p in paths], axis=-1)
    return place, second


def _feet(v: Values, time: Array) -> tuple[Foot, Foot]:
    """Return both feet: flat, up on the balls, in flight, down on the heels, flat."""
    rest, off, land = np.zeros(3), v["off_pitch"], v["land_pitch"]
    knots = (-1.0, _HEEL_OFF, _OFF, _LAND, _FLAT, SECONDS + 1.0)
    air = (time - _OFF) / (_LAND - _OFF)
    pitch = join_quintics(knots, (rest, rest, off, land, rest, rest))(time) + make_bump(air, v["air_pitch"])
    leave = rotate_about(_BALL + 1j * rig.ANKLE_HEIGHT, -_BALL, off)
    touch = rotate_about(_DISTANCE + _HEEL + 1j * rig.ANKLE_HEIGHT, -_HEEL, land)
    touch[2] += complex(*v["impact"])
    ahead = join_quintics((_OFF, _LAND), (leave.real, touch.real))(time) + make_bump(air, v["air_ahead"])
    up = join_quintics((_OFF, _LAND), (leave.imag, touch.imag))(time) + make_bump(air, v["air_up"])
    on_ball = _BALL + 1j * rig.ANKLE_HEIGHT - _BALL * np.exp(-1j * pitch)
    on_heel = _DISTANCE + _HEEL + 1j * rig.ANKLE_HEIGHT - _HEEL * np.exp(-1j * pitch)
    ankle = np.where(time < _OFF, on_ball, np.where(time < _LAND, ahead + 1j * up, on_heel))
    raised, relaxed = np.array([np.radians(10.0), 0.0, 0.0]), 0.5 * (_OFF + _LAND)
    toes = join_quintics((*knots[:3], relaxed, *knots[3:]), (rest, rest, off, raised, raised, rest, rest))(time)
    moved = _DISTANCE * ease_step(air)
    along = (ankle.real - moved) * np.exp(1j * _TOE_OUT)
    place = np.stack((along.real + moved, along.imag + _HALF_WIDTH, ankle.imag), axis=-1)
    return Foot(place, pitch, toes, _TOE_OUT), Foot(place * [1.0, -1.0, 1.0], pitch, toes, -_TOE_OUT)


def _posture(v: Values, time: Array) -> Posture:
    pelvis, trunk, shoulder, elbow = (
        interpolate_keys(_KEYS, v[name], time) for name in ("pelvis", "trunk", "shoulder", "elbow")
    )
    zero, degree = np.zeros_like(time), np.radians(np.ones_like(time))
    arm = Arm(shoulder, 8.0 * degree, 6.0 * degree, elbow, 8.0 * degree)
    return Posture(
        np.stack((zero, pelvis, zero), axis=-1),
        np.stack((zero, trunk, zero), axis=-1),
        (arm, arm),
        0.4 * (pelvis + trunk),
    )


def _figure(v: Values, time: Array, rounds: int = 4) -> Figure:
    center, _ = _path(v, time)
    guess = center - [0.05, 0.0, 0.06]
    return pose_on_center(center, _posture(v, time), _feet(v, time), guess, rounds)


def _reach(time: Array) -> tuple[Array, Array]:
    """Return the rearmost and foremost points (frames,) of the soles on the floor."""
    heel, ball, tip = _HEEL.real, _BALL.real, _BALL.real + rig.TOE[0]
    risen = ease_step((time - _HEEL_OFF - 0.08) / 0.1)
    fallen = ease_step((time - _LAND) / (_FLAT - _LAND))
    landed = time > 0.5 * (_OFF + _LAND)
    rear = np.where(landed, _DISTANCE + heel, heel + risen * (ball - heel))
    front = np.where(landed, _DISTANCE + heel + 0.04 + fallen * (tip - heel - 0.06), tip - 0.02)
    return rear, front


def _stretch(knee: Array) -> Array:
    """Return the distance from hip to ankle relative to a straight leg, for a flexion of the knee (rad)."""
    square = rig.THIGH**2 + rig.SHANK**2 + 2.0 * rig.THIGH * rig.SHANK * np.cos(knee)
    return np.sqrt(square) / (rig.THIGH + rig.SHANK)


def _residuals(v: Values, physics: float) -> Array:
    step = 1.0 / 60.0
    time = np.arange(0.0, SECONDS, step)
    figure = _figure(v, time, rounds=3)
    leg = figure.legs[0]
    tip = figure.placement.positions[:, rig.SKELETON.index("LeftToeBase_end"), 2]
    air = (time - _OFF) / (_LAND - _OFF)
    flying = (air > 0.0) & (air < 1.0)
    walls = [
        penalise_below(0.9975 - leg.stretch, 0.0, 0.0007),
        penalise_below(np.radians(112.0) - leg.knee_flexion, 0.0, np.radians(4.0)),
        penalise_below(np.radians(32.0) - leg.ankle_flexion, 0.0, np.radians(3.0)),
        penalise_below(leg.ankle_flexion, np.radians(-45.0), np.radians(3.0)),
        penalise_below(np.where(flying, tip - 0.01 - make_bump(air, np.array([0.04])), 0.0), 0.0, 0.003),
        (leg.stretch - _stretch(interpolate_keys(_KEYS, np.radians(_KNEE), time))) / 0.03,
    ]
    walls.append(penalise_below(np.where(time < _OFF, _feet(v, time)[0].pitch, 0.0), 0.0, np.radians(0.3)))
    center, second = _path(v, time)
    walls += [differentiate(second, step)[:, axis] / 90.0 for axis in (0, 2)]
    walls += [
        0.5 * differentiate(differentiate(interpolate_keys(_KEYS, keys, time), step), step) / 100.0
        for keys in (v["pelvis"], v["trunk"], v["shoulder"], v["elbow"])
    ]
    if physics == 0.0:
        return np.concatenate(walls) / 2.0
    relative = figure.points - center[:, None]
    turning = differentiate(angular_momentum(relative, differentiate(relative, step)), step)
    rear, front = _reach(time)
    floor = np.zeros_like(time)
    at_rear, at_front = (
        missing_moment(center, second, turning, np.stack((p, floor, floor), axis=-1))[:, 1] for p in (rear, front)
    )
    middle = 0.5 * (at_rear + at_front)
    push = second + [0.0, 0.0, rig.GRAVITY]
    balance = [
        np.where(flying, turning[:, 1] / rig.GRAVITY / 0.004, 0.0),
        np.where(flying, 0.0, penalise_below(-at_rear, 0.0, 0.005) + penalise_below(at_front, 0.0, 0.005)),
        np.where(flying, 0.0, middle / 0.1),
        penalise_below(push[:, 2], 0.0, 0.5),
        penalise_below(0.6 * push[:, 2] - np.abs(push[:, 0]), -0.05, 0.5),
    ]
    return np.concatenate((*walls, *(physics * b for b in balance))) / 2.0


def fit_jump() -> Values:
    """Fit the parameters of the jump: first to the angles alone, then with increasing weight of the forces."""
    parameters, v = _parameters(), None
    for physics in (0.0, 0.03, 0.2, 1.0):
        v = refine(parameters, partial(_residuals, physics=physics), start=v)
    return v


def jump() -> Motion:
    """Make the jump."""
    figure = _figure(fit_jump(), np.arange(round(SECONDS * rig.RATE) + 1) / rig.RATE, rounds=14)
    return rig.to_motion("jump", figure.root, figure.rotations)

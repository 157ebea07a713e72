"""Make walking and running: one symmetric cycle, with planned feet and a fitted body.

A foot lands on its heel, rolls down about it, rests flat, rolls up about the ball with its toes still flat, and swings;
planted points do not move. Swing paths of the feet, rotations of pelvis and trunk and the path of the centre of mass
are fitted to published joint angles and to the balance of forces and moments (see `refine`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from samples import rig
from samples.body import Arm, Figure, Posture, angular_momentum, pose_on_center
from samples.curves import differentiate_cycle, ease_step, interpolate_cycle, join_quintics, make_bump, sum_harmonics
from samples.legs import Foot, rotate_about
from samples.refine import FreeParameter, make_parameter, missing_moment, penalise_below, refine

ODD, EVEN = (1, 3), (2, 4)
"""Harmonics of quantities that change sign in the mirrored half cycle, and of those that repeat."""

Values = dict[str, Array]
Path = Callable[["Gait", Values, Array], tuple[Array, Array]]
"""Position (frames, 3) and acceleration (frames, 3, in cycles) of the centre of mass at phases."""


@dataclass(frozen=True)
class Gait:
    """Published data of a gait; phases of the cycle run from one strike of the left heel to the next."""

    name: str
    cycle_frames: int
    cycles: int
    stride: float
    """Metres per cycle."""
    flat: float
    heel_off: float
    push: float
    """A phase while the heel rises, at which the pitch is a free parameter."""
    toe_off: float
    half_width: float
    """Distance of a foot from the line of progression (m)."""
    toe_out: float
    thigh: dict[float, float]
    """Degrees forward of vertical at percent of the cycle."""
    knee: dict[float, float]
    ankle: dict[float, float]
    """Toes up positive."""
    pressure: dict[float, float]
    """Centre of pressure ahead of the heel (m) at percent of the cycle."""
    arm: Callable[[Array], Arm]
    """Left arm at phases."""
    parameters: dict[str, FreeParameter]
    path: Path

    @property
    def seconds(self) -> float:
        """Duration of a cycle."""
        return self.cycle_frames / rig.RATE


def foot_parameters(strike: float, push: float, off: float) -> dict[str, FreeParameter]:
    """Return the parameters of a planted foot: its pitch (degrees, toes down) with two derivatives by phase, and the
    deceleration at touch-down.
    """
    return {
        "strike": make_parameter([np.radians(strike), 2.5, 0.0], [0.04, 1.0, 15.0]),
        "push": make_parameter([np.radians(push), 4.0, 10.0], [0.03, 0.2, 4.0]),
        "impact": make_parameter([-6.0, 3.0], 6.0),
        "off": make_parameter([np.radians(off), 5.0, -20.0], [0.05, 0.7, 10.0]),
    }


def posture_parameters(lean: float) -> dict[str, FreeParameter]:
    """Return the parameters of the posture: small corrections to the published rotations of pelvis and trunk."""
    odd, even = np.zeros(2 * len(ODD)), np.zeros(2 * len(EVEN))
    return {
        "lean": make_parameter(np.radians([lean]), 0.01),
        "pelvis_roll": make_parameter(odd, 0.015),
        "pelvis_pitch": make_parameter(even, 0.005),
        "pelvis_yaw": make_parameter(odd, 0.015),
        "trunk_roll": make_parameter(odd, 0.015),
        "trunk_pitch": make_parameter(even, 0.006),
        "trunk_yaw": make_parameter(odd, 0.02),
        "arm_swing": make_parameter(np.zeros(4), 0.03),
    }


def foot_at(gait: Gait, v: Values, phase: Array) -> Foot:
    """Return the left foot at phases of the cycle: its heel strikes at 0, one stride further every cycle."""
    cycle = np.floor(phase)
    s = phase - cycle
    swing = (s - gait.toe_off) / (1.0 - gait.toe_off)
    strike, push, off, rest = v["strike"], v["push"], v["off"], np.zeros(3)
    planted = (0.0, gait.flat, gait.heel_off, gait.push, gait.toe_off)
    pitch = join_quintics((*planted, 1.0), (strike, rest, rest, push, off, strike))(s)
    pitch += make_bump(swing, v["swing_pitch"])

    # Complex numbers are points of the foot's plane, ahead + i up; e^(-i pitch) lowers the toes.
    heel, ball = complex(*rig.HEEL[[0, 2]]), complex(*rig.BALL[[0, 2]])
    on_heel = -heel * np.exp(-1j * pitch)
    ball_rest = ball - heel
    on_ball = ball_rest - ball * np.exp(-1j * pitch)
    leave = rotate_about(ball_rest, -ball, off)
    land = rotate_about(gait.stride, -heel, strike)
    land[2] += complex(*v["impact"])
    through_air = np.zeros_like(on_heel)
    for part, extra in ((np.real, v["swing_ahead"]), (np.imag, v["swing_up"])):
        path = join_quintics((gait.toe_off, 1.0), (part(leave), part(land)))(s) + make_bump(swing, extra)
        through_air += path if part is np.real else 1j * path
    flat_from, ball_from = s < gait.flat, s < gait.heel_off
    ankle = np.where(flat_from, on_heel, np.where(ball_from, -heel, np.where(swing < 0, on_ball, through_air)))

    raised = np.array([np.radians(12.0), 0.0, 0.0])
    relaxed = gait.toe_off + 0.35 * (1.0 - gait.toe_off)
    toes = join_quintics((*planted, relaxed, 1.0), (raised, rest, rest, push, off, 0.6 * raised, raised))(s)
    # A planted foot points along its own heading, which is turned out from the line of progression.
    moved = gait.stride * ease_step(swing)
    along = (ankle.real - moved) * np.exp(1j * gait.toe_out)
    ahead, left = along.real + moved + gait.stride * cycle, along.imag + gait.half_width
    return Foot(np.stack((ahead, left, ankle.imag), axis=-1), pitch, toes, gait.toe_out)


def feet_at(gait: Gait, v: Values, phase: Array) -> tuple[Foot, Foot]:
    """Return both feet: the right one is the left one mirrored, half a cycle and half a stride away."""
    left, right = foot_at(gait, v, phase), foot_at(gait, v, phase + 0.5)
    ankle = right.ankle * [1.0, -1.0, 1.0] - [0.5 * gait.stride, 0.0, 0.0]
    return left, Foot(ankle, right.pitch, right.toes, -gait.toe_out)


def posture_at(gait: Gait, v: Values, phase: Array) -> Posture:
    """Return pelvis, trunk and arms at phases."""
    lean = v["lean"][0]
    pelvis = np.stack(
        (
            sum_harmonics(phase, ODD, v["pelvis_roll"]),
            0.6 * lean + sum_harmonics(phase, EVEN, v["pelvis_pitch"]),
            sum_harmonics(phase, ODD, v["pelvis_yaw"]),
        ),
        axis=-1,
    )
    trunk = np.stack(
        (
            sum_harmonics(phase, ODD, v["trunk_roll"]),
            0.4 * lean + sum_harmonics(phase, EVEN, v["trunk_pitch"]),
            sum_harmonics(phase, ODD, v["trunk_yaw"]),
        ),
        axis=-1,
    )
    return Posture(pelvis, trunk, (_arm(gait, v, phase), _arm(gait, v, phase + 0.5)), np.zeros_like(phase))


def _arm(gait: Gait, v: Values, phase: Array) -> Arm:
    arm = gait.arm(phase)
    return Arm(
        arm.flexion + sum_harmonics(phase, (1, 2), v["arm_swing"]),
        arm.abduction,
        arm.inward,
        arm.elbow,
        arm.wrist,
    )


def pressure_at(gait: Gait, phase: Array) -> Array:
    """Return the planned centre of pressure (frames, 3): along each foot, and between the feet in double support."""
    total, where = np.zeros_like(phase), np.zeros((len(phase), 3))
    for shift, side in ((0.0, 1.0), (0.5, -1.0)):
        cycle = np.floor(phase + shift)
        s = phase + shift - cycle
        both = max(gait.toe_off - 0.5, 1e-9)
        load = ease_step(s / both) * ease_step((gait.toe_off - s) / both)
        at = np.array(sorted(gait.pressure)) / 100.0
        along = np.interp(s, at, [gait.pressure[k] for k in sorted(gait.pressure)])
        ahead = (cycle - shift) * gait.stride + along
        where += load[:, None] * np.stack((ahead, np.full_like(s, side * gait.half_width), 0.0 * s), axis=-1)
        total += load
    return where / np.maximum(total, 1e-9)[:, None]


def figure_at(gait: Gait, v: Values, phase: Array, rounds: int = 4) -> Figure:
    """Return the figure at phases."""
    center, _ = gait.path(gait, v, phase)
    guess = center - [0.0, 0.0, 0.02]
    return pose_on_center(center, posture_at(gait, v, phase), feet_at(gait, v, phase), guess, rounds)


def _residuals(gait: Gait, v: Values, shape_only: bool = False) -> Array:
    count = 96
    phase = np.arange(count) / count
    step = gait.seconds / count
    figure = figure_at(gait, v, phase)
    swing = (phase - gait.toe_off) / (1.0 - gait.toe_off)
    left = figure.legs[0]
    joints = figure.placement.positions
    leg = (joints[:, rig.SKELETON.index("LeftFoot")] - joints[:, rig.SKELETON.index("LeftUpLeg")])[:, [0, 2]]
    foot = foot_at(gait, v, phase)
    pitch = foot.pitch
    thigh, knee = interpolate_cycle(gait.thigh, phase), interpolate_cycle(gait.knee, phase)
    shank = thigh - knee
    wanted_leg = np.stack(
        (
            rig.THIGH * np.sin(thigh) + rig.SHANK * np.sin(shank),
            -rig.THIGH * np.cos(thigh) - rig.SHANK * np.cos(shank),
        ),
        axis=-1,
    )
    # The leg as a vector, not as angles: near a straight knee the gradient of the angle vanishes.
    off_curves = [
        ((leg - wanted_leg) / np.stack((np.where(swing > 0.0, 0.02, 0.05), np.full(count, 0.008)), axis=-1)).ravel(),
        (pitch + shank + interpolate_cycle(gait.ankle, phase)) / np.radians(6.0),
    ]
    wanted = 0.010 + make_bump(swing, np.array([0.012]))
    clearance = np.where(swing > 0.0, joints[:, rig.SKELETON.index("LeftToeBase_end"), 2] - wanted, 0.0)
    heel = foot.ankle[:, 2] + quat.rotate(foot.rotation, rig.HEEL)[:, 2]
    heel_clearance = np.where(swing > 0.5, heel - 0.12 * np.clip(1.0 - swing, 0.0, 1.0) ** 1.5, 0.0)
    walls = [
        penalise_below(0.9972 - left.stretch, 0.0, 0.0007),
        penalise_below(clearance, 0.0, 0.002),
        penalise_below(heel_clearance, 0.0, 0.002),
        penalise_below(np.where((phase > gait.heel_off) & (phase < gait.toe_off), pitch, 0.0), 0.0, np.radians(0.02)),
    ]
    if shape_only:
        return np.concatenate((*off_curves, *walls)) / np.sqrt(count / 24)

    center, second = gait.path(gait, v, phase)
    relative = figure.points - center[:, None]
    momentum = angular_momentum(relative, differentiate_cycle(relative, step))
    missing = missing_moment(
        center, second / gait.seconds**2, differentiate_cycle(momentum, step), pressure_at(gait, phase)
    )
    both_down = phase % 0.5 < gait.toe_off - 0.5
    moments = missing / np.stack((np.full(count, 0.01), np.where(both_down, 0.15, 0.02), np.full(count, 0.01)), axis=-1)
    return np.concatenate((*off_curves, *walls, moments.ravel())) / np.sqrt(count / 24)


def fit_gait(gait: Gait) -> Values:
    """Fit the parameters of a gait: first to the published angles alone, then to the forces as well."""
    rough = refine(gait.parameters, lambda values: _residuals(gait, values, shape_only=True))
    return refine(gait.parameters, lambda values: _residuals(gait, values), start=rough)


def make_gait(gait: Gait) -> Motion:
    """Make the fitted gait, a motion of whole cycles and the first frame of the next."""
    phase = np.arange(gait.cycle_frames * gait.cycles + 1) / gait.cycle_frames
    figure = figure_at(gait, fit_gait(gait), phase, rounds=12)
    return rig.to_motion(gait.name, figure.root, figure.rotations)

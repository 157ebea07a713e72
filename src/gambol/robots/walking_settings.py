"""How a robot walks where its file does not say: posture, gains and steps from sizes, masses and limits.

Gains are shares of m g h (mass, gravity, height of the centre of mass), which made JVRC-1, Unitree G1 and Talos walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import StepRules, solve_apart
from gambol.poses.targets import BodyTarget, aim_point, orient_joint, stay_near
from gambol.robots.capsules import measure_narrowest
from gambol.robots.sole_shapes import find_normals, find_sole, level_sole, locate_soles, sample_points
from gambol.stages.feet import SIDES

if TYPE_CHECKING:
    from gambol.robots.biped import Biped

_KNEE, _ELBOW, _ABDUCTED = 0.85, 0.5, 0.17
"""Angles (rad) by which strong knees and elbows are bent, and upper arms are away from the trunk."""
_STRAIGHTEST = 0.3
"""Least angle (rad) of knees that walk."""
_USED = 0.7
"""Share of the largest torque of a knee that carries the weight alone."""
_APART, _BESIDE = 0.25, 0.02
"""Distance between soles as a share of the height of the centre of mass, and at least between legs (m)."""
_FIRM, _SMOOTH, _LOOSE = 10.0, 1.0, 0.3
"""Weights of corners of soles, of hips, trunk and head, and of arms."""
_RULES = StepRules(200, 1e-10, np.inf)
_LEG, _ANKLE, _TRUNK, _ARMS, _OTHERS = 10.0, 6.0, 6.0, 1.5, 0.4
"""Stiffness of hips and knees, ankles, trunk, shoulders and elbows, and of other joints, as shares of m g h per rad."""
_ARMATURE = 1e-3
"""Inertia of motors and gears about a joint as a share of m h²."""
_STEP, _DURATION = 0.3, 0.76
"""Length of the longest step as a share of the height h (m) of the centre of mass, and its seconds per root of h."""
_TENTHS = 1
"""Decimals of seconds: plans are made every tenth of a second."""
_ALONG = 0.5
"""Least cosine of the angle between the axis of a joint and what it turns about."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkingSettings:
    """How a robot walks, as far as its file says; the rest is derived."""

    posture: Array | None = None
    """(dofs,) in which it parks; zero for the root."""
    stiffness: Array | None = None
    """(dofs,) of the joints' controllers (N m/rad); nan where it is not given."""
    armature: float | None = None
    """Inertia of motors and gears about every joint (kg m²)."""
    longest_step: float | None = None
    """Length (m) of the longest step."""
    step_seconds: float | None = None
    """Seconds that it takes."""
    soles: Mapping[str, Array] = field(default_factory=dict)
    """Corners (4, 3) of the rectangles on which it stands, by side; others are those of its soles."""
    grasps: Mapping[str, Array] = field(default_factory=dict)
    """Points (3,) of the hands that grasp, in the frames of the last joints of the arms, by side."""


def check_walking(robot: Biped) -> None:
    """Raise an error that says what a robot lacks that walking needs."""
    name, ahead, left, up = robot.character.name, *robot.directions
    for leg in robot.parts.legs:
        below = leg.columns[leg.columns.index(leg.hinge) + 1 :]
        for axis, columns, part in (
            (left, below, "ankles pitch"),
            (ahead, below, "ankles roll"),
            (up, leg.columns, "legs turn about the vertical"),
        ):
            if not any(abs(float(robot.standing_axes[column] @ axis)) > _ALONG for column in columns):
                raise InputError(
                    f"'{name}' cannot walk: no joint lets its {part}", fix="give a robot with legs of six joints"
                )
    bend = _find_bend(robot)
    if bend < _STRAIGHTEST and robot.settings.posture is None:
        raise InputError(
            f"'{name}' cannot walk: its knees are too weak to carry it bent by {np.degrees(_STRAIGHTEST):.0f} degrees",
            fix="check the largest torques and the masses of its description",
        )


def derive_posture(robot: Biped) -> Array:
    """Return coordinates (dofs,) with bent knees, level soles below the hips, upright trunk and arms that hang."""
    start = robot.bent.copy()
    start[3:6] = angles_about(np.eye(3)[::-1], quat.conjugate(robot.frame)[None])[0]
    targets = [*_place_legs(robot), *_turn_trunk(robot), *_hang_arms(robot)]
    problem = PoseProblem(robot.skeleton, targets, stay_near(robot.skeleton, start[None]))
    return solve_apart(problem, start[None], rules=_RULES)[0]


def derive_stiffness(robot: Biped) -> Array:
    """Return the stiffness (dofs,) of the joints' controllers (N m/rad); 0 for the root."""
    shares = np.full(len(robot.skeleton.dofs), _OTHERS)
    shares[: JOINTS.start] = 0.0
    shares[robot.trunk] = _TRUNK
    for limbs, upper, lower in ((robot.parts.legs, _LEG, _ANKLE), (robot.parts.arms, _ARMS, _OTHERS)):
        for limb in limbs:
            bend = limb.columns.index(limb.hinge) + 1
            shares[list(limb.columns[:bend])], shares[list(limb.columns[bend:])] = upper, lower
    return np.asarray(shares * robot.character.mass * GRAVITY * robot.height)


def derive_armature(robot: Biped) -> float:
    """Return the inertia of motors and gears about a joint (kg m²)."""
    return _ARMATURE * robot.character.mass * robot.height**2


def derive_step(robot: Biped) -> tuple[float, float]:
    """Return the length of the longest step (m) and its seconds, in whole tenths."""
    return _STEP * robot.height, round(_DURATION * float(np.sqrt(robot.height)), _TENTHS)


def derive_grasp(robot: Biped, joint: int) -> Array:
    """Return the point (3,) of a hand that grasps, in the frame of its joint: the middle of its shapes."""
    points = sample_points(robot, joint)
    if not len(points):
        return robot.character.centers[joint]
    turned = quat.conjugate(robot.standing.rotations[0, joint])
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return np.asarray(quat.rotate(turned, middle - robot.standing.positions[0, joint]))


def _find_bend(robot: Biped) -> float:
    """Return the angle (rad) of knees with which either can carry the weight."""
    strongest = min(robot.description.strongest[leg.hinge] for leg in robot.parts.legs)
    lever = _USED * strongest / (robot.character.mass * GRAVITY * 0.5 * robot.leg_length)
    return float(min(_KNEE, 2.0 * np.arcsin(min(lever, 1.0))))


def _place_legs(robot: Biped) -> Iterator[BodyTarget]:
    """Let soles be level, some distance apart, and hips above the ankles, as high as bent knees have them."""
    ankles, heights = [], []
    for side in SIDES:
        corners, ankle = find_sole(robot, side), robot.places[f"{side}_foot"]
        ahead = corners[2:].mean(axis=0) - corners[:2].mean(axis=0)
        from_middle = ankle.point - corners.mean(axis=0)
        ankles.append(float(from_middle @ ahead / np.linalg.norm(ahead)))
        hip, knee, end = (robot.locate(f"{side}_{part}") for part in ("thigh", "shank", "foot"))
        thigh, shank = np.linalg.norm(knee - hip), np.linalg.norm(end - knee)
        bent = np.sqrt(thigh**2 + shank**2 + 2.0 * thigh * shank * np.cos(_find_bend(robot)))
        heights.append(float(bent + abs(from_middle @ find_normals(corners))))
    apart = max(_APART * _estimate_height(robot), measure_narrowest(robot) + _BESIDE)
    for side, sign in zip(SIDES, (0.5, -0.5), strict=True):
        joint, middle = robot.places[f"{side}_foot"].joint, np.array([0.0, sign * apart, 0.0])
        for corner, level in zip(find_sole(robot, side), level_sole(robot, side), strict=True):
            yield aim_point(joint, corner, middle + level, _FIRM)
    left, right = (robot.places[f"{side}_thigh"] for side in SIDES)
    hips = np.array([np.mean(ankles), 0.0, np.mean(heights)])
    yield aim_point(left.joint, 0.5 * (left.point + right.point), hips, _FIRM)


def _estimate_height(robot: Biped) -> float:
    """Return the height (m) of the centre of mass of a robot whose legs are straight."""
    center = float(robot.dynamics.center_of_mass(robot.upright)[2])
    return center - float(locate_soles(robot, robot.standing)[..., 2].mean())


def _turn_trunk(robot: Biped) -> Iterator[BodyTarget]:
    """Let pelvis, chest and head be upright, ahead along x."""
    for part in ("pelvis", "chest", "head"):
        if part in robot.places:
            joint = robot.places[part].joint
            yield from orient_joint(joint, robot.orient_standing(joint), _SMOOTH)


def _hang_arms(robot: Biped) -> Iterator[BodyTarget]:
    """Let upper arms hang beside the trunk and forearms point ahead as far as elbows are bent."""
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        if f"{side}_forearm" not in robot.places:
            continue
        upper = np.array([0.0, sign * np.sin(_ABDUCTED), -np.cos(_ABDUCTED)])
        lower = np.array([np.sin(_ELBOW), sign * np.sin(_ABDUCTED), -np.cos(_ELBOW)])
        for one, other, way in (("upper_arm", "forearm", upper), ("forearm", "hand", lower)):
            start, end = robot.places[f"{side}_{one}"], robot.places[f"{side}_{other}"]
            length = float(np.linalg.norm(robot.locate(f"{side}_{other}") - robot.locate(f"{side}_{one}")))
            yield aim_point(end.joint, end.point, length * way / np.linalg.norm(way), _LOOSE, *start)

"""Retarget a clip of a person to a robot by inverse kinematics: every frame is solved from the standing posture.

Soles are planned first (`soles`). The pelvis takes the person's path, scaled, and its orientation, chest and head the
person's orientations, arms the directions of the person's upper arms and forearms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.fit.pose import BodyTarget, PoseProblem
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.references.solving import solve_clip
from gambol.robots.references.soles import SolePath, plan_soles
from gambol.robots.sole_shapes import find_sole
from gambol.stages.feet import SIDES

_FEET, _PELVIS, _LEAN, _CHEST, _HEAD, _ARMS = 4.0, 0.5, 0.5, 0.4, 0.2, 1.0
"""Weights of corners of soles, the position of the pelvis, orientations, and the ends of arm bones."""
_ARM = 0.3
"""Metres from a joint at which points show its orientation."""
_ROUNDS = 40
_SMOOTH = 0.05


def measure_scale(source: Character, biped: Biped) -> float:
    """Return the size of a robot relative to a person: the height of its hips above its soles."""
    return hip_height(biped) / _person_hip_height(source)


def hip_height(biped: Biped) -> float:
    """Return the height (m) of the hips above the soles as a robot stands."""
    side = SIDES[0]
    joint = biped.places[f"{side}_foot"].joint
    sole = quat.rotate(biped.standing.rotations[0, joint], find_sole(biped, side)) + biped.standing.positions[0, joint]
    return float(biped.locate(f"{side}_thigh")[2] - sole[:, 2].min())


def _person_hip_height(person: Character) -> float:
    skeleton = person.skeleton
    heel = skeleton.offsets[skeleton.index("left_heel_tip")]
    return person.leg_length - float(heel[2])


def pose_robot(biped: Biped, source: Fit, scale: float) -> tuple[Array, dict[str, SolePath]]:
    """Return the coordinates (frames, dofs) of a robot that moves as a person does, and where its soles were planned."""
    names, placed = source.character.skeleton.names, source.motion.placement
    ahead = quat.conjugate(biped.frame)
    root = biped.standing.rotations[0, 0]
    level = {side: _level_sole(biped, side) for side in SIDES}
    soles = plan_soles(source, scale, level)
    targets: list[BodyTarget] = []

    def turn(part: str, body: str, weight: float) -> None:
        """Let a link turn from its standing orientation as a body of the person does from axes ahead, left and up."""
        joint = biped.places[part].joint
        stands = quat.multiply(quat.multiply(ahead, quat.conjugate(root)), biped.standing.rotations[0, joint])
        goal = quat.multiply(placed.rotations[:, names.index(body)], stands)
        for axis in np.eye(3):
            arm = _ARM * axis
            targets.append(BodyTarget(joint, arm, quat.rotate(goal, arm), weight, joint))

    left, right = (biped.places[f"{side}_thigh"] for side in SIDES)
    hips = scale * placed.positions[:, names.index("pelvis")]
    middle = 0.5 * (left.point + right.point)
    targets.append(BodyTarget(left.joint, middle, hips, _PELVIS))
    turn("pelvis", "pelvis", _LEAN)
    turn("chest", "chest", _CHEST)
    if "head" in biped.places:
        turn("head", "head", _HEAD)
    for side in SIDES:
        for one, other in (("upper_arm", "forearm"), ("forearm", "hand")):
            start, end = biped.places[f"{side}_{one}"], biped.places[f"{side}_{other}"]
            length = np.linalg.norm(biped.locate(f"{side}_{other}") - biped.locate(f"{side}_{one}"))
            along = placed.positions[:, names.index(f"{side}_{other}")] - placed.positions[:, names.index(f"{side}_{one}")]
            targets.append(
                BodyTarget(end.joint, end.point, length * along / lengths(along)[:, None], _ARMS, start.joint, tuple(start.point))
            )
        joint, corners = biped.places[f"{side}_foot"].joint, find_sole(biped, side)
        goals = soles[side].corners(level[side])
        targets += [BodyTarget(joint, corner, goals[:, n], _FEET) for n, corner in enumerate(corners)]
    start = np.repeat(biped.bent[None], len(hips), axis=0)
    facing = quat.multiply(placed.rotations[:, names.index("pelvis")], ahead)
    start[:, 3:6] = _root_angles(facing)
    start[:, :3] = hips - quat.rotate(facing, biped.standing_point(left.joint, middle))
    problem = PoseProblem(biped.skeleton, targets, start)
    turns = np.array([dof.kind == "turn" for dof in biped.skeleton.dofs], dtype=float)
    return solve_clip(problem, start, turns * (_SMOOTH / (60.0 * source.motion.frame_time) ** 2) ** 2), soles


def _level_sole(biped: Biped, side: str) -> Array:
    """Return the corners (4, 3) of a sole from its middle as the robot stands, facing along x."""
    corners, foot = find_sole(biped, side), biped.standing.rotations[0, biped.places[f"{side}_foot"].joint]
    facing = quat.conjugate(quat.multiply(biped.standing.rotations[0, 0], biped.frame))
    return np.asarray(quat.rotate(quat.multiply(facing, foot), corners - corners.mean(axis=0)))


def _root_angles(rotations: Array) -> Array:
    """Return angles (frames, 3) about z, y and x."""
    from gambol.geometry.angles import angles_about

    return angles_about(np.eye(3)[::-1], rotations)


def retarget_kinematically(biped: Biped, motion: Motion) -> tuple[Motion, dict[str, SolePath]]:
    """Return a motion of a robot."""
    source = fit(Character.from_motion(motion), motion)
    scale = measure_scale(source.character, biped)
    source = replace(source, motion=replace(source.motion, frame_time=source.motion.frame_time))
    q, soles = pose_robot(biped, source, scale)
    made = Motion(biped.skeleton, q, motion.frame_time * scale**0.5, motion.name)
    return made, soles

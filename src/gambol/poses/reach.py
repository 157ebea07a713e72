"""Move a hand to goals by turning trunk, shoulder and elbow as little as possible, on any rig.

Every iteration is a damped least-squares step: trunk and shoulder turn about any axis, the elbow about its own and not
beyond straight. One CasADi function serves thousands of frames of an edit and single frames of a live partner.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from gambol.body.measure import require_rig
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, check_shapes
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton, check_joints
from gambol.solve.compiled import Runner
from gambol.solve.sx_quaternions import sx_conjugate, sx_exp, sx_multiply, sx_rotate

_ITERATIONS = 8
_DAMPING = 1e-4
"""Square metres that damp a step, against arms of 0.1 to 0.5 square metres."""
_LONGEST = 0.15
"""Largest distance (m) that a step moves the hand by: it is linear."""
ELBOW_LIMITS = (0.05, 2.6)
"""Least and largest flexion (rad) of an elbow."""
_COMPLIANCE = {"spine": 0.03, "chest": 0.03, "collar": 0.06, "upper_arm": 1.0, "forearm": 1.0}
"""How easily a part turns. Shoulder and elbow do most of it, as in people who reach within arm's length."""


@dataclass(frozen=True, eq=False)
class HandPoint:
    """A point of a hand that touches another one."""

    side: str
    """left or right."""
    point: Array
    """(3,) metres in the frame of the hand's joint."""


@dataclass(frozen=True, eq=False)
class Arm:
    """The joints of a rig from its root to a hand; made by `find_arm`."""

    skeleton: Skeleton
    hand: HandPoint
    path: tuple[int, ...]
    """Joints from the root to the hand."""
    compliance: Array
    """(joints of the path,) how easily each turns; 0 for those that stay."""
    elbow: int
    """Which joint of the path turns about one axis only."""
    hinge: Array
    """(3,) that axis in the frame of the joint before; turning about it flexes the elbow."""

    def __post_init__(self) -> None:
        check_shapes(self, compliance=(len(self.path),), hinge=(3,))
        check_shapes(self.hand, point=(3,))
        check_joints(self.skeleton, self.path)
        if not 0 < self.elbow < len(self.path) - 1 or not (self.compliance >= 0.0).all():
            raise InputError("an elbow is between a shoulder and a hand, and joints turn easily or not at all")

    @cached_property
    def bones(self) -> Array:
        """(joints of the path + 1, 3) metres: offset of every joint from the one before, then of the point."""
        return np.vstack([self.skeleton.offsets[list(self.path)], self.hand.point])

    def locate(self, local: Placement) -> Array:
        """Return the places (frames, 3) of the hand for joints' frames relative to their parents."""
        return self.reach(local, local.positions[:, 0], 0.0)[1]

    def reach(self, local: Placement, goals: Array, share: Array | float = 1.0) -> tuple[Array, Array]:
        """Return rotations (frames, joints, 4) that bring the hand to goals (frames, 3), and where it was (frames, 3).

        `share` (frames, 1): how much of the way to a goal the hand goes. Goals out of reach are approached.
        """
        path, rotations = list(self.path), local.rotations.copy()
        run = _runner(len(path), self.elbow, len(goals)).run
        found, places = run(
            rotations[:, path].reshape(len(goals), -1), local.positions[:, 0], goals, share, self._measures
        )
        rotations[:, path] = found.reshape(len(goals), len(path), 4)
        return rotations, places.copy()

    @cached_property
    def _measures(self) -> Array:
        return np.concatenate([self.bones.ravel(), self.compliance, self.hinge])


def find_arm(motion: Motion, hand: HandPoint) -> Arm:
    """Return the arm of a rig; the axis of the elbow is the one it bends about in the motion."""
    skeleton, parts = motion.skeleton, require_rig(motion).parts
    names = {parts[name]: name.removeprefix(f"{hand.side}_") for name in _list_parts(hand.side) if name in parts}
    last = parts.get(f"{hand.side}_hand")
    if last is None:
        raise InputError(f"the rig has no {hand.side} hand", fix="map the hand's joint with --rig")
    path = tuple(reversed(skeleton.path_to_root(last)))
    shoulder, elbow = parts[f"{hand.side}_upper_arm"], parts[f"{hand.side}_forearm"]
    compliance = np.array([_COMPLIANCE.get(names.get(joint, ""), 0.0) for joint in path])
    return Arm(skeleton, hand, path, compliance, path.index(elbow), _find_hinge(motion, shoulder, elbow, last))


def _list_parts(side: str) -> list[str]:
    return ["spine", "chest", *(f"{side}_{part}" for part in ("collar", "upper_arm", "forearm"))]


def _find_hinge(motion: Motion, shoulder: int, elbow: int, hand: int) -> Array:
    """Return the mean axis (3,) about which a forearm is flexed, in the frame of its parent joint."""
    placed = motion.placement
    upper = placed.positions[:, elbow] - placed.positions[:, shoulder]
    lower = placed.positions[:, hand] - placed.positions[:, elbow]
    parent = placed.rotations[:, motion.skeleton.parents[elbow]]
    axes = quat.rotate(quat.conjugate(parent), np.cross(upper, lower)).sum(axis=0)
    size = float(np.linalg.norm(axes))
    if size == 0.0:
        raise InputError("the elbow never bends, so that its axis is unknown", fix="use a clip in which it bends")
    return np.asarray(axes / size)


@lru_cache(maxsize=16)
def _runner(joints: int, elbow: int, frames: int) -> Runner:
    return Runner(_reach_function(joints, elbow), frames, [4])


@lru_cache(maxsize=4)
def _reach_function(joints: int, elbow: int) -> ca.Function:
    """Return (rotations 4 n, root 3, goal 3, share, measures) -> (rotations 4 n, hand 3) of a path of n joints."""
    turns, root, goal, share = (ca.SX.sym(name, size) for name, size in zip("qrgs", (4 * joints, 3, 3, 1), strict=True))
    measures = ca.SX.sym("measures", 3 * (joints + 1) + joints + 3)
    bones = ca.vertsplit(measures[: 3 * (joints + 1)], 3)
    compliance, hinge = ca.vertsplit(measures[3 * (joints + 1) : -3]), measures[-3:]
    local = ca.vertsplit(turns, 4)
    hand = _place(local, root, bones)[0][-1]
    wanted = hand + share * (goal - hand)
    for _ in range(_ITERATIONS):
        local = _step(local, root, wanted, bones, compliance, hinge, elbow)
    inputs, outputs = [turns, root, goal, share, measures], [ca.vertcat(*local), hand]
    return ca.Function(f"reach_{joints}_{elbow}", inputs, outputs, {"cse": True})


def _place(local: list[ca.SX], root: ca.SX, bones: list[ca.SX]) -> tuple[list[ca.SX], list[ca.SX]]:
    """Return the places of all joints and of the hand, and the rotations of the joints' parents."""
    places, parents, turned = [root], [ca.SX([1.0, 0.0, 0.0, 0.0])], local[0]
    for turn, bone in zip(local[1:], bones[1:-1], strict=True):
        places.append(places[-1] + sx_rotate(turned, bone))
        parents.append(turned)
        turned = sx_multiply(turned, turn)
    return [*places, places[-1] + sx_rotate(turned, bones[-1])], parents


def _step(
    local: list[ca.SX],
    root: ca.SX,
    goal: ca.SX,
    bones: list[ca.SX],
    compliance: list[ca.SX],
    hinge: ca.SX,
    elbow: int,
) -> list[ca.SX]:
    """Return local rotations after one iteration."""
    (*places, hand), parents = _place(local, root, bones)
    miss = goal - hand
    miss *= ca.fmin(1.0, _LONGEST / ca.fmax(ca.norm_2(miss), 1e-9))
    # Damped by the square of the distance too: near a goal out of reach, steps get small instead of large.
    square = (_DAMPING + ca.dot(miss, miss)) * ca.SX.eye(3)
    axis = sx_rotate(parents[elbow], hinge)
    # The motion of the hand is turn x arm: a column for the elbow, a cross product for the other joints.
    rows = {n: -ca.skew(hand - place) for n, place in enumerate(places) if n != elbow}
    for n, row in rows.items():
        square += compliance[n] * (row @ row.T)
    column = ca.cross(axis, hand - places[elbow])
    bend = compliance[elbow] * ca.dot(column, ca.solve(square + compliance[elbow] * (column @ column.T), miss))
    upper, lower = places[elbow] - places[elbow - 1], places[elbow + 1] - places[elbow]
    least, most = ELBOW_LIMITS
    flexion = ca.atan2(ca.dot(axis, ca.cross(upper, lower)), ca.dot(upper, lower))
    bend = ca.fmin(ca.fmax(bend, ca.fmin(least - flexion, 0.0)), ca.fmax(most - flexion, 0.0))
    # What the elbow cannot do, the other joints do; within its limits this is the same step.
    force = ca.solve(square, miss - bend * column)
    out = []
    for n, turn in enumerate(local):
        turned = bend * hinge if n == elbow else sx_rotate(sx_conjugate(parents[n]), rows[n].T @ force)
        out.append(sx_multiply(sx_exp(turned if n == elbow else compliance[n] * turned), turn))
    return out

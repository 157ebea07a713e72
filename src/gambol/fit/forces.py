"""Estimate ground reaction forces from motion alone, without force plates.

By the Newton-Euler equations the contact forces add up to m (c'' - g), and their moments about the centre of mass to
the rate of angular momentum. A quadratic programme over all frames distributes them over points under the feet, each
inside its friction pyramid: it explains the motion, prefers points that are low and slow, keeps forces smooth in time
and the torques of the legs small. The last two decide what the sums leave open: how two feet share the load and push
against each other. People let the force run along the leg.

Long clips are solved in overlapping windows, so that memory does not grow with the clip. Only the cost on changes of
force couples the frames, over a few of them, so that the forces are those of one programme to its tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gambol.assumptions import BODY_CUTOFF, FRICTION, GRAVITY, TOUCH_SPEED
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact, is_foot
from gambol.contacts.timeline import Contacts, mark_frames
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.filters import differentiate, low_pass
from gambol.geometry.vectors import UP
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.solve.qp import QpSolution, solve_bounded
from gambol.solve.windows import split_windows

_HALF_WIDTH = 0.02
"""Half the width of a foot as a share of body height."""
_PAD = 0.012
"""Distance of the contact points from the back of the heel and the tip of the toes, as a share of body height."""
_LOW = 0.02
"""Height above the ground (m) from which a point is unlikely to carry load, as one faster than TOUCH_SPEED is."""
_MAX_PENALTY = 1e4
"""Upper limit of the penalty of a point: a larger one changes nothing and hurts the conditioning of the problem."""
_MOMENT = 3.0
"""Weight of a moment of one body weight times a metre, relative to a force of one body weight."""
_EFFORT, _CHANGE = 1e-3, 2e-3
"""Weights of a force of one body weight on a point at rest, and of its change within 0.01 s."""
_TORQUE = 1e-2
"""Weight of a leg torque of one body weight times a metre; a third of it or three times as much changes little."""
_EXCESS, _PREFERRED = 1.0, 0.98
"""Weight of a torque that is twice its limit, where limits are known, and the share of a limit that is preferred: a
cost ends slightly beyond where it begins."""
_WINDOW = 500
"""Frames of a window: 0.13 GB of memory, and 0.7 s in the solver, which answers no signal."""
_REACH = 10.0
"""Half the overlap of windows, in frames over which the effect of a force on others decreases by a factor of e."""
_EDGES = np.array([[x, y, 1.0] for x in (-1, 1) for y in (-1, 1)]) * [FRICTION / 2**0.5, FRICTION / 2**0.5, 1.0]
"""(edges, 3) edges of a friction pyramid under a body that faces along x."""


@dataclass(frozen=True, eq=False)
class GroundForces:
    """Forces on the body at points that touch the ground (N, world axes), and the unexplained remainder."""

    __repr__ = summarise_fields

    bodies: tuple[str, ...]
    """The body of each point."""
    local_points: Array
    """(points, 3) metres in the body's frame."""
    points: Array
    """(frames, points, 3) metres."""
    forces: Array
    """(frames, points, 3) newtons."""
    center_of_mass: Array
    """(frames, 3) metres."""
    missing_force: Array
    """(frames, 3) newtons that no contact explains."""
    missing_moment: Array
    """(frames, 3) newton metres about the centre of mass that no contact explains."""
    converged: bool
    """Whether the forces of every window were found to the tolerance of the solver."""

    def force_on(self, body: str) -> Array:
        """Return the total force (frames, 3) on a body."""
        if body not in self.bodies:
            raise InputError(f"no ground force on '{body}'", fix=f"bodies: {', '.join(sorted(set(self.bodies)))}")
        return self.forces[:, [b == body for b in self.bodies]].sum(axis=1)

    def center_of_pressure(self, body: str) -> Array:
        """Return the centre of pressure (frames, 3) under a body; NaN where it carries less than 20 N."""
        mine = [b == body for b in self.bodies]
        load = self.forces[:, mine, 2]
        total = load.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            where = np.einsum("fp,fpc->fc", load, self.points[:, mine]) / total[:, None]
        return np.where(total[:, None] > 20.0, where, np.nan)


class _Residual(NamedTuple):
    """A weighted least-squares residual: `matrix` times the edge forces minus `target`."""

    matrix: sparse.csr_array
    target: Array


class SolePoints(NamedTuple):
    """Points of bodies on which the ground may act."""

    bodies: tuple[str, ...]
    """The body of each point."""
    local: Array
    """(points, 3) metres in the body's frame."""
    ground: Array | None = None
    """(frames, points) heights of the ground (m), where it is not one floor."""
    highest: float = np.inf
    """Height above the ground (m) up to which a point can carry load."""


def estimate_ground_forces(
    character: Character,
    motion: Motion,
    cutoff: float = BODY_CUTOFF,
    progress: Progress = silent,
    soles: SolePoints | None = None,
    strongest: Array | None = None,
    contacts: Contacts | None = None,
) -> GroundForces:
    """Estimate the forces under the feet of a character; `motion` has the character's coordinates.

    `soles` are the points on which they act, by default those of a person's feet. `strongest` (dofs,) are the largest
    torques of the joints (N m), infinite where there is no limit: forces that need no more are preferred. Parts of
    `contacts` that are none of feet, such as hands and a pelvis on a chair, carry load too while they touch.
    """
    q = low_pass(motion.q, motion.frame_time, cutoff)
    velocity, acceleration = differentiate(q, motion.frame_time)
    bodies, local, ground, highest = soles or _sole_points(character)
    heights = _measure_heights(_world_points(character, q, bodies, local), ground)
    for touching in _list_other_parts(contacts):
        bodies, local = (*bodies, touching[0].body), np.vstack((local, touching[0].points[:1]))
        heights = np.column_stack((heights, np.where(mark_frames(touching, len(q)), 0.0, np.inf)))
    points = _world_points(character, q, bodies, local)
    most = np.where(np.isinf(heights) | (heights > highest), 0.0, np.inf)
    penalty = _penalty(points, heights, motion.frame_time)
    dynamics, weight = Dynamics(character), character.mass * GRAVITY
    center = dynamics.center_of_mass(q)
    pyramid, legs = _turn_with_body(character, q[0]), _leg_columns(character, bodies)
    edges, missing, converged = np.empty((*points.shape[:2], len(pyramid))), np.empty((len(q), 6)), True
    half = math.ceil(_REACH * (0.01 * _CHANGE / _EFFORT / motion.frame_time) ** 0.5)
    for first, last in split_windows(len(q), max(_WINDOW, 4 * half), 2 * half):
        window = slice(first, last + 1)
        rate = dynamics.momentum_rate(q[window], velocity[window], acceleration[window])
        needed = np.hstack((rate.linear + [0.0, 0.0, weight], rate.angular)) / weight
        wrenches = _wrench_matrix(points[window] - center[window, None], pyramid)
        weights = np.tile([1.0, 1.0, 1.0, _MOMENT, _MOMENT, _MOMENT], len(needed))
        motion_residual = _Residual(sparse.diags_array(weights) @ wrenches, weights * needed.ravel())
        effort = dynamics.torques(q[window], velocity[window], acceleration[window])[:, legs] / weight
        torques = _torque_matrix(character, q[window], legs, bodies, local, pyramid)
        shares = None if strongest is None else np.tile(weight / (_PREFERRED * strongest[legs]), len(needed))
        torque_residual = _Residual(_TORQUE**0.5 * torques, _TORQUE**0.5 * effort.ravel())
        motors = None if shares is None else _Residual(sparse.diags_array(shares) @ torques, shares * effort.ravel())
        solution = _solve_edges(
            [motion_residual, torque_residual], penalty[window], most[window], motion.frame_time, motors
        )
        # The first half of an overlap is kept from the window before.
        kept = slice(first + half if first else 0, last + 1)
        found = solution.x[: wrenches.shape[1]]
        edges[kept] = found.reshape(-1, *edges.shape[1:])[kept.start - first :]
        missing[kept] = (needed.ravel() - wrenches @ found).reshape(-1, 6)[kept.start - first :] * weight
        converged = converged and solution.converged
        progress("estimating ground forces", last + 1, len(q))
    return GroundForces(
        bodies, local, points, weight * edges @ pyramid, center, missing[:, :3], missing[:, 3:], converged
    )


def compute_joint_torques(
    character: Character, motion: Motion, forces: GroundForces, cutoff: float = BODY_CUTOFF
) -> Array:
    """Return the generalised forces (frames, dofs) at the joints: inverse dynamics less the ground forces."""
    q = low_pass(motion.q, motion.frame_time, cutoff)
    velocity, acceleration = differentiate(q, motion.frame_time)
    torques = Dynamics(character).torques(q, velocity, acceleration)
    for n, body in enumerate(forces.bodies):
        jacobian = point_jacobian(character.skeleton, q, character.body(body), forces.local_points[n])
        torques -= np.einsum("fcd,fc->fd", jacobian, forces.forces[:, n])
    return torques


def _sole_points(character: Character) -> SolePoints:
    """Return bodies and local positions of the contact points: two per heel and ball, one per toe tip."""
    skeleton = character.skeleton
    height = float(np.ptp(place(skeleton, np.zeros((1, len(skeleton.dofs)))).positions[0, :, 2]))
    half, inside = _HALF_WIDTH * height, {"heel": _PAD * height, "ball": 0.0, "toe": -_PAD * height}
    found: list[tuple[str, Array]] = []
    for joint in sorted(skeleton.ends):
        tip, parent = skeleton.names[joint].removesuffix("_tip"), skeleton.names[skeleton.parents[joint]]
        kind = tip.rpartition("_")[2]
        if kind in ("heel", "ball", "toe"):
            sides = (0.0,) if kind == "toe" else (-half, half)
            found += [(parent, skeleton.offsets[joint] + [inside[kind], y, 0.0]) for y in sides]
    if not found:
        raise InputError(f"'{character.name}' has no feet", fix="ground forces need heel, ball or toe tips on a body")
    return SolePoints(tuple(body for body, _ in found), np.array([point for _, point in found]))


def _list_other_parts(contacts: Contacts | None) -> list[tuple[Contact, ...]]:
    """Return the contacts of every part that is none of a foot."""
    others = [] if contacts is None else [one for one in contacts.items if not is_foot(one.part)]
    return [tuple(one for one in others if one.part == part) for part in dict.fromkeys(one.part for one in others)]


def _world_points(character: Character, q: Array, bodies: tuple[str, ...], local: Array) -> Array:
    placed = place(character.skeleton, q)
    joints = [character.body(body) for body in bodies]
    return placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], local)


def _measure_heights(points: Array, ground: Array | None) -> Array:
    """Return the heights (frames, points) of points above the ground, or above the floor on which they usually rest."""
    floor = np.percentile(points[:, :, 2].min(axis=1), 20) if ground is None else ground
    return np.maximum(points[:, :, 2] - floor, 0.0)


def _penalty(points: Array, height: Array, frame_time: float) -> Array:
    """Return the penalty (frames, points) on load: 1 for a point at rest on the ground, more with height and speed."""
    speed = np.linalg.norm(np.gradient(points, frame_time, axis=0), axis=2)
    return np.minimum((1.0 + (height / _LOW) ** 2 + (speed / TOUCH_SPEED) ** 2) ** 2, _MAX_PENALTY)


def _turn_with_body(character: Character, pose: Array) -> Array:
    """Return the edges (edges, 3) of a friction pyramid turned with a body: the axes of the world do not matter."""
    x, y, _ = quat.rotate(place(character.skeleton, pose[None]).rotations[0, 0], (1.0, 0.0, 0.0))
    return quat.rotate(quat.from_axis_angle(UP, np.arctan2(y, x)), _EDGES)


def _wrench_matrix(arms: Array, pyramid: Array) -> sparse.csr_array:
    """Return the matrix from edge forces (by frame, point, edge) to force and moment of every frame."""
    frames, points, _ = arms.shape
    edges = np.broadcast_to(pyramid, (frames, points, *pyramid.shape))
    moments = np.cross(arms[:, :, None], edges)
    blocks = np.concatenate((edges, moments), axis=-1).transpose(0, 3, 1, 2).reshape(frames, 6, -1)
    return sparse.csr_array(sparse.block_diag(list(blocks), format="csr"))


def _leg_columns(character: Character, bodies: tuple[str, ...]) -> list[int]:
    """Return the degrees of freedom between the ground and the root."""
    skeleton = character.skeleton
    between = {joint for body in bodies for joint in skeleton.path_to_root(character.body(body))} - {0}
    return [column for column, dof in enumerate(skeleton.dofs) if dof.joint in between]


def _torque_matrix(
    character: Character, q: Array, legs: list[int], bodies: tuple[str, ...], local: Array, pyramid: Array
) -> sparse.csr_array:
    """Return the matrix from edge forces to the leg torques that they supply in every frame."""
    pushes = [
        np.einsum(
            "fcd,ec->fde", point_jacobian(character.skeleton, q, character.body(body), point)[:, :, legs], pyramid
        )
        for body, point in zip(bodies, local, strict=True)
    ]
    return sparse.csr_array(sparse.block_diag(list(np.concatenate(pushes, axis=2)), format="csr"))


def _solve_edges(
    residuals: list[_Residual], penalty: Array, most: Array, frame_time: float, motors: _Residual | None
) -> QpSolution:
    """Find edge forces from 0 to `most` (frames, points) that minimise residuals, penalised loads and changes in time.

    `motors` are torques as shares of their limits. Unknowns between -1 and 1 follow the forces: what these leave of the
    target costs.
    """
    frames, points = penalty.shape
    step = points * len(_EDGES)
    size = frames * step
    change = sparse.diags_array(
        [-np.ones(size - step), np.ones(size - step)], offsets=[0, step], shape=(size - step, size)
    )
    hessian = sparse.diags_array(_EFFORT * np.repeat(penalty.ravel(), len(_EDGES)))
    hessian = hessian + _CHANGE * 0.01 / frame_time * (change.T @ change)
    gradient = np.zeros(size)
    for residual in residuals:
        hessian = hessian + residual.matrix.T @ residual.matrix
        gradient -= residual.matrix.T @ residual.target
    lower, upper = np.zeros(size), np.repeat(most.ravel(), len(_EDGES))
    if motors is not None:
        count, across = len(motors.target), _EXCESS * motors.matrix.T
        own = _EXCESS * sparse.eye_array(count)
        hessian = sparse.block_array([[hessian + across @ motors.matrix, across], [across.T, own]])
        gradient = np.concatenate((gradient - across @ motors.target, -_EXCESS * motors.target))
        lower, upper = np.append(lower, -np.ones(count)), np.append(upper, np.ones(count))
    return solve_bounded(hessian, gradient, lower, upper)

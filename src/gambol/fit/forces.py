"""Ground forces without plates: what the ground must have given for the body to move as it did.

Newton and Euler say what all contact forces add up to: their sum is m (c'' - g), their moment about the centre of
mass is the rate of angular momentum. They are shared among points under the feet, each inside its friction
pyramid, by one quadratic programme over the whole clip: explain the motion, prefer points that are low and slow, change
smoothly in time and ask little of the legs' joints. The last two settle what the sum leaves open, how two feet share
the load and push against each other: people let the force run along the leg.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass, differentiate
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.motion import Motion
from gambol.solve.qp import QpSolution, solve_bounded

FRICTION = 0.8
FORCE_CUTOFF = 8.0
"""Hz: movement of the whole body is slower, noise of recordings is faster."""
_HALF_WIDTH = 0.02
"""Half the width of a foot as a share of body height."""
_PAD = 0.012
"""How far the pads that carry lie inside the back of the heel and the tip of the toes, as a share of body height."""
_LOW, _SLOW = 0.02, 0.3
"""Metres above the ground and metres a second at which a point is no longer trusted to carry."""
_NEVER = 1e4
"""Distrust beyond which more makes no difference, except to the solver."""
_MOMENT = 3.0
"""Weight of a body weight metre of moment against a body weight of force."""
_EFFORT, _CHANGE = 1e-3, 2e-3
"""Weights of a body weight on a trusted point, and of its change in one hundredth of a second."""
_TORQUE = 1e-2
"""Weight of a body weight metre at a joint of a leg; a third of it or three times as much changes little."""


@dataclass(frozen=True, eq=False)
class GroundForces:
    """Forces at points under the feet, world axes, newtons on the body, and what they leave unexplained."""

    bodies: tuple[str, ...]
    """The body each point belongs to."""
    locals: Array
    """(points, 3) in the body's frame."""
    points: Array
    """(frames, points, 3) metres."""
    forces: Array
    """(frames, points, 3)."""
    center_of_mass: Array
    """(frames, 3)."""
    missing_force: Array
    """(frames, 3) newtons that no contact explains."""
    missing_moment: Array
    """(frames, 3) newton metres about the centre of mass that no contact explains."""
    solution: QpSolution

    def on(self, body: str) -> Array:
        """Total force (frames, 3) on one body."""
        if body not in self.bodies:
            raise InputError(f"no ground force on '{body}'", fix=f"bodies: {', '.join(sorted(set(self.bodies)))}")
        return self.forces[:, [b == body for b in self.bodies]].sum(axis=1)

    def pressure(self, body: str) -> Array:
        """Centre of pressure (frames, 3) under a body; NaN where it carries less than 20 N."""
        mine = [b == body for b in self.bodies]
        load = self.forces[:, mine, 2]
        total = load.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            where = np.einsum("fp,fpc->fc", load, self.points[:, mine]) / total[:, None]
        return np.where(total[:, None] > 20.0, where, np.nan)


class _Aim(NamedTuple):
    """What shares should come to, weighted: `map` times the shares is to be near `goal`."""

    map: sparse.csr_array
    goal: Array


def estimate_ground_forces(character: Character, motion: Motion, cutoff: float = FORCE_CUTOFF) -> GroundForces:
    """The forces under the feet of a character in motion (its own coordinates)."""
    q = low_pass(motion.q, motion.frame_time, cutoff)
    velocity, acceleration = differentiate(q, motion.frame_time)
    dynamics = Dynamics(character)
    rate = dynamics.momentum_rate(q, velocity, acceleration)
    weight = character.mass * GRAVITY
    needed = np.hstack((rate.linear + [0.0, 0.0, weight], rate.angular)) / weight
    center = dynamics.center_of_mass(q)
    bodies, local = _sole_points(character)
    points = _world_points(character, q, bodies, local)
    basis = np.array([[x, y, 1.0] for x in (-1, 1) for y in (-1, 1)]) * [FRICTION / 2**0.5, FRICTION / 2**0.5, 1.0]
    map_ = _wrench_map(points - center[:, None], basis)
    weights = np.tile([1.0, 1.0, 1.0, _MOMENT, _MOMENT, _MOMENT], len(q))
    explain = _Aim(sparse.diags_array(weights) @ map_, weights * needed.ravel())
    legs = _legs(character, bodies)
    effort = dynamics.torques(q, velocity, acceleration)[:, legs] / weight
    relief = _relief_map(character, q, legs, bodies, local, basis)
    spare = _Aim(_TORQUE**0.5 * relief, _TORQUE**0.5 * effort.ravel())
    solution = _share([explain, spare], _distrust(points, motion.frame_time), len(basis), motion.frame_time)
    shares = solution.x.reshape(*points.shape[:2], len(basis))
    missing = (needed.ravel() - map_ @ solution.x).reshape(-1, 6) * weight
    forces = weight * shares @ basis
    return GroundForces(bodies, local, points, forces, center, missing[:, :3], missing[:, 3:], solution)


def compute_joint_torques(character: Character, motion: Motion, forces: GroundForces, cutoff: float = FORCE_CUTOFF) -> Array:
    """Generalised forces (frames, dofs) of the muscles: inverse dynamics less what the ground gives."""
    q = low_pass(motion.q, motion.frame_time, cutoff)
    velocity, acceleration = differentiate(q, motion.frame_time)
    torques = Dynamics(character).torques(q, velocity, acceleration)
    for n, body in enumerate(forces.bodies):
        jacobian = point_jacobian(character.skeleton, q, character.body(body), forces.local_points[n])
        torques -= np.einsum("fcd,fc->fd", jacobian, forces.forces[:, n])
    return torques


def _sole_points(character: Character) -> tuple[tuple[str, ...], Array]:
    """The pads of every foot: one for each tip below it, two where the foot is wide."""
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
        raise InputError(f"'{character.name}' has no feet", fix="ground forces need bodies with heel, ball or toe tips")
    return tuple(body for body, _ in found), np.array([point for _, point in found])


def _world_points(character: Character, q: Array, bodies: tuple[str, ...], local: Array) -> Array:
    placed = place(character.skeleton, q)
    joints = [character.body(body) for body in bodies]
    return placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], local)


def _distrust(points: Array, frame_time: float) -> Array:
    """(frames, points): 1 for a point that rests on the ground, growing fast with height and speed."""
    ground = np.percentile(points[:, :, 2].min(axis=1), 20)
    height = np.maximum(points[:, :, 2] - ground, 0.0)
    speed = np.linalg.norm(np.gradient(points, frame_time, axis=0), axis=2)
    return np.minimum((1.0 + (height / _LOW) ** 2 + (speed / _SLOW) ** 2) ** 2, _NEVER)


def _wrench_map(arms: Array, basis: Array) -> sparse.csr_array:
    """From shares (frame by frame, point by point, edge by edge) to force and moment of every frame."""
    frames, points, _ = arms.shape
    edges = np.broadcast_to(basis, (frames, points, *basis.shape))
    moments = np.cross(arms[:, :, None], edges)
    blocks = np.concatenate((edges, moments), axis=-1).transpose(0, 3, 1, 2).reshape(frames, 6, -1)
    return sparse.csr_array(sparse.block_diag(list(blocks), format="csr"))


def _legs(character: Character, bodies: tuple[str, ...]) -> list[int]:
    """Degrees of freedom between the ground and the root."""
    skeleton = character.skeleton
    between = {joint for body in bodies for joint in skeleton.path_to_root(character.body(body))} - {0}
    return [column for column, dof in enumerate(skeleton.dofs) if dof.joint in between]


def _relief_map(
    character: Character, q: Array, legs: list[int], bodies: tuple[str, ...], local: Array, basis: Array
) -> sparse.csr_array:
    """From shares to what the ground takes off the torques of the legs in every frame."""
    pushes = [
        np.einsum("fcd,ec->fde", point_jacobian(character.skeleton, q, character.body(body), point)[:, :, legs], basis)
        for body, point in zip(bodies, local, strict=True)
    ]
    return sparse.csr_array(sparse.block_diag(list(np.concatenate(pushes, axis=2)), format="csr"))


def _share(aims: list[_Aim], distrust: Array, edges: int, frame_time: float) -> QpSolution:
    """The shares that come nearest to the aims, little on points that are not trusted, changing smoothly."""
    frames, points = distrust.shape
    step = points * edges
    size = frames * step
    change = sparse.diags_array(
        [-np.ones(size - step), np.ones(size - step)], offsets=[0, step], shape=(size - step, size)
    )
    hessian = sparse.diags_array(_EFFORT * np.repeat(distrust.ravel(), edges))
    hessian = hessian + _CHANGE * (0.01 / frame_time) ** 2 * frame_time / 0.01 * (change.T @ change)
    gradient = np.zeros(size)
    for aim in aims:
        hessian = hessian + aim.map.T @ aim.map
        gradient -= aim.map.T @ aim.goal
    return solve_bounded(hessian, gradient, np.zeros(size), np.full(size, np.inf))

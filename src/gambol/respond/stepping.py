"""Step the response frame by frame: targets and pushes in, poses out, for one character or a batch (YL08, section 4.2).

Targets may come from a clip, a blend or a live capture; future targets are not needed. For 0.2 s after a push begins,
the torque of the actuated directions persists (equation 5). The root is part of the same system: with locked joints it
reduces to equation 7, as a velocity and with inertia in place of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.motion.pushes import Platform, Push, compute_active_fraction
from gambol.respond.model import Gains, ResponseModel, Springs
from gambol.respond.objective import Objective, PoseView

_NOTICED = 0.01
"""Share of body weight: a force that grows by this much in one frame counts as the start of a push."""


@dataclass(frozen=True, eq=False)
class ResponseState:
    """State of a batch of characters between two frames."""

    time: float
    target: Array
    """(batch, dofs) of the last frame."""
    previous_target: Array
    """(batch, dofs) of the frame before."""
    deviation: Array
    """(batch, n) from the target."""
    deviation_rate: Array
    """(batch, n) per second."""
    pose: Array
    """(batch, dofs)."""
    held_torque: Array
    """(batch, n) torque of the actuated directions against the deviation when the last push began."""
    time_since_push: Array
    """(batch,) seconds since the last push began."""
    push_loads: Array
    """(batch, bodies) magnitude of the force on every upper body (N)."""
    excess: Array
    """(batch, n) part of the deviation that the bounds cut off in the last step; NaN where there was no solution."""


def start_response(model: ResponseModel, target: Array, before: Array | None = None) -> ResponseState:
    """Return the state of a character on its target (dofs,), or of a batch on targets (batch, dofs)."""
    now = np.atleast_2d(target).astype(float)
    batch, size = len(now), len(model.columns)
    nothing = np.zeros((batch, size))
    return ResponseState(
        time=0.0,
        target=now,
        previous_target=now if before is None else np.atleast_2d(before).astype(float),
        deviation=nothing,
        deviation_rate=nothing,
        pose=now,
        held_torque=nothing,
        time_since_push=np.full(batch, np.inf),
        push_loads=np.zeros((batch, len(model.upper))),
        excess=nothing,
    )


def step_response(
    model: ResponseModel,
    state: ResponseState,
    target: Array,
    pushes: Sequence[Push] | Sequence[Sequence[Push]] = (),
    *,
    objectives: Sequence[Objective] = (),
    platform: Platform | None = None,
) -> tuple[ResponseState, Array]:
    """Advance by one frame towards the next target (dofs,); return the state and the pose (dofs,).

    For a batch, targets and poses are (batch, dofs) and there is one sequence of pushes per character. A push acts
    while the state's time lies within it.
    """
    goal = target.reshape(-1, target.shape[-1])
    each: Sequence[Sequence[Push]] = [pushes] if target.ndim == 1 else pushes  # type: ignore[list-item,assignment]
    h = model.frame_time
    springs, wrenches = _external_terms(model, state, goal, each, objectives)
    load = np.linalg.norm(wrenches[:, :, :3], axis=2) if wrenches.any() else np.zeros_like(state.push_loads)
    torque, since = _detect_push(model, state, load)
    if (since < model.gains.delay).any():
        springs = _apply_persistence(springs, model, _persistence(model.gains, since), torque)
    ground_acceleration = (
        np.zeros(3)
        if platform is None
        else compute_active_fraction(platform, state.time, h) * np.array(platform.acceleration)
    )
    off, rate, pose, excess = model.runner(len(goal)).run(
        state.target, state.previous_target, goal, state.deviation, state.deviation_rate,
        _flat(springs.stiffness), _flat(springs.damping),
        springs.force, _flat(wrenches), ground_acceleration, h,
    )  # fmt: skip
    pose = pose.copy()
    after = ResponseState(
        state.time + h, goal, state.target, off.copy(), rate.copy(), pose, torque, since + h, load, excess.copy()
    )
    if platform is not None:
        pose = pose.copy()
        pose[:, :3] += platform.displacement_factor(after.time) * np.array(platform.acceleration)
    return after, pose.reshape(target.shape)


def _external_terms(
    model: ResponseModel,
    state: ResponseState,
    goal: Array,
    each: Sequence[Sequence[Push]],
    objectives: Sequence[Objective],
) -> tuple[Springs, Array]:
    """Return the springs with the objectives added, and the wrenches (batch, bodies, 6) of the pushes."""
    batch = len(goal)
    wrenches = np.zeros((batch, len(model.upper), 6))
    springs = model.nominal_springs
    if objectives:
        springs = Springs(*(np.repeat(part, batch, axis=0) for part in springs))
    for n, mine in enumerate(each or [()] * batch):
        acting = [
            (push, share)
            for push in mine
            if (share := compute_active_fraction(push, state.time, model.frame_time)) > 0.0
        ]
        if acting or objectives:
            look = model.look(state.pose[n] + goal[n] - state.target[n])
            for push, share in acting:
                _add_push(model, look, push, share, wrenches[n])
            for objective in objectives:
                objective(look).into(model.gain_matrices.actuated, state.deviation[n], *(part[n] for part in springs))
    return springs, wrenches


def _detect_push(model: ResponseModel, state: ResponseState, load: Array) -> tuple[Array, Array]:
    """Return the persistent torque (batch, n) and the time (batch,) since the last push, reset where a push begins."""
    began = np.any(load > state.push_loads + _NOTICED * model.character.mass * GRAVITY, axis=1)
    if not began.any():
        return state.held_torque, state.time_since_push
    persisting = _persistence(model.gains, state.time_since_push)[:, None]
    pull = -(
        state.deviation @ model.gain_matrices.actuated_stiffness
        + state.deviation_rate @ model.gain_matrices.actuated_damping
    )
    torque = (1.0 - persisting) * pull + persisting * state.held_torque
    return np.where(began.reshape(-1, 1), torque, state.held_torque), np.where(began, 0.0, state.time_since_push)


def _apply_persistence(springs: Springs, model: ResponseModel, persisting: Array, torque: Array) -> Springs:
    """Replace a share (batch,) of the springs along the actuated directions by the persistent torque."""
    share = persisting[:, None, None]
    return Springs(
        springs.stiffness - share * model.gain_matrices.actuated_stiffness,
        springs.damping - share * model.gain_matrices.actuated_damping,
        springs.force + persisting[:, None] * torque,
    )


def _flat(arrays: Array) -> Array:
    return arrays.reshape(len(arrays), -1)


def _persistence(gains: Gains, since: Array) -> Array:
    """Return the share (batch,) of the actuated torque that persists after the last push (equation 5)."""
    elapsed = np.minimum(since / gains.delay, 1.0)
    return gains.persistence * 0.5 * (1.0 + np.cos(np.pi * elapsed))


def _add_push(model: ResponseModel, look: PoseView, push: Push, share: float, wrenches: Array) -> None:
    """Add a push to the wrenches (bodies, 6) on the upper bodies; a push on a leg acts on the pelvis."""
    body = model.character.body(push.body)
    point = look.place(body, model.character.centers[body] if push.point is None else np.array(push.point))
    force = share * np.array(push.force)
    if push.axes == "body":
        force = look.turn(body) @ force
    moved = model.upper.index(push.body) if push.body in model.upper else 0
    origin = look.place(model.character.body(model.upper[moved]), np.zeros(3))
    wrenches[moved, :3] += force
    wrenches[moved, 3:] += np.cross(point - origin, force)


def respond_to_targets(
    model: ResponseModel,
    targets: Array,
    pushes: Sequence[Push],
    *,
    objectives: Sequence[Objective] = (),
    platform: Platform | None = None,
) -> Array:
    """Return the poses (frames, dofs) that respond to targets (frames, dofs), starting on the first target."""
    for push in pushes:
        model.character.body(push.body)
    # Extrapolate the motion backwards by one frame.
    state = start_response(model, targets[0], 2.0 * targets[0] - targets[1])
    poses = [targets[0]]
    for target in targets[1:]:
        state, pose = step_response(model, state, target, pushes, objectives=objectives, platform=platform)
        poses.append(pose)
    return np.array(poses)

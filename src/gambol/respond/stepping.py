"""One frame after the other: targets and pushes in, poses out, for one character or a batch (YL08, section 4.2).

Targets may come from anywhere: a clip, a blend, a live capture. What comes next need not be known, and a frame costs
the same whatever happened before. For 0.2 s after a push began the muscles of the actuated directions go on as they
were (equation 5). The root takes part in the same equations: with the joints locked that is equation 7 with inertia in
place of mass, as a velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY
from gambol.geometry.arrays import Array
from gambol.motion.pushes import Platform, Push, compute_active_fraction
from gambol.respond.look import Objective, PoseView
from gambol.respond.model import Gains, ResponseModel, Springs

_NOTICED = 0.01
"""Of body weight: a force that grows by this in a frame is a push that begins."""


@dataclass(frozen=True, eq=False)
class ResponseState:
    """What goes from one frame to the next, of a batch of characters."""

    time: float
    now: Array
    """(batch, dofs) the target last answered, and the one before."""
    before: Array
    off: Array
    """(batch, n) deviation from the target, and its rate."""
    rate: Array
    pose: Array
    """(batch, dofs)."""
    torque: Array
    """(batch, n) what the muscles of the actuated directions gave against the deviation when the last push began."""
    since: Array
    """(batch,) seconds since then."""
    load: Array
    """(batch, bodies) size of the force on every upper body."""


def start_response(model: ResponseModel, target: Array, before: Array | None = None) -> ResponseState:
    """The state in which a character, or a batch of them, is where its target (dofs,) or (batch, dofs) is."""
    now = np.atleast_2d(target).astype(float)
    batch, size = len(now), len(model.columns)
    nothing = np.zeros((batch, size))
    return ResponseState(
        time=0.0,
        now=now,
        before=now if before is None else np.atleast_2d(before).astype(float),
        off=nothing,
        rate=nothing,
        pose=now,
        torque=nothing,
        since=np.full(batch, np.inf),
        load=np.zeros((batch, len(model.upper))),
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
    """One frame: the next target (dofs,) in, the state and the pose (dofs,) that answers it out.

    For a batch, targets and poses are (batch, dofs) and there is one sequence of pushes for each character. A push acts
    while the state's clock is within it. The cost of a frame does not depend on what happened before.
    """
    goal = target.reshape(-1, target.shape[-1])
    each: Sequence[Sequence[Push]] = [pushes] if target.ndim == 1 else pushes  # type: ignore[list-item,assignment]
    h = model.frame_time
    springs, wrenches = _outside(model, state, goal, each, objectives)
    load = np.linalg.norm(wrenches[:, :, :3], axis=2) if wrenches.any() else np.zeros_like(state.load)
    torque, since = _startled(model, state, load)
    if (since < model.gains.delay).any():
        springs = _numbed(springs, model, _deafness(model.gains, since), torque)
    shaking = (
        np.zeros(3)
        if platform is None
        else compute_active_fraction(platform, state.time, h) * np.array(platform.acceleration)
    )
    off, rate, pose = model.runner(len(goal)).run(
        state.now, state.before, goal, state.off, state.rate, _flat(springs.stiffness), _flat(springs.damping),
        springs.force, _flat(wrenches), shaking, h,
    )  # fmt: skip
    pose = pose.copy()
    after = ResponseState(state.time + h, goal, state.now, off.copy(), rate.copy(), pose, torque, since + h, load)
    if platform is not None:
        pose = pose.copy()
        pose[:, :3] += platform.displacement_factor(after.time) * np.array(platform.acceleration)
    return after, pose.reshape(target.shape)


def _outside(
    model: ResponseModel,
    state: ResponseState,
    goal: Array,
    each: Sequence[Sequence[Push]],
    objectives: Sequence[Objective],
) -> tuple[Springs, Array]:
    """The springs with what the objectives ask for, and the wrenches (batch, bodies, 6) of the pushes."""
    batch = len(goal)
    wrenches = np.zeros((batch, len(model.upper), 6))
    springs = model.awake
    if objectives:
        springs = Springs(*(np.repeat(part, batch, axis=0) for part in springs))
    for n, mine in enumerate(each or [()] * batch):
        acting = [
            (push, share)
            for push in mine
            if (share := compute_active_fraction(push, state.time, model.frame_time)) > 0.0
        ]
        if acting or objectives:
            look = model.look(state.pose[n] + goal[n] - state.now[n])
            for push, share in acting:
                _add_push(model, look, push, share, wrenches[n])
            for objective in objectives:
                objective(look).into(model.grip.held, state.off[n], *(part[n] for part in springs))
    return springs, wrenches


def _startled(model: ResponseModel, state: ResponseState, load: Array) -> tuple[Array, Array]:
    """Torque (batch, n) that the muscles go on with and seconds (batch,) since: anew where a push begins."""
    began = np.any(load > state.load + _NOTICED * model.character.mass * GRAVITY, axis=1)
    if not began.any():
        return state.torque, state.since
    deaf = _deafness(model.gains, state.since)[:, None]
    pull = -(state.off @ model.grip.held_stiffness + state.rate @ model.grip.held_damping)
    torque = (1.0 - deaf) * pull + deaf * state.torque
    return np.where(began.reshape(-1, 1), torque, state.torque), np.where(began, 0.0, state.since)


def _numbed(springs: Springs, model: ResponseModel, deaf: Array, torque: Array) -> Springs:
    """The actuated directions go on with a torque that they had, by a share (batch,)."""
    share = deaf[:, None, None]
    return Springs(
        springs.stiffness - share * model.grip.held_stiffness,
        springs.damping - share * model.grip.held_damping,
        springs.force + deaf[:, None] * torque,
    )


def _flat(arrays: Array) -> Array:
    return arrays.reshape(len(arrays), -1)


def _deafness(gains: Gains, since: Array) -> Array:
    """Share of the muscles' work (batch,) that does not know of the last push yet: equation 5."""
    asleep = np.minimum(since / gains.delay, 1.0)
    return gains.deaf * 0.5 * (1.0 + np.cos(np.pi * asleep))


def _add_push(model: ResponseModel, look: PoseView, push: Push, share: float, wrenches: Array) -> None:
    """Force and moment (bodies, 6) on the bodies that dynamics move; what pushes a leg pushes the pelvis."""
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
    """Poses (frames, dofs) that answer targets (frames, dofs); the first is the first target."""
    for push in pushes:
        model.character.body(push.body)
    # Before the first frame the motion is taken to have gone on as it begins.
    state = start_response(model, targets[0], 2.0 * targets[0] - targets[1])
    poses = [targets[0]]
    for target in targets[1:]:
        state, pose = step_response(model, state, target, pushes, objectives=objectives, platform=platform)
        poses.append(pose)
    return np.array(poses)

"""Push a character: dynamic responses in near-unactuated coordinates (YL08).

`near_unactuated` takes a clip and pushes and gives the pushed clip on the same rig. `learn`, `start` and `step` do
the same frame by frame, for one character or a batch, with targets from anywhere: what comes next need not be known.

The equations and why they are stable are in `equations.py`; here is what they are given. Stiffness and damping along
the actuated directions are those of equations 3 and 4 (damping acts on the deviation: damping the motion itself, as
printed, holds the clip back). For 0.2 s after a push began the muscles of the actuated directions go on as they were
(equation 5). The root takes part in the same equations, held by springs that stand for the legs: with the joints locked
that is equation 7 with inertia in place of mass, as a velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.lumped import loaded
from gambol.errors import InputError
from gambol.fit.rig import Fit, fit
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Platform, Push
from gambol.respond.actuation import Actuation, actuation_of, toppling, upper_columns
from gambol.respond.answer import Answer
from gambol.respond.equations import Bounds, step_function, upper_body
from gambol.respond.look import Look, Objective
from gambol.solve.compiled import Runner, compiled

FREE = 10
"""Near-unactuated coordinates, the paper's k."""
_NOTICED = 0.01
"""Of body weight: a force that grows by this in a frame is a push that begins."""
_SWING = np.radians(60.0)
"""How far joints without limits of their own may leave what the clip does."""


@dataclass(frozen=True)
class Gains:
    """How a body holds on to its motion; the same for all clips and bodies."""

    held_stiffness: float = 300.0
    """N m/rad along the actuated directions."""
    held_damping: float = 40.0
    """N m s/rad."""
    free_stiffness: float = 3.0
    """N m/rad along the free directions, beyond what gravity takes away there with the paper's ten of them."""
    free_damping: float = 1.0
    root_rates: tuple[float, ...] = (5.0, 5.0, 12.0, 9.0, 9.0, 9.0)
    """Radians a second at which the root comes back, critically damped: along the ground, up, and turning."""
    leash: tuple[float, ...] = (0.2, 0.2, 0.12, 0.35, 0.35, 0.35)
    """Metres and radians that the root may leave the clip's."""
    delay: float = 0.2
    """Seconds in which muscles do not know of a push yet."""
    deaf: float = 0.95
    """Share of what the muscles do in that time that goes on as before."""


@dataclass(frozen=True, eq=False)
class Model:
    """What a body needs to know of itself to answer: made by `learn`."""

    character: Character
    burdened: Character
    columns: list[int]
    bounds: Bounds
    gains: Gains
    frame_time: float
    free_stiffness: Array
    """(n, n) along the free directions, and of the root; `free_damping` likewise."""
    free_damping: Array
    held_stiffness: Array
    """(n, n) along the actuated directions."""
    held_damping: Array
    held: Array
    """(n, n) projects onto root and actuated directions: where objectives may act."""
    machine_code: bool

    @cached_property
    def awake(self) -> _Springs:
        """The springs while nothing disturbs."""
        stiffness, damping = self.free_stiffness + self.held_stiffness, self.free_damping + self.held_damping
        return _Springs(stiffness[None], damping[None], np.zeros((1, len(stiffness))))

    @cached_property
    def _function(self):  # type: ignore[no-untyped-def]
        function = step_function(self.character, self.burdened, self.bounds)
        return compiled(function) if self.machine_code else function

    @cached_property
    def _runners(self) -> dict[int, Runner]:
        return {}

    def runner(self, batch: int) -> Runner:
        """The step for so many characters at once."""
        if batch not in self._runners:
            self._runners[batch] = Runner(self._function, batch)
        return self._runners[batch]

    @cached_property
    def upper(self) -> tuple[str, ...]:
        """Bodies that dynamics move; the others act through the first, the pelvis."""
        return upper_body(self.character).skeleton.names

    @cached_property
    def _expressions(self) -> Expressions:
        return Expressions(self.character)

    @cached_property
    def _frames(self) -> Runner:
        return Runner(self._expressions.frames, 1)

    @cached_property
    def _axes(self) -> Runner:
        return Runner(self._expressions.axes, 1)

    def look(self, pose: Array) -> Look:
        """Where everything is in a pose (dofs,)."""
        return Look(self.character, self.columns, pose, self._frames, self._axes)


@dataclass(frozen=True, eq=False)
class State:
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
    ground: Array
    """(6,) velocity of the platform and how far it has come."""


def learn(
    fitted: Fit,
    free: int = FREE,
    *,
    actuation: Actuation | None = None,
    gains: Gains = Gains(),
    loads: Sequence[Load] = (),
    machine_code: bool = False,
) -> Model:
    """What a fitted clip says of its body; `actuation` may be another clip's, `machine_code` compiles the step."""
    character = fitted.character
    own = actuation_of(fitted) if actuation is None else actuation
    columns = upper_columns(character)
    size = len(columns)
    directions = own.free(free)
    swinging = np.zeros((size, size))
    swinging[6:, 6:] = directions @ directions.T
    held = np.eye(size) - swinging
    driven = held.copy()
    driven[:6, :6] = 0.0
    inertia = np.diag(Dynamics(character).mass_matrix(np.median(fitted.motion.q, axis=0)))[:6]
    rates = np.array(gains.root_rates)
    free_stiffness = (gains.free_stiffness + toppling(fitted, own.free(min(FREE, size - 6)))) * swinging
    free_damping = gains.free_damping * swinging
    free_stiffness[range(6), range(6)] = inertia * rates**2
    free_damping[range(6), range(6)] = 2.0 * inertia * rates
    return Model(
        character,
        loaded(character, loads),
        columns,
        _bounds(fitted, columns, gains),
        gains,
        fitted.motion.frame_time,
        free_stiffness,
        free_damping,
        gains.held_stiffness * driven,
        gains.held_damping * driven,
        held,
        machine_code,
    )


def _bounds(fitted: Fit, columns: list[int], gains: Gains) -> Bounds:
    dofs = [fitted.character.skeleton.dofs[c] for c in columns]
    q = fitted.motion.q[:, columns]
    lower, upper = np.array([d.lower for d in dofs]), np.array([d.upper for d in dofs])
    lower = np.where(np.isfinite(lower), lower, q.min(axis=0) - _SWING)
    upper = np.where(np.isfinite(upper), upper, q.max(axis=0) + _SWING)
    lower[:6], upper[:6] = -np.inf, np.inf
    leash = np.full(len(columns), np.inf)
    leash[:6] = gains.leash
    margin = np.full(len(columns), 0.25)
    margin[:6] = 0.6 * leash[:6]
    return Bounds(lower, upper, leash, margin)


def start(model: Model, target: Array, before: Array | None = None) -> State:
    """The state in which a character, or a batch of them, is where its target (dofs,) or (batch, dofs) is."""
    now = np.atleast_2d(target).astype(float)
    batch, size = len(now), len(model.columns)
    nothing = np.zeros((batch, size))
    return State(
        time=0.0,
        now=now,
        before=now if before is None else np.atleast_2d(before).astype(float),
        off=nothing,
        rate=nothing,
        pose=now,
        torque=nothing,
        since=np.full(batch, np.inf),
        load=np.zeros((batch, len(model.upper))),
        ground=np.zeros(6),
    )


def step(
    model: Model,
    state: State,
    target: Array,
    pushes: Sequence[Push] | Sequence[Sequence[Push]] = (),
    *,
    objectives: Sequence[Objective] = (),
    platform: Platform | None = None,
) -> tuple[State, Array]:
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
        springs = springs.numbed(model, _deafness(model.gains, since), torque)
    shaking, ground = _shaken(state, platform, h)
    off, rate, pose = model.runner(len(goal)).run(
        state.now, state.before, goal, state.off, state.rate, _flat(springs.stiffness), _flat(springs.damping),
        springs.force, _flat(wrenches), shaking, h,
    )  # fmt: skip
    pose = pose.copy()
    after = State(state.time + h, goal, state.now, off.copy(), rate.copy(), pose, torque, since + h, load, ground)
    if platform is not None:
        pose = pose + np.pad(ground[3:], (0, goal.shape[1] - 3))
    return after, pose.reshape(target.shape)


class _Springs(NamedTuple):
    """Stiffness and damping (batch or 1, n, n) of a frame, and a force (batch or 1, n) besides the pushes."""

    stiffness: Array
    damping: Array
    force: Array

    def numbed(self, model: Model, deaf: Array, torque: Array) -> _Springs:
        """The actuated directions go on with a torque that they had, by a share (batch,)."""
        share = deaf[:, None, None]
        return _Springs(
            self.stiffness - share * model.held_stiffness,
            self.damping - share * model.held_damping,
            self.force + deaf[:, None] * torque,
        )


def _outside(
    model: Model, state: State, goal: Array, each: Sequence[Sequence[Push]], objectives: Sequence[Objective]
) -> tuple[_Springs, Array]:
    """The springs with what the objectives ask for, and the wrenches (batch, bodies, 6) of the pushes."""
    batch = len(goal)
    wrenches = np.zeros((batch, len(model.upper), 6))
    springs = model.awake
    if objectives:
        springs = _Springs(*(np.repeat(part, batch, axis=0) for part in springs))
    for n, mine in enumerate(each):
        acting = [(push, share) for push in mine if (share := _share(push, state.time, model.frame_time)) > 0.0]
        if acting or objectives:
            look = model.look(state.pose[n] + goal[n] - state.now[n])
            for push, share in acting:
                _add_push(model, look, push, share, wrenches[n])
            for objective in objectives:
                objective(look).into(model.held, state.off[n], *(part[n] for part in springs))
    return springs, wrenches


def _startled(model: Model, state: State, load: Array) -> tuple[Array, Array]:
    """Torque (batch, n) that the muscles go on with and seconds (batch,) since: anew where a push begins."""
    began = np.any(load > state.load + _NOTICED * model.character.mass * GRAVITY, axis=1)
    if not began.any():
        return state.torque, state.since
    deaf = _deafness(model.gains, state.since)[:, None]
    pull = -(state.off @ model.held_stiffness + state.rate @ model.held_damping)
    torque = (1.0 - deaf) * pull + deaf * state.torque
    return np.where(began.reshape(-1, 1), torque, state.torque), np.where(began, 0.0, state.since)


def _flat(arrays: Array) -> Array:
    return arrays.reshape(len(arrays), -1)


def _deafness(gains: Gains, since: Array) -> Array:
    """Share of the muscles' work (batch,) that does not know of the last push yet: equation 5."""
    asleep = np.minimum(since / gains.delay, 1.0)
    return gains.deaf * 0.5 * (1.0 + np.cos(np.pi * asleep))


def _share(push: Push, time: float, h: float) -> float:
    """Share of a frame in which a push acts; sums of frame times are not exact, so the least share is none."""
    share = (min(push.end, time + h) - max(push.start, time)) / h
    return share if share > 1e-6 else 0.0


def _add_push(model: Model, look: Look, push: Push, share: float, wrenches: Array) -> None:
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


def _shaken(state: State, platform: Platform | None, h: float) -> tuple[Array, Array]:
    """Acceleration (3,) of the ground in this frame, and its velocity and place (6,) after it."""
    if platform is None:
        return np.zeros(3), state.ground
    acting = platform.start - 0.5 * h <= state.time < platform.start + platform.duration - 0.5 * h
    shaking = np.array(platform.acceleration) if acting else np.zeros(3)
    velocity = state.ground[:3] + h * shaking
    return shaking, np.concatenate((velocity, state.ground[3:] + h * velocity))


def respond(
    model: Model,
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
    state = start(model, targets[0], 2.0 * targets[0] - targets[1])
    poses = [targets[0]]
    for target in targets[1:]:
        state, pose = step(model, state, target, pushes, objectives=objectives, platform=platform)
        poses.append(pose)
    return np.array(poses)


def answer(
    character: Character,
    clip: Motion,
    pushes: Sequence[Push] = (),
    free: int = FREE,
    *,
    actuation: Actuation | None = None,
    gains: Gains = Gains(),
    objectives: Sequence[Objective] = (),
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
) -> Answer:
    """What a clip does when it is pushed, with the numbers that a person asks for."""
    check_pushes(clip, pushes)
    fitted = fit(character, clip)
    model = learn(fitted, free, actuation=actuation, gains=gains, loads=loads)
    poses = respond(model, fitted.motion.q, pushes, objectives=objectives, platform=platform)
    return Answer(fitted, poses, tuple(pushes), f"near-unactuated, k = {free}")


def near_unactuated(character: Character, clip: Motion, pushes: Sequence[Push] = (), free: int = FREE) -> Motion:
    """The clip, pushed, on its own rig. `answer` takes more, and tells more."""
    return answer(character, clip, pushes, free).motion


def check_pushes(clip: Motion, pushes: Sequence[Push]) -> None:
    """Refuse pushes that come after the clip."""
    late = next((p for p in pushes if p.start >= clip.duration), None)
    if late is not None:
        raise InputError(
            f"the push at {late.start:g} s comes after the clip, which lasts {clip.duration:.2f} s",
            file=clip.name,
            fix="push earlier, or loop the clip",
        )

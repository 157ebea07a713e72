"""The printed form beside ours: tracking without a push, and the torque along the free coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import point_jacobian
from gambol.motion.pushes import Push
from gambol.respond.actuation import upper_body_columns
from gambol.respond.model import DEFAULT_FREE
from gambol_evidence.printed.near_unactuated import respond_to_targets_as_printed
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.near_unactuated.trials import (
    BEFORE,
    LEFT,
    PUSH,
    PushTrial,
    TrialWalk,
    TrialWalks,
    make_trial,
    play_trial,
)

_SECONDS = 2.5
_NONE = 0.1
"""Torque (N m) that counts as zero: 1/70 of the clip's own along the actuated coordinates. Lowering the hips so that
the legs reach the feet causes as much."""


def measure_as_printed(walks: TrialWalks) -> Iterator[Claim]:
    """The printed form diverges without a push. Its basis is centred, as in the paper."""
    for name, squared in (("squared", True), ("norms", False)):
        worst = [_unpushed(walk, squared) for walk in walks.normal]
        text = f"printed form (eq. 6, {name}) without a push, k = 10: largest deviation in 2.5 s, median walk"
        yield Claim(f"printed-{name}", "YL08 §4.2", text, float(np.median(worst)), "deg", walks.names, Band(high=5.0))


def _unpushed(walk: TrialWalk, squared: bool) -> float:
    """Return the largest deviation in degrees; where the form diverges, that of the last frame computed."""
    fitted = _cut(walk, _SECONDS)
    poses = respond_to_targets_as_printed(fitted, walk.centred_space, (), DEFAULT_FREE, squared=squared)
    return float(np.degrees(np.abs(poses - fitted.motion.q)[:, upper_body_columns(fitted.character)].max()))


def _cut(walk: TrialWalk, seconds: float) -> Fit:
    motion = walk.fitted.motion
    return replace(walk.fitted, motion=replace(motion, q=motion.q[: walk.frames(seconds)]))


def measure_torque(walks: TrialWalks) -> Iterator[Claim]:
    """The free coordinates carry no muscle torque during a push; in our form they carry passive springs."""
    exact, whole, active = [], [], []
    for walk in walks.normal:
        fitted = _cut(walk, BEFORE + PUSH + 0.1)
        pushes, acting = _whole_frames(walk)
        poses = respond_to_targets_as_printed(fitted, walk.centred_space, pushes, DEFAULT_FREE)
        torques = _torques(fitted, poses, pushes) @ walk.centred_space.free(DEFAULT_FREE)
        exact.append(_rms(torques[_kept(poses[:, upper_body_columns(fitted.character)[6:]], acting)]))
        free = walk.space.free(DEFAULT_FREE)
        clip = fitted.motion.q
        poses = play_trial(PushTrial(walk, clip[:, None], [pushes])).poses[:, 0]
        more = _torques(fitted, poses, pushes) - _torques(fitted, clip, ())
        whole.append(_rms((more @ free)[acting]))
        active.append(_rms(((more - _springs(walk, poses - clip)) @ free)[acting]))
    source = "YL08 §4.2, eq. 2"
    text = "printed form: torque along the free coordinates during a push (rms, until the form diverges)"
    reason = "equation 2 is a hard constraint of the program that computes the pose"
    yield Claim("torque-printed", source, text, np.max(exact), "N m", walks.names, Band(high=_NONE), reason)
    text = "our form: torque along the free coordinates during a push, less that of the clip (rms)"
    yield Claim("torque-ours", source, text, float(np.mean(whole)), "N m", walks.names, Band(high=_NONE))
    text = "our form: torque along the free coordinates, less that of the clip and of springs and dampers (rms)"
    yield Claim("torque-ours-active", source, text, float(np.mean(active)), "N m", walks.names, Band(high=_NONE))


def _springs(walk: TrialWalk, off: Array) -> Array:
    """Return the torque (frames - 2, coordinates) of the passive springs and dampers (N m)."""
    upper = off[:, upper_body_columns(walk.fitted.character)[6:]]
    rate = (upper[2:] - upper[1:-1]) / walk.fitted.motion.frame_time
    return (
        -upper[2:] @ walk.model.gain_matrices.free_stiffness[6:, 6:]
        - rate @ walk.model.gain_matrices.free_damping[6:, 6:]
    )


def _whole_frames(walk: TrialWalk) -> tuple[list[Push], slice]:
    """Return a push of whole frames, the same for both forms, and the rows of `_torques` during it.

    It is away from the trunk, at which an arm would stop.
    """
    h, first, count = walk.fitted.motion.frame_time, walk.frames(BEFORE), walk.frames(PUSH)
    ((push,),) = make_trial(walk, ("left_upper_arm",), (LEFT,), (0,)).pushes
    return [replace(push, start=first * h - 1e-9, duration=count * h)], slice(first - 1, first + count - 1)


def _kept(upper: Array, acting: slice) -> slice:
    """Return the frames of a push before the printed form was stopped, after which its pose is constant."""
    still = np.flatnonzero(np.all(upper[2:] == upper[1:-1], axis=1))
    return slice(acting.start, min(acting.stop, int(still[0]))) if len(still) else acting


def _torques(fitted: Fit, poses: Array, pushes: Sequence[Push]) -> Array:
    """Return muscle torques (frames - 2, coordinates) of the upper body (N m), equation 1."""
    h, upper = fitted.motion.frame_time, upper_body_columns(fitted.character)[6:]
    velocity = (poses[1:-1] - poses[:-2]) / h
    acceleration = (poses[2:] - 2.0 * poses[1:-1] + poses[:-2]) / h**2
    total = Dynamics(fitted.character).torques(poses[1:-1], velocity, acceleration)
    times = h * np.arange(1, len(poses) - 1)
    for push in pushes:
        body = fitted.character.body(push.body)
        arms = point_jacobian(fitted.character.skeleton, poses[1:-1], body, fitted.character.centers[body])
        acts = (push.start <= times) & (times < push.end)
        total -= acts[:, None] * np.einsum("fxd,x->fd", arms, np.array(push.force))
    return total[:, upper]


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else float("nan")

"""The printed form beside ours: what it does unpushed, and the torque that each leaves along the free coordinates."""

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
from gambol.reproduce.claims import Claim
from gambol.reproduce.near_unactuated.trials import (
    BEFORE,
    PUSH,
    RIGHT,
    PushTrial,
    TrialWalk,
    TrialWalks,
    make_trial,
    play_trial,
)
from gambol.respond.actuation import upper_body_columns
from gambol.respond.model import DEFAULT_FREE
from gambol.respond.printed import respond_to_targets_as_printed

_SECONDS = 2.5
_NONE = 0.1
"""N m that count as none, a seventieth of the clip's own along the driven coordinates: hips that come down for the feet
to be reached give as much."""


def measure_as_printed(walks: TrialWalks) -> Iterator[Claim]:
    """As printed the method does not stay with a walk that nobody pushes."""
    for name, squared in (("squared", True), ("norms", False)):
        worst = [_unpushed(walk, squared) for walk in walks.normal]
        text = f"as printed (eq. 6, {name}) the clip is followed unpushed, k = 10: worst joint in 2.5 s, median walk. "
        text += "Free coordinates get no restoring torque at all, and damping outweighs tracking"
        yield Claim(f"printed-{name}", "YL08", text, float(np.median(worst)), "deg", walks.names, Band(high=5.0))


def _unpushed(walk: TrialWalk, squared: bool) -> float:
    """Degrees; those of the frame in which the printed form is given up where it runs away."""
    fitted = _cut(walk, _SECONDS)
    poses = respond_to_targets_as_printed(fitted, walk.space, (), DEFAULT_FREE, squared=squared)
    return float(np.degrees(np.abs(poses - fitted.motion.q)[:, upper_body_columns(fitted.character)].max()))


def _cut(walk: TrialWalk, seconds: float) -> Fit:
    motion = walk.fitted.motion
    return replace(walk.fitted, motion=replace(motion, q=motion.q[: walk.frames(seconds)]))


def measure_torque(walks: TrialWalks) -> Iterator[Claim]:
    """The free coordinates carry no muscle torque while a push lasts; in ours they carry passive springs."""
    exact, whole, active = [], [], []
    for walk in walks.normal:
        fitted = _cut(walk, BEFORE + PUSH + 0.1)
        pushes, acting = _whole_frames(walk)
        free = walk.space.free(DEFAULT_FREE)
        poses = respond_to_targets_as_printed(fitted, walk.space, pushes, DEFAULT_FREE)
        exact.append(_rms((_torques(fitted, poses, pushes) @ free)[_kept(poses, acting)]))
        clip = fitted.motion.q
        poses = play_trial(PushTrial(walk, clip[:, None], [pushes])).poses[:, 0]
        more = _torques(fitted, poses, pushes) - _torques(fitted, clip, ())
        whole.append(_rms((more @ free)[acting]))
        active.append(_rms(((more - _springs(walk, poses - clip)) @ free)[acting]))
    text = "as printed, the free coordinates carry no torque during a push (rms, while the form has not run away)"
    yield Claim("torque-printed", "YL08", text, max(exact), "N m", walks.names, Band(high=_NONE))
    text = "neither do ours, beyond the clip's own torque (rms). They do: a few N m/rad and N m s/rad bring them back"
    yield Claim("torque-ours", "YL08", text, float(np.mean(whole)), "N m", walks.names, Band(high=_NONE))
    text = "springs and dampers aside, ours carry no torque beyond the clip's own (rms)"
    yield Claim("torque-ours-active", "YL08", text, float(np.mean(active)), "N m", walks.names, Band(high=_NONE))


def _springs(walk: TrialWalk, off: Array) -> Array:
    """(frames - 2, coordinates) N m of the passive springs and dampers along the free coordinates."""
    upper = off[:, upper_body_columns(walk.fitted.character)[6:]]
    rate = (upper[2:] - upper[1:-1]) / walk.fitted.motion.frame_time
    return (
        -upper[2:] @ walk.model.gain_matrices.free_stiffness[6:, 6:]
        - rate @ walk.model.gain_matrices.free_damping[6:, 6:]
    )


def _whole_frames(walk: TrialWalk) -> tuple[list[Push], slice]:
    """A push that begins and ends with a frame, for both forms alike, and the torques (`_torques`) while it lasts."""
    h, first, count = walk.fitted.motion.frame_time, walk.frames(BEFORE), walk.frames(PUSH)
    ((push,),) = make_trial(walk, ("left_upper_arm",), (RIGHT,), (0,)).pushes
    return [replace(push, start=first * h - 1e-9, duration=count * h)], slice(first - 1, first + count - 1)


def _kept(poses: Array, acting: slice) -> slice:
    """The frames of a push in which a response has not stood still yet: that is how the printed form gives up."""
    still = np.flatnonzero(np.all(poses[2:, 6:] == poses[1:-1, 6:], axis=1))
    return slice(acting.start, min(acting.stop, int(still[0]))) if len(still) else acting


def _torques(fitted: Fit, poses: Array, pushes: Sequence[Push]) -> Array:
    """(frames - 2, coordinates) N m of the upper body's muscles: equation 1, by the paper's differences."""
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

"""The answer of a learned walker to the pushes of a clip, on the rig of its walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from gambol.errors import InputError, StrPath
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array, summarise_fields
from gambol.io.models import as_model
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.clips import check_pushes
from gambol.respond.latent.features import FRAME_TIME, compute_features, resample_poses
from gambol.respond.latent.gate import measure_gap
from gambol.respond.latent.phases import match_phases
from gambol.respond.latent.points import HEADING
from gambol.respond.latent.recorded import check_same_rig
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.push_response import RECOVERED_DEGREES, PushResponse
from gambol.respond.responder import find_body
from gambol.spacetime.resampling import sample_fit

_FARTHEST = 6.0
"""Distance between a clip and the learned walk, in frame distances (`gate`), from which they are different
motions: other speeds of walking are 2.5 to 5 away, running 11."""
_ALIKE = 0.1
"""Degrees by which the poses of two walkers at one phase differ, as what is left of a response fades for ever."""
_BEGIN = 0.4
"""Seconds of the clip by which its phase is found."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkerResponse(PushResponse):
    """A learned walk; `fitted` is the normal walk at the phases that it goes through."""

    __repr__ = summarise_fields

    feet: Array
    """(frames at FRAME_TIME, 4, 2) places of heels and balls (m)."""
    standing: NDArray[np.bool_]
    """(frames, 4) which of them stand."""
    own_deviation: float = np.inf
    """Largest deviation (degrees) of the walker from the normal walk without a push: its feet do not slide where those
    of the recording do."""

    @property
    def away(self) -> Array:
        """Difference (frames, dofs) from the normal walk; a walker may go on in another direction."""
        away = self.poses - self.fitted.motion.q
        away[:, HEADING] = 0.0
        return away

    @property
    def tolerance(self) -> float:
        """Deviation (degrees) up to which it counts as recovered: that of the walker without a push, or 2."""
        return max(self.own_deviation + _ALIKE, RECOVERED_DEGREES)

    @cached_property
    def outside(self) -> float:
        """Nothing: steps answer the push."""
        return 0.0

    @cached_property
    def slide(self) -> float:
        """Largest distance (m) that a standing heel or ball moves in a frame."""
        moved = np.linalg.norm(np.diff(self.feet, axis=0), axis=2)
        return float(np.where(self.standing[1:] & self.standing[:-1], moved, 0.0).max())

    @property
    def footwork(self) -> str:
        """What the feet do, in words."""
        return f"standing feet move by up to {1000.0 * self.slide:.1f} mm per frame"


def load_walker_of(model: LatentWalker | StrPath, clip: Motion) -> LatentWalker:
    """Return a walker, or load it; it must have learned from a walk on the rig of a clip."""
    walker = as_model(model, LatentWalker)
    check_same_rig(walker.walk.fitted.source.skeleton, clip)
    return walker


def respond_with_walker(walker: LatentWalker, clip: Motion, pushes: Sequence[Push]) -> WalkerResponse:
    """Walk for as long as a clip lasts, from its first pose, and answer pushes."""
    check_pushes(clip, pushes)
    pushes = [replace(push, body=find_body(walker, push.body)) for push in pushes]
    found, share = _respond(walker, clip, tuple(pushes))
    if not pushes:
        return found
    calm, _ = _respond(walker, clip, (), share)
    return replace(found, own_deviation=calm.peak[0])


def _respond(
    walker: LatentWalker, clip: Motion, pushes: tuple[Push, ...], share: float = 0.0
) -> tuple[WalkerResponse, float]:
    """Return a response that begins a share of a frame late, and the share with which it ends.

    Between two frames of the normal walk it deviates more from it than at them.
    """
    first = resample_poses(fit(walker.character, clip[: _count(clip, _BEGIN)]).motion.q, clip.frame_time)
    rows = compute_features(walker.decoder.layout, first)
    model = walker.models[0]
    if (gap := measure_gap(model.normal, rows, model.row_step)) > _FARTHEST:
        raise InputError(
            f"the clip begins {gap:.0f} frame distances away from the walk that the model learned",
            file=clip.name,
            fix="push that walk, or learn a model of this clip",
        )
    state = walker.start_from(first[0], int(match_phases(model.normal, rows)[0]) - 1)
    state = state._replace(gait=state.gait._replace(phase=state.gait.phase + share, lag=share))
    states, count = [state], int(np.ceil(clip.duration / FRAME_TIME))
    for frame in range(count):
        acting = [push.during(frame * FRAME_TIME, FRAME_TIME) for push in pushes]
        state, _ = walker.step(state, [force for force in acting if force is not None])
        states.append(state)
    times = FRAME_TIME * np.arange(count + 1)
    poses = CubicSpline(times, [one.gait.body.pose for one in states])(clip.times)
    turns = np.unwrap([2.0 * np.pi * one.gait.phase / walker.period for one in states]) / (2.0 * np.pi)
    normal, period = walker.walk.fitted, walker.walk.period
    rounds = 1.0 + np.interp(clip.times, times, turns) % 1.0
    shown = sample_fit(normal, rounds * period * normal.motion.frame_time, clip.frame_time)
    points = walker.decoder.layout.points
    feet = points.locate(np.array([one.gait.body.pose for one in states]))[0][:, points.feet, :2]
    standing = np.array([one.gait.body.standing for one in states])
    response = WalkerResponse(shown, poses, pushes, "learned", feet=feet, standing=standing)
    return response, state.gait.phase % 1.0


def _count(clip: Motion, seconds: float) -> int:
    return min(len(clip), max(4, int(np.ceil(seconds / clip.frame_time)) + 1))

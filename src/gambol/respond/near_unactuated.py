"""The near-unactuated response (YL08) of a clip without end, as a `Responder`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array, summarise_fields
from gambol.motion.motion import Motion
from gambol.motion.pushes import AppliedForce, Pull, Push
from gambol.progress import Progress, silent
from gambol.respond.actuation import Actuation
from gambol.respond.balance import FootSupport, measure_foot_support
from gambol.respond.endless import EndlessClip, make_endless
from gambol.respond.model import DEFAULT_FREE, ResponseModel, learn_response, relearn_response
from gambol.respond.objective import Objective, ObjectiveResidual, PoseView
from gambol.respond.responder import AT_LIMIT, PUSHED_AWAY, BatchFrame
from gambol.respond.stepping import ResponseState, start_response, step_response

_DAMPING = 0.08
"""Ratio (s) of the damping of a hand's spring to its stiffness."""


class PacedState(NamedTuple):
    """The frame of the clip, and the state of the response."""

    frame: int
    body: ResponseState


@dataclass(frozen=True, eq=False)
class NearUnactuatedResponder:
    """A looped clip with the springs that `learn_response` finds for it."""

    __repr__ = summarise_fields

    name: str
    model: ResponseModel
    path: EndlessClip
    free: int
    """Near-unactuated coordinates, the paper's k."""
    actuation: Actuation | None = None
    """Another clip's, if it is not the clip's own."""

    @classmethod
    def learn(
        cls,
        fitted: Fit,
        free: int = DEFAULT_FREE,
        *,
        actuation: Actuation | None = None,
        cycle: slice | None = None,
        machine_code: bool = False,
        progress: Progress = silent,
    ) -> NearUnactuatedResponder:
        """Learn the responder of a fitted clip; `machine_code` compiles the step, for many frames.

        `cycle` are the frames of the cycle to learn from and to repeat; by default all count, and the best repeats.
        `progress` gets a message before compilation.
        """
        model = learn_response(
            fitted, free, actuation=actuation, cycle=cycle, machine_code=machine_code, progress=progress
        )
        return cls(fitted.source.name, model, make_endless(fitted, cycle), free, actuation)

    def with_free(self, free: int) -> NearUnactuatedResponder:
        """Return a responder with another number of near-unactuated coordinates; states are interchangeable."""
        return replace(self, model=relearn_response(self.model, free, actuation=self.actuation), free=free)

    @property
    def most_free(self) -> int:
        """The largest number of near-unactuated coordinates."""
        return len(self.model.columns) - 6

    @property
    def settings(self) -> Mapping[str, float]:
        """The paper's k."""
        return {"k": self.free}

    @property
    def character(self) -> Character:
        """The fitted person."""
        return self.model.character

    @property
    def frame_time(self) -> float:
        """Seconds."""
        return self.model.frame_time

    @property
    def bodies(self) -> tuple[str, ...]:
        """All that have mass; what pushes a leg pushes the pelvis."""
        return self.character.bodies

    @property
    def period(self) -> int:
        """Frames of the closed cycle, or of the clip there and back."""
        return len(self.path)

    @property
    def cyclic(self) -> bool:
        """Whether the clip has a cycle."""
        return self.path.cycle is not None

    @cached_property
    def support(self) -> FootSupport:
        """What the feet can hold: they stay on the path of the clip."""
        poses = self.path.at(np.arange(self.period))
        return measure_foot_support(self.character, Motion(self.character.skeleton, poses, self.frame_time))

    def start(self) -> PacedState:
        """On the clip, moving with it."""
        return PacedState(0, start_response(self.model, self.path.at(0), self.path.at(-1)))

    def step(
        self, state: PacedState, forces: Sequence[AppliedForce | Pull] = (), target: Array | None = None
    ) -> tuple[PacedState, Array]:
        """One frame, see `Responder.step`."""
        frame = state.frame + 1
        goal = self.path.at(frame) if target is None else target
        pushes = [
            Push(force.body, force.force, state.body.time, self.frame_time, force.point, force.axes)
            for force in forces
            if isinstance(force, AppliedForce)
        ]
        hands = [_spring(pull, self.path.place(frame)) for pull in forces if isinstance(pull, Pull)]
        # What is finite may still be beyond all measure: then the frame is refused, and NumPy's warnings with it.
        with np.errstate(all="ignore"):
            body, pose = step_response(self.model, state.body, goal, pushes, objectives=hands)
        if not all(
            np.isfinite(part).all()
            for part in (pose, body.deviation, body.deviation_rate, body.held_torque, body.push_loads)
        ):
            raise InputError("no finite pose answers this frame", fix="give forces in newtons, points in metres")
        return PacedState(frame, body), pose

    def target(self, state: PacedState) -> Array:
        """The clip's pose, or the target that was given in its place."""
        return state.body.target[0]

    def origin(self, state: PacedState) -> Array:
        """Where the clip has come to."""
        return self.path.place(state.frame)

    def limited(self, state: PacedState) -> bool:
        """See `Responder.limited`."""
        return bool(self._limited(state.body)[0])

    def run_batch(
        self, states: Sequence[PacedState], pushes: Sequence[Sequence[Push]], frames: int
    ) -> Iterator[BatchFrame]:
        """All characters in one call a frame, see `Batched.run_batch`."""
        paces = np.array([state.frame for state in states])
        body = _stacked([state.body for state in states])
        for frame in range(1, frames + 1):
            body, poses = step_response(self.model, body, self.path.at(paces + frame), pushes)
            yield BatchFrame(poses, body.target, self._limited(body))

    def _limited(self, state: ResponseState) -> NDArray[np.bool_]:
        """(batch,)."""
        model, skeleton = self.model, self.character.skeleton
        lower, upper = skeleton.lower.copy(), skeleton.upper.copy()
        lower[model.columns], upper[model.columns] = model.bounds.lower, model.bounds.upper
        moved = np.abs(state.pose - state.target) > PUSHED_AWAY
        stopped = moved & ((state.pose >= upper - AT_LIMIT) | (state.pose <= lower + AT_LIMIT))
        off = np.column_stack((np.linalg.norm(state.deviation[:, :2], axis=1), np.abs(state.deviation[:, 2:])))
        return stopped.any(axis=1) | (off >= model.bounds.root_limits[1:] - AT_LIMIT).any(axis=1)


def _stacked(states: Sequence[ResponseState]) -> ResponseState:
    """Stack states of single characters into one of a batch, at time 0."""
    arrays = [field.name for field in fields(ResponseState) if field.name != "time"]
    return ResponseState(0.0, *(np.concatenate([getattr(state, name) for state in states]) for name in arrays))


def _spring(pull: Pull, origin: Array) -> Objective:
    """Return a hand's spring as an objective, solved implicitly together with the body."""
    point, hand = np.array(pull.point), np.array(pull.hand) + origin

    def rows(look: PoseView) -> ObjectiveResidual:
        body = look.character.body(pull.body)
        away = look.place(body, point) - hand
        stiffness = pull.stiffness(float(np.linalg.norm(away)))
        return ObjectiveResidual(look.velocity(body, point), away, stiffness, _DAMPING * stiffness, outside=True)

    return rows

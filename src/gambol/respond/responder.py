"""What answers pushes frame by frame: the protocol that sessions, streams and push maps are written for.

A responder has a character that moves by itself; forces come in, poses go out, a frame at a time. Its state is a value:
`step` takes one and returns the next, so that a state can be kept and continued in several ways. Poses are coordinates
of the character in the world. `origin` says where on the ground the character has come to when nobody disturbs it: a
place that travels smoothly, for views and hands that go along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.pushes import AppliedForce, Pull, Push

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Responder(Protocol[S]):
    """Answers forces; S is its state, which nobody else looks into."""

    @property
    def name(self) -> str:
        """What is pushed: the name of a clip or a model."""

    @property
    def settings(self) -> Mapping[str, float]:
        """What it was made with, by the names that reports give."""

    @property
    def character(self) -> Character:
        """The body; its first three coordinates move the root along x, y and z."""

    @property
    def frame_time(self) -> float:
        """Seconds of a frame."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies that can be pushed."""

    @property
    def period(self) -> int:
        """Frames after which the undisturbed motion repeats."""

    @property
    def cyclic(self) -> bool:
        """Whether the period is a gait cycle; else a clip that is played forwards and backwards."""

    def start(self) -> S:
        """The state at the first frame of a period, undisturbed."""

    def step(
        self, state: S, forces: Sequence[AppliedForce | Pull] = (), target: Array | None = None
    ) -> tuple[S, Array]:
        """The next state, and its pose (dofs,).

        `target` (dofs,) is a pose to aim at in place of the responder's own; one that cannot aim at others raises
        InputError. So do forces that no finite pose answers.
        """

    def target(self, state: S) -> Array:
        """The pose (dofs,) that the responder aims at in the frame of a state."""

    def origin(self, state: S) -> Array:
        """(3,) metres: where on the ground the undisturbed motion has come to in the frame of a state."""

    def limited(self, state: S) -> bool:
        """Whether a disturbance has brought a joint to its limit, or the root to the end of what it may do."""


class BatchFrame(NamedTuple):
    """One frame of several characters."""

    poses: Array
    """(batch, dofs), and the poses aimed at."""
    targets: Array
    limited: NDArray[np.bool_]
    """(batch,) see `Responder.limited`."""


@runtime_checkable
class BatchResponder(Protocol[S_contra]):
    """A responder that steps many characters faster than one after the other."""

    def run_batch(
        self, states: Sequence[S_contra], pushes: Sequence[Sequence[Push]], frames: int
    ) -> Iterator[BatchFrame]:
        """The next frames of characters, each from its own state and with its own pushes.

        The times of pushes count from the states.
        """


def run_many(
    responder: Responder[S], states: Sequence[S], pushes: Sequence[Sequence[Push]], frames: int
) -> Iterator[BatchFrame]:
    """The next frames of characters that begin in states, all at once where the responder can do that."""
    if isinstance(responder, BatchResponder):
        return responder.run_batch(states, pushes, frames)
    return _run_each(responder, states, pushes, frames)


def _run_each(
    responder: Responder[S], states: Sequence[S], pushes: Sequence[Sequence[Push]], frames: int
) -> Iterator[BatchFrame]:
    now = list(states)
    for frame in range(frames):
        poses = []
        for n, mine in enumerate(pushes):
            acting = [push.during(frame * responder.frame_time, responder.frame_time) for push in mine]
            now[n], pose = responder.step(now[n], [force for force in acting if force is not None])
            poses.append(pose)
        targets = np.array([responder.target(state) for state in now])
        yield BatchFrame(np.array(poses), targets, np.array([responder.limited(state) for state in now]))


def run_undisturbed(responder: Responder[S]) -> Iterator[S]:
    """States of frame 0, 1 and so on without an end, while nobody pushes."""
    state = responder.start()
    while True:
        yield state
        state, _ = responder.step(state)


def undisturbed_poses(responder: Responder[Any], frames: int) -> Array:
    """(frames, dofs) of the motion from its first frame on, while nobody pushes."""
    return np.array([responder.target(state) for state in islice(run_undisturbed(responder), frames)])


def warm_up(responder: Responder[Any]) -> None:
    """Step once with a force and a pull that are nothing: the first step may compile, which takes a second."""
    body, nowhere = responder.bodies[0], (0.0, 0.0, 0.0)
    responder.step(responder.start(), [AppliedForce(body, nowhere), Pull(body, nowhere, nowhere, 0.0)])


def check_body(responder: Responder[Any], body: str) -> None:
    """Refuse a body that cannot be pushed."""
    if body not in responder.bodies:
        raise InputError(f"no body '{body}'", fix=f"bodies: {', '.join(responder.bodies)}")

"""The protocol of everything that answers pushes frame by frame; sessions, streams and push maps know only this.

A responder has a character that moves by itself; forces come in and poses go out, one frame at a time. Its state is a
value: `step` takes one and returns the next, so a state can be kept and continued in several ways. Poses are world
coordinates of the character. `origin` is the place of the undisturbed motion on the ground, which travels smoothly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gambol.body.body_names import resolve_body
from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.motion.pushes import AppliedForce, Pull, Push
from gambol.respond.balance import FootSupport

PUSHED_AWAY, AT_LIMIT = np.radians(1.0), 1e-6
"""Deviation (rad) beyond which a coordinate at its limit was brought there by a push, and distance from the limit at
which it is there."""

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Responder(Protocol[S]):
    """Answers forces; S is the type of its state, which is opaque to callers."""

    @property
    def name(self) -> str:
        """What is pushed: the name of a clip or a model."""

    @property
    def settings(self) -> Mapping[str, float]:
        """Its settings, by the names that reports use."""

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
        """Whether the period is a gait cycle rather than a clip played forwards and backwards."""

    @property
    def support(self) -> FootSupport | None:
        """What its feet can hold in every frame of a period; None where they take steps."""

    def start(self) -> S:
        """Return the undisturbed state at the first frame of a period."""

    def step(
        self, state: S, forces: Sequence[AppliedForce | Pull] = (), target: Array | None = None
    ) -> tuple[S, Array]:
        """Return the next state and its pose (dofs,).

        `target` (dofs,) replaces the pose that the responder aims at; a responder that cannot aim at others raises
        InputError. So do forces without a finite response.
        """

    def target(self, state: S) -> Array:
        """Return the pose (dofs,) that the responder aims at in a state."""

    def origin(self, state: S) -> Array:
        """Return the place (3,) of the undisturbed motion on the ground (m) in a state."""

    def limited(self, state: S) -> bool:
        """Whether a disturbance has brought a joint or the root to its limit."""


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
        """Yield the next frames of characters, each from its own state and with its own pushes.

        Times of pushes are relative to the states.
        """


def run_many(
    responder: Responder[S], states: Sequence[S], pushes: Sequence[Sequence[Push]], frames: int
) -> Iterator[BatchFrame]:
    """Yield the next frames of characters that start in given states, as a batch where the responder can."""
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
    """Yield the undisturbed states of frames 0, 1, 2 and so on."""
    state = responder.start()
    while True:
        yield state
        state, _ = responder.step(state)


def undisturbed_poses(responder: Responder[Any], frames: int) -> Array:
    """Return the undisturbed poses (frames, dofs) from the first frame on."""
    return np.array([responder.target(state) for state in islice(run_undisturbed(responder), frames)])


def warm_up(responder: Responder[Any]) -> None:
    """Step once with zero forces: the first step may compile, which takes a second."""
    body, nowhere = responder.bodies[0], (0.0, 0.0, 0.0)
    responder.step(responder.start(), [AppliedForce(body, nowhere), Pull(body, nowhere, nowhere, 0.0)])


def find_body(responder: Responder[Any], name: str) -> str:
    """Return the body that a name means, as `Character.find_body` does; refuse one that cannot be pushed."""
    return resolve_body(name, responder.bodies, responder.character.rig_joints)

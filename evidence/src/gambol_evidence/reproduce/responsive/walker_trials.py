"""Learned walkers of recorded walks, and what happens when they are pushed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.pushes import AppliedForce
from gambol.respond.latent.examples import ExamplePush, NormalWalk, SolvedExample, make_examples, make_normal_walk
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.learn import fit_walker, plan_examples
from gambol.respond.latent.points import BodyPoints
from gambol.respond.latent.responder import LatentWalker, WalkerState
from gambol.respond.latent.walk_model import WalkModel
from gambol_evidence.reproduce.recordings import load_cmu_clip

WALKS = {"35_01": "35_02", "07_01": "07_02", "16_15": "16_16"}
"""Walks of three people (CMU), each with another walk of the same person that is not learned."""
PUSHED = 6
"""Frames of a push: 0.2 s."""
_SETTLE = 12
_LOW = 0.02
"""Metres above their lowest place within which heels and balls are on the ground."""
_STANDS = 0.2
"""Speed (m/s) below which a heel or ball stands."""
_AWAY = 0.5
"""Latent distance from the normal walk, in steps between frames, up to which an example is on it."""
_LATER = 4
"""Frames after a push over which the retained velocity is measured."""


@dataclass(frozen=True, eq=False)
class TrialWalker:
    """A walker learned from examples that were made of one walk."""

    name: str
    walk: NormalWalk
    examples: Sequence[SolvedExample]
    walker: LatentWalker
    seconds: float
    """CPU seconds of training per model."""
    other: Motion
    """A walk of the same person that was not learned."""


@dataclass(frozen=True, eq=False)
class WalkerTrials:
    """The walkers of all subjects; examples are kept in a folder where one is given."""

    data: Path
    store: Path | None = None

    @cached_property
    def walkers(self) -> list[TrialWalker]:
        """One per subject."""
        return [self._learn(name) for name in WALKS]

    def _learn(self, name: str) -> TrialWalker:
        walk = make_normal_walk(load_cmu_clip(self.data, name))
        examples = self.solve(walk, plan_examples())
        begun = time.process_time()
        walker = fit_walker(walk, examples)
        seconds = (time.process_time() - begun) / len(walker.models)
        return TrialWalker(name, walk, examples, walker, seconds, load_cmu_clip(self.data, WALKS[name]))

    def solve(self, walk: NormalWalk, pushes: Sequence[ExamplePush]) -> list[SolvedExample]:
        """Answer pushes by steps, in parallel."""
        return make_examples(walk, pushes, workers=os.cpu_count() or 1, store=self.store)


@dataclass(frozen=True, eq=False)
class PushedRun:
    """A walker that was pushed, and the same one without the push."""

    walker: LatentWalker
    start: WalkerState
    states: list[WalkerState]
    push: ExamplePush

    @cached_property
    def calm(self) -> list[WalkerState]:
        """The walker without the push, until shortly after it."""
        return list(run_walker(self.walker, self.start, None, PUSHED + _LATER))

    @cached_property
    def poses(self) -> Array:
        """(1 + frames, dofs) from the last pose before the push."""
        return np.array([one.gait.body.pose for one in (self.start, *self.states)])

    @cached_property
    def model(self) -> WalkModel:
        """The model that the push chose."""
        return self.walker.models[self.states[PUSHED - 1].gait.model]

    @cached_property
    def distances(self) -> Array:
        """(frames,) steps from the normal walk."""
        models = [self.walker.models[one.gait.model] for one in self.states]
        return np.array([m.measure_distance(one.gait.latents[-1]) for m, one in zip(models, self.states, strict=True)])

    @property
    def back(self) -> float:
        """Seconds after the push until the walker stays within a step of the normal walk."""
        away = np.flatnonzero(self.distances > 1.0)
        return FRAME_TIME * max(0, int(away[-1]) + 1 - PUSHED) if len(away) else 0.0

    @cached_property
    def departures(self) -> Array:
        """(frames,) distances of the features from those of the normal walk at the same phase, in frame distances."""
        models = [self.walker.models[one.gait.model] for one in self.states]
        both = zip(models, self.states, strict=True)
        return np.array(
            [np.linalg.norm(one.gait.rows[-1] - m.find_normal(one.gait.phase)) / m.row_step for m, one in both]
        )

    @property
    def largest_jump(self) -> float:
        """See `measure_jump`; it begins with the push."""
        return measure_jump(self.walker, self.states)

    @property
    def retained(self) -> float:
        """Change of the velocity of the centre of mass along the push after it, relative to impulse / mass."""
        frames = slice(PUSHED - 1, PUSHED + _LATER)
        pushed, calm = (np.diff(self._centres(run[frames]), axis=0) / FRAME_TIME for run in (self.states, self.calm))
        along = self.walker.walk.find_direction(self.push.direction)[:2]
        return float(((pushed - calm) @ along).mean()) / self.push.speed

    @property
    def foot_speeds(self) -> Array:
        """(n,) speeds (m/s) while pushed of heels and balls that stand in the unpushed walk."""
        points = self.walker.decoder.layout.points
        calm = np.array([one.gait.body.pose for one in (self.start, *self.calm)])
        feet = (points.locate(q[: PUSHED + 1])[0][:, points.feet, :2] for q in (self.poses, calm))
        pushed, unpushed = (np.linalg.norm(np.diff(one, axis=0), axis=2) / FRAME_TIME for one in feet)
        return np.asarray(pushed[unpushed < _STANDS])

    @property
    def visited(self) -> ExamplePush | None:
        """The example whose latents are nearest in most frames after the push; None if the normal walk's always are.

        Where an example is as good as on the normal walk, it counts as that.
        """
        model = self.model
        away = np.array([model.measure_distance(one) for one in model.gplvm.latents_]) > _AWAY
        latents = np.array([one.gait.latents[-1] for one in self.states[PUSHED - 1 :]])
        apart = ((model.gplvm.latents_[None] - latents[:, None]) ** 2).sum(axis=2)
        owners = np.where(away, model.owners, -1)[apart.argmin(axis=1)]
        counts = np.bincount(owners[owners >= 0], minlength=len(model.pushes))
        return model.pushes[int(counts.argmax())] if counts.any() else None

    def _centres(self, run: Sequence[WalkerState]) -> Array:
        return self.walker.decoder.layout.points.locate(np.array([one.gait.body.pose for one in run]))[1][:, :2]


def push_walker(walker: LatentWalker, push: ExamplePush, frames: int = PUSHED + 90) -> PushedRun:
    """Push a walker at a phase of the normal walk."""
    state = settle_walker(walker, push.phase)
    return PushedRun(walker, state, list(run_walker(walker, state, make_force(walker, push), frames)), push)


def settle_walker(walker: LatentWalker, phase: float) -> WalkerState:
    """Return a walker that has walked up to a phase (share of the cycle)."""
    state = walker.start_at(round(phase * walker.period) - _SETTLE)
    for _ in range(_SETTLE):
        state, _ = walker.step(state)
    return state


def measure_jump(walker: LatentWalker, run: Sequence[WalkerState]) -> float:
    """Return the largest distance between latents of successive frames in one model, in steps of the normal walk."""
    both = [(one.gait, other.gait) for one, other in pairwise(run) if one.gait.model == other.gait.model]
    return max(
        float(np.linalg.norm(one.latents[-1] - other.latents[-1])) / walker.models[one.model].step
        for one, other in both
    )


def measure_foot_speeds(points: BodyPoints, q: Array) -> Array:
    """Return the speeds (n,) in m/s of heels and balls that are on the ground, by their height alone."""
    feet = points.locate(q)[0][:, points.feet]
    low = feet[:, :, 2] < feet[:, :, 2].min(axis=0) + _LOW
    speeds = np.linalg.norm(np.diff(feet[:, :, :2], axis=0), axis=2) / FRAME_TIME
    return np.asarray(speeds[low[1:] & low[:-1]])


def choose_fourteen(examples: Sequence[SolvedExample]) -> list[SolvedExample]:
    """Return 14 examples in four directions, at every other phase, as many as the paper has."""
    return [one for one in examples if round(8 * one.push.phase) % 2 == 0][:14]


def make_force(walker: LatentWalker, push: ExamplePush) -> AppliedForce:
    """Return the force of a push that acts for PUSHED frames."""
    along = walker.walk.find_direction(push.direction)
    x, y, _ = (push.speed * walker.character.mass / (PUSHED * FRAME_TIME) * along).tolist()
    return AppliedForce(push.body, (x, y, 0.0))


def run_walker(
    walker: LatentWalker, state: WalkerState, force: AppliedForce | None, frames: int
) -> Iterator[WalkerState]:
    """Yield the states of a walker that is pushed in the first PUSHED frames."""
    for frame in range(frames):
        state, _ = walker.step(state, [force] if force is not None and frame < PUSHED else [])
        yield state

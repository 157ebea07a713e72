"""Claims about several models that share a normal walk (YL10 section 4), and about pushes during recoveries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.responsive.shown_pushes import measure_own_errors
from gambol.reproduce.responsive.walker_trials import PUSHED, TrialWalker, WalkerTrials, make_force, run_walker
from gambol.respond.latent.examples import ExamplePush
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.learn import learn_walker
from gambol.respond.latent.responder import LatentWalker, WalkerState

_SOURCE = "YL10 section 4"
_MANY, _FEW = 14, 4
_LATER = (8, 14, 20)
"""Frames after the onset of a push at which another one begins."""
_SETTLE, _FRAMES = 12, 60


class TwicePushed(NamedTuple):
    """A walker that is pushed again while it recovers."""

    walker: LatentWalker
    states: list[WalkerState]
    again: int
    """Frame of the second onset."""

    @property
    def switched(self) -> bool:
        """Whether the second push changed the model."""
        return self.states[self.again].gait.model != self.states[self.again - 1].gait.model

    @property
    def seam(self) -> float:
        """Largest angular acceleration of a joint as the second push begins, relative to the rest of the run."""
        q = np.array([one.gait.body.pose for one in self.states])[:, 6:]
        sizes: Array = np.abs(np.diff(q, 2, axis=0)).max(axis=1) / FRAME_TIME**2
        begins = slice(self.again - 2, self.again + 1)
        return float(sizes[begins].max() / np.delete(sizes, np.arange(len(sizes))[begins]).max())

    @property
    def largest_jump(self) -> float:
        """Largest distance of successive latents after the second onset, in steps."""
        latents = np.array([one.gait.latents[-1] for one in self.states[self.again + PUSHED - 1 :]])
        step = self.walker.models[self.states[-1].gait.model].step
        return float(np.linalg.norm(np.diff(latents, axis=0), axis=1).max()) / step


def push_twice(walker: LatentWalker, first: ExamplePush, second: ExamplePush, later: int) -> TwicePushed:
    """Push a walker at the phase of the first push, and so many frames later again."""
    state = walker.start_at(round(first.phase * walker.period) - _SETTLE)
    for _ in range(_SETTLE):
        state, _ = walker.step(state)
    states = list(run_walker(walker, state, make_force(walker, first), later))
    states += run_walker(walker, states[-1], make_force(walker, second), _FRAMES)
    return TwicePushed(walker, states, later)


def measure_several_models(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        many = [one for n, one in enumerate(trial.examples) if n // 4 % 2 == 0][:_MANY]
        walkers = {
            "many": learn_walker(trial.walk, many, by="direction"),
            "few": learn_walker(trial.walk, many[:_FEW], by="none"),
        }
        errors = {name: float(np.median(measure_own_errors(one, trial.examples))) for name, one in walkers.items()}
        yield Claim(
            f"fourteen-{trial.name}",
            _SOURCE,
            "14 examples in four models answer more pushes than 4 in one: median error relative to that of 4",
            errors["many"] / errors["few"],
            "times",
            f"{trial.name}, the pushes of {len(trial.examples)} examples: {errors['many']:.2f} and {errors['few']:.2f}",
            Band(high=0.9),
        )
        yield from _judge_seams(trial, walkers["many"])


def _judge_seams(trial: TrialWalker, walker: LatentWalker) -> Iterator[Claim]:
    runs = [
        push_twice(walker, ExamplePush(phase / 4, 90.0 * way, 0.5), ExamplePush(0.0, 90.0 * way + turned, 0.4), later)
        for phase in range(4)
        for way in range(4)
        for turned in (90.0, 180.0)
        for later in _LATER
    ]
    switched = [run for run in runs if run.switched]
    data = f"{trial.name}, {len(switched)} switches in {len(runs)} pushes during recoveries"
    yield Claim(
        f"seam-{trial.name}",
        _SOURCE,
        "no seam at a switch of models: acceleration of joints relative to the rest of the run, 95th percentile",
        float(np.percentile([run.seam for run in switched], 95)) if switched else np.nan,
        "times",
        data,
        Band(high=2.0),
    )
    yield Claim(
        f"again-jump-{trial.name}",
        OUR_BAR,
        "largest jump between latents of successive frames after pushes during recoveries",
        float(np.max([run.largest_jump for run in runs])),
        "steps",
        data,
        Band(high=3.0),
    )

"""Claims about several models that share a normal walk (YL10 section 4), and about pushes during recoveries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush
from gambol.respond.latent.learn import fit_walker
from gambol.respond.latent.responder import LatentWalker, WalkerState
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.responsive.shown_pushes import measure_own_errors
from gambol_evidence.reproduce.responsive.walker_trials import (
    PUSHED,
    TrialWalker,
    WalkerTrials,
    choose_fourteen,
    make_force,
    measure_jump,
    run_walker,
    settle_walker,
)

_SOURCE = "YL10 §4, p. 560"
_ANSWERED = 0.5
"""Error relative to what a push changes below which it is answered."""
_LATER = (8, 14, 20)
"""Frames after the onset of a push at which another one begins."""
_FRAMES = 60


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
        """Largest angular acceleration of a joint as the new model takes over, relative to the rest of the run.

        While pushed, a walker goes on in the old model and leans; the new one is seen from the end of the push on.
        """
        q = np.array([one.gait.body.pose for one in self.states])[:, 6:]
        sizes: Array = np.abs(np.diff(q, 2, axis=0)).max(axis=1)
        taken_over = np.zeros(len(sizes), dtype=bool)
        for frame in (self.again, self.again + PUSHED):
            taken_over[frame - 2 : frame + 1] = True
        return float(sizes[taken_over].max() / sizes[~taken_over].max())

    @property
    def largest_jump(self) -> float:
        """See `measure_jump`; from the second onset on."""
        return measure_jump(self.walker, self.states[self.again :])


def push_twice(walker: LatentWalker, first: ExamplePush, second: ExamplePush, later: int) -> TwicePushed:
    """Push a walker at the phase of the first push, and so many frames later again."""
    state = settle_walker(walker, first.phase)
    states = list(run_walker(walker, state, make_force(walker, first), later))
    states += run_walker(walker, states[-1], make_force(walker, second), _FRAMES)
    return TwicePushed(walker, states, later)


def measure_several_models(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        many = choose_fourteen(trial.examples)
        few = [one for one in many if one.push.phase == many[0].push.phase]
        walkers = {
            "many": fit_walker(trial.walk, many, by="direction"),
            "few": fit_walker(trial.walk, few, by="none"),
        }
        errors = {name: measure_own_errors(one, trial.examples) for name, one in walkers.items()}
        shares = {name: 100.0 * float(np.mean(np.array(some) < _ANSWERED)) for name, some in errors.items()}
        yield Claim(
            f"fourteen-{trial.name}",
            _SOURCE,
            f"14 examples in four models answer more pushes than {len(few)} in one: pushes with errors below half of "
            "what the push changes, more than with one model",
            shares["many"] - shares["few"],
            "%",
            f"{trial.name}, {len(trial.examples)} pushes: {shares['many']:.0f} % and {shares['few']:.0f} %",
            Band(low=20.0),
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
        "largest jump between latents of successive frames, from pushes during recoveries on",
        float(np.max([run.largest_jump for run in runs])),
        "steps",
        data,
        Band(high=3.0),
    )

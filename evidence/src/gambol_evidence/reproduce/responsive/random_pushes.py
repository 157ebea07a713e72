"""Claims about random pushes of learned walkers: they leave the normal walk, keep the push, and return."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush
from gambol.respond.latent.learn import fit_walker
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.latent.walk_model import TrainingOptions
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol_evidence.reproduce.responsive.walker_trials import (
    PUSHED,
    PushedRun,
    TrialWalker,
    WalkerTrials,
    choose_fourteen,
    push_walker,
)

PUSHES = 170
"""Per walker; 510 for three."""
_PRINTED = 40
PUSHED_PARTS = ("chest", "pelvis", "head", "left_upper_arm", "right_upper_arm")


def draw_walker_pushes(count: int, seed: int) -> list[ExamplePush]:
    """Draw pushes of 0.1 to 0.8 m/s in any direction, at any phase, on several bodies."""
    rng = np.random.default_rng(seed)
    return [
        ExamplePush(rng.random(), 360.0 * rng.random(), rng.uniform(0.1, 0.8), str(rng.choice(PUSHED_PARTS)))
        for _ in range(count)
    ]


def push_randomly(walker: LatentWalker, count: int, seed: int) -> list[PushedRun]:
    """Push a walker so many times."""
    return [push_walker(walker, push) for push in draw_walker_pushes(count, seed)]


def measure_pushes(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker, and what the printed form does with the same pushes."""
    for trial in trials.walkers:
        runs = push_randomly(trial.walker, PUSHES, seed=3)
        yield from _judge(trial, runs)
        yield from _judge_printed(trial)
        yield from _judge_strength(trial)
        rate = measure_pushed_rate(trial.walker, 16)
        text = "frames per CPU second while pushed (the paper: 1)"
        yield Claim(f"pushed-rate-{trial.name}", "YL10 §4, p. 560", text, rate, "frames/s", trial.name, Band(120.0),
                    THIS_MACHINE)  # fmt: skip


def measure_pushed_rate(walker: LatentWalker, count: int) -> float:
    """Return the frames per CPU second while forces act."""
    begun = time.process_time()
    for n in range(count):
        push_walker(walker, ExamplePush(n / count, 360.0 * n / count, 0.5), frames=PUSHED)
    pushed = time.process_time() - begun
    begun = time.process_time()
    for n in range(count):
        push_walker(walker, ExamplePush(n / count, 360.0 * n / count, 0.5), frames=0)
    return count * PUSHED / (pushed - (time.process_time() - begun))


def _judge_printed(trial: TrialWalker) -> Iterator[Claim]:
    """The printed form with the paper's numbers: 14 examples in four models by direction, order 2."""
    options = TrainingOptions(order=2, printed=True)
    walker = fit_walker(trial.walk, choose_fourteen(trial.examples), options, by="direction", form="printed")
    runs = push_randomly(walker, _PRINTED, seed=3)
    data = f"{trial.name}, {_PRINTED} pushes"
    for name, words, measured, unit, band in _summarise(runs):
        source = "YL10 eq. 8, p. 559"
        yield Claim(f"printed-{name}-{trial.name}", source, f"as printed: {words}", measured, unit, data, band)


def _judge(trial: TrialWalker, runs: list[PushedRun]) -> Iterator[Claim]:
    speeds = np.concatenate([run.foot_speeds for run in runs])
    slide = float(np.percentile(speeds, 95)) if len(speeds) else np.nan
    jump = float(np.max([run.largest_jump for run in runs]))
    for name, words, measured, unit, band in (
        *_summarise(runs),
        ("pushed-feet", "speed of feet on the ground while pushed: 95th percentile", slide, "m/s", Band(high=0.2)),
        ("jump", "largest jump between latents of successive frames", jump, "steps", Band(high=3.0)),
    ):
        yield Claim(f"{name}-{trial.name}", OUR_BAR, words, measured, unit, f"{trial.name}, {len(runs)} pushes", band)


def _summarise(runs: Sequence[PushedRun]) -> list[tuple[str, str, float, str, Band]]:
    """Return name, words, figure, unit and band of what walkers of any form should do."""
    back = [run.back <= 3.0 and run.distances[-1] <= 1.0 for run in runs]
    leave = [run.departures[PUSHED:].max() > 2.0 for run in runs]
    return [
        ("back", "random pushes after which the walker is on its cycle again within 3 s",
         100.0 * float(np.mean(back)), "%", Band(95.0)),
        ("leave", "random pushes that take the features more than 2 frame distances from those of the normal walk",
         100.0 * float(np.mean(leave)), "%", Band(80.0)),
        ("retained", "median change of the velocity after a push, relative to impulse / mass",
         float(np.median([run.retained for run in runs])), "times", Band(0.5, 1.2)),
    ]  # fmt: skip


def _judge_strength(trial: TrialWalker) -> Iterator[Claim]:
    for speed in (0.2, 0.8):
        pushes = [ExamplePush(phase / 8, 45.0 * way, speed) for phase in range(8) for way in range(8)]
        runs = [push_walker(trial.walker, push, frames=12) for push in pushes]
        yield Claim(
            f"grows-{10 * speed:.0f}-{trial.name}",
            OUR_BAR,
            f"the answer grows with the push: median retained velocity at {speed:g} m/s, relative to impulse / mass",
            float(np.median([run.retained for run in runs])),
            "times",
            trial.name,
            Band(0.7, 1.3),
        )

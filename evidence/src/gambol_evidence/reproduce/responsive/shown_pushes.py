"""Claims about pushes whose true answer is known: those of the examples, and fresh ones that are answered by steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush, SolvedExample
from gambol.respond.latent.learn import fit_walker
from gambol.respond.latent.responder import LatentWalker
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.responsive.deviations import PushDeviation, deviate_example, deviate_walker
from gambol_evidence.reproduce.responsive.random_pushes import draw_walker_pushes
from gambol_evidence.reproduce.responsive.walker_trials import TrialWalker, WalkerTrials, push_walker

_FRESH = 12
"""Pushes per walker that no example shows."""
_FRAMES = 60
_BACKWARD = 180.0
_SINGLE = 0.25
"""Share of the cycle at which one foot stands, about."""


def measure_shown_pushes(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        yield from _judge_own(trial)
        yield from _judge_alone(trial)
        yield from _judge_fresh(trial, trials.solve(trial.walk, draw_walker_pushes(_FRESH, seed=11)))


def measure_own_errors(walker: LatentWalker, examples: Sequence[SolvedExample]) -> list[float]:
    """Return the error of a walker under the push of each example, relative to what the push changes there.

    A walker that ignores pushes has an error of 1.
    """
    points = walker.decoder.layout.points
    truths = [deviate_example(points, walker.walk, one) for one in examples]
    found = [deviate_walker(push_walker(walker, one.push, _FRAMES)) for one in examples]
    return [mine.measure_error(truth) for mine, truth in zip(found, truths, strict=True)]


def _judge_own(trial: TrialWalker) -> Iterator[Claim]:
    errors = measure_own_errors(trial.walker, trial.examples)
    yield Claim(
        f"own-push-{trial.name}",
        "YL10 §4, p. 559",
        "the push of an example reproduces it: median error in the next second, relative to what the push changes",
        float(np.median(errors)),
        "times",
        f"{trial.name}, {len(errors)} examples",
        Band(high=0.5),
    )


def _judge_alone(trial: TrialWalker) -> Iterator[Claim]:
    """One example alone: a backward push."""
    example = min(trial.examples, key=lambda one: one.push.measure_difference(_BACKWARD, _SINGLE))
    walker = fit_walker(trial.walk, [example])
    own = deviate_example(walker.decoder.layout.points, trial.walk, example).measure_reaction()
    answers = {turned: _measure_reaction(walker, example.push, turned) for turned in (-45.0, -22.5, 22.5, 45.0, 180.0)}
    opposite = answers.pop(180.0)
    yield Claim(
        f"alone-near-{trial.name}",
        "YL10 §4, p. 559",
        "one example alone answers nearby directions: least change of poses of four, relative to the example",
        min(answers.values()) / own,
        "times",
        trial.name,
        Band(low=0.5),
    )
    yield Claim(
        f"alone-opposite-{trial.name}",
        "YL10 §4, p. 559",
        "and hardly the opposite direction: change of poses relative to nearby directions",
        opposite / float(np.median(list(answers.values()))),
        "times",
        trial.name,
        Band(high=0.5),
    )


def _measure_reaction(walker: LatentWalker, push: ExamplePush, turned: float) -> float:
    """Return how far a push in a direction that is turned by degrees changes poses."""
    turned_push = replace(push, direction=(push.direction + turned) % 360.0)
    return deviate_walker(push_walker(walker, turned_push, _FRAMES)).measure_reaction()


def _judge_fresh(trial: TrialWalker, fresh: Sequence[SolvedExample]) -> Iterator[Claim]:
    points = trial.walker.decoder.layout.points
    truths = [deviate_example(points, trial.walk, one) for one in fresh]
    ours = [deviate_walker(push_walker(trial.walker, one.push, _FRAMES)) for one in fresh]
    nearest = [_replay_nearest(trial, one.push) for one in fresh]
    data = f"{trial.name}, {len(fresh)} fresh pushes"
    for name, words, read in (
        ("com", "centre of mass after 1 s", _read_centre),
        ("foothold", "next foothold", _read_foot),
    ):
        mine, replayed, size = (
            float(
                np.nanmedian([np.linalg.norm(read(one) - read(truth)) for one, truth in zip(some, truths, strict=True)])
            )
            for some in (ours, nearest, [_NOTHING] * len(truths))
        )
        text = f"{words}: median distance from the answer by steps to the same push"
        shown = f"{data}; ignoring the push {100.0 * size:.0f} cm"
        yield Claim(f"fresh-{name}-{trial.name}", OUR_BAR, text, 100.0 * mine, "cm", shown, Band(high=50.0 * size))
        text = f"{text}, relative to replaying the nearest example, scaled"
        shown = f"{data}; replayed {100.0 * replayed:.0f} cm"
        yield Claim(
            f"fresh-{name}-nearest-{trial.name}", OUR_BAR, text, mine / replayed, "times", shown, Band(high=1.0)
        )


def _replay_nearest(trial: TrialWalker, push: ExamplePush) -> PushDeviation:
    """Return what the example nearest in direction and phase shows, scaled by the speed of the push."""
    example = min(trial.examples, key=lambda one: one.push.measure_difference(push.direction, push.phase))
    shown = deviate_example(trial.walker.decoder.layout.points, trial.walk, example)
    scale = push.speed / example.push.speed
    return PushDeviation(scale * shown.points, scale * shown.centre, scale * shown.foothold, shown.later)


_NOTHING = PushDeviation(np.zeros((1, 1, 3)), np.zeros((1, 3)), np.zeros(2), 0.0)


def _read_centre(one: PushDeviation) -> np.ndarray:
    return one.centre[-1, :2]


def _read_foot(one: PushDeviation) -> np.ndarray:
    return one.foothold

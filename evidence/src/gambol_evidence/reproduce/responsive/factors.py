"""Claims about what an answer depends on (YL10 section 4): timing and direction more than strength and body part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.responsive.deviations import PushDeviation, deviate_walker
from gambol_evidence.reproduce.responsive.random_pushes import PUSHED_PARTS
from gambol_evidence.reproduce.responsive.walker_trials import TrialWalker, WalkerTrials, push_walker

_SOURCE = "YL10 §4, p. 559"
_FRAMES = 45
_BASES = [ExamplePush(phase, direction, 0.5) for phase in (0.1, 0.35, 0.6, 0.85) for direction in (60.0, 240.0)]
_CHANGES: dict[str, Callable[[ExamplePush], list[ExamplePush]]] = {
    "phase": lambda push: [replace(push, phase=n / 8) for n in range(8)],
    "direction": lambda push: [replace(push, direction=45.0 * n) for n in range(8)],
    "speed": lambda push: [replace(push, speed=speed) for speed in (0.3, 0.4, 0.5, 0.6, 0.7)],
    "body": lambda push: [replace(push, body=body) for body in PUSHED_PARTS],
}


def measure_factors(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker."""
    for trial in trials.walkers:
        answers: dict[ExamplePush, PushDeviation] = {}
        spread = {name: _measure_spread(trial, name, answers) for name in _CHANGES}
        shown = ", ".join(f"{name} {100.0 * value:.1f} cm" for name, value in spread.items())
        yield Claim(
            f"timing-direction-{trial.name}",
            _SOURCE,
            "timing and direction change an answer more than strength: the lesser of the two, relative to strength",
            min(spread["phase"], spread["direction"]) / spread["speed"],
            "times",
            f"{trial.name}: {shown}",
            Band(low=1.1),
        )
        yield Claim(
            f"body-part-{trial.name}",
            _SOURCE,
            "the pushed body changes an answer less than timing and direction",
            spread["body"] / min(spread["phase"], spread["direction"]),
            "times",
            trial.name,
            Band(high=0.9),
            "the walker moves its centre of mass, whichever body is pushed",
        )
        yield from _judge_steps(trial, list(answers.values()))


def _measure_spread(trial: TrialWalker, name: str, answers: dict[ExamplePush, PushDeviation]) -> float:
    """Return the mean distance (m) between poses, seen from the centre of mass, of pushes that differ in one thing."""
    apart = []
    for base in _BASES:
        found = []
        for push in _CHANGES[name](base):
            if push not in answers:
                answers[push] = deviate_walker(push_walker(trial.walker, push, _FRAMES))
            found.append(answers[push].points - answers[push].centre[:, None])
        apart += [np.linalg.norm(one - other, axis=2).mean() for one, other in combinations(found, 2)]
    return float(np.mean(apart))


def _judge_steps(trial: TrialWalker, answers: Sequence[PushDeviation]) -> Iterator[Claim]:
    landed = [one for one in answers if np.isfinite(one.later)]
    data = f"{trial.name}, {len(landed)} of {len(answers)} pushes after which a foot lands"
    moved = 100.0 * float(np.median([np.linalg.norm(one.foothold) for one in landed]))
    text = "recoveries change the size of steps: median shift of the next foothold"
    yield Claim(f"step-size-{trial.name}", _SOURCE, text, moved, "cm", data, Band(low=5.0))
    retimed = 100.0 * float(np.mean([abs(one.later) > 0.0 for one in landed]))
    text = "and their timing: share of next steps that land earlier or later"
    yield Claim(f"step-timing-{trial.name}", _SOURCE, text, retimed, "%", data, Band(low=25.0))

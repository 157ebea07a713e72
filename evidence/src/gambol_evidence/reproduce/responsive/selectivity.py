"""Claims about which example a push visits: 8 phases and 8 directions beside those of the examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.metrics.figures import Band
from gambol.respond.latent.examples import ExamplePush, SolvedExample
from gambol.respond.latent.responder import LatentWalker
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.responsive.walker_trials import WalkerTrials, push_walker

_BESIDE_PHASE, _BESIDE_DIRECTION = 0.03, 15.0
"""Share of the cycle and degrees by which pushes lie beside the grid."""
_TIE = 1e-3


class Visit(NamedTuple):
    """A push, the example it visited, and whether that is the right one."""

    push: ExamplePush
    visited: ExamplePush | None
    example: bool
    direction: bool


def visit_examples(walker: LatentWalker, examples: Sequence[SolvedExample], speed: float = 0.5) -> list[Visit]:
    """Push at 8 phases and in 8 directions, each twice, beside the grid on either side."""
    visits = []
    for phase in range(8):
        for direction in range(8):
            for side in (-1.0, 1.0):
                push = ExamplePush(
                    (phase / 8 + side * _BESIDE_PHASE) % 1.0,
                    (45.0 * direction + side * _BESIDE_DIRECTION) % 360.0,
                    speed,
                )
                visits.append(_judge_visit(push, push_walker(walker, push).visited, examples))
    return visits


def measure_selectivity(trials: WalkerTrials) -> Iterator[Claim]:
    """Yield the claims of every walker. The phase of a push chooses the model, its direction counts in it."""
    for trial in trials.walkers:
        visits = visit_examples(trial.walker, trial.examples)
        blind = tuple(replace(model, turn=np.inf) for model in trial.walker.models)
        by_features = visit_examples(replace(trial.walker, models=blind), trial.examples)
        for name, words, right, bar in (
            ("example", "visit the example of the nearest phase and direction", [one.example for one in visits], 85.0),
            ("direction", "visit an example of the nearest direction", [one.direction for one in visits], 95.0),
            ("features", "visit the nearest example if their direction does not count",
             [one.example for one in by_features], 85.0),
        ):  # fmt: skip
            share = 100.0 * float(np.mean(right))
            data = f"{trial.name}, {len(visits)} pushes"
            yield Claim(f"right-{name}-{trial.name}", OUR_BAR, f"pushes that {words}", share, "%", data, Band(bar))


def _judge_visit(push: ExamplePush, visited: ExamplePush | None, examples: Sequence[SolvedExample]) -> Visit:
    if visited is None:
        return Visit(push, None, False, False)
    turned, late = (min(_apart(push, one.push)[n] for one in examples) for n in range(2))
    turn, lateness = _apart(push, visited)
    direction = turn <= turned + _TIE
    return Visit(push, visited, direction and lateness <= late + _TIE, direction)


def _apart(push: ExamplePush, other: ExamplePush) -> tuple[float, float]:
    """Return the differences in direction (degrees) and phase (share of the cycle)."""
    return abs(other.measure_turn(push.direction)), abs(other.measure_lateness(push.phase))

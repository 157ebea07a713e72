"""`gambol_evidence.reproduce.recovery`: whole-body recovery of pushed walks, and the learned responder of YL10."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.recovery import random_pushes, steps
from gambol_evidence.reproduce.recovery.answers import PushedWalks

_CLAIMS: tuple[Callable[[PushedWalks], Iterator[Claim]], ...] = (
    random_pushes.measure_answers,
    random_pushes.measure_without_push,
    random_pushes.measure_checks,
    steps.measure_foot_placement,
    steps.measure_small_pushes,
    steps.measure_step_support,
    steps.measure_step_direction,
)


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    walks = PushedWalks(data)
    yield from measure(partial(part, walks) for part in _CLAIMS)

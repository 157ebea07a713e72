"""`gambol reproduce responsive`: the learned walker of YL10, and our own bars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol.reproduce.claims import Claim, measure
from gambol.reproduce.responsive import free_run, responder, selectivity
from gambol.reproduce.responsive.walker_trials import WalkerTrials


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    trials = WalkerTrials(data)
    parts = (free_run.measure_free_runs, responder.measure_pushes, selectivity.measure_selectivity)
    yield from measure(partial(part, trials) for part in parts)

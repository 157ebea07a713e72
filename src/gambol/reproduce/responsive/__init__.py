"""`gambol reproduce responsive`: the learned walker of YL10, and our own bars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol.reproduce.claims import Claim, measure
from gambol.reproduce.responsive.factors import measure_factors
from gambol.reproduce.responsive.free_run import measure_free_runs
from gambol.reproduce.responsive.prediction import measure_predictions
from gambol.reproduce.responsive.random_pushes import measure_pushes
from gambol.reproduce.responsive.selectivity import measure_selectivity
from gambol.reproduce.responsive.several_models import measure_several_models
from gambol.reproduce.responsive.shown_pushes import measure_shown_pushes
from gambol.reproduce.responsive.walker_trials import WalkerTrials


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    trials = WalkerTrials(data)
    parts = (
        measure_free_runs,
        measure_predictions,
        measure_pushes,
        measure_selectivity,
        measure_shown_pushes,
        measure_factors,
        measure_several_models,
    )
    yield from measure(partial(part, trials) for part in parts)

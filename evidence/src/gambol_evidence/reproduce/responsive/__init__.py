"""`gambol reproduce responsive`: the learned walker of YL10, and our own bars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.responsive.factors import measure_factors
from gambol_evidence.reproduce.responsive.free_run import measure_free_runs
from gambol_evidence.reproduce.responsive.prediction import measure_predictions
from gambol_evidence.reproduce.responsive.random_pushes import measure_pushes
from gambol_evidence.reproduce.responsive.selectivity import measure_selectivity
from gambol_evidence.reproduce.responsive.several_models import measure_several_models
from gambol_evidence.reproduce.responsive.shown_pushes import measure_shown_pushes
from gambol_evidence.reproduce.responsive.walker_trials import WalkerTrials


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

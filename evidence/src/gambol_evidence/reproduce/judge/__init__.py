"""`gambol reproduce judge`: false alarms of the judge on sound recordings, and the damages that it finds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.judge.alarms import measure_alarms
from gambol_evidence.reproduce.judge.pairs import measure_found_in_pairs
from gambol_evidence.reproduce.judge.trials import TRIALS, measure_found


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    trials = [partial(measure_found, data, name) for name in TRIALS]
    yield from measure([partial(measure_alarms, data), *trials, partial(measure_found_in_pairs, data)])

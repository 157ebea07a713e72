"""`gambol reproduce style`: physical styles of walks and runs, and what they make of other tasks (L05 chapter 5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.style.fidelity import measure_fidelity
from gambol_evidence.reproduce.style.forces import measure_forces
from gambol_evidence.reproduce.style.prediction import measure_prediction
from gambol_evidence.reproduce.style.printed import measure_printed
from gambol_evidence.reproduce.style.recognition import measure_recognised_styles
from gambol_evidence.reproduce.style.setting import StyleSetting
from gambol_evidence.reproduce.style.tasks import measure_tasks


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    setting = StyleSetting(data)
    parts = (
        measure_forces,
        measure_fidelity,
        measure_prediction,
        measure_recognised_styles,
        measure_tasks,
        measure_printed,
    )
    yield from measure(partial(part, setting) for part in parts)

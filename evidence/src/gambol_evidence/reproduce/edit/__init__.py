"""`gambol reproduce edit`: claims about edited clips, families of them and their control (L05 chapter 4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.edit import bars, controller, families, physics, preparation, rates, style, table, walks


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    parts = (
        rates.measure_rates,
        bars.measure_convergence,
        physics.measure_edits,
        physics.measure_printed_edits,
        preparation.measure_anticipation,
        style.measure_style,
        walks.measure_steps,
        table.measure_times,
        families.measure_blends,
        families.measure_inverse_control,
        families.measure_adaptive_sampling,
        controller.measure_chain,
        controller.measure_lag,
    )
    yield from measure([partial(part, data) for part in parts])

"""`gambol reproduce sketch`: the observations of L05 chapter 3 on its sketches, and our bars; needs no recordings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.sketch import bars, seen


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    yield from measure(
        (
            bars.measure_solved,
            bars.measure_between,
            bars.measure_printed_form,
            seen.measure_counter_twist,
            seen.measure_running_arms,
            seen.measure_crouch,
            seen.measure_stiff_knee,
        )
    )

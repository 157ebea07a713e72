"""`gambol reproduce sketch`: what L05 chapter 3 says of its sketches, and what we ask of ours; no recordings needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.sketch import bars, seen


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    yield from bars.measure_solved()
    yield from bars.measure_between()
    yield from bars.measure_printed_form()
    yield from seen.measure_counter_twist()
    yield from seen.measure_running_arms()
    yield from seen.measure_crouch()
    yield from seen.measure_stiff_knee()

"""`gambol reproduce primitives`: claims about movement primitives learned from walks (M17 section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.primitives import morphed, recovery, regenerated, styles, variance


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    parts = (
        recovery.measure_tied,
        recovery.measure_one_trial,
        variance.measure_variance,
        styles.measure_recognition,
        regenerated.measure_learned,
        regenerated.measure_held_out,
        regenerated.measure_regression,
        regenerated.measure_oscillators,
        morphed.measure_morphs,
    )
    yield from measure([partial(part, data) for part in parts])

"""`gambol reproduce compose`: scenes of several actions and several people (L05 chapter 6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol.reproduce.claims import Claim, measure
from gambol.reproduce.compose.pairs import measure_pairs
from gambol.reproduce.compose.scenes import measure_scenes
from gambol.reproduce.compose.schedules import measure_schedules, measure_warps
from gambol.reproduce.compose.transitions import measure_transitions


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    recorded = (partial(part, data) for part in (measure_pairs, measure_transitions))
    yield from measure((measure_scenes, *recorded, measure_schedules, measure_warps))

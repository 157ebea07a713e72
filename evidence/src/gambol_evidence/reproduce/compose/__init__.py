"""`gambol reproduce compose`: scenes of several actions and several people (L05 chapter 6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.compose.pairs import measure_pairs, measure_sides
from gambol_evidence.reproduce.compose.recorded_contact import measure_linked_arms, measure_pulls
from gambol_evidence.reproduce.compose.scenes import measure_scenes
from gambol_evidence.reproduce.compose.schedules import measure_phases, measure_schedules, measure_warps
from gambol_evidence.reproduce.compose.transitions import measure_transitions


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    parts = (measure_pairs, measure_sides, measure_linked_arms, measure_pulls, measure_transitions, measure_phases)
    recorded = (partial(part, data) for part in parts)
    yield from measure((measure_scenes, *recorded, measure_schedules, measure_warps))

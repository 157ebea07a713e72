"""`gambol reproduce humanoid`: a simulated robot walks to drawers, opens them and is pushed (M17 section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.humanoid.comfort import measure_comfort
from gambol_evidence.reproduce.humanoid.gaits import measure_gaits
from gambol_evidence.reproduce.humanoid.jumps import measure_jumps
from gambol_evidence.reproduce.humanoid.peaks import measure_peaks
from gambol_evidence.reproduce.humanoid.pushes import measure_push_map
from gambol_evidence.reproduce.humanoid.retraining import measure_retraining
from gambol_evidence.reproduce.humanoid.setting import HumanoidSetting
from gambol_evidence.reproduce.humanoid.walk_and_reach import measure_walk_and_reach

PARTS = (
    measure_walk_and_reach,
    measure_jumps,
    measure_peaks,
    measure_gaits,
    measure_push_map,
    measure_comfort,
    measure_retraining,
)


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    setting = HumanoidSetting(data)
    yield from measure(partial(part, setting) for part in PARTS)

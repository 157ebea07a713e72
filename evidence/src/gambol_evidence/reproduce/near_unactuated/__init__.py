"""`gambol reproduce near-unactuated`: the claims of YL08 about push responses, and our own bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.near_unactuated import bars, coordinates, forms, objectives, situations
from gambol_evidence.reproduce.near_unactuated.trials import TrialWalks

CLAIMS: tuple[Callable[[TrialWalks], Iterator[Claim]], ...] = (
    coordinates.measure_unpushed,
    coordinates.measure_counts,
    coordinates.measure_largest,
    coordinates.measure_borrowed,
    coordinates.measure_noise,
    coordinates.measure_weights,
    situations.measure_body_parts,
    situations.measure_pelvis_speed,
    situations.measure_support,
    situations.measure_direction,
    situations.measure_styles,
    situations.measure_build_dependence,
    situations.measure_sustained,
    situations.measure_platform,
    situations.measure_slow,
    objectives.measure_cup,
    objectives.measure_obstacles,
    forms.measure_as_printed,
    forms.measure_torque,
    bars.measure_bars,
)


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    walks = TrialWalks(data)
    yield from measure(partial(part, walks) for part in CLAIMS)

"""`gambol reproduce near-unactuated`: what YL08 says of its push responses, and what we ask of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.near_unactuated import bars, coordinates, forms, objectives, situations
from gambol.reproduce.near_unactuated.trials import TrialWalks

CLAIMS: tuple[Callable[[TrialWalks], Iterator[Claim]], ...] = (
    coordinates.measure_unpushed,
    coordinates.measure_counts,
    coordinates.measure_largest,
    coordinates.measure_borrowed,
    coordinates.measure_noise,
    coordinates.measure_weights,
    situations.measure_body_parts,
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
    """Rows as they are measured."""
    walks = TrialWalks(data)
    for measure in CLAIMS:
        yield from measure(walks)

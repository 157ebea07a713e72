"""`gambol reproduce near-unactuated`: what YL08 says of its push responses, and what we ask of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.near_unactuated import bars, coordinates, forms, objectives, situations
from gambol.reproduce.near_unactuated.trials import Walks

CLAIMS: tuple[Callable[[Walks], Iterator[Claim]], ...] = (
    coordinates.unpushed,
    coordinates.counts,
    coordinates.largest,
    coordinates.borrowed,
    coordinates.noise,
    coordinates.weights,
    situations.body_parts,
    situations.support,
    situations.direction,
    situations.styles,
    situations.build,
    situations.sustained,
    situations.platform,
    situations.slow,
    objectives.cup,
    objectives.obstacles,
    forms.printed,
    forms.torque,
    bars.bars,
)


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    walks = Walks(data)
    for measure in CLAIMS:
        yield from measure(walks)

"""`gambol reproduce crowd`: what M17 sections 2.4 and 2.5 say of walkers, crowds and certificates, and what we ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.crowd import certificates, dance, marches, navigation, walkers


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    for part in (navigation, walkers, marches, certificates, dance):
        yield from part.run(data)

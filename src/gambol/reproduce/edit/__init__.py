"""`gambol reproduce edit`: what L05 chapter 4 says of edited clips and their families, and what we ask of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.edit import bars, controller, families, physics, style, table, walks


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    for part in (bars, physics, style, walks, table, families, controller):
        yield from part.run(data)

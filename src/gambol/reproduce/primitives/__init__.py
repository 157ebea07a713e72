"""`gambol reproduce primitives`: what M17 section 2 says of movement primitives, and what we ask of ours."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from gambol.reproduce.claims import Claim

PARTS = ("recovery", "variance", "styles", "regenerated", "morphed")


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    for part in PARTS:
        yield from import_module(f"{__name__}.{part}").run(data)

"""`gambol reproduce edit`: claims about edited clips, families of them and their control (L05 chapter 4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol.reproduce.claims import Claim, measure
from gambol.reproduce.edit import bars, controller, families, physics, style, table, walks


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    modules = (bars, physics, style, walks, table, families, controller)
    yield from measure([partial(part, data) for module in modules for part in module.PARTS])

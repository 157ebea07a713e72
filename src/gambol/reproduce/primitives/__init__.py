"""`gambol reproduce primitives`: claims about movement primitives learned from walks (M17 section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol.reproduce.claims import Claim, measure
from gambol.reproduce.primitives import morphed, recovery, regenerated, styles, variance


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    modules = (recovery, variance, styles, regenerated, morphed)
    yield from measure([partial(part, data) for module in modules for part in module.PARTS])

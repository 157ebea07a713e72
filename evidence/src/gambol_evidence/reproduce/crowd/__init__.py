"""`gambol reproduce crowd`: claims about walkers, crowds and certificates (M17, sections 2.4 and 2.5), and our bars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.crowd import certificates, dance, knees, marches, navigation, walkers


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    parts = (navigation, walkers, knees, marches, certificates, dance)
    yield from measure(partial(part.run, data) for part in parts)

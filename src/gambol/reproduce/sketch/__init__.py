"""`gambol reproduce sketch`: what L05 chapter 3 says of its sketches, and what we ask of ours; no recordings needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.reproduce.claims import Claim
from gambol.reproduce.sketch import bars, seen


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    yield from bars.solved()
    yield from bars.between()
    yield from bars.printed()
    yield from seen.counter_twist()
    yield from seen.running_arms()
    yield from seen.crouch()
    yield from seen.stiff_knee()

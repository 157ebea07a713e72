"""How physical a solved motion must be at and between its frames, as rows: what sketches and edits are both asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from typing import NamedTuple

from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.spacetime.evaluate import BetweenErrors, FrameErrors


class Criterion(NamedTuple):
    """A figure of a verdict and what it may be."""

    field: str
    text: str
    unit: str
    scale: float
    band: Band


AT_FRAMES = (
    Criterion("fall", "centre of mass falls at g in flight: worst error", "m/s²", 1.0, Band(high=1e-4)),
    Criterion("spin", "angular momentum is kept in flight: worst drift", "kg m²/s", 1.0, Band(high=1e-4)),
    Criterion("contact", "what is held stays in its place: worst", "mm", 1e3, Band(high=0.01)),
    Criterion("least", "the ground does not pull: least vertical force", "body weights", 1.0, Band(low=0.0)),
    Criterion("peak", "largest vertical force", "body weights", 1.0, Band(high=5.0)),
    Criterion("friction", "friction needed", "", 1.0, Band(high=0.8)),
    Criterion("pressure", "centre of pressure outside the support", "mm", 1e3, Band(high=1.0)),
)
BETWEEN = (
    Criterion("parabola", "re-sampled 4 times from 60 Hz: centre of mass off a parabola", "mm", 1e3, Band(high=0.5)),
    Criterion("spin", "re-sampled: drift of angular momentum in flight", "%", 1e2, Band(high=2.0)),
    Criterion("slip", "re-sampled: slip of what is held", "mm", 1e3, Band(high=3.0)),
    Criterion("penetration", "re-sampled: soles below the ground", "mm", 1e3, Band(high=3.0)),
)


def make_claims(
    name: str, verdict: FrameErrors | BetweenErrors, asked: Iterable[Criterion], data: str
) -> Iterator[Claim]:
    """A row for every figure that there is."""
    for field, text, unit, scale, band in asked:
        value = scale * getattr(verdict, field)
        if not isnan(value):
            yield Claim(f"{name}-{field}", OUR_BAR, text, value, unit, data, band)

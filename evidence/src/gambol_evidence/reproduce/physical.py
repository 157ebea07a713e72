"""Criteria for solved motions at and between their frames, shared by the suites of sketches and edits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from gambol.contacts.contact import Contact
from gambol.metrics.figures import Band
from gambol.spacetime.evaluate import BetweenErrors, FrameErrors
from gambol_evidence.reproduce.claims import OUR_BAR, Claim


class Criterion(NamedTuple):
    """A figure of the evaluation and its band."""

    field: str
    text: str
    unit: str
    scale: float
    band: Band


AT_FRAMES = (
    Criterion(
        "fall",
        "acceleration of the centre of mass in flight: largest difference from gravity",
        "m/s²",
        1.0,
        Band(high=1e-4),
    ),
    Criterion("spin", "angular momentum in flight: largest drift", "kg m²/s", 1.0, Band(high=1e-4)),
    Criterion("contact", "contact points stay in place: largest distance", "mm", 1e3, Band(high=0.01)),
    Criterion("least", "the ground does not pull: smallest vertical force", "body weights", 1.0, Band(low=0.0)),
    Criterion("peak", "largest vertical force", "body weights", 1.0, Band(high=5.0)),
    Criterion("friction", "friction coefficient needed", "", 1.0, Band(high=0.8)),
    Criterion("pressure", "centre of pressure outside the support", "mm", 1e3, Band(high=1.0)),
)
BETWEEN = (
    Criterion(
        "parabola",
        "resampled 4 times from 60 Hz: largest distance of the centre of mass from a parabola in flight",
        "mm",
        1e3,
        Band(high=0.5),
    ),
    Criterion("spin", "resampled: drift of angular momentum in flight", "%", 1e2, Band(high=2.0)),
    Criterion("slip", "resampled: slip of contact points", "mm", 1e3, Band(high=3.0)),
    Criterion("penetration", "resampled: soles below the ground", "mm", 1e3, Band(high=3.0)),
)


def make_claims(
    name: str,
    errors: FrameErrors | BetweenErrors,
    criteria: Iterable[Criterion],
    data: str,
    absent: Collection[str] = (),
) -> Iterator[Claim]:
    """Yield a claim per criterion, without figures that are `absent` since no frame of the motion has them."""
    for field, text, unit, scale, band in criteria:
        if field not in absent:
            yield Claim(f"{name}-{field}", OUR_BAR, text, scale * getattr(errors, field), unit, data, band)


def find_absent_figures(contacts: Sequence[Contact], frames: int) -> set[str]:
    """Return the figures that a motion with these contacts cannot have: those of flight, or of standing on a floor."""
    active = [[contact for contact in contacts if contact.is_active(frame)] for frame in range(1, frames - 1)]
    flies = any(not some for some in active)
    stands = any(some and not any(c.grip or c.slide is not None for c in some) for some in active)
    return (set() if flies else {"fall", "spin", "parabola"}) | (
        set() if stands else {"least", "peak", "friction", "pressure"}
    )

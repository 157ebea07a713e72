"""Every sketch of the thesis: does it converge, how fast, and how physical is it at and between its frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import isnan

from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.spacetime import sketches
from gambol.spacetime.poses import Poses
from gambol.spacetime.sketch import Sketch, read_sketch
from gambol.spacetime.sketched import Sketched, realise
from gambol.spacetime.synthesis import Form

_ASKED = "asked of gambol"
_AT_FRAMES = (
    ("fall", "centre of mass falls at g in flight: worst error", "m/s²", 1.0, Band(high=1e-4)),
    ("spin", "angular momentum is kept in flight: worst drift", "kg m²/s", 1.0, Band(high=1e-4)),
    ("contact", "soles stay in their places: worst", "mm", 1e3, Band(high=0.01)),
    ("least", "the ground does not pull: least vertical force", "body weights", 1.0, Band(low=0.0)),
    ("peak", "largest vertical force", "body weights", 1.0, Band(high=5.0)),
    ("friction", "friction needed", "", 1.0, Band(high=0.8)),
    ("pressure", "centre of pressure outside the support", "mm", 1e3, Band(high=1.0)),
)
_BETWEEN = (
    ("parabola", "re-sampled 4 times from 60 Hz: centre of mass off a parabola", "mm", 1e3, Band(high=0.5)),
    ("spin", "re-sampled: drift of angular momentum in flight", "%", 1e2, Band(high=2.0)),
    ("slip", "re-sampled: slip of what is held", "mm", 1e3, Band(high=3.0)),
    ("penetration", "re-sampled: soles below the ground", "mm", 1e3, Band(high=3.0)),
)


def shipped() -> Poses:
    """The examples that come with gambol, and no user's own."""
    from gambol.spacetime.poses import SHIPPED

    return Poses.load(SHIPPED)


@cache
def made(name: str, rate: float | None = None) -> Sketched:
    """A sketch, solved."""
    return realise(sketch_at(name, rate), shipped())


def sketch_at(name: str, rate: float | None = None) -> Sketch:
    """A sketch at its own rate, or another."""
    sketch = read_sketch(sketches.file(name))
    return sketch if rate is None else replace(sketch, rate=rate)


def solved() -> Iterator[Claim]:
    """All converge from their own start, soon, and keep to physics at the frames."""
    for name in sketches.names():
        found = made(name)
        solution, data = found.outcome.solution, f"sketch {name}"
        count = solution.iterations if solution.converged else float("inf")
        text = "converges from its own start: iterations"
        yield Claim(f"{name}-iterations", _ASKED, text, count, "", data, Band(high=60.0))
        each = sum(solution.seconds.values()) * 60.0 / len(found.outcome.motion)
        yield Claim(
            f"{name}-seconds",
            "L05",
            "solved in under 5 minutes; asked: 5 s for 60 frames",
            each,
            "s",
            data,
            Band(high=5.0),
        )
        yield from _figures(name, found.verdict, _AT_FRAMES, data)


def between() -> Iterator[Claim]:
    """Solved at 60 Hz and re-sampled, they still are physical."""
    for name in sketches.names():
        found = made(name, 60.0)
        yield from _figures(f"{name}-60", found.between, _BETWEEN, f"sketch {name} at 60 Hz")


def printed() -> Iterator[Claim]:
    """As printed, momentum on the ground follows a curve and knows no forces: what the ground would have to give."""
    for name in ("broad_jump", "twist_jumps"):
        found = realise(sketch_at(name), shipped(), form=Form(printed=True))
        data = f"sketch {name}, printed form"
        count = found.outcome.solution.iterations if found.outcome.solution.converged else float("inf")
        yield Claim(f"{name}-printed-iterations", "L05", "converges: iterations", count, "", data, Band(high=300.0))
        rows = [row for row in _AT_FRAMES if row[0] in ("fall", "spin", "least", "peak", "friction", "pressure")]
        yield from _figures(f"{name}-printed", found.verdict, rows, data)


def _figures(name: str, verdict: object, rows, data: str) -> Iterator[Claim]:  # type: ignore[no-untyped-def]
    for field, text, unit, scale, band in rows:
        value = scale * getattr(verdict, field)
        if not isnan(value):
            yield Claim(f"{name}-{field}", _ASKED, text, value, unit, data, band)

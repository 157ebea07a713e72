"""Every sketch of the thesis: does it converge, how fast, and how physical is it at and between its frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.physical import AT_FRAMES, BETWEEN
from gambol.reproduce.physical import make_claims as rows_of
from gambol.spacetime import sketches
from gambol.spacetime.poses import PoseDatabase
from gambol.spacetime.sketch import Sketch, read_sketch
from gambol.spacetime.sketch_verb import SolvedSketch, solve_sketch
from gambol.spacetime.synthesis import MomentumForm


def load_shipped_poses() -> PoseDatabase:
    """The examples that come with gambol, and no user's own."""
    from gambol.spacetime.poses import SHIPPED

    return PoseDatabase.load(SHIPPED)


@cache
def solve_named(name: str, rate: float | None = None) -> SolvedSketch:
    """A sketch, solved."""
    return solve_sketch(read_named(name, rate), load_shipped_poses())


def read_named(name: str, rate: float | None = None) -> Sketch:
    """A sketch at its own rate, or another."""
    sketch = read_sketch(sketches.find(name))
    return sketch if rate is None else replace(sketch, rate=rate)


def measure_solved() -> Iterator[Claim]:
    """All converge from their own start, soon, and keep to physics at the frames."""
    for name in sketches.names():
        found = solve_named(name)
        solution, data = found.outcome.solution, f"sketch {name}"
        count = solution.iterations if solution.converged else float("inf")
        text = "converges from its own start: iterations"
        yield Claim(f"{name}-iterations", OUR_BAR, text, count, "", data, Band(high=60.0))
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
        yield from rows_of(name, found.verdict, AT_FRAMES, data)


def measure_between() -> Iterator[Claim]:
    """Solved at 60 Hz and re-sampled, they still are physical."""
    for name in sketches.names():
        found = solve_named(name, 60.0)
        yield from rows_of(f"{name}-60", found.between, BETWEEN, f"sketch {name} at 60 Hz")


def measure_printed_form() -> Iterator[Claim]:
    """As printed, momentum on the ground follows a curve and knows no forces: what the ground would have to give."""
    for name in ("broad_jump", "twist_jumps"):
        found = solve_sketch(read_named(name), load_shipped_poses(), form=MomentumForm(printed=True))
        data = f"sketch {name}, printed form"
        count = found.outcome.solution.iterations if found.outcome.solution.converged else float("inf")
        yield Claim(f"{name}-printed-iterations", "L05", "converges: iterations", count, "", data, Band(high=300.0))
        rows = [row for row in AT_FRAMES if row.field != "contact"]
        yield from rows_of(f"{name}-printed", found.verdict, rows, data)

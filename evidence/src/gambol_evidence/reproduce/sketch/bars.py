"""Our bars for every sketch of the thesis: convergence, speed, and physics at and between the frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from gambol.fit.rig import as_clip
from gambol.metrics.figures import Band
from gambol.spacetime import sketches
from gambol.spacetime.poses import SHIPPED, PoseDatabase
from gambol.spacetime.sketch import Sketch, read_sketch
from gambol.spacetime.sketch_verb import SolvedSketch, solve_sketch
from gambol.spacetime.synthesis import MomentumForm
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol_evidence.reproduce.physical import AT_FRAMES, BETWEEN, find_absent_figures, make_claims


def load_shipped_poses() -> PoseDatabase:
    """Return the example poses that come with gambol, without those of the user."""
    return PoseDatabase.load(SHIPPED)


@cache
def solve_named(name: str, rate: float | None = None) -> SolvedSketch:
    """Solve a built-in sketch, once."""
    return solve_sketch(read_named(name, rate), load_shipped_poses())


def read_named(name: str, rate: float | None = None) -> Sketch:
    """Read a built-in sketch, at its own frame rate or another."""
    sketch = read_sketch(sketches.find(name))
    return sketch if rate is None else replace(sketch, fps=rate)


def measure_solved() -> Iterator[Claim]:
    """All sketches converge from their own start and are physical at their frames."""
    for name in sketches.names():
        found = solve_named(name)
        solution, motion, data = found.outcome.solution, as_clip(found.outcome.motion), f"sketch {name}"
        text = "iterations until convergence from the rough sketch"
        yield Claim(f"{name}-iterations", OUR_BAR, text, _iterations(found), "", data, Band(high=60.0), motion=motion)
        seconds = sum(solution.seconds.values()) * 60.0 / len(motion)
        text = "time to solve, per 60 frames"
        yield Claim(f"{name}-seconds", OUR_BAR, text, seconds, "s", data, Band(high=5.0), THIS_MACHINE)
        yield from make_claims(name, found.verdict, AT_FRAMES, data, _absent(found))


def measure_between() -> Iterator[Claim]:
    """Solved at 60 frames per second and resampled, the sketches are physical between their frames."""
    for name in sketches.names():
        found = solve_named(name, 60.0)
        yield from make_claims(f"{name}-60", found.between, BETWEEN, f"sketch {name} at 60 Hz", _absent(found))


def measure_printed_form() -> Iterator[Claim]:
    """In the printed form momentum on the ground follows a curve: the forces that the ground would have to give."""
    for name in ("broad_jump", "twist_jumps"):
        found = solve_sketch(read_named(name), load_shipped_poses(), form=MomentumForm(printed=True))
        data, text = f"sketch {name}, printed form", "iterations until convergence from the rough sketch"
        yield Claim(f"{name}-printed-iterations", OUR_BAR, text, _iterations(found), "", data, Band(high=300.0))
        criteria = [criterion for criterion in AT_FRAMES if criterion.field != "contact"]
        yield from make_claims(f"{name}-printed", found.verdict, criteria, data, _absent(found))


def _iterations(found: SolvedSketch) -> float:
    solution = found.outcome.solution
    return float(solution.iterations) if solution.converged else float("inf")


def _absent(found: SolvedSketch) -> set[str]:
    return find_absent_figures(found.plan.constraints, len(found.outcome.motion))

"""`gambol bench sketch`: time from a sketch to a motion, by part and by length, on one core.

Compared with the five minutes per motion of the thesis (L05 section 3.9, 2005), and MUMPS with SPRAL, another linear
solver of IPOPT.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from time import perf_counter

from gambol.body.build import make_average_build
from gambol.body.human import make_human
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.solve import ipopt
from gambol.solve.ipopt import Solution
from gambol.spacetime import sketches
from gambol.spacetime.poses import PoseDatabase, open_poses
from gambol.spacetime.sketch import Key, Sketch, SupportSpec, read_sketch
from gambol.spacetime.sketch_verb import solve_sketch
from gambol_evidence.bench.rows import Row

_PAPER = 300.0
"""Seconds: every example of the thesis took less."""
_SECOND = 30.0
"""Frames per second."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    yield Row("compile", _time_compilation(), "s")
    poses = open_poses()
    begun = perf_counter()
    jump = solve_sketch(read_sketch(sketches.find("broad_jump")), poses).outcome.solution
    cold = perf_counter() - begun
    yield Row("broad-jump", cold, "s", "the paper (at most)", _PAPER, _PAPER / cold)
    yield from _part_rows("broad-jump", jump)
    for frames in (30, 60, 120, 240, 600):
        solution = solve_sketch(_sketch_hops(frames), poses).outcome.solution
        yield Row(f"length-{frames}", sum(solution.seconds.values()) / frames * 1e3, "ms/frame")
        yield Row(f"length-{frames}-iterations", solution.iterations, "iterations")
        yield from _part_rows(f"length-{frames}", solution)
    yield from _solvers(poses)


def _time_compilation() -> float:
    """Return the seconds to compile for a new kind of skeleton with an empty cache."""
    body = make_human(make_average_build(1.75), 70.0)
    kept = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            begun = perf_counter()
            make_kernels(body, [sole.body for sole in find_soles(body).values()])
            return perf_counter() - begun
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            if kept is not None:
                os.environ["XDG_CACHE_HOME"] = kept


def _part_rows(name: str, solution: Solution) -> Iterator[Row]:
    """Yield the seconds of every part of a solution, and of one iteration of the solver."""
    for part, seconds in solution.seconds.items():
        yield Row(f"{name}-{part}", seconds, "s")
    each = solution.seconds["solver"] / max(solution.iterations, 1)
    yield Row(f"{name}-solver-iteration", 1e3 * each, "ms")


def _sketch_hops(frames: int) -> Sketch:
    """Sketch jumps on the spot, one per second, for some frames at 30 frames per second."""
    count = max(1, round(frames / _SECOND))
    seconds = (frames - 1) / 30.0
    length = seconds / count
    keys, stages = [], []
    for n in range(count):
        off, land = (n + 0.45) * length, (n + 0.8) * length
        keys += [Key(off, {"z": 0.0}), Key(0.5 * (off + land), {"z": 0.15}), Key(land, {"z": 0.0})]
        stages += [SupportSpec(off, ("left foot", "right foot")), SupportSpec(land, ())]
    stages.append(SupportSpec(seconds, ("left foot", "right foot")))
    return Sketch(f"{count} hops", seconds, tuple(keys), tuple(stages))


def _solvers(poses: PoseDatabase) -> Iterator[Row]:
    """Yield milliseconds per iteration of 60 frames with MUMPS and with SPRAL."""
    usual = ipopt.OPTIONS
    ours = solve_sketch(_sketch_hops(60), poses).outcome.solution
    mine = 1e3 * ours.seconds["solver"] / ours.iterations
    try:
        ipopt.OPTIONS = usual | {"linear_solver": "spral"}
        other = solve_sketch(_sketch_hops(60), poses).outcome.solution
    finally:
        ipopt.OPTIONS = usual
    if not other.converged:
        yield Row("solver-iteration", mine, "ms", "SPRAL", note=f"does not solve: {other.status}")
        return
    theirs = 1e3 * other.seconds["solver"] / other.iterations
    yield Row("solver-iteration", mine, "ms", "SPRAL", theirs, theirs / mine)

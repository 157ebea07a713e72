"""Measure convergence, iterations and solver time of eight edits of ten jumps by seven people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol_evidence.reproduce.edit.clips import JUMPS, load_jump, solve_jump_edit

BAR_RATE = 30.0
"""Frames per second, low enough that 80 edits take minutes."""
BAR_EDITS: dict[str, dict[str, float]] = {
    "farther": {"forward": 0.5},
    "nearer": {"forward": -0.5},
    "left": {"left": 0.5},
    "turn": {"turn": 90.0},
    "about": {"turn": -180.0},
    "up": {"up": 0.2},
    "higher": {"higher": 0.2},
    "all": {"forward": 0.3, "turn": 45.0, "higher": 0.1},
}
_MOST_ITERATIONS = 36
"""Twice the largest number of iterations (18) that these edits of the built-in jump need; the solver stops at 60."""


def measure_convergence(data: Path) -> Iterator[Claim]:
    """Solve all edits at 30 frames per second."""
    failures, iterations, seconds = [], [], []
    for name in JUMPS:
        for word, changes in BAR_EDITS.items():
            solved = solve_jump_edit(data, name, load_jump(data, name).edit(word, **changes), BAR_RATE)
            solution = solved.outcome.solution
            if not solution.converged:
                failures.append(f"{name} {word}: {solution.status}")
            iterations.append(solution.iterations)
            seconds.append(sum(solution.seconds.values()) * 60.0 / len(solved.outcome.motion))
    yield from bar_claims(failures, iterations, seconds)


def bar_claims(failures: list[str], iterations: list[int], seconds: list[float]) -> Iterator[Claim]:
    """Yield claims from the failed edits, and from the iterations and the seconds per 60 frames of every edit."""
    count = len(iterations)
    about = f"CMU jumps {', '.join(JUMPS)} at {BAR_RATE:g} frames per second, edits {', '.join(BAR_EDITS)}"
    outcome = f"{about}; did not converge: {'; '.join(failures) or 'none'}"
    share = 100.0 * (count - len(failures)) / count
    yield Claim("converges", OUR_BAR, f"share of {count} edits that converge", share, "%", outcome, Band(low=98.0))
    mean, most = float(np.mean(iterations)), float(max(iterations))
    yield Claim("iterations", OUR_BAR, "mean number of solver iterations", mean, "", about, Band(high=20.0))
    text = "largest number of solver iterations (the solver stops at 60)"
    yield Claim("iterations-most", OUR_BAR, text, most, "", about, Band(high=_MOST_ITERATIONS))
    text = "mean solver time per 60 frames of motion, one core of this machine"
    each = float(np.mean(seconds))
    yield Claim(
        "seconds", OUR_BAR, text, each, "s", f"{about}; L05 p. 60 reports 2 to 4 minutes", Band(high=1.5), THIS_MACHINE
    )

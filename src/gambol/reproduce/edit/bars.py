"""Ten jumps of seven people, eight edits each: how many converge, how soon, and how fast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.edit.clips import JUMPS, load_jump, solve_jump_edit

BAR_RATE = 30.0
"""Frames a second, that many edits are soon done."""
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


def run(data: Path) -> Iterator[Claim]:
    """All of them at 30 Hz."""
    lost, iterations, each = [], [], []
    for name in JUMPS:
        for word, numbers in BAR_EDITS.items():
            found = solve_jump_edit(data, name, load_jump(data, name).edit(word, **numbers), BAR_RATE)
            solution = found.outcome.solution
            if not solution.converged:
                lost.append(f"{name} {word}: {solution.status}")
            iterations.append(solution.iterations)
            each.append(sum(solution.seconds.values()) * 60.0 / len(found.outcome.motion))
    yield from bar_claims(lost, iterations, each)


def bar_claims(lost: list[str], iterations: list[int], each: list[float]) -> Iterator[Claim]:
    """Of edits: those without a solution, and iterations and seconds for 60 frames of all."""
    count = len(iterations)
    told = f"{', '.join(JUMPS)} at {BAR_RATE:g} Hz, edits {', '.join(BAR_EDITS)}"
    data = f"{told}; {len(lost)} of {count} lost: {'; '.join(lost) or 'none'}"
    share = 100.0 * (count - len(lost)) / count
    yield Claim("converges", OUR_BAR, f"of {count} edits that converge", share, "%", data, Band(low=98.0))
    yield Claim("iterations", OUR_BAR, "iterations, mean", float(np.mean(iterations)), "", told, Band(high=20.0))
    yield Claim("iterations-most", OUR_BAR, "iterations, most", float(max(iterations)), "", told, Band(high=60.0))
    text = "2 to 4 minutes to converge; asked: 1.5 s for 60 frames, mean"
    yield Claim("seconds", "L05", text, float(np.mean(each)), "s", told, Band(high=1.5))

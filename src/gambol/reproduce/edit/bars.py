"""Ten jumps of seven people, eight edits each: how many converge, how soon, and how fast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import JUMPS, jump, solved
from gambol.reproduce.judged import ASKED

RATE = 30.0
"""Frames a second, that many edits are soon done."""
EDITS: dict[str, dict[str, float]] = {
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
        for word, numbers in EDITS.items():
            found = solved(data, name, jump(data, name).edit(word, **numbers), RATE)
            solution = found.outcome.solution
            if not solution.converged:
                lost.append(f"{name} {word}: {solution.status}")
            iterations.append(solution.iterations)
            each.append(sum(solution.seconds.values()) * 60.0 / len(found.outcome.motion))
    yield from rows(lost, iterations, each)


def rows(lost: list[str], iterations: list[int], each: list[float]) -> Iterator[Claim]:
    """Of edits: those without a solution, and iterations and seconds for 60 frames of all."""
    count = len(iterations)
    told = f"{', '.join(JUMPS)} at {RATE:g} Hz, edits {', '.join(EDITS)}"
    data = f"{told}; {len(lost)} of {count} lost: {'; '.join(lost) or 'none'}"
    share = 100.0 * (count - len(lost)) / count
    yield Claim("converges", ASKED, f"of {count} edits that converge", share, "%", data, Band(low=98.0))
    yield Claim("iterations", ASKED, "iterations, mean", float(np.mean(iterations)), "", told, Band(high=20.0))
    yield Claim("iterations-most", ASKED, "iterations, most", float(max(iterations)), "", told, Band(high=60.0))
    text = "2 to 4 minutes to converge; asked: 1.5 s for 60 frames, mean"
    yield Claim("seconds", "L05", text, float(np.mean(each)), "s", told, Band(high=1.5))

"""Slow and shorten a motion until a robot can do it: joints below their largest speeds and torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gambol.metrics.figures import Check
from gambol.robots.references.judgement import LOADS
from gambol.robots.references.variation import ReferenceVariation

SLOWED = ((1.0, 1.0), (0.85, 0.95), (0.7, 0.85), (0.55, 0.75), (0.4, 0.6))
"""Paces and lengths of steps that are tried, as shares of those asked for."""


def find_feasible_variation(
    variation: ReferenceVariation, judge: Callable[[ReferenceVariation], Check]
) -> tuple[ReferenceVariation, str]:
    """Return the fastest variation that keeps the limits of a robot, else the one that exceeds them least; and a note.

    `judge` makes the motion of a variation and judges it.
    """
    tried: list[tuple[float, ReferenceVariation]] = []
    for pace, stride in SLOWED:
        slower = replace(variation, pace=pace * variation.pace, stride=stride * variation.stride)
        exceeded = _measure_excess(judge(slower))
        if exceeded == 0.0:
            return (
                slower,
                f"{pace:g} times as fast, {stride:g} times as long steps, to keep the limits" if tried else "",
            )
        tried.append((exceeded, slower))
    exceeded, best = min(tried, key=lambda one: one[0])
    pace = best.pace / variation.pace
    return (
        best,
        f"beyond the robot: limits are exceeded at every pace, the least by {100.0 * exceeded:.0f} % at {pace:g}",
    )


def _measure_excess(judged: Check) -> float:
    """Return by how much speeds and torques exceed their limits, as a share of them."""
    used = (figure.value for figure in judged.measures if figure.name in LOADS)
    return max((share - 1.0 for share in used if share > 1.0), default=0.0)

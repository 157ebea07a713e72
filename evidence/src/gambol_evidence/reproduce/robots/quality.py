"""Claims about reference motions of every robot: how many clips come out, and the figures of `gambol check --robot`.

For every figure, the worst clip and the share of clips within the band. Beside them, for G1, what was measured of GMR
(its version of August 2025) on a walk and jumps of LAFAN1, 1,800 frames at 30 frames per second, with one measuring
code; these are other clips.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gambol.metrics.figures import Band, Figure
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.robots.setting import ROBOTS, Attempt, RobotsSetting

PEER = {
    "slip": "6.7 mm walking, 5.1 mm jumping",
    "largest slips": "10.7 mm walking, 10.4 mm jumping",
    "sole tilt": "9.4 degrees walking, 11.8 jumping",
    "float": "28.9 mm walking, 31.6 mm jumping",
    "penetration": "more than 10 mm in 0 % of frames walking, 1.9 % jumping",
    "root residual": "0.075 body weights walking, 0.29 jumping",
    "fall in flight": "-7.84 m/s² jumping",
    "self-collision": "4.9 % of frames walking, 5.1 % jumping",
}
"""Figures of GMR on G1, by our names."""
_NAMED = 5
"""Most clips outside a band that are named."""
_SHARE = Band(low=95.0)
"""Of clips (%)."""


def measure_quality(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield the claims."""
    attempts: dict[str, list[Attempt]] = {}
    for robot in setting.robots:
        attempts[robot] = [setting.attempt(robot, clip) for clip in setting.clips]
        yield from claim_figures(robot, attempts[robot])
    yield from claim_outcomes(attempts)


def claim_outcomes(attempts: dict[str, list[Attempt]]) -> Iterator[Claim]:
    """Yield which robots there are, how many clips come out, and whether the others say why."""
    absent = [name for name in ROBOTS if name not in attempts]
    names = ", ".join(attempts) + (f"; example-robot-data is not installed: no {', '.join(absent)}" if absent else "")
    yield Claim(
        "robots", OUR_BAR, "robots on which clips are evaluated", len(attempts), "", names, Band(low=len(ROBOTS)),
        by_construction="installed packages decide",
    )  # fmt: skip
    every = [attempt for made in attempts.values() for attempt in made]
    lost = sorted({f"{attempt.clip}: {attempt.reason}" for attempt in every if attempt.reason})
    count = len(next(iter(attempts.values())))
    yield Claim(
        "come-out", OUR_BAR, f"{count} clips on {len(attempts)} robots that come out, solved in all frames",
        100.0 * float(np.mean([not attempt.reason for attempt in every])), "%",
        f"{names}. {'; '.join(lost)}".rstrip(". "), _SHARE,
    )  # fmt: skip
    yield Claim(
        "unexplained", OUR_BAR, "clips that end in an error without an explanation",
        sum(not attempt.explained for attempt in every), f"of {len(every)}", names, Band(high=0.0),
    )  # fmt: skip


def claim_figures(robot: str, attempts: Sequence[Attempt]) -> Iterator[Claim]:
    """Yield the worst value of every figure and the share of clips within its band."""
    judged = [(attempt.clip, attempt.judgement) for attempt in attempts if attempt.judgement is not None]
    names = [figure.name for figure in judged[0][1].measures] if judged else []
    for name in names:
        found = [(clip, next(f for f in one.measures if f.name == name)) for clip, one in judged]
        # A figure without a value counts unless there is nothing to measure.
        measured = [(clip, figure) for clip, figure in found if figure.measured or not figure.absent]
        if not measured:
            continue
        worst, figure = max(measured, key=lambda pair: _measure_excess(pair[1]))
        held = [figure.passes for _, figure in measured]
        outside = [clip for clip, figure in measured if not figure.passes]
        median = float(np.median([figure.value for _, figure in measured]))
        data = f"{sum(held)} of {len(held)} clips within; median {median:.3g}, worst {worst}"
        if 1 < len(outside) <= _NAMED:
            data += f", outside also {', '.join(clip for clip in outside if clip != worst)}"
        if robot == "g1" and name in PEER:
            data += f". GMR on G1: {PEER[name]}"
        row, words = f"{robot}-{name.replace(' ', '-')}", f"{robot}: {name}, {figure.unit}"
        yield Claim(row, OUR_BAR, f"{words}: worst clip", figure.value, "", data, figure.band)
        share = 100.0 * float(np.mean(held))
        yield Claim(f"{row}-share", OUR_BAR, f"{words}: share of clips with {figure.band}", share, "%", data, _SHARE)


def _measure_excess(figure: Figure) -> float:
    """Return how far a figure is outside its band, infinite without a value; negative inside."""
    excess = max(figure.band.low - figure.value, figure.value - figure.band.high)
    return excess if np.isfinite(excess) else np.inf

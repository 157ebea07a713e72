"""Whether a normal walk and pushed examples can train a responder, measured on their features before training.

YL10 section 5 asks for a shared normal walk and at least one example that returns to it, and leaves the rest to manual
testing. A frame distance is the median distance between successive feature vectors of the normal walk. The bars were
set on recordings of four people (07, 16, 35, 02): at any frame of a closed loop the gap is at most 1.7 frame distances,
of a cycle with a tenth cut off 2.9 or more; another clip of the same walk is 0.5 to 2 away from the loop, other speeds
2.5 to 5, standing 14 and running 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

MAX_LOOP_GAP = 2.5
MAX_EXAMPLE_GAP = 3.0
"""Frame distances from the beginning of an example, and from its end, to the normal walk."""
MAX_DIRECTION_GAP = 100.0
"""Degrees between neighbouring directions of pushes: four directions are 90 degrees apart."""
MIN_EXAMPLE_FRAMES = 20
"""Feature vectors per clip: two thirds of a second, less than a stride."""
LEAD_IN = "lead_in_gap"
"""Findings of this name, followed by that of an example, say how far from the normal walk it begins."""
_ENDS = 3
"""Feature vectors at the ends of an example that are compared with the normal walk."""


class PushedExample(NamedTuple):
    """A pushed walk for training."""

    name: str
    features: Array
    """(frames, D), with those of the normal walk in one layout."""
    direction: float
    """Direction of the push in degrees: 0 forward, 90 to the left."""


class GateFinding(NamedTuple):
    """One thing that was measured on the training data."""

    name: str
    value: float
    passes: bool
    verdict: str
    """A sentence with the value and its bar."""
    advice: str
    """What to record or change; empty where nothing is needed."""


@dataclass(frozen=True)
class DataGate:
    """What was found about training data, by `judge_training_data`."""

    findings: tuple[GateFinding, ...]

    @property
    def passes(self) -> bool:
        """Whether training can work."""
        return all(finding.passes for finding in self.findings)

    def value(self, name: str) -> float:
        """Return a measured value by the name of its finding."""
        return next(finding.value for finding in self.findings if finding.name == name)


def judge_training_data(normal: Array, examples: Sequence[PushedExample]) -> DataGate:
    """Judge the features (frames, D) of one loop of a normal walk, and pushed examples of the same character."""
    if normal.ndim != 2 or len(normal) < 4:
        raise InputError(f"a normal walk needs four feature vectors or more, got an array of shape {normal.shape}")
    for example in examples:
        shape = example.features.shape
        if len(shape) != 2 or shape[1] != normal.shape[1] or not shape[0]:
            raise InputError(
                f"example '{example.name}': expected features of shape (frames, {normal.shape[1]}), got {shape}",
                fix="compute all features with one layout of one character",
            )
    step = float(np.median(np.linalg.norm(np.diff(normal, axis=0), axis=1)))
    if step == 0.0:
        raise InputError("the normal walk does not move", fix="give a walk")
    findings = [_judge_loop(normal, step), _judge_frames(normal, examples)]
    for example in examples:
        findings.append(_judge_lead_in(example, measure_gap(normal, example.features[:_ENDS], step)))
    if examples:
        ends = [measure_gap(normal, example.features[-_ENDS:], step) for example in examples]
        findings.append(_judge_return(examples, ends))
    findings.append(_judge_directions([example.direction for example in examples]))
    return DataGate(tuple(findings))


def measure_loop_gap(normal: Array, step: float) -> float:
    """Return the frame distances between the first feature vector and the place to which the last one leads."""
    expected = 0.5 * (normal[-1] - normal[-2] + normal[1] - normal[0])
    return float(np.linalg.norm(normal[0] - normal[-1] - expected)) / step


def measure_gap(normal: Array, features: Array, step: float) -> float:
    """Return the median frame distances of feature vectors (frames, D) to the nearest one of the normal walk."""
    apart = np.linalg.norm(features[:, None] - normal[None], axis=2)
    return float(np.median(apart.min(axis=1))) / step


def find_direction_gap(directions: Sequence[float]) -> tuple[float, float]:
    """Return the largest angle between neighbouring directions and the middle of that gap, all in degrees."""
    if not directions:
        return 360.0, 0.0
    ordered = np.sort(np.mod(directions, 360.0))
    gaps = np.diff(np.append(ordered, ordered[0] + 360.0))
    widest = int(np.argmax(gaps))
    return float(gaps[widest]), float(np.mod(ordered[widest] + 0.5 * gaps[widest], 360.0))


def _judge_loop(normal: Array, step: float) -> GateFinding:
    gap = measure_loop_gap(normal, step)
    return GateFinding(
        "loop_gap",
        gap,
        gap <= MAX_LOOP_GAP,
        f"the normal walk closes with a gap of {gap:.1f} frame distances (at most {MAX_LOOP_GAP:g})",
        "" if gap <= MAX_LOOP_GAP else "record a walk of three strides or more at even speed, and close it into a loop",
    )


def _judge_frames(normal: Array, examples: Sequence[PushedExample]) -> GateFinding:
    counts = {"the normal walk": len(normal), **{f"'{e.name}'": len(e.features) for e in examples}}
    short = [name for name, count in counts.items() if count < MIN_EXAMPLE_FRAMES]
    return GateFinding(
        "frames",
        float(sum(counts.values())),
        not short,
        f"{sum(counts.values())} frames in {len(counts)} clips (at least {MIN_EXAMPLE_FRAMES} per clip)",
        f"record {' and '.join(short)} longer: a stride before the push and two after it" if short else "",
    )


def _judge_lead_in(example: PushedExample, gap: float) -> GateFinding:
    return GateFinding(
        f"{LEAD_IN} {example.name}",
        gap,
        gap <= MAX_EXAMPLE_GAP,
        f"'{example.name}' begins {gap:.1f} frame distances away from the normal walk (at most {MAX_EXAMPLE_GAP:g})",
        ""
        if gap <= MAX_EXAMPLE_GAP
        else f"begin '{example.name}' in the normal walk, of the same person at the same speed, before the push",
    )


def _judge_return(examples: Sequence[PushedExample], ends: Sequence[float]) -> GateFinding:
    nearest = int(np.argmin(ends))
    passes = ends[nearest] <= MAX_EXAMPLE_GAP
    return GateFinding(
        "return_gap",
        ends[nearest],
        passes,
        f"'{examples[nearest].name}' returns to within {ends[nearest]:.1f} frame distances of the normal walk "
        f"(one example must, to {MAX_EXAMPLE_GAP:g})",
        "" if passes else "record at least one example until the person walks normally again",
    )


def _judge_directions(directions: Sequence[float]) -> GateFinding:
    gap, middle = find_direction_gap(directions)
    passes = gap <= MAX_DIRECTION_GAP
    return GateFinding(
        "direction_gap",
        gap,
        passes,
        f"the largest gap between directions of pushes is {gap:.0f} degrees (at most {MAX_DIRECTION_GAP:g})",
        "" if passes else f"record a push towards {middle:.0f} degrees (0 is forward, 90 to the left)",
    )

"""Findings: what a viewer would not accept in a motion, with its time, its part of the body, and its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array, join_runs
from gambol.units import abbreviate_unit

SLACK = 1.2
"""How many times as large as in the source of a motion a fault must be to be one of the motion."""
JOIN = 0.1
"""Seconds without a fault within one finding, and between findings of one time."""
_LIMBS = {"upper_arm": "arm", "elbow": "arm", "forearm": "arm", "hand": "arm"}
_LIMBS |= {"thigh": "leg", "knee": "leg", "shank": "leg", "foot": "leg"}


@dataclass(frozen=True)
class FindingKind:
    """A kind of fault that people see, and the size from which they do."""

    name: str
    """A key, such as foot_slide."""
    words: str
    """What the part does, as in "left foot slides by"."""
    unit: str
    limit: float
    """Largest value that recordings of people have; beyond it, a finding."""
    source: str
    """Where the limit comes from."""

    @property
    def least(self) -> float:
        """Value from which a finding is kept, to be compared with those of a source."""
        return self.limit / SLACK

    @property
    def symbol(self) -> str:
        """The unit at the end of a name."""
        return abbreviate_unit(self.unit)


@dataclass(frozen=True)
class Finding:
    """A fault at a time of a motion."""

    kind: FindingKind
    part: str
    """What is seen, such as left_foot; two parts, such as "left_hand and chest", where they touch."""
    start: float
    end: float
    """Seconds of the motion."""
    value: float
    """In the unit of its kind."""
    person: str = ""
    """Who it is of, in a scene of several."""
    speed: float = 0.0
    """Largest speed (m/s) of a slide."""

    @property
    def severity(self) -> float:
        """How many times as large as the limit it is."""
        return self.value / self.kind.limit

    @property
    def limbs(self) -> frozenset[str]:
        """The limbs that it is of, such as left_arm; empty for pelvis, trunk and head."""
        return frozenset(limb for limb in map(name_limb, self.part.split(" and ")) if limb)

    def is_near(self, other: Finding, gap: float = JOIN) -> bool:
        """Return whether no more than `gap` seconds are between two findings."""
        return self.start <= other.end + gap and other.start <= self.end + gap

    def facts(self) -> dict[str, Any]:
        """Return what is known about it as plain JSON types."""
        return {
            "kind": self.kind.name,
            **({"person": self.person} if self.person else {}),
            "part": self.part,
            "start": round(self.start, 4),
            "end": round(self.end, 4),
            "value": self.value,
            "unit": self.kind.unit,
            "limit": self.kind.limit,
            **({"speed_m_s": self.speed} if self.speed else {}),
        }

    def __str__(self) -> str:
        moment = f"at {self.start:.2f} s"
        if self.end - self.start > 0.1:
            moment = f"from {self.start:.2f} to {self.end:.2f} s"
        part = f"{self.person}: {self.part}".removeprefix(": ").replace("_", " ")
        limit = f"people: at most {self.kind.limit:.3g}"
        speed = f" at up to {self.speed:.2g} m/s" if self.speed else ""
        return f"{part} {self.kind.words} {self.value:.3g} {self.kind.unit}{speed} {moment} ({limit})"


def name_limb(part: str) -> str:
    """Return the limb of a part of the body, such as left_arm; empty for the pelvis, trunk and head."""
    side, _, rest = part.partition("_")
    return f"{side}_{_LIMBS[rest]}" if rest in _LIMBS else ""


def count_joined(step: float) -> int:
    """Return how many frames may lie between two faults that are one."""
    return int((JOIN + 1e-9) / step)


def group_findings(
    kind: FindingKind, parts: Sequence[str], values: Array, bad: NDArray[np.bool_], step: float
) -> list[Finding]:
    """Return a finding of every run of frames in which a part is bad, with the part and value (frames, parts) there."""
    values = np.where(bad, values, -np.inf)
    found = []
    for first, last in join_runs(np.asarray(bad.any(axis=1)), count_joined(step)):
        frame, part = divmod(int(values[first : last + 1].argmax()), len(parts))
        value = float(values[first + frame, part])
        found.append(Finding(kind, parts[part], first * step, last * step, value))
    return found

"""Claims about who walks, and in which mood, recognised from styles alone (L05 section 5.7.4).

Every style is given the label of the nearest other one. Differences of numbers are relative to their uncertainties:
what a clip does not determine says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.styles.style import PhysicalStyle, compare_numbers
from gambol.styles.verb import StyleResult
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.style.setting import StyleSetting

_PEOPLE = ("02_01", "02_02", "07_01", "07_02", "16_31", "16_58", "35_01", "35_28")
"""Two walks of each of four people."""
_MOODS = {
    "confident": (("82_09", 2.0, 3.7), ("82_09", 4.0, 5.7)),
    "sad": (("82_10", 0.5, 2.2), ("82_10", 2.5, 4.2)),
    "normal": (("82_11", 1.0, 2.7), ("82_11", 3.0, 4.7)),
    "happy": (("82_12", 0.0, 1.6), ("82_12", 1.7, 3.3)),
}
"""Two parts (s) of a recording of each of four moods of one person."""


class _Labelled(NamedTuple):
    label: str
    result: StyleResult

    @property
    def pose(self) -> Array:
        """(joint dofs,) rad: the mean pose of the recording."""
        return self.result.learned.start.rest


def measure_recognised_styles(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    people = [_Labelled(name.partition("_")[0], setting.learn(name)) for name in _PEOPLE]
    moods = [_Labelled(mood, setting.learn(*part)) for mood, parts in _MOODS.items() for part in parts]
    for row, what, known, chance in (
        ("person", "two walks of each of four people", people, 1.0 / 7.0),
        ("mood", "two parts of a walk of one person in each of four moods", moods, 1.0 / 7.0),
    ):
        styles = _recognise(known, [[_differ(one, two) for two in known] for one in known])
        poses = _recognise(known, [[float(np.linalg.norm(one.pose - two.pose)) for two in known] for one in known])
        yield Claim(
            f"recognised-{row}", OUR_BAR, f"{row} recognised by the nearest style, share of walks", styles, "1",
            f"{what}: {', '.join(one.result.model.name for one in known)}; by the mean pose {poses:.2f}, "
            f"by chance {chance:.2f}", Band(low=0.75),
        )  # fmt: skip


def _differ(one: _Labelled, two: _Labelled) -> float:
    return _measure_difference(one.result.model, two.result.model)


def _measure_difference(one: PhysicalStyle, two: PhysicalStyle) -> float:
    """Return how far two styles are from each other, in standard errors, root mean square."""
    errors = np.hypot(one.uncertainty, two.uncertainty)
    return float(np.sqrt(np.mean((compare_numbers(one, two) / errors) ** 2)))


def _recognise(known: Sequence[_Labelled], distances: Sequence[Sequence[float]]) -> float:
    """Return the share of those whose nearest other one has the same label."""
    apart = np.array(distances)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.argmin(axis=1)
    return float(np.mean([known[n].label == one.label for n, one in zip(nearest, known, strict=True)]))

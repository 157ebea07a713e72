"""Styles are told by mixing weights (M17 2.3): recognised from weights alone, sources learned from plain walks.

Sources and tied delays are those of walks in no particular style; a styled stride brings its weights by linear least
squares. Means, delays and durations are not used. A stride gets the style of its nearest neighbour among others. Where
a style has several clips, strides of the same clip are no neighbours. Most styles have one clip: their strides are told
from other clips, be it by style or by whatever else a clip has of its own, and the rows say so. Chance is what the same
rule reaches with shuffled styles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.primitives.variance import load_strides

Names = NDArray[np.str_]

STYLES = {
    "104_19": "casual",
    "104_28": "stern",
    "104_35": "slow",
    "136_01": "bent",
    "136_27": "on toes",
    "77_14": "careful",
    "77_30": "creeping",
    "120_13": "sneaking",
    "82_09": "confident",
    "82_10": "sad",
    "82_11": "normal",
    "82_13": "normal",
    "82_12": "happy",
    "91_29": "normal",
}
"""Of the styled walks, those of one style from beginning to end, as the index of the recordings says."""
_SOURCES, _RESTARTS = 4, 10
_SHUFFLES = 2000
_LUCK = 0.01
"""Share of shuffles that may reach what a row asks."""


def run(data: Path) -> Iterator[Claim]:
    """Styles of several clips without the strides of a clip; styles of one clip, among all and of one walker."""
    found = load_strides(data)
    styled = np.array([name in STYLES for name in found.clips])
    model = AnechoicMixture(_SOURCES, delays="tied", restarts=_RESTARTS).fit(found.signals[~styled])
    weights = model.transform(found.signals[styled]).weights.reshape(int(styled.sum()), -1)
    yield from recognition_claims(weights, np.array(found.clips)[styled], found.walkers[styled])


def recognition_claims(weights: Array, clips: Names, walkers: Names) -> Iterator[Claim]:
    """Of strides with weights (strides, numbers), the clip that each is from, and who walks."""
    styles = np.array([STYLES[name] for name in clips])
    several = np.array([len(set(clips[styles == style])) > 1 for style in styles])
    each, anyone = np.arange(len(styles)), np.zeros(len(styles), dtype=int)
    another = each[:, None] != each
    text = "style recognised from weights alone, the whole clip left out (styles of several clips)"
    test = Neighbours(weights, clips[:, None] != clips, clips, anyone)
    yield _row("style-of-another-clip", text, test, styles, styles[several], "clips")
    text = "the same for styles of one clip, one stride left out: strides of one clip that are found again"
    test = Neighbours(weights, another, each, anyone)
    yield _row("style", text, test, styles, styles[~several], "strides")
    text = "the same among the strides of one walker: strides of one clip that are found again"
    test = Neighbours(weights, another & (walkers[:, None] == walkers), each, walkers)
    yield _row("style-of-a-walker", text, test, styles, styles[~several], "strides of a walker")


def _row(row: str, text: str, test: Neighbours, styles: Names, names: Names, units: str) -> Claim:
    right, count = test.recognised(styles, names)
    chance = test.chance(styles, names)
    least = 100.0 * chance_threshold(chance, count)
    judged = sorted(set(styles[test.judged(styles, names)]))
    told = (
        f"{count} strides ({', '.join(judged)}) among {len(styles)}; chance, styles shuffled among {units} {_SHUFFLES} "
        f"times, is {100.0 * chance.mean():.0f} %, and at most 1 % of shuffles reach {least:.1f} %"
    )
    return Claim(row, "M17", text, 100.0 * right, "%", told, Band(low=least))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Strides with weights, which others may be the neighbours of each (strides, strides), and what chance shuffles:
    styles of units (clips or strides) within blocks."""

    weights: Array
    others: NDArray[np.bool_]
    units: NDArray[Any]
    blocks: NDArray[Any]

    @cached_property
    def nearest(self) -> NDArray[np.intp]:
        """The neighbour of each."""
        apart = np.linalg.norm(self.weights[:, None] - self.weights, axis=2)
        return np.where(self.others, apart, np.inf).argmin(axis=1)

    def judged(self, styles: Names, names: Names) -> NDArray[np.bool_]:
        """Which strides of some styles could be given their own style as well as another."""
        same = styles[:, None] == styles
        able = (self.others & same).any(axis=1) & (self.others & ~same).any(axis=1)
        return np.isin(styles, names) & able

    def recognised(self, styles: Names, names: Names) -> tuple[float, int]:
        """Share of the judged strides whose neighbour has their style, and how many are judged."""
        judged = self.judged(styles, names)
        right = styles[self.nearest] == styles
        return float(right[judged].mean()), int(judged.sum())

    def chance(self, styles: Names, names: Names) -> Array:
        """(shuffles,) the share with shuffled styles; units keep together, as strides of a clip are alike anyway."""
        random = np.random.default_rng(0)
        return np.array([self.recognised(self._shuffled(styles, random), names)[0] for _ in range(_SHUFFLES)])

    def _shuffled(self, styles: Names, random: np.random.Generator) -> Names:
        _, first, member = np.unique(self.units, return_index=True, return_inverse=True)
        names, blocks = styles[first], self.blocks[first]
        for block in np.unique(blocks):
            names[blocks == block] = random.permutation(names[blocks == block])
        return np.asarray(names[member])


def chance_threshold(chance: Array, count: int) -> float:
    """The least share of so many strides that a hundredth of shuffles reach at most; above 1 where there is none."""
    shares = np.arange(count + 2) / count
    return float(next(share for share in shares if (chance >= share).mean() <= _LUCK))

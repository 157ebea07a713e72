"""Measure how well styles are recognised from mixing weights alone (M17 2.3), with sources learned from plain walks.

Sources and tied delays are learned from walks in no particular style; the weights of a styled stride are fitted by
linear least squares. Means, delays and durations are not used. A stride gets the style of its nearest neighbour. Where
a style has several clips, strides of the same clip are not used as neighbours. Most styles have one clip: their strides
may be recognised by anything that is particular to that clip, and the claims say so. Chance is the rate that the same
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
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.primitives.variance import load_strides

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
"""Styled walks with one style from start to end, by the index of the recordings."""
_SOURCES, _RESTARTS = 4, 10
_SHUFFLES = 2000
_LUCK = 0.01
"""Share of shuffles that may reach the threshold of a claim."""


def measure_recognition(data: Path) -> Iterator[Claim]:
    """Learn sources from plain walks and recognise the styles of the others."""
    found = load_strides(data)
    styled = np.array([name in STYLES for name in found.clips])
    model = AnechoicMixture(_SOURCES, delays="tied", restarts=_RESTARTS).fit(found.signals[~styled])
    weights = model.transform(found.signals[styled]).weights.reshape(int(styled.sum()), -1)
    yield from recognition_claims(weights, np.array(found.clips)[styled], found.walkers[styled])


def recognition_claims(weights: Array, clips: Names, walkers: Names) -> Iterator[Claim]:
    """Yield claims from weights (strides, numbers), and the clip and the walker of each stride."""
    styles = np.array([STYLES[name] for name in clips])
    several = np.array([len(set(clips[styles == style])) > 1 for style in styles])
    each, anyone = np.arange(len(styles)), np.zeros(len(styles), dtype=int)
    another = each[:, None] != each
    text = "strides whose style is recognised from weights, the whole clip left out (styles with several clips)"
    test = Neighbours(weights, clips[:, None] != clips, clips, anyone)
    yield _claim("style-of-another-clip", text, test, styles, styles[several], "clips")
    text = "strides assigned to their own clip by weights, one stride left out (styles with one clip)"
    test = Neighbours(weights, another, each, anyone)
    yield _claim("style", text, test, styles, styles[~several], "strides")
    text = "strides assigned to their own clip by weights among the strides of one walker, one stride left out"
    test = Neighbours(weights, another & (walkers[:, None] == walkers), each, walkers)
    yield _claim("style-of-a-walker", text, test, styles, styles[~several], "strides of a walker")


def _claim(row: str, text: str, test: Neighbours, styles: Names, names: Names, units: str) -> Claim:
    right, count = test.recognised(styles, names)
    chance = test.chance(styles, names)
    least = 100.0 * chance_threshold(chance, count)
    judged = sorted(set(styles[test.judged(styles, names)]))
    about = (
        f"{count} CMU strides ({', '.join(judged)}) of {len(styles)}; with styles shuffled among {units} {_SHUFFLES} "
        f"times {100.0 * chance.mean():.0f} % on average, and at most 1 % of shuffles reach {least:.1f} %"
    )
    return Claim(row, f"M17 p. 5; {OUR_BAR}", text, 100.0 * right, "%", about, Band(low=least))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Strides with weights, the permitted neighbours of each (strides, strides), and the units (clips or strides) whose
    styles are shuffled, within blocks."""

    weights: Array
    others: NDArray[np.bool_]
    units: NDArray[Any]
    blocks: NDArray[Any]

    @cached_property
    def nearest(self) -> NDArray[np.intp]:
        """Nearest permitted neighbour of each stride."""
        apart = np.linalg.norm(self.weights[:, None] - self.weights, axis=2)
        return np.where(self.others, apart, np.inf).argmin(axis=1)

    def judged(self, styles: Names, names: Names) -> NDArray[np.bool_]:
        """Return the strides of some styles that have neighbours both of their own and of another style."""
        same = styles[:, None] == styles
        able = (self.others & same).any(axis=1) & (self.others & ~same).any(axis=1)
        return np.isin(styles, names) & able

    def recognised(self, styles: Names, names: Names) -> tuple[float, int]:
        """Return the share of judged strides whose neighbour has their style, and how many are judged."""
        judged = self.judged(styles, names)
        right = styles[self.nearest] == styles
        return float(right[judged].mean()), int(judged.sum())

    def chance(self, styles: Names, names: Names) -> Array:
        """Return the share with shuffled styles (shuffles,); the strides of a unit keep a common style."""
        random = np.random.default_rng(0)
        return np.array([self.recognised(self._shuffled(styles, random), names)[0] for _ in range(_SHUFFLES)])

    def _shuffled(self, styles: Names, random: np.random.Generator) -> Names:
        _, first, member = np.unique(self.units, return_index=True, return_inverse=True)
        names, blocks = styles[first], self.blocks[first]
        for block in np.unique(blocks):
            names[blocks == block] = random.permutation(names[blocks == block])
        return np.asarray(names[member])


def chance_threshold(chance: Array, count: int) -> float:
    """Return the least share of `count` strides that at most 1 % of shuffles reach; above 1 where there is none."""
    shares = np.arange(count + 2) / count
    return float(next(share for share in shares if (chance >= share).mean() <= _LUCK))

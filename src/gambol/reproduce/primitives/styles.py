"""Styles are told by mixing weights (M17 2.3): recognised from weights alone, sources learned from plain walks.

Sources and tied delays are those of walks in no particular style; a styled stride brings its weights by linear least
squares. Means, delays and durations are not used. A stride gets the style of its nearest neighbour among the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.geometry.quaternions import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.reproduce.claims import Claim
from gambol.reproduce.primitives.variance import walks

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


def run(data: Path) -> Iterator[Claim]:
    """Of all styled strides, and of the strides of one walker at a time, whose body cannot give the style away."""
    found = walks(data)
    styled = np.array([name in STYLES for name in found.clips])
    model = AnechoicMixture(_SOURCES, delays="tied", restarts=_RESTARTS).fit(found.signals[~styled])
    weights = model.transform(found.signals[styled]).weights.reshape(int(styled.sum()), -1)
    styles = np.array([STYLES[name] for name in np.array(found.clips)[styled]])
    walkers = found.walkers[styled]
    anyone = np.ones((len(styles), len(styles)), dtype=bool)
    for row, text, among in (
        ("style", "style recognised from weights alone, leaving one stride out: twice chance", anyone),
        ("style-of-a-walker", "the same among the strides of one walker: twice chance", walkers[:, None] == walkers),
    ):
        right, chance, count = _recognised(weights, styles, among)
        told = f"{count} strides, {len(set(styles))} styles; always the commonest style: {100.0 * chance:.0f} %"
        yield Claim(row, "M17", text, 100.0 * right, "%", told, Band(low=min(100.0, 200.0 * chance)))


def _recognised(weights: Array, styles: Array, among: Array) -> tuple[float, float, int]:
    """Shares recognised by the nearest and by the commonest other, and how many have another of their style at all."""
    others = among & ~np.eye(len(styles), dtype=bool)
    same = styles[:, None] == styles
    apart = np.linalg.norm(weights[:, None] - weights, axis=2)
    judged = np.flatnonzero((others & same).any(axis=1) & (others & ~same).any(axis=1))
    nearest = np.where(others, apart, np.inf)[judged].argmin(axis=1)
    chance = []
    for row in judged:
        names, counts = np.unique(styles[others[row]], return_counts=True)
        chance.append(names[counts.argmax()] == styles[row])
    return float((styles[nearest] == styles[judged]).mean()), float(np.mean(chance)), len(judged)

"""How much of the walks of people who were not learned from a few sources explain, beside other ways (M17 2.2).

Walkers are split into folds; sources are learned from all folds but one and mixed anew for the strides of that one.
What is left is summed over folds. Every stride is moved as a whole to agree with the mean of those learned from. A
stride brings, for each of its signals, a mean and a weight a source, and with free delays a delay a source as well;
tied delays are learned and not the stride's own. So a way without delays has equal parameters with twice the sources of
one with free delays, and with as many as one with tied delays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from gambol.errors import InputError
from gambol.features.layout import M17_PARTS, layout_of
from gambol.features.strides import Stride, find_strides
from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.primitives.prototypes import close_stride
from gambol.reproduce.claims import OUR_BAR, Claim

Delays = Literal["free", "tied"]
Decomposition = Callable[[Array, Array, int], float]
"""Squares left of strides (second) by a way that learns some sources (third) from others (first)."""

_FOLDERS = ("walk", "styled_walk")
_STRAIGHT = np.radians(20.0)
"""A stride that turns more is not one of a straight walk."""
_BARS: dict[Delays, dict[int, float]] = {
    "free": {2: 0.96, 3: 0.985, 4: 0.99},
    "tied": {3: 0.93, 4: 0.96, 6: 0.98},
}
_RESTARTS, _ITERATIONS = 4, 30
"""Seeds agree on the variance of walks to a thousandth, so few attempts do."""
_FOLDS = 4
_ROUNDS = 5
_SHIFTS = np.linspace(-0.1, 0.1, 201)
"""Shares of a stride that it may be moved by, to begin where the others do."""
_MOST = 24
"""Components that are tried at most."""


@dataclass(frozen=True, eq=False)
class StrideSet:
    """Strides (strides, channels, phases) of straight walks, and the clip that each is from."""

    signals: Array
    clips: tuple[str, ...]

    @property
    def walkers(self) -> Array:
        """Who walks: the subject of each stride."""
        return np.array([name.split("_")[0] for name in self.clips])


@cache
def load_strides(data: Path) -> StrideSet:
    """All whole strides of straight walks, 17 joints, rotation vectors about the mean pose."""
    found: list[Stride] = []
    clips = []
    for path in sorted(path for folder in _FOLDERS for path in (data / "cmu_bvh" / folder).glob("*.bvh")):
        motion = load(path)
        for stride in _strides(motion):
            if abs(2.0 * np.pi * stride.root[0, -1]) < _STRAIGHT:
                found.append(stride)
                clips.append(path.stem)
    if not found:
        raise InputError("no walks", file=data, fix=f"strides are looked for in cmu_bvh/{' and '.join(_FOLDERS)}")
    layout = layout_of(motion, found)
    columns = layout.columns(M17_PARTS)
    return StrideSet(np.stack([close_stride(layout.channels(stride))[:, columns].T for stride in found]), tuple(clips))


def _strides(motion: Motion) -> list[Stride]:
    """The strides of a clip, of which it may have none that comes back."""
    try:
        return find_strides(motion)
    except InputError:
        return []


def run(data: Path) -> Iterator[Claim]:
    """Free and tied delays beside principal and independent components and a Fourier series."""
    held = _HeldOut(load_strides(data))
    ways: dict[str, Decomposition] = {"PCA": _pca, "Fourier": _fourier}
    shares = {name: {n: held.share(way, n) for n in range(1, _MOST + 1)} for name, way in ways.items()}
    asked = {n for delays, bars in _BARS.items() for count in bars for n in _accounts(delays, count).values()}
    shares["ICA"] = {n: held.share(_ica, n) for n in sorted(asked)}
    for delays, bars in _BARS.items():
        for count, bar in bars.items():
            explained = held.share(partial(_anechoic, delays), count)
            row, text = f"{delays}-{count}", f"{count} sources with {delays} delays explain people who were not learned"
            yield Claim(row, OUR_BAR, f"{text}: share of variance", explained, "", held.about, Band(low=bar))
            yield from _beside(row, delays, count, explained, shares, held.about)
            yield from _fewer(row, delays, count, explained, shares["PCA"], held.about)


def _accounts(delays: Delays, count: int) -> dict[str, int]:
    """Sources without delays that stand against some with delays, by what is counted; tied delays bring no numbers."""
    return {"sources": count, "parameters": 2 * count} if delays == "free" else {"sources": count}


def _beside(
    row: str, delays: Delays, count: int, explained: float, shares: dict[str, dict[int, float]], about: str
) -> Iterator[Claim]:
    """How many times the squares another way leaves, with as many sources and with as many parameters."""
    for word, number in _accounts(delays, count).items():
        for name, share in shares.items():
            told = f"{about}; {name} with {number}: {share[number]:.4f}, ours with {count}: {explained:.4f}"
            text = f"squares that {name} leaves at equal {word}, times ours"
            times = (1.0 - share[number]) / (1.0 - explained)
            yield Claim(f"{row}-against-{name.lower()}-{word}", OUR_BAR, text, times, "times", told, Band(low=1.0))


def _fewer(
    row: str, delays: Delays, count: int, explained: float, pca: dict[int, float], about: str
) -> Iterator[Claim]:
    """The paper's claim: half as many sources as components, counted in sources and in parameters."""
    needed = next((n for n, share in pca.items() if share >= explained), _MOST + 1)
    told = f"{about}; components needed for {explained:.4f}: {needed}"
    text = "typically a factor 2 fewer sources than PCA: components needed for the same variance, by sources"
    yield Claim(f"{row}-fewer-sources", "M17", text, needed / count, "times", told, Band(low=2.0))
    each = max(_accounts(delays, count).values())
    text = "the same counted in numbers that a stride brings (free delays are numbers too): PCA's, by ours"
    yield Claim(f"{row}-fewer-numbers", "M17", text, needed / each, "times", told, Band(low=2.0))


class _HeldOut:
    """Folds of walkers."""

    def __init__(self, found: StrideSet) -> None:
        from sklearn.model_selection import GroupKFold

        self.signals = found.signals - found.signals.mean(axis=-1, keepdims=True)
        walkers, count = len(set(found.walkers)), len(found.clips)
        self.about = f"{count} strides of {walkers} walkers, {_FOLDS} folds of walkers left out"
        split = GroupKFold(_FOLDS).split(found.signals, groups=found.walkers)
        self.folds = [_aligned(self.signals[known], self.signals[new]) for known, new in split]

    def share(self, way: Decomposition, count: int) -> float:
        """Share of variance explained of all strides, each by what was learned without its walker."""
        squares = sum(way(*fold, count) for fold in self.folds)
        return 1.0 - squares / float((self.signals**2).sum())


def _aligned(known: Array, new: Array) -> tuple[Array, Array]:
    """Strides (strides, channels, phases), each moved as a whole to agree best with the mean of those that are known.

    A strike is found to some hundredths of a stride; what it is off moves all joints alike.
    """
    for _ in range(_ROUNDS):
        mean = known.mean(axis=0)
        known = _moved(known, mean)
    return known, _moved(new, known.mean(axis=0))


def _moved(signals: Array, towards: Array) -> Array:
    spectrum, harmonics = np.fft.rfft(signals, axis=-1), np.arange(signals.shape[-1] // 2 + 1)
    steps = np.exp(-2j * np.pi * harmonics * _SHIFTS[:, None])
    agreement = np.einsum("sck,ck,nk->sn", spectrum, np.fft.rfft(towards, axis=-1).conj(), steps).real
    best = _SHIFTS[np.argmax(agreement, axis=1)]
    moved = spectrum * np.exp(-2j * np.pi * harmonics * best[:, None, None])
    return np.fft.irfft(moved, signals.shape[-1], axis=-1)


def _anechoic(delays: Delays, known: Array, new: Array, count: int) -> float:
    model = AnechoicMixture(count, delays=delays, restarts=_RESTARTS, iterations=_ITERATIONS).fit(known)
    return (1.0 - model.score(new)) * float((new**2).sum())


def _pca(known: Array, new: Array, count: int) -> float:
    """Temporal: components are curves over a stride."""
    return _outside(np.linalg.svd(_rows(known), full_matrices=False)[2][:count], _rows(new))


def _ica(known: Array, new: Array, count: int) -> float:
    from sklearn.decomposition import FastICA

    model = FastICA(count, random_state=0, max_iter=1000, tol=1e-3).fit(_rows(known))
    return float(((_rows(new) - model.inverse_transform(model.transform(_rows(new)))) ** 2).sum())


def _fourier(known: Array, new: Array, count: int) -> float:
    """Cosine and sine of the first harmonic, of the second, and so on; nothing is learned."""
    phases = 2.0 * np.pi * np.arange(new.shape[-1]) / new.shape[-1]
    curves = [wave((n // 2 + 1) * phases) for n in range(count) for wave in ((np.cos, np.sin)[n % 2],)]
    return _outside(np.array(curves) * np.sqrt(2.0 / new.shape[-1]), _rows(new))


def _rows(signals: Array) -> Array:
    return signals.reshape(-1, signals.shape[-1])


def _outside(curves: Array, rows: Array) -> float:
    """Squares that orthonormal curves leave."""
    return float(((rows - rows @ curves.T @ curves) ** 2).sum())

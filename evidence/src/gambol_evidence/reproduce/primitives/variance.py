"""Measure the variance that a few sources explain of walkers not learned from, and that of other methods (M17 2.2).

Walkers are split into folds. Sources are learned from all folds but one and mixed anew for the strides of that one;
squared residuals are summed over folds. Every stride is shifted in phase as a whole to agree with the mean of the
strides learned from. A stride has a mean per signal and a weight per signal and source, and with free delays also a
delay per signal and source; tied delays are learned and shared by all strides. So a method without delays has equal
parameters with twice the sources of one with free delays, and with as many as one with tied delays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.features.layout import M17_PARTS, layout_of
from gambol.features.strides import Stride, find_strides
from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.learn.anechoic import AnechoicMixture
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.primitives.learning import DelayMode
from gambol.primitives.prototypes import close_stride
from gambol_evidence.reproduce.claims import OUR_BAR, Claim

Decomposition = Callable[[Array, Array, int], float]
"""Returns the squared residual of strides (second) of a method that learns sources (third: how many) from others
(first)."""

_FOLDERS = ("walk", "styled_walk")
_STRAIGHT = np.radians(20.0)
"""Radians: a stride that turns more does not belong to a straight walk."""
_BARS: dict[DelayMode, dict[int, float]] = {
    "free": {2: 0.96, 3: 0.985, 4: 0.99},
    "tied": {3: 0.93, 4: 0.96, 6: 0.98},
}
_RESTARTS, _ITERATIONS = 4, 30
"""Seeds agree on the variance of walks to a thousandth, so few restarts are enough."""
_FOLDS = 4
_ROUNDS = 5
_SHIFTS = np.linspace(-0.1, 0.1, 201)
"""Shifts that are tried (cycles)."""
_MOST = 24
"""Largest number of components that is tried."""


@dataclass(frozen=True, eq=False)
class StrideSet:
    """Strides (strides, channels, phases) of straight walks, and the clip of each."""

    signals: Array
    clips: tuple[str, ...]

    @property
    def walkers(self) -> Array:
        """The subject of each stride."""
        return np.array([name.split("_")[0] for name in self.clips])


@cache
def load_strides(data: Path) -> StrideSet:
    """Load all whole strides of straight walks: 17 joints, rotation vectors about the mean pose."""
    found: list[Stride] = []
    clips = []
    for path in sorted(path for folder in _FOLDERS for path in (data / "cmu_bvh" / folder).glob("*.bvh")):
        motion = load(path)
        for stride in _strides(motion):
            if abs(2.0 * np.pi * stride.root[0, -1]) < _STRAIGHT:
                found.append(stride)
                clips.append(path.stem)
    if not found:
        raise InputError("no walks found", file=data, fix=f"put BVH files into cmu_bvh/{' or '.join(_FOLDERS)}")
    layout = layout_of(motion, found)
    columns = layout.columns(M17_PARTS)
    return StrideSet(np.stack([close_stride(layout.channels(stride))[:, columns].T for stride in found]), tuple(clips))


def _strides(motion: Motion) -> list[Stride]:
    """Return the strides of a clip, none where it has no complete stride."""
    try:
        return find_strides(motion)
    except InputError:
        return []


def measure_variance(data: Path) -> Iterator[Claim]:
    """Compare free and tied delays with principal and independent components and a Fourier series."""
    held = _HeldOut(load_strides(data))
    methods: dict[str, Decomposition] = {"PCA": _pca, "Fourier": _fourier}
    shares = {name: {n: held.share(method, n) for n in range(1, _MOST + 1)} for name, method in methods.items()}
    asked = {n for delays, bars in _BARS.items() for count in bars for n in _equal_counts(delays, count).values()}
    shares["ICA"] = {n: held.share(_ica, n) for n in sorted(asked)}
    for delays, bars in _BARS.items():
        for count, bar in bars.items():
            explained = held.share(partial(_anechoic, delays), count)
            row, text = (
                f"{delays}-{count}",
                f"share of variance of new walkers that {count} sources with {delays} delays explain",
            )
            yield Claim(row, OUR_BAR, text, explained, "", held.about, Band(low=bar))
            yield from _compare_methods(row, delays, count, explained, shares, held.about)
            yield from _compare_counts(row, delays, count, explained, shares["PCA"], held.about)


def _equal_counts(delays: DelayMode, count: int) -> dict[str, int]:
    """Return how many sources without delays have as many sources, and as many parameters, as some with delays."""
    return {"sources": count, "parameters": 2 * count} if delays == "free" else {"sources": count}


def _compare_methods(
    row: str, delays: DelayMode, count: int, explained: float, shares: dict[str, dict[int, float]], about: str
) -> Iterator[Claim]:
    """Yield the squared residuals of other methods relative to ours, at equal sources and at equal parameters."""
    for word, number in _equal_counts(delays, count).items():
        for name, share in shares.items():
            compared = f"{about}; {name} with {number}: {share[number]:.4f}, ours with {count}: {explained:.4f}"
            text = f"squared residual of {name} relative to ours, with as many {word}"
            times = (1.0 - share[number]) / (1.0 - explained)
            yield Claim(f"{row}-against-{name.lower()}-{word}", OUR_BAR, text, times, "times", compared, Band(low=1.0))


def _compare_counts(
    row: str, delays: DelayMode, count: int, explained: float, pca: dict[int, float], about: str
) -> Iterator[Claim]:
    """Yield the paper's claim, half as many sources as principal components, counted in sources and in parameters."""
    needed = float(next((n for n, share in pca.items() if share >= explained), _MOST + 1))
    if np.isnan(explained):
        needed = np.nan
    about = f"{about}; components needed for {explained:.4f}: {needed:g}"
    text = "typically a factor 2 fewer sources than PCA: components needed for the same variance, per source"
    yield Claim(f"{row}-fewer-sources", "M17 p. 5", text, needed / count, "times", about, Band(low=2.0))
    each = max(_equal_counts(delays, count).values())
    text = "the factor 2 counted in parameters of a stride (free delays are parameters too): those of PCA per ours"
    source = f"M17 p. 5; {OUR_BAR}"
    yield Claim(f"{row}-fewer-numbers", source, text, needed / each, "times", about, Band(low=2.0))


class _HeldOut:
    """Walkers in folds, each left out once."""

    def __init__(self, found: StrideSet) -> None:
        from sklearn.model_selection import GroupKFold

        self.signals = found.signals - found.signals.mean(axis=-1, keepdims=True)
        walkers, count = len(set(found.walkers)), len(found.clips)
        self.about = f"{count} strides of {walkers} CMU walkers, each walker left out ({_FOLDS} folds)"
        split = GroupKFold(_FOLDS).split(found.signals, groups=found.walkers)
        self.folds = [_align(self.signals[known], self.signals[new]) for known, new in split]

    def share(self, method: Decomposition, count: int) -> float:
        """Return the share of variance explained of all strides, each by sources learned without its walker."""
        squares = sum(method(*fold, count) for fold in self.folds)
        return 1.0 - squares / float((self.signals**2).sum())


def _align(known: Array, new: Array) -> tuple[Array, Array]:
    """Shift strides (strides, channels, phases), each as a whole, to agree best with the mean of the known ones.

    Foot strikes are detected to some hundredths of a stride, and that error shifts all joints alike.
    """
    for _ in range(_ROUNDS):
        mean = known.mean(axis=0)
        known = _shift_towards(known, mean)
    return known, _shift_towards(new, known.mean(axis=0))


def _shift_towards(signals: Array, towards: Array) -> Array:
    spectrum, harmonics = np.fft.rfft(signals, axis=-1), np.arange(signals.shape[-1] // 2 + 1)
    steps = np.exp(-2j * np.pi * harmonics * _SHIFTS[:, None])
    agreement = np.einsum("sck,ck,nk->sn", spectrum, np.fft.rfft(towards, axis=-1).conj(), steps).real
    best = _SHIFTS[np.argmax(agreement, axis=1)]
    moved = spectrum * np.exp(-2j * np.pi * harmonics * best[:, None, None])
    return np.fft.irfft(moved, signals.shape[-1], axis=-1)


def _anechoic(delays: DelayMode, known: Array, new: Array, count: int) -> float:
    model = AnechoicMixture(count, delays=delays, restarts=_RESTARTS, iterations=_ITERATIONS).fit(known)
    return (1.0 - model.score(new)) * float((new**2).sum())


def _pca(known: Array, new: Array, count: int) -> float:
    """Temporal components: curves over a stride."""
    return _residual(np.linalg.svd(_rows(known), full_matrices=False)[2][:count], _rows(new))


def _ica(known: Array, new: Array, count: int) -> float:
    from sklearn.decomposition import FastICA

    model = FastICA(count, random_state=0, max_iter=1000, tol=1e-3).fit(_rows(known))
    return float(((_rows(new) - model.inverse_transform(model.transform(_rows(new)))) ** 2).sum())


def _fourier(known: Array, new: Array, count: int) -> float:
    """Cosine and sine of the first harmonic, of the second, and so on; nothing is learned."""
    phases = 2.0 * np.pi * np.arange(new.shape[-1]) / new.shape[-1]
    curves = [wave((n // 2 + 1) * phases) for n in range(count) for wave in ((np.cos, np.sin)[n % 2],)]
    return _residual(np.array(curves) * np.sqrt(2.0 / new.shape[-1]), _rows(new))


def _rows(signals: Array) -> Array:
    return signals.reshape(-1, signals.shape[-1])


def _residual(curves: Array, rows: Array) -> float:
    """Return the squared residual of rows after projection on orthonormal curves."""
    return float(((rows - rows @ curves.T @ curves) ** 2).sum())

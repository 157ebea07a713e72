"""Anechoic mixtures (M17 equation 1): signals as weighted sums of a few sources, each with a delay of its own.

x_i(t) = m_i + sum_j w_ij s_j(t - tau_ij) + noise. Principal and independent components are the case without delays.
A tool for any signals of several channels: it knows arrays of (trials, channels, samples) and nothing of bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.convention import apply_convention
from gambol.learn.anechoic.learning import SearchEffort, fit_mixing, learn_mixture, relax_to_band
from gambol.learn.anechoic.mixing import fit_weights
from gambol.learn.anechoic.signals import check_count, check_signals, project_signals
from gambol.learn.anechoic.window import Complex, SignalWindow

_DelayMode = Literal["free", "tied", "band"]

_HARMONICS = 12
"""Waves a window that sources are made of unless told: human gait has less than a thousandth of its variance above."""
_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Mixing:
    """How trials are mixed: means (trials, channels), weights and delays (trials, channels, sources).

    Delays are in windows, that is in shares of the time that a trial lasts: 0.25 is a quarter of a cycle later.
    """

    means: Array
    weights: Array
    delays: Array


class AnechoicMixture(BaseEstimator):
    """Sources, weights and real-valued delays of signals, in the habit of scikit-learn's estimators.

    - `delays`: "free", every signal of every trial has its own; "tied", a channel has the same in all trials (M17
      section 3.3), so that weights alone tell trials apart and can be interpolated; "band", within `band` windows of
      one that trials share.
    - `periodic`: whether the end of a trial leads to its beginning. If not, delays bring in what happened before and
      after: sources are learned on the window and `room` windows at both ends, which is the largest delay.
    - `harmonics`: waves a window that sources are made of: they are smooth. None is 12, or as many as the samples tell.
    - `restarts`, `iterations`: fresh attempts at most to find better sources, rounds at most to refine the best.
    - `tolerance`: share of the squares left that ten rounds must gain to go on.

    Learned: `sources_` (sources, samples) of variance 1, most important first; `coefficients_` (sources, harmonics) of
    their Fourier series; `means_`, `weights_`, `delays_` of the trials as in `Mixing`; `variance_` explained;
    `history_`, the same after every round; `converged_`.

    Scale, sign, shift and order follow `convention`. With free delays weights and delays are ambiguous, and so are four
    or more sources in practice: runs with other seeds agree on the variance, not on the sources. Interpolate tied ones.
    """

    sources_: Array
    coefficients_: Complex
    means_: Array
    weights_: Array
    delays_: Array
    variance_: float
    history_: Array
    converged_: bool
    centres_: Array
    """(channels, sources): delays that trials share; 0 where they are free."""

    def __init__(
        self,
        n_sources: int = 4,
        *,
        delays: _DelayMode = "free",
        band: float = 0.05,
        periodic: bool = True,
        room: float = 0.25,
        harmonics: int | None = None,
        restarts: int = 60,
        iterations: int = 60,
        tolerance: float = 2e-3,
        seed: int = 0,
    ) -> None:
        self.n_sources = n_sources
        self.delays = delays
        self.band = band
        self.periodic = periodic
        self.room = room
        self.harmonics = harmonics
        self.restarts = restarts
        self.iterations = iterations
        self.tolerance = tolerance
        self.seed = seed

    def fit(self, X: ArrayLike, y: object = None) -> AnechoicMixture:
        """Learn from trials (trials, channels, samples) or one (channels, samples); `y` is there for pipelines only."""
        signals = check_signals(X)
        self._check(signals)
        window, bounds = self._window(signals.shape[-1]), self._bounds()
        seen = project_signals(window, signals)
        effort = SearchEffort(self.restarts, self.iterations, self.tolerance)
        random = np.random.default_rng(self.seed)
        found = learn_mixture(window, seen, self.n_sources, bounds, effort, random)
        if self.delays == "band":
            found = relax_to_band(window, seen, found, self.band, effort, random)
        sources, weights, delays, centres = apply_convention(window, found.bounds, found.sources, *found.mixing[:2])
        self.coefficients_ = sources
        self.sources_ = window.evaluate(sources, window.times)
        self.means_, self.weights_, self.delays_ = _means(window, sources, signals, weights, delays), weights, delays
        self.centres_ = np.zeros(weights.shape[1:])
        if self.delays != "free":
            self.centres_ = delays[0] if centres is None else centres
        total = _size(signals)
        self.history_ = 1.0 - (total - float((seen**2).sum()) + np.array(found.left)) / total
        self.variance_ = _explained(signals, self.inverse_transform(Mixing(self.means_, weights, delays)))
        self.converged_ = found.converged
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> Mixing:
        """Learn from trials; how they are mixed."""
        self.fit(X)
        return Mixing(self.means_, self.weights_, self.delays_)

    def transform(self, X: ArrayLike) -> Mixing:
        """How new trials are mixed of the sources; where delays are tied, weights alone are found."""
        return self.estimate_mixing(self._like_learned(X), self.window)

    @property
    def window(self) -> SignalWindow:
        """The samples that were learned from, and the waves of the sources."""
        if not hasattr(self, "sources_"):
            raise InputError("nothing is learned yet", fix="call fit first")
        return self._window(self.sources_.shape[1])

    def estimate_mixing(self, signals: Array, window: SignalWindow) -> Mixing:
        """How trials are mixed, judged by the samples (trials, channels, samples) of a window that may have gaps."""
        seen = project_signals(window, signals)
        if self.delays == "tied":
            found = fit_weights(window, self.coefficients_, seen, self.centres_[None])
        else:
            bounds = self._bounds()
            if self.delays == "band":
                bounds = replace(bounds, tied=False, band=self.band, centre=self.centres_[None])
            found = fit_mixing(window, self.coefficients_, seen, bounds, np.random.default_rng(self.seed))
        weights, delays = found.weights, np.broadcast_to(found.delays, found.weights.shape)
        return Mixing(_means(window, self.coefficients_, signals, weights, delays), weights, delays)

    def inverse_transform(self, mixing: Mixing) -> Array:
        """(trials, channels, samples): what trials are according to the model."""
        return self.reconstruct(mixing, self.window)

    def reconstruct(self, mixing: Mixing, window: SignalWindow) -> Array:
        """(trials, channels, samples) of mixed sources at the times of a window."""
        turned = window.delay_sources(self.coefficients_, mixing.delays)
        return mixing.means[..., None] + window.evaluate((mixing.weights[..., None] * turned).sum(axis=2), window.times)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Share of the variance of new trials about their means that the sources explain."""
        signals = self._like_learned(X)
        return _explained(signals, self.inverse_transform(self.transform(signals)))

    def sources_at(self, times: ArrayLike) -> Array:
        """(sources, times): sources at any times in windows; 0 is the first sample, 1 is one window later."""
        return self.window.evaluate(self.coefficients_, np.atleast_1d(np.asarray(times, float)))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the parameters and what was learned: an npz with JSON, nothing that runs."""
        if not hasattr(self, "sources_"):
            raise InputError("nothing is learned yet", fix="call fit first")
        learned = {name: getattr(self, name) for name in _LEARNED}
        parts = {"real": self.coefficients_.real, "imaginary": self.coefficients_.imag}
        write_archive(Path(path), "anechoic mixture", _FORMAT, {"parameters": self.get_params(), **learned, **parts})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> AnechoicMixture:
        """A model as it was saved, to the last bit."""
        path = Path(path)
        values = read_archive(path, "anechoic mixture", _FORMAT, fix="AnechoicMixture.save writes them")
        try:
            model = cls(**values["parameters"])
            for name in _LEARNED:
                setattr(model, name, values[name])
            model.coefficients_ = values["real"] + 1j * values["imaginary"]
            model._check(np.zeros((*model.means_.shape, model.sources_.shape[1])), moves=False)
        except INVALID_CONTENT as error:
            raise invalid_content_error(path, "anechoic mixture", error) from None
        return model

    def _bounds(self) -> DelayBounds:
        return DelayBounds(self.periodic, 0.5 if self.periodic else self.room, self.delays != "free")

    def _window(self, samples: int) -> SignalWindow:
        length = self._bounds().length
        most = (samples - 1) // 2 if self.harmonics is None else samples
        asked = _HARMONICS if self.harmonics is None else self.harmonics
        return SignalWindow(np.arange(samples) / samples, length, max(1, round(min(asked, most) * length)))

    def _check(self, signals: Array, moves: bool = True) -> None:
        for name in ("n_sources", "restarts", "iterations"):
            check_count(name, getattr(self, name), least=0 if name == "restarts" else 1)
        if self.delays not in ("free", "tied", "band"):
            raise InputError(f"delays are {self.delays!r}", fix="they are 'free', 'tied' or 'band'")
        for name, most in (("band", 0.5), ("room", 10.0)):
            if not 0.0 < getattr(self, name) <= most:
                raise InputError(f"{name} is {getattr(self, name)!r}", fix=f"windows above 0 and up to {most}")
        samples = signals.shape[-1]
        if self.harmonics is not None:
            check_count("harmonics", self.harmonics, least=1)
            if 2 * self.harmonics >= samples:
                raise InputError(
                    f"{self.harmonics} harmonics and {samples} samples", fix=f"up to {(samples - 1) // 2} can be told"
                )
        if not moves:
            return
        moving = int((np.ptp(signals, axis=-1).max(axis=0) > 0.0).sum())
        if self.n_sources > moving:
            raise InputError(
                f"{self.n_sources} sources for {moving} channels that vary", fix="ask for as many sources at most"
            )

    def _like_learned(self, X: ArrayLike) -> Array:
        samples = len(self.window.times)
        signals = check_signals(X)
        wanted = (self.means_.shape[1], samples)
        # With free delays channels are alike to the model, and there may be any number of them.
        if signals.shape[-1] != wanted[1] or (self.delays != "free" and signals.shape[1] != wanted[0]):
            raise InputError(
                f"{signals.shape[1]} channels of {signals.shape[2]} samples; learned were {wanted[0]} of {wanted[1]}",
                fix="bring trials as they were learned from",
            )
        return signals


_LEARNED = ("sources_", "means_", "weights_", "delays_", "variance_", "history_", "converged_", "centres_")


def _means(window: SignalWindow, sources: Complex, signals: Array, weights: Array, delays: Array) -> Array:
    """(trials, channels): the constants that go with mixed sources."""
    summed = (weights[..., None] * window.delay_sources(sources, delays)).sum(axis=2)
    return np.asarray(signals.mean(axis=-1) - window.evaluate(summed, window.times).mean(axis=-1))


def _size(signals: Array) -> float:
    """Squares of signals about their means."""
    return float(((signals - signals.mean(axis=-1, keepdims=True)) ** 2).sum())


def _explained(signals: Array, model: Array) -> float:
    """Share of the squares of signals; 1 where there are none and the model has none either."""
    left, total = float(((signals - model) ** 2).sum()), _size(signals)
    return 1.0 - left / total if total > 0.0 else 1.0 - float(left > 0.0)

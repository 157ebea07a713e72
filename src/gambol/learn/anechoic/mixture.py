"""Anechoic mixtures (M17 equation 1): signals as weighted sums of a few delayed sources.

x_i(t) = m_i + sum_j w_ij s_j(t - tau_ij) + noise. Principal and independent components are the case without delays.
The estimator takes any array of (trials, channels, samples).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.io.models import ModelKind, register
from gambol.learn.anechoic.bounds import DelayBounds
from gambol.learn.anechoic.convention import apply_convention
from gambol.learn.anechoic.learning import SearchEffort, fit_mixing, learn_mixture, relax_to_band
from gambol.learn.anechoic.mixing import fit_weights
from gambol.learn.anechoic.signals import check_count, check_signals, project_signals
from gambol.learn.anechoic.window import Complex, SignalWindow

_DelayMode = Literal["free", "tied", "band"]

_HARMONICS = 12
"""Default harmonics per window: human gait has less than a thousandth of its variance above."""


@dataclass(frozen=True, eq=False)
class Mixing:
    """The mixing of trials: means (trials, channels), weights and delays (trials, channels, sources).

    Delays are in windows, the duration of a trial: 0.25 is a quarter of a trial later.
    """

    means: Array
    weights: Array
    delays: Array


class AnechoicMixture(BaseEstimator):
    """Learn sources, weights and real-valued delays of signals, with the interface of scikit-learn's estimators.

    - `delays`: "free", one per trial, channel and source; "tied", the same in all trials (M17 section 3.3), so that
      trials differ in their weights only and can be interpolated; "band", within `band` windows of a shared delay.
    - `periodic`: whether the end of a trial leads to its beginning. If not, sources are learned on the window and
      `room` windows at both ends, which is the largest delay.
    - `harmonics`: harmonics of the sources per window. None: 12, or as many as the samples determine.
    - `restarts`, `iterations`: most attempts to find better sources, most iterations to refine the best.
    - `tolerance`: relative decrease of the residual over ten iterations below which learning stops.

    Learned: `sources_` (sources, samples) of variance 1, most important first; `coefficients_` (sources, harmonics) of
    their Fourier series; `means_`, `weights_`, `delays_` of the trials as in `Mixing`; `variance_` explained;
    `history_`, the same after every iteration; `converged_`.

    Scale, sign, shift and order follow `convention`. With free delays weights and delays are ambiguous, and so are four
    or more sources in practice: other seeds give the same variance, but other sources. Interpolate tied delays only.
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
    """(channels, sources) delays that all trials share; 0 where delays are free."""

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
        """Learn from trials (trials, channels, samples) or one trial (channels, samples); `y` is ignored."""
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
        self.history_ = 1.0 - (total - float((seen**2).sum()) + np.array(found.residuals)) / total
        self.variance_ = _explained(signals, self.inverse_transform(Mixing(self.means_, weights, delays)))
        self.converged_ = found.converged
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> Mixing:
        """Learn from trials and return their mixing."""
        self.fit(X)
        return Mixing(self.means_, self.weights_, self.delays_)

    def transform(self, X: ArrayLike) -> Mixing:
        """Find the mixing of new trials; tied delays are kept, only weights are fitted."""
        return self.estimate_mixing(self._check_shape(X), self.window)

    @property
    def window(self) -> SignalWindow:
        """Sample times and harmonics of the model."""
        if not hasattr(self, "sources_"):
            raise InputError("nothing is learned yet", fix="call fit first")
        return self._window(self.sources_.shape[1])

    def estimate_mixing(self, signals: Array, window: SignalWindow) -> Mixing:
        """Find the mixing of trials (trials, channels, samples) from the samples of a window, which may have gaps."""
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
        """Reconstruct trials (trials, channels, samples) from their mixing."""
        return self.reconstruct(mixing, self.window)

    def reconstruct(self, mixing: Mixing, window: SignalWindow) -> Array:
        """Return the signals (trials, channels, samples) of a mixing at the times of a window."""
        turned = window.delay_sources(self.coefficients_, mixing.delays)
        return mixing.means[..., None] + window.evaluate((mixing.weights[..., None] * turned).sum(axis=2), window.times)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Return the share of variance of new trials (about their means) that the sources explain."""
        signals = self._check_shape(X)
        return _explained(signals, self.inverse_transform(self.transform(signals)))

    def sources_at(self, times: ArrayLike) -> Array:
        """Return the sources (sources, times) at any times in windows; 0 is the first sample, 1 one window later."""
        return self.window.evaluate(self.coefficients_, np.atleast_1d(np.asarray(times, float)))

    def to_values(self) -> dict[str, Any]:
        """Return parameters and learned attributes as a mapping that an archive can hold."""
        if not hasattr(self, "sources_"):
            raise InputError("nothing is learned yet", fix="call fit first")
        learned = {name: getattr(self, name) for name in _LEARNED}
        parts = {"real": self.coefficients_.real, "imaginary": self.coefficients_.imag}
        return {"parameters": self.get_params(), **learned, **parts}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> AnechoicMixture:
        """Return the mixture of `to_values`."""
        model = cls(**values["parameters"])
        for name in _LEARNED:
            setattr(model, name, values[name])
        model.coefficients_ = values["real"] + 1j * values["imaginary"]
        model._check_learned()
        return model

    def _check_learned(self) -> None:
        """Raise an InputError, or what invalid content raises, unless attributes from a file belong together."""
        (trials, channels), samples, count = self.means_.shape, self.sources_.shape[1], self.n_sources
        self._check(np.zeros((trials, channels, samples)), moves=False)
        mixing = (trials, channels, count)
        check_shapes(self, means_=mixing[:2], weights_=mixing, delays_=mixing, centres_=mixing[1:])
        check_shapes(self, sources_=(count, samples), coefficients_=(count, self.window.harmonics))

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
            raise InputError(f"unknown delays {self.delays!r}", fix="choose 'free', 'tied' or 'band'")
        for name, most in (("band", 0.5), ("room", 10.0)):
            if not 0.0 < getattr(self, name) <= most:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}", fix=f"choose a number of windows above 0, up to {most}"
                )
        samples = signals.shape[-1]
        if self.harmonics is not None:
            check_count("harmonics", self.harmonics, least=1)
            if 2 * self.harmonics >= samples:
                raise InputError(
                    f"{self.harmonics} harmonics and {samples} samples",
                    fix=f"at most {(samples - 1) // 2} harmonics are determined",
                )
        if not moves:
            return
        moving = int((np.ptp(signals, axis=-1).max(axis=0) > 0.0).sum())
        if self.n_sources > moving:
            raise InputError(
                f"{self.n_sources} sources for {moving} channels that vary", fix="use at most one source per channel"
            )

    def _check_shape(self, X: ArrayLike) -> Array:
        samples = len(self.window.times)
        signals = check_signals(X)
        expected = (self.means_.shape[1], samples)
        # With free delays the model does not distinguish channels: any number is allowed.
        if signals.shape[-1] != expected[1] or (self.delays != "free" and signals.shape[1] != expected[0]):
            raise InputError(
                f"{signals.shape[1]} channels of {signals.shape[2]} samples, expected {expected[0]} of {expected[1]}",
                fix="use trials with the shape of the training data",
            )
        return signals


_LEARNED = ("sources_", "means_", "weights_", "delays_", "variance_", "history_", "converged_", "centres_")


def _means(window: SignalWindow, sources: Complex, signals: Array, weights: Array, delays: Array) -> Array:
    """Return the constants (trials, channels) that go with weights and delays."""
    summed = (weights[..., None] * window.delay_sources(sources, delays)).sum(axis=2)
    return np.asarray(signals.mean(axis=-1) - window.evaluate(summed, window.times).mean(axis=-1))


def _size(signals: Array) -> float:
    """Return the sum of squares of signals about their means."""
    return float(((signals - signals.mean(axis=-1, keepdims=True)) ** 2).sum())


def _explained(signals: Array, model: Array) -> float:
    """Return the share of the sum of squares that the model explains; 1 if both are constant."""
    left, total = float(((signals - model) ** 2).sum()), _size(signals)
    return 1.0 - left / total if total > 0.0 else 1.0 - float(left > 0.0)


register(
    ModelKind(
        AnechoicMixture,
        "anechoic mixture",
        1,
        "use a file written by save_model",
        pack=AnechoicMixture.to_values,
        unpack=AnechoicMixture.from_values,
    )
)

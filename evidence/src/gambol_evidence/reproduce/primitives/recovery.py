"""Measure how well sources, delays and weights of known synthetic mixtures are recovered from signals with noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.learn.anechoic import AnechoicMixture
from gambol.learn.anechoic.synthetic import Recovery, make_random_mixture, measure_recovery
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim

CHANNELS, SAMPLES = 51, 100
_SEEDS = range(5)
_DELAYS = "{} error of delays whose weights exceed a tenth of their size"


def measure_tied(data: Path) -> Iterator[Claim]:
    """Recover mixtures of eight trials that share their delays."""
    found = [recover_mixture(8, 4, seed) for seed in _SEEDS]
    about = f"8 trials of {CHANNELS} channels, 4 sources, tied delays, 20 dB; worst of {len(found)} random mixtures"
    yield from _source_claims("tied", found, about, (0.999, 7.0))
    delays = 100.0 * float(np.max([one.delay_rms for one in found]))
    yield Claim("tied-delay", OUR_BAR, _DELAYS.format("RMS"), delays, "% of a cycle", about, Band(high=0.1))


def measure_one_trial(data: Path) -> Iterator[Claim]:
    """Recover mixtures of one trial.

    With noise, other delays and weights fit some signals as well or better. The RMS error is dominated by these few;
    the median shows the others.
    """
    found = [recover_mixture(1, 3, seed) for seed in _SEEDS]
    about = f"1 trial of {CHANNELS} channels, 3 sources, 20 dB; worst of {len(found)} random mixtures"
    yield from _source_claims("one-trial", found, about, (0.998, 12.0))
    for row, word, delays in (
        ("one-trial-delay", "median", [one.delay for one in found]),
        ("one-trial-delay-rms", "RMS", [one.delay_rms for one in found]),
    ):
        worst = 100.0 * float(np.max(delays))
        yield Claim(row, OUR_BAR, _DELAYS.format(word), worst, "% of a cycle", about, Band(high=0.2))


def recover_mixture(trials: int, count: int, seed: int) -> Recovery:
    """Learn a random mixture of some trials and sources, and compare with the truth."""
    truth = make_random_mixture(trials, CHANNELS, SAMPLES, count, tied=trials > 1, seed=seed)
    model = AnechoicMixture(count, delays="tied" if trials > 1 else "free").fit(truth.signals)
    return measure_recovery(truth, model.coefficients_, model.weights_, model.delays_)


def _source_claims(name: str, found: list[Recovery], data: str, bars: tuple[float, float]) -> Iterator[Claim]:
    least = float(np.min([one.correlation for one in found]))
    text = "smallest correlation of recovered and true sources, up to order, sign and shift"
    yield Claim(f"{name}-correlation", OUR_BAR, text, least, "", data, Band(low=bars[0]))
    most = 100.0 * float(np.max([one.weight for one in found]))
    yield Claim(f"{name}-weights", OUR_BAR, "RMS error of weights", most, "%", data, Band(high=bars[1]))

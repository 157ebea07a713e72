"""Mixtures that are known: how near sources, delays and weights come back at 20 dB, the worst of several mixtures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gambol.learn.anechoic import AnechoicMixture
from gambol.learn.anechoic.synthetic import Recovery, make_random_mixture, measure_recovery
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim

CHANNELS, SAMPLES = 51, 100
_SEEDS = range(5)


def run(data: Path) -> Iterator[Claim]:
    """Eight trials with tied delays, and one trial."""
    found = [_found(8, 4, seed) for seed in _SEEDS]
    told = f"8 trials of {CHANNELS} channels, 4 sources, delays tied, 20 dB; worst of {len(found)} mixtures"
    delays = max(one.delay_rms for one in found)
    yield from _rows("tied", found, told, (0.999, 7.0))
    text = "delays off, RMS (where weights are above a tenth of their size)"
    yield Claim("tied-delay", OUR_BAR, text, 100.0 * delays, "% of a cycle", told, Band(high=0.1))
    found = [_found(1, 3, seed) for seed in _SEEDS]
    told = f"1 trial of {CHANNELS} channels, 3 sources, 20 dB; worst of {len(found)} mixtures"
    yield from _rows("one-trial", found, told, (0.998, 12.0))
    # With noise, other delays and weights fit some signals as well or better: the RMS speaks of those few, the median
    # of the rest.
    for row, word, delays in (
        ("one-trial-delay", "median", max(one.delay for one in found)),
        ("one-trial-delay-rms", "RMS", max(one.delay_rms for one in found)),
    ):
        text = f"delays off, {word} (where weights are above a tenth of their size)"
        yield Claim(row, OUR_BAR, text, 100.0 * delays, "% of a cycle", told, Band(high=0.2))


def _found(trials: int, count: int, seed: int) -> Recovery:
    truth = make_random_mixture(trials, CHANNELS, SAMPLES, count, tied=trials > 1, seed=seed)
    model = AnechoicMixture(count, delays="tied" if trials > 1 else "free").fit(truth.signals)
    return measure_recovery(truth, model.coefficients_, model.weights_, model.delays_)


def _rows(name: str, found: list[Recovery], told: str, bars: tuple[float, float]) -> Iterator[Claim]:
    least, most = min(one.correlation for one in found), max(one.weight for one in found)
    text = "sources recovered: correlation, after the best order, sign and shift"
    yield Claim(f"{name}-correlation", OUR_BAR, text, least, "", told, Band(low=bars[0]))
    yield Claim(f"{name}-weights", OUR_BAR, "weights off, RMS", 100.0 * most, "%", told, Band(high=bars[1]))

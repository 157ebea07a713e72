"""The rows of learned primitives: what they measure, on data whose answer is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.learn.anechoic.synthetic import Recovery, make_random_mixture, measure_recovery
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.primitives import recovery as recovered
from gambol_evidence.reproduce.primitives import styles, variance

PHASES = 2.0 * np.pi * np.arange(64) / 64


def test_the_truth_itself_is_recovered_however_it_is_written() -> None:
    truth = make_random_mixture(3, 9, 40, 3, tied=True, seed=1)
    order, signs, shift = [2, 0, 1], np.array([1.0, -1.0, 1.0]), np.array([0.13, -0.4, 0.021])
    sources = signs[:, None] * truth.window.delay_sources(truth.sources[order], -shift)
    found = measure_recovery(truth, sources, signs * truth.weights[..., order], truth.delays[..., order] + shift)
    assert found.correlation == pytest.approx(1.0, abs=1e-5)
    assert (found.delay, found.delay_rms) == pytest.approx((0.0, 0.0), abs=1e-5)
    assert found.weight == pytest.approx(0.0, abs=1e-12)


def test_what_is_off_is_measured() -> None:
    truth = make_random_mixture(20, 30, 40, 2, tied=False, seed=2)
    astray = np.random.default_rng(0).random(truth.delays.shape) < 0.2
    off = measure_recovery(truth, truth.sources, 1.05 * truth.weights, truth.delays + np.where(astray, 0.1, 0.01) + 1.0)
    assert off.weight == pytest.approx(0.05)
    assert off.delay == pytest.approx(0.01, abs=1e-5)
    assert off.delay_rms == pytest.approx(np.sqrt(0.2 * 0.01 + 0.8 * 1e-4), rel=0.1)
    faint = np.abs(truth.weights) < 0.05
    assert measure_recovery(truth, truth.sources, truth.weights, truth.delays + 0.3 * faint).delay_rms < 1e-5
    other = make_random_mixture(1, 1, 40, 2, tied=False, seed=3).sources
    assert measure_recovery(truth, other, truth.weights, truth.delays).correlation < 0.95


def test_median_and_rms_of_one_trial_are_rows_with_the_same_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        recovered, "recover_mixture", lambda trials, count, seed: Recovery(0.9999, 0.001, 0.01 + seed, 0.05)
    )
    rows = {claim.id: claim for part in (recovered.measure_tied, recovered.measure_one_trial) for claim in part(Path())}
    median, rms = rows["one-trial-delay"], rows["one-trial-delay-rms"]
    assert (median.measured, rms.measured) == pytest.approx((0.1, 401.0))
    assert median.expected == rms.expected == Band(high=0.2)
    assert (median.holds, rms.holds) == (True, False)
    assert ("median" in median.claim, "RMS" in rms.claim, "RMS" in rows["tied-delay"].claim) == (True, True, True)


def _smooth(random: np.random.Generator, *shape: int) -> Array:
    sizes = random.normal(size=(*shape, 8))
    return np.asarray(sizes[..., :4] @ _waves(np.cos) + sizes[..., 4:] @ _waves(np.sin))


def _waves(wave: np.ufunc) -> Array:
    return np.array([wave(n * PHASES) for n in range(1, 5)])


def _shifted(signals: Array, by: float) -> Array:
    spectrum = np.fft.rfft(signals, axis=-1)
    turned = spectrum * np.exp(-2j * np.pi * by * np.arange(spectrum.shape[-1]))
    return np.fft.irfft(turned, signals.shape[-1], axis=-1)


def test_a_stride_is_moved_back_as_a_whole() -> None:
    stride = _smooth(np.random.default_rng(0), 5)
    away = np.stack([_shifted(stride, by) for by in (0.03, -0.072, 0.0)])
    np.testing.assert_allclose(variance._shift_towards(away, stride), np.stack([stride] * 3), atol=1e-9)
    known, new = variance._align(away[:2], away[2:])
    np.testing.assert_allclose(known[0], known[1], atol=0.02 * stride.std())
    np.testing.assert_allclose(new[0], known[0], atol=0.02 * stride.std())


def test_other_ways_leave_what_they_should() -> None:
    """Rows of cosine, sine and a double cosine whose sizes are 3, 2 and 1, either sign: the mean curve is nothing."""
    curves = np.sqrt(2.0 / 64) * np.array([np.cos(PHASES), np.sin(PHASES), np.cos(2.0 * PHASES)])
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    known, new = ((signs * sizes @ curves)[:, None] for sizes in ((3.0, 2.0, 1.0), (1.0, 2.0, 0.5)))
    for way in (variance._pca, variance._ica, variance._fourier):
        left = [way(known, new, count) for count in (1, 2, 3)]
        assert left == pytest.approx([8.0 * 4.25, 8.0 * 0.25, 0.0], abs=1e-9), way


def test_walkers_are_left_out_and_shares_are_of_all() -> None:
    """Everyone moves in a harmonic of their own, which nobody could learn from the others."""
    random = np.random.default_rng(1)
    signals = np.stack([_waves(np.cos)[n // 2] * random.uniform(1.0, 2.0, (3, 1)) for n in range(8)])
    walks = variance.StrideSet(signals + 5.0, tuple(f"{n // 2}_{n}" for n in range(8)))
    held = variance._HeldOut(walks)
    assert held.share(variance._pca, 4) == pytest.approx(0.0, abs=0.01)
    size = (np.array(signals) ** 2).sum(axis=(1, 2))
    assert held.share(variance._fourier, 4) == pytest.approx(size[:4].sum() / size.sum())
    same = variance._HeldOut(variance.StrideSet(signals[[0, 0, 1, 1]], ("1_1", "2_1", "3_1", "4_1")))
    assert same.share(variance._pca, 1) == pytest.approx(1.0)


def test_all_ways_are_compared_in_both_accounts() -> None:
    shares = {name: {n: 1.0 - 0.5**n for n in range(1, 9)} for name in ("PCA", "Fourier", "ICA")}
    rows = {claim.id: claim.measured for claim in variance._compare_methods("r", "free", 3, 1.0 - 0.5**5, shares, "")}
    names = ("pca", "fourier", "ica")
    assert rows == pytest.approx(
        {f"r-against-{name}-sources": 4.0 for name in names} | {f"r-against-{name}-parameters": 0.5 for name in names}
    )
    assert len(list(variance._compare_methods("r", "tied", 3, 0.5, shares, ""))) == 3
    with pytest.raises(KeyError):
        list(variance._compare_methods("r", "free", 6, 0.5, shares, ""))
    fewer = {claim.id: claim for claim in variance._compare_counts("r", "free", 3, 1.0 - 0.5**5, shares["PCA"], "")}
    assert fewer["r-fewer-sources"].measured == pytest.approx(5 / 3)
    assert fewer["r-fewer-numbers"].measured == pytest.approx(5 / 6)
    assert not any(claim.holds for claim in variance._compare_counts("r", "free", 3, np.nan, shares["PCA"], ""))


CLIPS = np.repeat(sorted(styles.STYLES), 3)
WALKERS = np.array([clip.split("_")[0] for clip in CLIPS])


def _rows(places: dict[str, Array], spread: float) -> dict[str, tuple[float, bool]]:
    random = np.random.default_rng(5)
    weights = np.stack([places[clip] for clip in CLIPS]) + spread * random.normal(size=(len(CLIPS), 6))
    return {claim.id: (claim.measured, claim.holds) for claim in styles.recognition_claims(weights, CLIPS, WALKERS)}


def test_styles_that_weights_tell_are_recognised_and_clips_are_no_styles() -> None:
    random = np.random.default_rng(4)
    by_style = {style: random.normal(size=6) for style in sorted(set(styles.STYLES.values()))}
    told = _rows({clip: by_style[style] for clip, style in styles.STYLES.items()}, 0.01)
    assert told["style"] == told["style-of-a-walker"] == (100.0, True)
    assert told["style-of-another-clip"][0] == 100.0  # three clips of one style: too few to be sure that it is no luck
    by_clip = _rows({clip: random.normal(size=6) for clip in styles.STYLES}, 0.01)
    assert by_clip["style"] == by_clip["style-of-a-walker"] == (100.0, True)
    assert not by_clip["style-of-another-clip"][1]
    nothing = _rows({clip: np.zeros(6) for clip in styles.STYLES}, 1.0)
    assert not any(holds for _, holds in nothing.values())


@pytest.mark.parametrize("telling", [True, False])
def test_clips_of_a_style_are_found_by_style_alone(telling: bool) -> None:
    clips = np.repeat(np.arange(16), 3)
    names = np.array(list("abcd"))[clips // 4]
    places = np.random.default_rng(6).normal(size=(16, 5))[clips]
    weights = places + 10.0 * np.eye(4, 5)[clips // 4] if telling else places
    test = styles.Neighbours(weights, clips[:, None] != clips, clips, np.zeros(48, dtype=int))
    right, count = test.recognised(names, names)
    assert count == 48
    chance = test.chance(names, names)
    assert chance.mean() == pytest.approx(0.2, abs=0.02)
    assert (right >= styles.chance_threshold(chance, count)) == telling


def test_chance_shuffles_whole_units_within_their_blocks() -> None:
    names = np.array(["a", "a", "b", "b", "c", "c"])
    units, blocks = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1])
    test = styles.Neighbours(np.zeros((6, 1)), ~np.eye(6, dtype=bool), units, blocks)
    seen = {"".join(test._shuffled(names, np.random.default_rng(seed))) for seed in range(20)}
    assert seen == {"aabbcc", "bbaacc"}


def test_luck_is_what_a_hundredth_of_shuffles_reach() -> None:
    chance = np.repeat([0.0, 0.25, 0.5, 0.75], [500, 300, 191, 9])
    assert styles.chance_threshold(chance, 4) == 0.75
    assert styles.chance_threshold(np.ones(100), 4) == 1.25

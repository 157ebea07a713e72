"""Known mixtures have the noise that is asked for, and errors of a model are measured as they were made."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.learn.anechoic import AnechoicMixture, choose_order
from gambol.learn.anechoic.synthetic import align_sources, make_random_mixture, measure_recovery


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("max_delay", [None, 0.2])
def test_signals_are_the_mixture_and_noise_of_its_share(noise, max_delay):
    truth = make_random_mixture(6, 20, 64, 2, tied=False, noise=noise, harmonics=5, max_delay=max_delay, seed=1)
    window = truth.window
    assert window.length == pytest.approx(1.0 if max_delay is None else 1.4)
    clean = np.zeros(truth.signals.shape)
    for trial, channel, source in np.ndindex(truth.weights.shape):
        at = window.times - truth.delays[trial, channel, source]
        wave = window.evaluate(truth.sources[source : source + 1], at)[0]
        clean[trial, channel] += truth.weights[trial, channel, source] * wave
    left = truth.signals - clean
    left -= left.mean(axis=-1, keepdims=True)
    spread = (clean - clean.mean(axis=-1, keepdims=True)).std()
    assert left.std() == pytest.approx(noise * spread, rel=0.05, abs=1e-9)
    assert np.abs(truth.delays).max() == pytest.approx(0.5 if max_delay is None else max_delay, rel=0.05)
    np.testing.assert_allclose(window.evaluate(truth.sources, window.times).std(axis=1), 1.0)
    assert truth.signals.mean(axis=-1).std() > 0.5


def test_tied_delays_are_the_same_in_all_trials():
    assert np.ptp(make_random_mixture(3, 4, 32, 2, tied=True).delays, axis=0).max() == 0.0
    assert np.ptp(make_random_mixture(3, 4, 32, 2, tied=False).delays, axis=0).min() > 0.0


def test_order_sign_and_shift_are_no_error_and_all_else_is():
    truth = make_random_mixture(3, 30, 64, 3, tied=False, noise=0.0, harmonics=6, seed=2)
    order, signs, shifts = [2, 0, 1], np.array([-1.0, 1.0, -1.0]), np.array([0.31234, -0.2, 0.07])
    sources = (signs[:, None] * truth.window.delay_sources(truth.sources, -shifts))[order]
    weights, delays = (signs * truth.weights)[..., order], (truth.delays + shifts)[..., order]
    found = measure_recovery(truth, sources, weights, delays)
    assert found.correlation == pytest.approx(1.0, abs=1e-4)
    assert found.delay_rms < 1e-5
    assert found.weight < 1e-12
    np.testing.assert_allclose(align_sources(truth, sources), truth.sources, atol=1e-3)
    off = measure_recovery(truth, sources, 1.1 * weights, delays + 0.02)
    assert off.delay == pytest.approx(0.02, abs=1e-4)
    assert off.delay_rms == pytest.approx(0.02, abs=1e-4)
    assert off.weight == pytest.approx(0.1)
    size = np.sqrt((truth.weights**2).mean())
    small = np.abs(weights) < 0.1 * size  # its delay has no meaning
    assert small.any()
    assert measure_recovery(truth, sources, weights, delays + 0.3 * small).delay_rms < 1e-5
    larger = (np.abs(weights) > 0.15 * size) & (np.abs(weights) < 0.4 * size)
    assert measure_recovery(truth, sources, weights, delays + 0.3 * larger).delay_rms > 0.01


def test_the_correlation_is_that_of_the_common_harmonics():
    truth = make_random_mixture(1, 5, 64, 1, tied=False, noise=0.0, harmonics=6, seed=2)
    first, whole = truth.sources[:, :1], np.linalg.norm(truth.sources)
    found = measure_recovery(truth, np.pad(first, ((0, 0), (0, 5))), truth.weights, truth.delays)
    assert found.correlation == pytest.approx(np.abs(first[0, 0]) / whole, abs=1e-3)


def test_the_harmonics_of_a_model_are_those_that_its_samples_determine():
    signals = np.random.default_rng(0).normal(size=(2, 5, 20))
    for samples, expected in ((20, 9), (19, 9), (18, 8), (9, 4)):
        model = AnechoicMixture(1, restarts=0, iterations=1).fit(signals[..., :samples])
        assert model.coefficients_.shape == (1, expected)
    assert AnechoicMixture(1, harmonics=9, restarts=0, iterations=1).fit(signals).coefficients_.shape == (1, 9)
    with pytest.raises(InputError, match="at most 9 harmonics"):
        AnechoicMixture(1, harmonics=10, restarts=0, iterations=1).fit(signals)
    wide = AnechoicMixture(1, harmonics=4, periodic=False, room=0.25, restarts=0, iterations=1).fit(signals)
    assert wide.coefficients_.shape == (1, 6)  # 4 per window, over a window and a half
    assert AnechoicMixture(1, restarts=0, iterations=1).fit(np.tile(signals, 4)).coefficients_.shape == (1, 12)


def test_the_share_of_variance_is_that_of_the_residual():
    truth = make_random_mixture(3, 8, 32, 2, tied=True, noise=0.3, harmonics=4, seed=4)
    model = AnechoicMixture(1, delays="tied", harmonics=4, restarts=0, iterations=10).fit(truth.signals)
    new = make_random_mixture(3, 8, 32, 2, tied=True, noise=0.3, harmonics=4, seed=5).signals
    for signals, share in ((truth.signals, model.variance_), (new, model.score(new))):
        mixing = model.transform(signals)
        left = signals - model.inverse_transform(mixing)
        about = signals - signals.mean(axis=-1, keepdims=True)
        assert share == pytest.approx(1.0 - (left**2).sum() / (about**2).sum(), abs=1e-6)
    assert model.score(np.full((1, 8, 32), 3.0)) == 1.0


def test_scaled_signals_have_scaled_weights_and_the_same_sources_and_delays():
    signals = make_random_mixture(3, 8, 32, 2, tied=True, noise=0.1, harmonics=4, seed=6).signals
    for delays in ("free", "tied", "band"):
        one, small = (
            AnechoicMixture(2, delays=delays, harmonics=4, restarts=0, iterations=3).fit(scale * signals)
            for scale in (1.0, 2.0**-12)
        )
        np.testing.assert_allclose(small.sources_, one.sources_, atol=1e-9)
        np.testing.assert_allclose(small.delays_, one.delays_, atol=1e-9)
        np.testing.assert_allclose(2.0**12 * small.weights_, one.weights_, atol=1e-9)
        assert small.variance_ == pytest.approx(one.variance_)


def test_left_out_trials_are_scored_between_the_samples_that_they_are_fitted_to():
    signals = make_random_mixture(4, 8, 32, 2, tied=True, noise=0.2, harmonics=4, seed=7).signals
    template = AnechoicMixture(delays="tied", harmonics=4, restarts=0, iterations=3)
    order = choose_order(signals, (1, 2), template=template, folds=2, groups=["a", "a", "b", "b"])
    for row, count in enumerate((1, 2)):
        scores = []
        for known, left in ((slice(2, 4), slice(0, 2)), (slice(0, 2), slice(2, 4))):
            model = AnechoicMixture(count, delays="tied", harmonics=4, restarts=0, iterations=3).fit(signals[known])
            window, new, off = model.window, signals[left], 0.0
            for first in (0, 1):
                mixing = model.estimate_mixing(new[..., first::2], window.every_other(first))
                off += ((new - model.reconstruct(mixing, window))[..., 1 - first :: 2] ** 2).sum()
            scores.append(1.0 - off / ((new - new.mean(axis=-1, keepdims=True)) ** 2).sum())
        np.testing.assert_allclose(sorted(order.scores[row]), sorted(scores))
    means, spread = order.scores.mean(axis=1), order.scores.std(axis=1, ddof=1) / np.sqrt(2)
    enough = means.max() - max(spread[means.argmax()], 0.05 * (1.0 - means.max()))
    assert order.chosen == (1 if means[0] >= enough else 2)


def test_one_value_that_is_not_finite_is_named_and_room_has_a_limit():
    signals = np.random.default_rng(0).normal(size=(2, 4, 20))
    for room, allowed in ((10.0, True), (10.1, False)):
        model = AnechoicMixture(1, periodic=False, room=room, harmonics=1, restarts=0, iterations=1)
        if allowed:
            assert model.fit(signals).coefficients_.shape == (1, 21)
        else:
            with pytest.raises(InputError, match=r"room is 10\.1"):
                model.fit(signals)
    signals[1, 2, 3] = np.nan
    with pytest.raises(InputError, match="1 values are not finite, the first in trial 1, channel 2, sample 3"):
        AnechoicMixture(1).fit(signals)

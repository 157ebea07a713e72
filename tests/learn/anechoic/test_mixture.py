"""The estimator: recovery, scikit-learn interface, invalid input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io.models import as_model, save_model
from gambol.learn.anechoic import AnechoicMixture, Mixing, choose_order
from gambol.learn.anechoic.synthetic import KnownMixture, align_sources, make_random_mixture, measure_recovery

QUICK = {"restarts": 4, "iterations": 60}


@pytest.fixture(scope="module")
def truth() -> KnownMixture:
    return make_random_mixture(4, 14, 48, 2, tied=True, noise=0.03, harmonics=6, seed=3)


@pytest.fixture(scope="module")
def tied(truth: KnownMixture) -> AnechoicMixture:
    return AnechoicMixture(2, delays="tied", **QUICK).fit(truth.signals)


def test_tied_trials_are_recovered(truth: KnownMixture, tied: AnechoicMixture) -> None:
    found = measure_recovery(truth, tied.coefficients_, tied.weights_, tied.delays_)
    assert found.correlation > 0.999
    assert found.delay_rms < 0.002  # a sample is 0.02
    assert found.weight < 0.05
    assert tied.variance_ > 0.998
    assert tied.converged_


def test_learned_sources_lie_over_the_true_ones(truth: KnownMixture, tied: AnechoicMixture) -> None:
    times = np.linspace(0.0, 1.0, 50)
    found = tied.window.evaluate(align_sources(truth, tied.coefficients_), times)
    np.testing.assert_allclose(found, truth.window.evaluate(truth.sources, times), atol=0.05)


def test_free_delays_of_one_trial_are_recovered() -> None:
    truth = make_random_mixture(1, 40, 64, 2, tied=False, noise=0.03, harmonics=6, seed=1)
    model = AnechoicMixture(2, restarts=10).fit(truth.signals[0])
    found = measure_recovery(truth, model.coefficients_, model.weights_, model.delays_)
    assert found.correlation > 0.999
    assert found.delay < 0.001
    assert found.weight < 0.1


def test_tied_delays_are_the_same_in_all_trials_and_free_ones_are_not(
    truth: KnownMixture, tied: AnechoicMixture
) -> None:
    assert (np.ptp(tied.delays_, axis=0) == 0.0).all()
    free = AnechoicMixture(2, restarts=0, iterations=5).fit(truth.signals)
    assert np.ptp(free.delays_, axis=0).max() > 0.0


def test_history_never_falls_and_ends_at_the_variance(truth: KnownMixture, tied: AnechoicMixture) -> None:
    for model in (tied, AnechoicMixture(2, delays="band", band=0.03, **QUICK).fit(truth.signals)):
        assert (np.diff(model.history_) > -1e-9).all()
        assert model.history_[-1] == pytest.approx(model.variance_, abs=1e-9)


def test_bands_are_kept_and_used() -> None:
    truth = make_random_mixture(5, 12, 48, 2, tied=True, noise=0.02, harmonics=6, seed=5)
    random = np.random.default_rng(0)
    delays = truth.delays + random.uniform(-0.02, 0.02, truth.delays.shape)
    turned = truth.window.delay_sources(truth.sources, delays)
    signals = (truth.weights[..., None] * truth.window.evaluate(turned, truth.window.times)).sum(axis=2)
    strict = AnechoicMixture(2, delays="tied", **QUICK).fit(signals)
    model = AnechoicMixture(2, delays="band", band=0.02, **QUICK).fit(signals)
    apart = model.delays_ - model.centres_
    apart -= np.round(apart)
    assert np.abs(apart).max() <= 0.02 + 1e-9
    assert np.abs(apart).max() > 0.01
    assert 1.0 - model.variance_ < 0.2 * (1.0 - strict.variance_)
    new = model.transform(signals[:2]).delays - model.centres_
    assert np.abs(new - np.round(new)).max() <= 0.02 + 1e-9


def test_scale_sign_shift_and_order(tied: AnechoicMixture) -> None:
    np.testing.assert_allclose(tied.sources_.std(axis=1), 1.0)
    size = np.abs(tied.weights_).reshape(-1, 2)
    largest = size.argmax(axis=0), np.arange(2)
    assert (tied.weights_.reshape(-1, 2)[largest] > 0.0).all()
    np.testing.assert_allclose(tied.delays_.reshape(-1, 2)[largest], 0.0, atol=1e-12)
    assert (np.diff((tied.weights_**2).sum(axis=(0, 1))) <= 0.0).all()


def test_shifted_signals_have_shifted_sources_and_the_same_mixing(truth: KnownMixture, tied: AnechoicMixture) -> None:
    shifted = AnechoicMixture(2, delays="tied", **QUICK).fit(np.roll(truth.signals, 5, axis=-1))
    np.testing.assert_allclose(shifted.sources_, np.roll(tied.sources_, 5, axis=1), atol=0.02)
    np.testing.assert_allclose(shifted.weights_, tied.weights_, atol=0.02)
    mixing = tied.transform(np.roll(truth.signals, 5, axis=-1))
    assert tied.inverse_transform(mixing).shape == truth.signals.shape


def test_means_and_the_way_back(truth: KnownMixture, tied: AnechoicMixture) -> None:
    np.testing.assert_allclose(tied.means_, truth.signals.mean(axis=-1), atol=1e-9)
    made = tied.inverse_transform(Mixing(tied.means_, tied.weights_, tied.delays_))
    by_hand = tied.means_[2, 3] + sum(
        tied.weights_[2, 3, j] * tied.sources_at(np.arange(48) / 48 - tied.delays_[2, 3, j])[j] for j in range(2)
    )
    np.testing.assert_allclose(made[2, 3], by_hand, atol=1e-12)
    again = tied.transform(made)
    np.testing.assert_allclose(again.weights, tied.weights_, atol=1e-4)
    assert tied.score(made) == pytest.approx(1.0, abs=1e-6)


def test_sources_between_samples(tied: AnechoicMixture) -> None:
    np.testing.assert_allclose(tied.sources_at(np.arange(48) / 48), tied.sources_, atol=1e-12)
    np.testing.assert_allclose(tied.sources_at([1.25, 0.25])[:, 0], tied.sources_at(0.25)[:, 0], atol=1e-12)


def test_delayed_free_signals_get_their_delays() -> None:
    """A signal delayed by a share of a sample is found delayed by that share."""
    truth = make_random_mixture(1, 20, 48, 1, tied=False, noise=0.0, harmonics=6, seed=2)
    model = AnechoicMixture(1, **QUICK).fit(truth.signals)
    turned = model.window.delay_sources(model.coefficients_, np.array([[[0.1234567]]]))
    found = model.transform(3.0 + 2.0 * model.window.evaluate(turned[0, 0], model.window.times))
    assert found.delays[0, 0, 0] == pytest.approx(0.1234567, abs=1e-6)
    assert found.weights[0, 0, 0] == pytest.approx(2.0, abs=1e-4)
    assert found.means[0, 0] == pytest.approx(3.0, abs=1e-9)


def test_signals_that_are_not_periodic_are_recovered() -> None:
    truth = make_random_mixture(6, 20, 60, 2, tied=True, noise=0.01, harmonics=5, max_delay=0.2, seed=5)
    model = AnechoicMixture(2, delays="tied", periodic=False, room=0.25, harmonics=8, restarts=5).fit(truth.signals)
    assert np.abs(model.delays_).max() <= 0.25 + 1e-9
    assert model.variance_ > 0.998
    times = np.arange(60) / 60
    wanted = truth.window.evaluate(truth.sources, times)
    best = []
    for source in wanted:
        shifts = np.linspace(-0.1, 0.1, 201)
        made = [[abs(np.corrcoef(source, one)[0, 1]) for one in model.sources_at(times + s)] for s in shifts]
        best.append(np.max(made))
    assert min(best) > 0.995
    around = AnechoicMixture(2, delays="tied", restarts=1, iterations=20).fit(truth.signals)
    assert around.variance_ < model.variance_ - 0.01


def test_the_same_seed_gives_the_same_numbers() -> None:
    """Noise has no true sources: what is found depends on the random starts."""
    signals = np.random.default_rng(0).normal(size=(2, 8, 24))
    for delays in ("tied", "free"):
        one, other = (
            AnechoicMixture(2, delays=delays, restarts=2, iterations=5).fit(signals)  # type: ignore[arg-type]
            for _ in range(2)
        )
        for name in ("sources_", "delays_", "weights_"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_files_keep_every_bit(tied: AnechoicMixture, truth: KnownMixture, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(tied, path)
    back = as_model(path, AnechoicMixture)
    assert back.get_params() == tied.get_params()
    for name in ("sources_", "coefficients_", "means_", "weights_", "delays_", "history_", "centres_"):
        assert np.array_equal(getattr(back, name), getattr(tied, name)), name
    assert back.score(truth.signals) == tied.score(truth.signals)
    assert (back.converged_, back.variance_) == (tied.converged_, tied.variance_)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="truncated"):
        as_model(path, AnechoicMixture)


def test_scikit_learn_may_clone_and_cross_validate(truth: KnownMixture) -> None:
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score

    model = AnechoicMixture(2, delays="tied", restarts=1, iterations=30)
    assert clone(model).get_params() == model.get_params()
    assert cross_val_score(model, truth.signals, cv=2).min() > 0.99


def test_the_number_of_sources_is_found() -> None:
    truth = make_random_mixture(6, 14, 48, 3, tied=True, noise=0.1, harmonics=5, seed=8)
    like = AnechoicMixture(delays="tied", harmonics=6, restarts=2, iterations=8)
    groups = ["a", "a", "b", "b", "b", "a"]
    order = choose_order(truth.signals, (2, 3, 4), template=like, folds=2, groups=groups)
    assert order.chosen == 3
    assert order.scores.shape == (3, 2)
    assert order.scores[1].min() > order.scores[0].max() + 0.1
    with pytest.raises(InputError, match="folds"):
        choose_order(truth.signals, (1, 2), folds=4, groups=groups)


def test_a_constant_channel_has_no_weight(truth: KnownMixture) -> None:
    signals = truth.signals.copy()
    signals[:, 4] = 7.0
    for delays in ("free", "tied", "band"):
        model = AnechoicMixture(2, delays=delays, restarts=0, iterations=5).fit(signals)  # type: ignore[arg-type]
        assert (model.weights_[:, 4] == 0.0).all()
        np.testing.assert_allclose(model.means_[:, 4], 7.0, rtol=1e-15)
        assert np.isfinite(model.delays_).all()


@pytest.mark.parametrize("periodic", [True, False])
def test_tied_delays_outlive_a_trial_in_which_a_channel_rests(truth: KnownMixture, periodic: bool) -> None:
    signals = truth.signals.copy()
    signals[0, 4] = 7.0
    signals[:, 5] = 3.0
    model = AnechoicMixture(2, delays="tied", periodic=periodic, restarts=2, iterations=30).fit(signals)
    assert (model.weights_[0, 4] == 0.0).all()
    assert (np.ptp(model.delays_, axis=0) == 0.0).all()
    assert np.array_equal(model.centres_, model.delays_[1])
    assert (model.centres_[5] == 0.0).all()
    assert model.score(signals) == pytest.approx(model.variance_, abs=1e-5)


def test_a_few_channels_that_vary_among_many_that_do_not() -> None:
    signals = np.zeros((1, 400, 24))
    signals[0, :3] = np.random.default_rng(0).normal(size=(3, 24))
    model = AnechoicMixture(1, restarts=0, iterations=3).fit(signals)
    assert model.variance_ > 0.1
    assert (model.weights_[0, 3:] == 0.0).all()


@pytest.mark.parametrize(
    ("signals", "parameters", "words"),
    [
        (np.full((2, 5, 20), np.nan), {}, "not finite"),
        (1e200 * np.random.default_rng(0).normal(size=(2, 5, 20)), {}, "scale them"),
        (1e-200 * np.random.default_rng(0).normal(size=(2, 5, 20)), {}, "scale them"),
        (1j * np.ones((2, 5, 20)), {}, "not an array of numbers"),
        (np.ones((2, 5, 20)), {}, "0 channels that vary"),
        (np.random.default_rng(0).normal(size=(2, 3, 20)), {"n_sources": 4}, "4 sources for 3 channels"),
        (np.random.default_rng(0).normal(size=(2, 5, 7)), {}, "7 samples"),
        (np.zeros(20), {}, "shape"),
        (np.zeros((0, 5, 20)), {}, "shape"),
        ([["a", "b"]], {}, "numbers"),
        (np.random.default_rng(0).normal(size=(5, 20)), {"n_sources": 0}, "n_sources is 0"),
        (np.random.default_rng(0).normal(size=(5, 20)), {"delays": "loose"}, "'loose'"),
        (np.random.default_rng(0).normal(size=(5, 20)), {"harmonics": 10}, "10 harmonics and 20 samples"),
        (np.random.default_rng(0).normal(size=(5, 20)), {"delays": "band", "band": 0.0}, "band is 0.0"),
        (np.random.default_rng(0).normal(size=(5, 20)), {"iterations": 2.5}, "iterations is 2.5"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_a_line(
    signals: object, parameters: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        AnechoicMixture(**parameters).fit(signals)  # type: ignore[arg-type]


def test_what_was_not_learned_is_refused(tied: AnechoicMixture, truth: KnownMixture) -> None:
    with pytest.raises(InputError, match="call fit"):
        AnechoicMixture().transform(truth.signals)
    with pytest.raises(InputError, match="call fit"):
        save_model(AnechoicMixture(), "nothing.npz")
    with pytest.raises(InputError, match="call fit"):
        AnechoicMixture().sources_at(0.0)
    with pytest.raises(InputError, match="13 channels of 48 samples, expected 14 of 48"):
        tied.transform(truth.signals[:, :13])

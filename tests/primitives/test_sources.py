"""Source maps: equal to scikit-learn, accurate between samples, delays as rotations of the state."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVR

from gambol.errors import InputError
from gambol.primitives.oscillator import states_on_cycle
from gambol.primitives.sources import GAMMA, SourceMaps, fit_source_maps


@pytest.fixture(scope="module")
def waves():
    """Sources with ten harmonics, as functions of the phase."""
    rng = np.random.default_rng(0)
    order = np.arange(1, 11)
    found = (rng.normal(size=(3, 10)) + 1j * rng.normal(size=(3, 10))) / order
    return lambda phases: (found @ np.exp(1j * np.multiply.outer(order, phases))).real


@pytest.fixture(scope="module")
def maps(waves):
    return fit_source_maps(waves(2.0 * np.pi * np.arange(64) / 64))


def _states(phases):
    return np.repeat(states_on_cycle(phases)[:, None], 3, axis=1)


def test_sources_come_back_between_their_samples(waves, maps):
    phases = np.linspace(0.0, 2.0 * np.pi, 501)
    wanted = waves(phases).T
    off = np.sqrt(np.mean((maps.evaluate(_states(phases)) - wanted) ** 2, axis=0)) / wanted.std(axis=0)
    assert off.max() < 2e-3


def test_a_delay_is_a_turn_of_the_state(waves, maps):
    delays = np.array([[0.1, -0.3, 0.45], [0.0, 0.2, 1.2]])
    found = maps.evaluate_delayed(states_on_cycle(np.full(3, 0.8)), delays)
    wanted = [[waves(np.array([0.8 - 2.0 * np.pi * d]))[j, 0] for j, d in enumerate(row)] for row in delays]
    np.testing.assert_allclose(found, wanted, atol=2e-2)


def test_numbers_are_those_of_the_library(waves):
    curve = waves(2.0 * np.pi * np.arange(64) / 64)[:1]
    circle = states_on_cycle(2.0 * np.pi * np.arange(64) / 64)
    size = curve[0].std()
    theirs = SVR(kernel="rbf", gamma=GAMMA, C=1e2, epsilon=1e-3).fit(circle, curve[0] / size)
    away = np.random.default_rng(4).normal(size=(20, 2))
    np.testing.assert_allclose(
        fit_source_maps(curve).evaluate(away[:, None])[:, 0], size * theirs.predict(away), atol=1e-9
    )


def test_a_source_that_is_constant_needs_no_vectors():
    maps = fit_source_maps(np.full((1, 64), 0.7))
    assert maps.supports.shape == (0, 2)
    assert maps.evaluate(np.zeros((1, 2)))[0] == pytest.approx(0.7)


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(InputError):
        SourceMaps(np.zeros((3, 2)), np.zeros((2, 4)), np.zeros(2), 1.0)

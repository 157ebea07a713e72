"""Combination rules against the joint Jacobian in the weighted metric."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Certificate, Verdict
from gambol.contraction.combine import (
    combine_feedback,
    combine_network,
    optimise_metric_weights,
)
from gambol.errors import InputError


def _part(rate):
    verdict = Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED
    return Certificate("part", verdict, "", "everywhere", "identity", "closed form", max(rate, 0.0))


def _shrinking(random, rate, size=3):
    """A matrix whose symmetric part is at most -rate, and somewhere equal to it."""
    free = random.normal(size=(size, size))
    free = free - free.T
    base = np.linalg.qr(random.normal(size=(size, size)))[0]
    return base @ np.diag(-rate - np.array([0.0, 0.5, 2.0])) @ base.T + free


def _coupling(random, gain, size=3):
    block = random.normal(size=(size, size))
    return gain * block / np.linalg.norm(block, 2)


def _joint(blocks, weights):
    scaled = [[blocks[i][j] * weights[i] / weights[j] for j in range(len(weights))] for i in range(len(weights))]
    whole = np.block(scaled)
    return -np.linalg.eigvalsh(0.5 * (whole + whole.T))[-1]


@pytest.mark.parametrize("seed", range(20))
def test_the_joint_jacobian_is_never_slower_than_the_rule_says(seed):
    random = np.random.default_rng(seed)
    rates = random.uniform(0.5, 3.0, 3)
    gains = random.uniform(0.0, 0.6, (3, 3)) * (1.0 - np.eye(3))
    blocks = [
        [_shrinking(random, rates[i]) if i == j else _coupling(random, gains[i, j]) for j in range(3)] for i in range(3)
    ]
    rate, weights = optimise_metric_weights(rates, gains)
    assert _joint(blocks, weights) >= rate - 1e-9


def test_the_worst_couplings_reach_the_rule():
    rates, gains = np.array([1.0, 2.0]), np.array([[0.0, 3.0], [0.4, 0.0]])
    rate, weights = optimise_metric_weights(rates, gains)
    exact = 1.5 - np.sqrt(0.25 + 1.2)
    assert exact - 0.011 <= rate <= exact + 1e-9
    blocks = [[np.array([[-1.0]]), np.array([[3.0]])], [np.array([[0.4]]), np.array([[-2.0]])]]
    assert _joint(blocks, weights) == pytest.approx(rate, abs=1e-9)


def test_feedback_holds_below_and_not_above_the_small_gain():
    assert combine_feedback("loop", _part(1.0), _part(2.0), 3.0, 0.6).contracting  # 1.8 < 2
    lost = combine_feedback("loop", _part(1.0), _part(2.0), 3.0, 0.7)  # 2.1 > 2
    assert lost.verdict is Verdict.UNDECIDED
    assert "does not prove" in str(lost)


@pytest.mark.parametrize("gain", [0.1, 10.0, 1e4])
def test_a_cascade_keeps_the_slowest_rate_for_any_finite_gain(gain):
    found = combine_network("chain", [_part(1.0), _part(3.0), _part(2.0)], np.diag([gain, gain], -1))
    assert 0.98 <= found.rate <= 1.0
    assert (
        combine_network("chain", [_part(1.0), _part(3.0)], np.array([[0.0, 0.0], [np.inf, 0.0]])).verdict
        is Verdict.UNDECIDED
    )


def test_a_whole_with_a_part_that_is_not_certified_is_not_certified():
    for found in (
        combine_network("loop", [_part(1.0), _part(0.0)], np.zeros((2, 2))),
        combine_network("chain", [_part(1.0), _part(3.0)], np.array([[0.0, 0.0], [np.inf, 0.0]])),
        combine_feedback("loop", _part(1.0), _part(2.0), 3.0, 0.7),
    ):
        assert found.verdict is Verdict.UNDECIDED
        assert found.rate == 0.0


def test_side_by_side_the_slowest_counts():
    assert combine_network("both", [_part(1.0), _part(0.3)], np.zeros((2, 2))).rate == pytest.approx(0.3, rel=0.02)


def test_skew_couplings_are_free_and_only_their_mismatch_counts():
    random = np.random.default_rng(3)
    block = _coupling(random, 50.0)
    off = _coupling(random, 0.6)
    blocks = [[_shrinking(random, 1.0), block], [-block.T + off, _shrinking(random, 2.0)]]
    found = combine_feedback("swap", _part(1.0), _part(2.0), 0.3, 0.3)
    assert 0.8 < found.rate <= _joint(blocks, np.ones(2)) + 1e-9
    assert combine_feedback("swap", _part(1.0), _part(2.0), 0.0, 0.0).rate == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize("mismatch", [0.3, 0.6, 1.2, 2.0])
def test_the_worst_mismatch_of_skew_couplings_reaches_the_rule(mismatch):
    """Scalar parts with couplings g and -g + mismatch: no larger rate may be certified than that of their Jacobian."""
    for skew in (0.0, 3.0, 50.0):
        blocks = [[np.array([[-1.0]]), np.array([[skew]])], [np.array([[mismatch - skew]]), np.array([[-2.0]])]]
        exact = _joint(blocks, np.ones(2))
        found = combine_feedback("swap", _part(1.0), _part(2.0), 0.5 * mismatch, 0.5 * mismatch)
        assert exact - 0.011 <= found.rate <= exact + 1e-9


def test_gains_are_checked():
    with pytest.raises(InputError, match="square"):
        combine_network("wrong", [_part(1.0)], np.ones((2, 2)))

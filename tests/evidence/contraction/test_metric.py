"""The metric search finds a metric if one exists, and reports if none does."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Region, Scope, Verdict
from gambol_evidence.contraction.bound import certify_system
from gambol_evidence.contraction.metric import search_metric
from gambol_evidence.contraction.system import System
from tests.evidence.contraction.systems import box, linear, pendulum, van_der_pol


@pytest.mark.parametrize("seed", range(4))
def test_of_a_linear_system_the_rate_is_nearly_its_slowest_eigenvalue(seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(3, 3))
    matrix -= (np.linalg.eigvals(matrix).real.max() + 0.5) * np.eye(3)
    system = linear(matrix)
    found = search_metric("linear", system, box(system, 1.0))
    assert found.verdict is Verdict.CONTRACTING
    assert 0.4 <= found.rate <= 0.5 + 1e-9
    assert found.metric.startswith("constant, [1 ")


def test_a_pendulum_contracts_though_the_identity_does_not_show_it():
    region = box(pendulum(), 1.0)
    assert not certify_system("pendulum", pendulum(), region).contracting
    found = search_metric("pendulum", pendulum(), region)
    assert found.rate > 0.9
    # Two solutions that stay in the box come together at least so fast, in the metric up to its condition.
    states = np.array([[0.3, 0.2], [-0.2, -0.3]])
    first = np.linalg.norm(states[0] - states[1])
    system = pendulum()
    for _ in range(800):
        states = states + 5e-3 * system.rates_at(states)
    assert np.linalg.norm(states[0] - states[1]) < 10.0 * first * np.exp(-found.rate * 4.0)


def test_van_der_pol_backward_contracts_near_rest_and_forward_nowhere_near_it():
    back = System(("x", "v"), lambda x, v: (v, -(1 - x * x) * v - x))
    assert search_metric("backward", back, box(back, 0.4)).rate > 0.2
    found = search_metric("forward", van_der_pol(), box(van_der_pol(), 0.4))
    assert found.verdict is Verdict.REFUTED
    assert found.witness.scope is Scope.ALL


def test_where_no_metric_is_found_nothing_is_claimed():
    # Every Jacobian of the box is stable, but no one metric fits them all: switching between its ends may diverge.
    system = System(("x", "y"), lambda x, y, u: (y, -(1 + 8 * u) * x - 0.1 * y), inputs=("u",))
    found = search_metric("switched", system, Region.of({"x": (-1, 1), "y": (-1, 1), "u": (0.0, 1.0)}), boxes=2_000)
    assert found.verdict is Verdict.UNDECIDED
    assert found.rate == 0.0

"""Synchronisation: simulated differences shrink at least at the certified rate, and witnesses are valid."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Scope, Verdict
from gambol.contraction.graphs import all_to_all_graph, graph_from_adjacency, grid_graph, ring_graph
from gambol.errors import InputError
from gambol.primitives.crowd.certificates.phases import (
    PhaseCone,
    certify_diffusive_coupling,
    certify_frequencies,
    certify_phases,
    certify_phases_in_cone,
)
from gambol_evidence.reproduce.crowd.decay import integrate, simulate_oscillators
from tests.contraction.known_graphs import line, random_connected

GRAPHS = [all_to_all_graph(8), ring_graph(8), grid_graph(2, 4), random_connected(8, 3, seed=1)]


def _jacobian(graph, coupling, alpha, x):
    """Of the differences: the network's Jacobian without what all have in common."""
    blocks = [
        alpha * ((1 - one @ one) * np.eye(2) - 2 * np.outer(one, one)) + np.array([[0, -6.0], [6.0, 0]]) for one in x
    ]
    whole = np.zeros((2 * graph.count, 2 * graph.count))
    for n, block in enumerate(blocks):
        whole[2 * n : 2 * n + 2, 2 * n : 2 * n + 2] = block
    whole -= coupling * np.kron(graph.laplacian.toarray(), np.eye(2))
    basis = np.linalg.qr(np.eye(graph.count) - 1.0 / graph.count)[0][:, : graph.count - 1]
    project = np.kron(basis, np.eye(2)).T
    return project @ whole @ project.T


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_differences_never_shrink_slower_than_certified(graph):
    random, coupling = np.random.default_rng(0), 2.5 / graph.connectivity
    sizes = 10.0 ** random.uniform(-2.0, 0.3, (50, 1))
    starts = sizes * (random.normal(size=(50, 8)) + 1j * random.normal(size=(50, 8)))
    promised = certify_phases(graph, coupling, 1.0)
    assert promised.rate == pytest.approx(1.5)
    assert simulate_oscillators(graph, coupling, 1.0, starts, 4.0).rate >= promised.rate
    for spread in (0.3, 1.2):
        starts = np.exp(1j * random.uniform(-spread, spread, (50, 8))) * random.uniform(1.0, 1.5, (50, 1))
        assert (
            simulate_oscillators(graph, coupling, 1.0, starts, 2.0).rate
            >= certify_phases_in_cone(graph, coupling, 1.0, PhaseCone.of(spread)).rate
        )


def test_the_bound_is_that_of_the_joint_jacobian():
    graph, random = grid_graph(2, 3), np.random.default_rng(1)
    for _ in range(200):
        jacobian = _jacobian(graph, 4.0, 2.0, random.normal(size=(6, 2)) * random.uniform(0, 1.5))
        top = np.linalg.eigvalsh(0.5 * (jacobian + jacobian.T))[-1]
        assert top <= -certify_phases(graph, 4.0, 2.0).rate + 1e-9
    rest = _jacobian(graph, 4.0, 2.0, np.zeros((6, 2)))
    assert np.linalg.eigvalsh(0.5 * (rest + rest.T))[-1] == pytest.approx(-certify_phases(graph, 4.0, 2.0).rate)


def test_below_the_condition_the_state_that_is_shown_repels():
    graph = ring_graph(8)
    broken = certify_phases(graph, 1.0, 2.0)
    assert broken.verdict is Verdict.REFUTED
    assert broken.witness.scope is Scope.ALL
    values = np.linalg.eigvals(_jacobian(graph, 1.0, 2.0, broken.witness.state))
    assert values.real.max() == pytest.approx(broken.witness.growth)
    # From beside rest, along the second eigenvector, differences grow in simulation as well.
    vector = np.linalg.eigh(graph.laplacian.toarray())[1][:, 1]
    found = simulate_oscillators(graph, 1.0, 2.0, 1e-4 * vector[None].astype(complex), 1.0)
    assert found.norms[-1, 0] / found.norms[0, 0] == pytest.approx(np.exp(broken.witness.growth), rel=0.01)


def test_phases_that_nearly_agree_need_less():
    graph = ring_graph(8)
    assert not certify_phases(graph, 1.0, 2.0).contracting
    wide = np.arcsin(np.sqrt(0.9 * graph.connectivity / 2.0))
    near = certify_phases_in_cone(graph, 1.0, 2.0, PhaseCone.of(wide))
    assert near.rate == pytest.approx(0.1 * graph.connectivity)
    assert certify_phases_in_cone(graph, 1.0, 2.0, PhaseCone.of(wide + 0.1)).verdict is Verdict.UNDECIDED
    # A twisted state on the ring keeps its phases apart for ever: outside the cone nothing may be promised.
    twisted = np.exp(2j * np.pi * np.arange(8) / 8)[None] * np.sqrt(1 - graph.connectivity / 2.0)
    kept = simulate_oscillators(graph, 1.0, 2.0, twisted, 20.0)
    assert kept.norms[-1, 0] == pytest.approx(kept.norms[0, 0], rel=1e-3)
    with pytest.raises(InputError, match="pi / 2"):
        PhaseCone.of(1.6)


def test_frequencies_agree_at_exactly_their_rate():
    graph = line(6)
    vector = np.linalg.eigh(graph.laplacian.toarray())[1][:, 1]
    assert np.linalg.norm(0.7 * graph.laplacian @ vector) == pytest.approx(certify_frequencies(graph, 0.7).rate)
    apart = graph_from_adjacency("two", np.kron(np.eye(2), np.ones((2, 2)) - np.eye(2)))
    assert certify_frequencies(apart, 0.7).verdict is Verdict.REFUTED
    assert certify_phases(apart, 100.0, 1.0).verdict is Verdict.REFUTED


def test_any_dynamics_whose_expansion_is_bounded():
    assert certify_diffusive_coupling("rotors", all_to_all_graph(5), 1.0, 2.0).rate == pytest.approx(3.0)
    assert certify_diffusive_coupling("rotors", all_to_all_graph(5), 0.3, 2.0).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("graph", [ring_graph(6), grid_graph(2, 3), line(5)], ids=lambda graph: graph.name)
def test_the_cone_is_not_left_while_frequencies_still_differ(graph):
    random, coupling, gain, alpha, off = np.random.default_rng(2), 4.0, 6.0, 2.0, 0.5
    cone = PhaseCone.with_differing_frequencies(graph, gain, alpha, 0.4, off)
    assert 0.4 < cone.half_spread < 0.5 * np.pi
    assert 0.0 < cone.min_projection < np.cos(cone.half_spread)
    promised = certify_phases_in_cone(graph, coupling, alpha, cone)
    laplacian = graph.laplacian.toarray()

    def rates(_, state):
        x, paces = state
        turned = alpha * (1 - abs(x) ** 2) * x + 1j * paces * x - coupling * (laplacian @ x)
        return np.stack((turned, -gain * (laplacian @ paces)))

    for _ in range(10):
        paces = random.normal(size=graph.count)
        paces -= paces.mean()
        paces *= off / np.abs(paces).max()
        first = np.exp(1j * random.choice((-0.4, 0.4), graph.count))
        runs = np.array([state for _, state in integrate(rates, np.stack((first, paces + 0j)), 0.005, 600)])
        # Seen from the frame that turns at the mean frequency, n is 1.
        assert np.abs(np.angle(runs[:, 0])).max() <= cone.half_spread
        assert runs[:, 0].real.min() >= cone.min_projection
        apart = np.sqrt((np.abs(runs[:, 0] - runs[:, 0].mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
        fed = np.sqrt((np.abs(runs[:, 1]) ** 2).sum(axis=1))
        bound = apart[0]
        for n in range(600):
            bound += 0.005 * (-promised.rate * bound + fed[n])
            assert apart[n + 1] <= bound + 1e-3
    assert PhaseCone.with_differing_frequencies(graph, 0.1, alpha, 0.4, off).min_projection == 0.0


@pytest.mark.parametrize(
    "graph",
    [line(2), line(3), line(8), ring_graph(6), all_to_all_graph(5), grid_graph(3, 4)],
    ids=lambda graph: graph.name,
)
def test_phases_gain_no_more_than_the_cone_allows_even_without_coupling(graph):
    """Frequencies that start within an offset of their mean and agree by d omega = -h L omega: the integral of each."""
    gain, off, random = 3.0, 0.1, np.random.default_rng(5)
    allowed = PhaseCone.with_differing_frequencies(graph, gain, 1.0, 0.2, off).half_spread - 0.2
    signs = random.choice((-1.0, 1.0), (500, graph.count))
    starts = np.concatenate(
        [random.normal(size=(500, graph.count)), signs, np.sign(np.arange(graph.count) - 0.5)[None]]
    )
    starts = starts - starts.mean(axis=1, keepdims=True)
    starts = off * starts[np.ptp(starts, axis=1) > 0.0]
    starts /= np.abs(starts).max(axis=1, keepdims=True) / off
    gained = np.abs(starts @ np.linalg.pinv(graph.laplacian.toarray())).max() / gain
    assert 0.0 < gained <= allowed


def test_a_cone_that_is_begun_at_smaller_amplitudes_is_not_left_either():
    graph, random, half = ring_graph(6), np.random.default_rng(3), 0.8
    cone = PhaseCone.with_differing_frequencies(graph, 6.0, 1.0, half, 0.0, amplitude=0.7)
    assert cone.min_projection == pytest.approx(0.7 * np.cos(half))
    starts = random.uniform(0.7, 1.0, (50, 6)) * np.exp(1j * random.choice((-half, half), (50, 6)))
    laplacian = graph.laplacian.toarray()
    runs = [x for _, x in integrate(lambda _, x: (1 - abs(x) ** 2) * x - 4.0 * (x @ laplacian), starts, 0.005, 400)]
    assert min(x.real.min() for x in runs) >= cone.min_projection - 1e-12
    found = simulate_oscillators(graph, 4.0, 1.0, starts, 2.0)
    assert found.rate >= certify_phases_in_cone(graph, 4.0, 1.0, cone).rate > 0.0
    assert "amplitudes from 0.7" in certify_phases_in_cone(graph, 4.0, 1.0, cone).region

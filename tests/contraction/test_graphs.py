"""Graphs against published eigenvalues, and speed profiles against their integrals."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.graphs import Graph, all_to_all_graph, graph_from_adjacency, grid_graph, ring_graph
from gambol.errors import InputError
from gambol.primitives.crowd.profile import CONSTANT_SPEED, SpeedProfile
from tests.contraction.known_graphs import line, random_connected


@pytest.mark.parametrize(
    ("graph", "soft", "stiff"),
    [
        (all_to_all_graph(7), 7.0, 7.0),
        (ring_graph(12), 2 - 2 * np.cos(2 * np.pi / 12), 4.0),
        (line(9), 2 - 2 * np.cos(np.pi / 9), 2 + 2 * np.cos(np.pi / 9)),
        (grid_graph(6, 6), 2 - 2 * np.cos(np.pi / 6), 4 + 4 * np.cos(np.pi / 6)),
        (grid_graph(3, 5), 2 - 2 * np.cos(np.pi / 5), 4 + 2 * np.cos(np.pi / 3) + 2 * np.cos(np.pi / 5)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_eigenvalues_are_those_of_the_books(graph, soft, stiff):
    assert graph.connectivity == pytest.approx(soft, abs=1e-9)
    assert graph.connectivity <= soft + 1e-12
    assert graph.spectral_radius == pytest.approx(stiff, abs=1e-9)
    assert graph.spectral_radius >= stiff - 1e-12


def test_matrices_agree_with_edges():
    graph = random_connected(15, 8, seed=2)
    assert graph.connected
    assert len(graph.edges) == 14 + 8
    weighted = Graph("weighted", 15, graph.edges, np.linspace(0.5, 2.0, 22))
    laplacian = weighted.laplacian.toarray()
    np.testing.assert_allclose(
        weighted.incidence.T @ np.diag(weighted.weights) @ weighted.incidence.toarray(), laplacian
    )
    np.testing.assert_allclose(laplacian.sum(axis=1), 0.0, atol=1e-12)
    again = graph_from_adjacency("again", np.diag(np.diag(laplacian)) - laplacian)
    np.testing.assert_allclose(again.laplacian.toarray(), laplacian)


@pytest.mark.parametrize("count", [15, 250])
def test_sums_at_agents_are_the_transpose_of_differences_along_edges(count):
    """Both with dense products and with sparse ones."""
    graph, random = random_connected(count, 8, seed=3), np.random.default_rng(0)
    weighted = Graph("weighted", count, graph.edges, random.uniform(0.5, 2.0, len(graph.edges)))
    values, pulls = random.normal(size=(count, 2)), random.normal(size=(len(graph.edges), 2))
    first, second = weighted.edges.T
    np.testing.assert_allclose(weighted.edge_differences(values), values[first] - values[second])
    added = np.zeros((count, 2))
    np.add.at(added, first, pulls)
    np.add.at(added, second, -pulls)
    np.testing.assert_allclose(weighted.sum_at_agents(pulls), added, atol=1e-12)
    flow = weighted.sum_at_agents(weighted.weights[:, None] * weighted.edge_differences(values))
    np.testing.assert_allclose(weighted.apply_laplacian(values), flow, atol=1e-12)
    np.testing.assert_allclose(weighted.degrees, weighted.adjacency.toarray().sum(axis=0))


def test_connectivity_is_rounded_down_and_the_spectral_radius_up():
    for count in range(20, 140, 7):
        soft, stiff = 4.0 * np.sin(0.5 * np.pi / count) ** 2, 4.0 * np.cos(0.5 * np.pi / count) ** 2
        graph = line(count)
        assert soft - 1e-11 <= graph.connectivity <= soft
        assert stiff <= graph.spectral_radius <= stiff + 1e-11


@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_ring_joins_everyone_to_the_next_and_the_last_to_the_first_once(count):
    pairs = {tuple(sorted((n, (n + 1) % count))) for n in range(count)}
    edges = [tuple(edge) for edge in ring_graph(count).edges.tolist()]
    assert set(edges) == pairs
    assert len(edges) == len(pairs)


def test_a_graph_that_falls_apart_has_no_connectivity():
    two = graph_from_adjacency("two", np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    assert two.connectivity == 0.0
    assert not two.connected


def test_graphs_are_checked():
    with pytest.raises(InputError, match="symmetric"):
        graph_from_adjacency("one way", np.array([[0.0, 1.0], [0.0, 0.0]]))
    with pytest.raises(InputError, match="itself"):
        Graph("self", 2, np.array([[1, 1]]), np.ones(1))
    with pytest.raises(InputError, match="outside"):
        Graph("far", 2, np.array([[0, 2]]), np.ones(1))
    with pytest.raises(InputError, match="at least two"):
        all_to_all_graph(1)


def test_a_profile_covers_a_stride_in_a_turn_and_integrates_what_it_gives():
    profile = SpeedProfile.of(1.0 + 0.3 * np.random.default_rng(0).random(17))
    assert profile.integrate(np.array(2 * np.pi)) == pytest.approx(2 * np.pi)
    phases = np.linspace(-3.0, 20.0, 200_001)
    steps = 0.5 * (profile.at(phases)[1:] + profile.at(phases)[:-1]) * np.diff(phases)
    covered = profile.integrate(phases)
    np.testing.assert_allclose(covered - covered[0], np.concatenate(((0.0,), np.cumsum(steps))), atol=1e-6)
    values = profile.at(phases)
    assert profile.low <= values.min() + 1e-12
    assert values.max() <= profile.high + 1e-12
    assert np.abs(np.diff(values) / np.diff(phases)).max() <= profile.slope + 1e-6
    assert CONSTANT_SPEED.low == CONSTANT_SPEED.high == 1.0


def test_profiles_that_go_backward_are_refused():
    with pytest.raises(InputError, match="not above 0"):
        SpeedProfile.of(np.array([1.0, -0.5, 1.0]))
    with pytest.raises(InputError, match="mean"):
        SpeedProfile(np.array([1.0, 2.0, 1.0]))

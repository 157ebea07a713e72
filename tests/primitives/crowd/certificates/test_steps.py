"""Formation by step size: any phases, limited steps, updates once per stride; simulated against certified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.contraction.certificate import Scope, Verdict
from gambol.contraction.graphs import all_to_all_graph, graph_from_adjacency, grid_graph, ring_graph
from gambol.primitives.crowd.certificates.phases import PhaseCone, certify_phases_in_cone
from gambol.primitives.crowd.certificates.steps import (
    StepSizeDynamics,
    bound_phase_drift,
    certify_limited_steps,
    certify_step_sizes,
    certify_step_sizes_in_identity,
    certify_stride_updates,
)
from gambol.primitives.crowd.profile import SpeedProfile
from gambol_evidence.reproduce.crowd.decay import find_stride_threshold, integrate, measure_growth, simulate_formation
from tests.contraction.known_graphs import line, random_connected

PERIOD, SPEED = 1.1, 1.3
TURN = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
PROFILE = SpeedProfile.of(1.0 + 0.2 * np.sin(2.0 * TURN) + 0.05 * np.cos(TURN))
GRAPHS = [all_to_all_graph(8), ring_graph(8), line(8), grid_graph(2, 4), random_connected(8, 3, seed=1)]


def _walkers(graph):
    return StepSizeDynamics(graph, 0.7 / graph.connectivity, SPEED, PROFILE)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_with_any_phases_never_slower_than_certified(graph):
    random, walkers = np.random.default_rng(0), _walkers(graph)
    phases = random.uniform(0.0, 2.0 * np.pi, (50, 8))
    found = simulate_formation(walkers, np.inf, phases, PERIOD, random.normal(size=(50, 8)), 5.0)
    assert found.rate >= certify_step_sizes(walkers).rate > 0.0


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_any_shares_of_speed_shrink_the_laplacian_norm(graph):
    random, walkers = np.random.default_rng(1), _walkers(graph)
    laplacian = graph.laplacian.toarray()
    for _ in range(200):
        shares = np.diag(random.choice([PROFILE.low, PROFILE.high], 8))
        e = random.normal(size=8)
        change = -walkers.gain * SPEED * e @ laplacian @ shares @ laplacian @ e
        assert change <= -certify_step_sizes(walkers).rate * (e @ laplacian @ e) + 1e-9


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_headings_that_stay_aside_slow_it_by_their_cosine(graph):
    turned = replace(_walkers(graph), heading_bound=0.8)
    laplacian = graph.laplacian.toarray()
    promised = certify_step_sizes(turned)
    assert promised.rate == pytest.approx(np.cos(0.8) * certify_step_sizes(_walkers(graph)).rate)
    assert "headings within 0.8 rad" in promised.region
    # Everyone where the profile is least and turned as far as headings may be: the slowest mode is just so fast.
    pulls = -turned.gain * SPEED * PROFILE.low * np.cos(0.8) * laplacian
    assert -np.sort(np.linalg.eigvals(pulls).real)[-2] == pytest.approx(promised.rate)
    assert certify_step_sizes(replace(turned, heading_bound=1.6)).verdict is Verdict.UNDECIDED
    assert certify_limited_steps(replace(turned, heading_bound=1.6), 0.3, 1.0).verdict is Verdict.UNDECIDED
    gentle = StepSizeDynamics(graph, 1.0 / (SPEED * PERIOD * graph.spectral_radius), SPEED, PROFILE, 0.8)
    promised = certify_stride_updates(gentle, PERIOD).rate
    random, share = np.random.default_rng(7), gentle.gain * SPEED * PERIOD
    for _ in range(100):
        e = random.normal(size=graph.count)
        then = e - share * random.choice([np.cos(0.8), 1.0], graph.count) * (laplacian @ e)
        assert then @ laplacian @ then <= np.exp(-2.0 * promised * PERIOD) * (e @ laplacian @ e) + 1e-12


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
@pytest.mark.parametrize("out", [0.1, 1.0, 4.0])
def test_limited_steps_never_slower_than_certified(graph, out):
    random, walkers = np.random.default_rng(2), _walkers(graph)
    phases = np.repeat(random.uniform(0.0, 2.0 * np.pi, (30, 1)), 8, axis=1)
    starts = out * np.sign(random.normal(size=(30, 8)))
    starts = starts[np.ptp(starts, axis=1) > 0.0]
    found = simulate_formation(walkers, 0.2, phases[: len(starts)], PERIOD, starts, 6.0)
    promised = certify_limited_steps(walkers, 0.2, out)
    assert promised.contracting
    assert found.rate >= promised.rate


def test_two_crowds_with_limited_steps_never_part():
    # Semi-contraction: whatever the phases, and however far out, the norm of the difference does not grow.
    random, walkers = np.random.default_rng(3), _walkers(ring_graph(8))
    laplacian = ring_graph(8).laplacian.toarray()
    shares = random.uniform(PROFILE.low, PROFILE.high, 8)

    def rates(_, z):
        return SPEED * shares * (1.0 + np.clip(-walkers.gain * (z @ laplacian), -0.2, 0.2))

    runs = np.array([z for _, z in integrate(rates, random.normal(size=(2, 8)) * 3.0, 0.01, 500)])
    apart = runs[:, 0] - runs[:, 1]
    norms = np.einsum("ti,ij,tj->t", apart, laplacian, apart)
    assert (np.diff(norms) <= 1e-9).all()


def test_the_drift_while_phases_agree_is_bounded():
    graph, spread = ring_graph(8), 0.8
    walkers = StepSizeDynamics(graph, 0.5, SPEED, PROFILE)
    rate = certify_phases_in_cone(graph, 5.0, 1.0, PhaseCone.of(spread)).rate
    allowed = bound_phase_drift(walkers, PhaseCone.of(spread), rate)
    laplacian = graph.laplacian.toarray()
    random = np.random.default_rng(4)

    def rates(_, state):
        x, z = state[:8], state[8:].real
        shares = PROFILE.at(np.angle(x))
        turned = (1 - np.abs(x) ** 2) * x + 5.7j * x - 5.0 * (laplacian @ x)
        return np.concatenate((turned, SPEED * shares * (1 + np.clip(-0.5 * (laplacian @ z), -0.2, 0.2))))

    for _ in range(5):
        begun = np.concatenate((np.exp(1j * random.uniform(-spread, spread, 8)), np.zeros(8)))
        places = np.array([state[8:].real for _, state in integrate(rates, begun, 0.01, 600)])
        assert np.sqrt(np.einsum("ti,ij,tj->t", places, laplacian, places)).max() <= allowed


def test_the_drift_is_nearly_reached():
    # Two agents that do not turn, where the profile is steepest: only pi / 2, from chord to angle, is lost.
    profile = SpeedProfile.of(1.0 + 0.3 * np.abs(np.linspace(-1.0, 1.0, 64, endpoint=False)))
    pair, spread, coupling = line(2), 0.2, 3.0
    walkers = StepSizeDynamics(pair, 1e-6, SPEED, profile)
    laplacian = pair.laplacian.toarray()

    def rates(_, state):
        x = state[:2]
        turned = (1 - np.abs(x) ** 2) * x - coupling * (laplacian @ x)
        return np.concatenate((turned, SPEED * profile.at(np.angle(x))))

    begun = np.concatenate((1j * np.exp(1j * np.array([-spread, spread])), np.zeros(2)))
    places = [state[2:].real for _, state in integrate(rates, begun, 0.005, 600)][-1]
    cone = PhaseCone.of(spread)
    allowed = bound_phase_drift(walkers, cone, certify_phases_in_cone(pair, coupling, 1.0, cone).rate)
    assert 0.6 * allowed <= abs(places[0] - places[1]) <= allowed


@pytest.mark.parametrize("graph", [all_to_all_graph(8), ring_graph(8), grid_graph(2, 4)], ids=lambda graph: graph.name)
def test_the_gain_that_a_stride_bears_is_the_predicted_one(graph):
    found = find_stride_threshold(StepSizeDynamics(graph, 1.0, SPEED, PROFILE), PERIOD, np.zeros(8), seed=0)
    for factor, verdict in ((0.97, Verdict.CONTRACTING), (1.03, Verdict.REFUTED)):
        assert (
            certify_stride_updates(StepSizeDynamics(graph, factor * found, SPEED, PROFILE), PERIOD).verdict is verdict
        )


def test_once_a_stride_the_rate_is_exact_and_limits_slow_it():
    graph = ring_graph(8)
    walkers = StepSizeDynamics(graph, 0.2, SPEED, PROFILE)
    map_ = np.eye(8) - 0.2 * SPEED * PERIOD * graph.laplacian.toarray()
    slowest = np.sort(np.abs(np.linalg.eigvals(map_)))[-2]
    assert certify_stride_updates(walkers, PERIOD).rate == pytest.approx(-np.log(slowest) / PERIOD)
    promised = certify_stride_updates(walkers, PERIOD, limit=0.1, out_of_place=1.0)
    laplacian, random = graph.laplacian.toarray(), np.random.default_rng(5)
    e = random.choice([-1.0, 1.0], (100, 8))
    e = e[np.ptp(e, axis=1) > 0.0]
    first = np.sqrt(np.einsum("si,ij,sj->s", e, laplacian, e))
    for stride in range(1, 40):
        e = e + SPEED * PERIOD * np.clip(-0.2 * e @ laplacian, -0.1, 0.1)
        now = np.sqrt(np.maximum(np.einsum("si,ij,sj->s", e, laplacian, e), 0.0))
        assert (now <= first * np.exp(-promised.rate * stride * PERIOD) + 1e-9).all()


@pytest.mark.parametrize(("graph", "swing"), [(line(14), 0.5), (line(8), 0.6)], ids=["searched", "all corners"])
def test_the_identity_fails_on_a_sparse_graph_at_the_phases_it_shows(graph, swing):
    uneven = replace(_walkers(graph), profile=SpeedProfile.of(1.0 + swing * np.sin(TURN)))
    broken = certify_step_sizes_in_identity(uneven)
    assert broken.verdict is Verdict.REFUTED
    assert broken.witness.scope is Scope.METRIC
    product = -uneven.gain * SPEED * np.diag(broken.witness.state) @ graph.laplacian.toarray()
    basis = np.linalg.svd(np.eye(graph.count) - 1.0 / graph.count)[0][:, :-1]
    symmetric = basis.T @ (0.5 * (product + product.T)) @ basis
    assert np.linalg.eigvalsh(symmetric)[-1] == pytest.approx(broken.witness.growth)
    assert broken.witness.growth > 0.0
    assert measure_growth(uneven, broken.witness.state) == pytest.approx(broken.witness.growth, rel=0.01)
    assert measure_growth(uneven, np.ones(graph.count)) < 0.0
    assert certify_step_sizes(uneven).contracting  # The Laplacian still shows it.


def test_the_identity_suffices_where_no_corner_breaks_it():
    walkers = replace(_walkers(ring_graph(8)), profile=SpeedProfile.of(1.0 + 0.6 * np.sin(TURN)))
    found = certify_step_sizes_in_identity(walkers)
    assert found.contracting
    random, basis = np.random.default_rng(6), np.linalg.svd(np.eye(8) - 1.0 / 8)[0][:, :-1]
    for _ in range(300):
        shares = random.uniform(walkers.profile.low, walkers.profile.high, 8)
        product = basis.T @ (-walkers.gain * SPEED * np.diag(shares) @ ring_graph(8).laplacian.toarray()) @ basis
        assert np.linalg.eigvalsh(0.5 * (product + product.T))[-1] <= -found.rate
    assert certify_step_sizes_in_identity(_walkers(all_to_all_graph(14))).contracting
    assert certify_step_sizes_in_identity(_walkers(ring_graph(14))).verdict is Verdict.UNDECIDED


def test_a_graph_that_falls_apart_is_broken():
    two = graph_from_adjacency("two", np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    walkers = StepSizeDynamics(two, 0.2, SPEED, PROFILE)
    for found in (
        certify_step_sizes(walkers),
        certify_limited_steps(walkers, 0.3, 1.0),
        certify_stride_updates(walkers, PERIOD),
    ):
        assert found.verdict is Verdict.REFUTED

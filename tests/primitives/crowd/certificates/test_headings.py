"""Headings and rows: the Lyapunov function decays at least at the certified rate, for any speeds."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Region, Verdict
from gambol.contraction.graphs import all_to_all_graph, graph_from_adjacency, grid_graph, ring_graph
from gambol.primitives.crowd.certificates.headings import HeadingDynamics, certify_headings
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.profile import SpeedProfile
from gambol_evidence.contraction.bound import certify_system
from gambol_evidence.contraction.system import System
from gambol_evidence.reproduce.crowd.decay import simulate_headings
from tests.contraction.known_graphs import line

PROFILE = SpeedProfile.of(1.0 + 0.15 * np.sin(2.0 * np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)))


def test_near_its_goal_intervals_say_what_the_cosine_does():
    import casadi as ca

    found = certify_system(
        "heading", System(("angle",), lambda angle: (-3 * ca.sin(angle),)), Region.of({"angle": (-1, 1)})
    )
    assert 0.99 * 3 * np.cos(1.0) <= found.rate <= 3 * np.cos(1.0)
    assert "no solution leaves" in found.region


@pytest.mark.parametrize(
    "graph", [all_to_all_graph(5), ring_graph(8), grid_graph(2, 4), line(4)], ids=lambda graph: graph.name
)
@pytest.mark.parametrize(("out", "turned"), [(0.01, 0.01), (0.5, 0.3), (2.0, 1.0)])
def test_rows_form_at_least_as_fast_as_certified(graph, out, turned):
    random, crowd = np.random.default_rng(0), HeadingDynamics(graph, ControlGains(), 1.3, PROFILE)
    promised = certify_headings(crowd, out, turned)
    assert promised.contracting
    a, b, rate = crowd.optimise_weights(out, turned)
    assert rate == promised.rate
    ends = PROFILE.low * (1 - ControlGains().step_limit), PROFILE.high * (1 + ControlGains().step_limit)
    factors = random.choice(ends, (40, graph.count))
    starts = np.stack([size * random.choice((-1.0, 1.0), (40, graph.count)) for size in (out, turned)])
    assert simulate_headings(crowd, a, b, factors, starts, 10.0).rate >= rate


def test_the_norm_is_one():
    crowd = HeadingDynamics(ring_graph(8), ControlGains(), 1.3, PROFILE)
    a, b, _ = crowd.optimise_weights(1.0, 0.5)
    random = np.random.default_rng(1)
    places, angles = random.normal(size=(2, 8, 500)) * random.uniform(0, 3, 500)
    assert (crowd.evaluate_lyapunov(a, b, places, angles) > 0.0).all()
    assert crowd.evaluate_lyapunov(a, b, np.ones((8, 1)), np.zeros((8, 1))) == pytest.approx(0.0)


def test_too_slow_a_heading_is_not_decided():
    slow = certify_headings(
        HeadingDynamics(all_to_all_graph(12), ControlGains(heading=0.5, reach=0.1), 1.3, PROFILE), 0.1, 0.3
    )
    assert slow.verdict is Verdict.UNDECIDED
    assert "does not prove" in str(slow)


def test_what_faces_away_is_told():
    crowd = HeadingDynamics(ring_graph(8), ControlGains(), 1.3, PROFILE)
    assert certify_headings(crowd, 1.0, 3.5).verdict is Verdict.REFUTED
    assert certify_headings(crowd, 1.0, 3.0).verdict is Verdict.UNDECIDED
    apart = graph_from_adjacency("two", np.kron(np.eye(2), np.ones((2, 2)) - np.eye(2)))
    assert certify_headings(HeadingDynamics(apart, ControlGains(), 1.3, PROFILE), 1.0, 0.5).verdict is Verdict.UNDECIDED

"""The whole crowd: default gains are certified, violated conditions are named, simulations agree."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.certificate import Verdict
from gambol.contraction.graphs import all_to_all_graph, graph_from_adjacency, grid_graph
from gambol.errors import InputError
from gambol.primitives.crowd.certificates.march import StartBounds, certify_crowd
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.profile import SpeedProfile
from gambol_evidence.reproduce.crowd.decay import integrate

PROFILE = SpeedProfile.of(1.0 + 0.15 * np.sin(2.0 * np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)))
GRID = grid_graph(6, 6)


def _crowd(control=ControlGains(), graph=GRID, starts=StartBounds()):
    return certify_crowd(control, graph, PROFILE, 1.3, 1.1, starts)


def test_the_gains_that_come_along_are_certified_for_36_in_a_grid():
    whole = _crowd()
    assert whole.verdict is Verdict.CONTRACTING
    assert whole.rate <= min(level.rate for level in whole.parts)
    assert whole.rate >= 0.98 * min(level.rate for level in whole.parts)
    told = list(whole.lines())
    assert len(told) == 8
    assert all("contracting, rate at least" in line for line in told)


@pytest.mark.parametrize(
    ("control", "graph", "verdict", "said"),
    [
        (ControlGains(stride_updates=True), GRID, Verdict.REFUTED, "overshoots"),
        (ControlGains(heading=0.3), GRID, Verdict.UNDECIDED, "headings and rows not certified"),
        (ControlGains(), all_to_all_graph(36), Verdict.UNDECIDED, "headings and rows, step sizes not certified"),
        (
            ControlGains(),
            graph_from_adjacency("two", np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))),
            Verdict.REFUTED,
            "two groups",
        ),
    ],
    ids=["once per stride", "slow headings", "stiff graph", "two groups"],
)
def test_what_is_violated_is_told(control, graph, verdict, said):
    whole = _crowd(control, graph)
    assert whole.verdict is verdict
    assert whole.rate == 0.0
    assert said in str(whole)


def test_a_weak_coupling_is_certified_only_for_phases_that_nearly_agree():
    control = ControlGains(coupling=1.0)
    assert _crowd(control).verdict is Verdict.UNDECIDED
    lost = _crowd(control, starts=StartBounds(half_spread=np.pi))
    assert lost.verdict is Verdict.UNDECIDED
    assert "from starts within" in lost.region
    weak = _crowd(control, starts=StartBounds(half_spread=0.2, frequency_offset=0.02))
    assert weak.contracting
    level = weak.parts[1]
    assert "within 0.2 rad" in level.region
    assert level.parts[0].verdict is Verdict.REFUTED


def test_the_region_names_all_starts():
    assert (
        "1 m, 0.5 rad of heading, 0.1 rad/s of step frequency, 0.8 rad of gait phase"
        in _crowd(starts=StartBounds(half_spread=0.8)).region
    )


@pytest.mark.parametrize(
    "starts", [StartBounds(frequency_offset=2.0), StartBounds(half_spread=np.pi), StartBounds(half_spread=1.5)]
)
def test_phases_too_far_apart_are_certified_from_when_they_are_near(starts):
    wide = _crowd(starts=starts)
    assert wide.contracting
    assert "phases are within 0.5 rad, frequencies within 0.1 rad/s, amplitudes at least 0.9" in wide.region
    assert wide.parts[1].parts[0].contracting  # Gait phases, everywhere.
    assert "certified from when" not in _crowd().region


def test_paces_that_agree_too_slowly_for_any_cone_leave_a_coupling_without_a_bound():
    slow = _crowd(ControlGains(frequency=0.1))
    assert all(level.contracting for level in slow.parts)
    assert slow.verdict is Verdict.UNDECIDED
    assert "a coupling is not bounded" in str(slow)
    assert slow.parts[3].parts[0].verdict is Verdict.UNDECIDED


def test_the_step_rate_near_the_formation_allows_for_headings():
    steps = _crowd().parts[3]
    widest = ControlGains().max_desired_heading(GRID)
    assert steps.rate == pytest.approx(0.5 * 1.3 * PROFILE.low * np.cos(widest) * GRID.connectivity)
    assert "headings within 0.45 rad" in steps.region


def test_slow_strides_are_certified():
    whole = _crowd(ControlGains(stride_updates=True, step=0.1))
    assert whole.contracting
    assert "once per stride" in whole.parts[3].name


def test_a_simulated_crowd_comes_to_its_formation():
    control, graph, random = ControlGains(), grid_graph(3, 3), np.random.default_rng(0)
    assert _crowd(control, graph).contracting
    laplacian = graph.laplacian.toarray()

    def rates(_, state):
        omega, real, imaginary, z, y, phi = state
        x = real + 1j * imaginary
        turned = control.relaxation * (1 - abs(x) ** 2) * x + 1j * omega * x - control.coupling * (laplacian @ x)
        speed = 1.3 * PROFILE.at(np.angle(x)) * (1 + control.step_size(graph, z))
        heading = -control.heading * np.sin(phi - control.desired_heading(graph, y))
        return np.stack(
            (
                -control.frequency * (laplacian @ omega),
                turned.real,
                turned.imag,
                speed * np.cos(phi),
                speed * np.sin(phi),
                heading,
            )
        )

    x = np.exp(1j * random.uniform(-0.5, 0.5, 9))
    begun = np.stack(
        (
            random.uniform(5.9, 6.1, 9),
            x.real,
            x.imag,
            random.uniform(-1.0, 1.0, 9),
            random.uniform(-1.0, 1.0, 9),
            random.uniform(-0.5, 0.5, 9),
        )
    )
    spreads = np.array([np.ptp(state, axis=1) for _, state in integrate(rates, begun, 0.04, 1500)])
    assert (spreads[-1] < (1e-9, 1e-6, 1e-6, 1e-3, 0.02, 0.01)).all()


def test_starts_are_checked():
    with pytest.raises(InputError, match="within pi"):
        StartBounds(half_spread=4.0)

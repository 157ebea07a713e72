"""Control laws: signs, limits, and invalid gains."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contraction.graphs import grid_graph
from gambol.errors import InputError
from gambol.primitives.crowd.control import ControlGains


def test_who_is_ahead_steps_shorter_and_who_is_left_turns_right():
    control = ControlGains()
    out = np.array([0.1, 0.0, 0.0])
    step = control.step_size(grid_graph(3, 1), out)
    assert step[0] < 0.0 < step[1]
    assert step[0] == pytest.approx(-0.1 * control.step)
    wanted = control.desired_heading(grid_graph(3, 1), out)
    assert wanted[0] < 0.0 < wanted[1]
    assert wanted[0] == pytest.approx(-0.1 * control.lateral, rel=0.01)


def test_limits_are_kept_however_far_out():
    control, graph, random = ControlGains(), grid_graph(4, 4), np.random.default_rng(0)
    places = 100.0 * random.normal(size=(16, 50))
    assert np.abs(control.step_size(graph, places)).max() == control.step_limit
    widest = control.max_desired_heading(graph)
    assert 0.8 * widest < np.abs(control.desired_heading(graph, places)).max() <= widest + 1e-12


def test_a_formation_asks_for_nothing():
    control, graph = ControlGains(), grid_graph(3, 3)
    np.testing.assert_allclose(control.step_size(graph, np.full(9, 7.0)), 0.0, atol=1e-12)
    np.testing.assert_allclose(control.desired_heading(graph, np.full(9, 7.0)), 0.0, atol=1e-12)


@pytest.mark.parametrize("gains", [{"coupling": 0.0}, {"step": -1.0}, {"heading": np.nan}, {"step_limit": 1.0}])
def test_gains_are_checked(gains):
    with pytest.raises(InputError):
        ControlGains(**gains)

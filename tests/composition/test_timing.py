"""Times that are found: slopes of the least cost, and a warp under which everything still holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.composition.blocks import BlockProblem, Cast, SolvedBlock, solve_problem
from gambol.composition.cast import make_cast
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.timing import _find_slopes, find_timing, make_warp

RUN_UP = Composition("run", (Person("anna", (Action("walk", steps=2), Action("run", steps=2))),))


@pytest.fixture(scope="module")
def cast() -> Cast:
    return make_cast(RUN_UP)[0]


def test_a_warp_runs_forward_and_begins_as_the_draft() -> None:
    warp = make_warp(61, 1.0 / 30.0)
    np.testing.assert_allclose(warp.step_times, 1.0 / 30.0)
    assert warp.cost == 0.0
    wild = warp.with_coefficients(np.random.default_rng(0).normal(size=len(warp.coefficients)))
    assert (wild.step_times > 0.0).all()
    small = 1e-6
    for number, one in enumerate(np.eye(len(wild.coefficients))):
        costs = [replace(wild, coefficients=wild.coefficients + s * small * one).cost for s in (1.0, -1.0)]
        assert wild.cost_slopes[number] == pytest.approx((costs[0] - costs[1]) / (2.0 * small), rel=1e-5, abs=1e-7)


def test_slopes_are_those_of_solved_motions(cast: Cast) -> None:
    """Against two solves at other times, along one direction."""
    warp, made = make_warp(cast.frames, cast.frame_time), BlockProblem(cast, cast.draft(), cast.whole)
    found = solve_problem(made, barrier=1e-8)
    way = np.linspace(-1.0, 1.0, len(warp.coefficients))
    predicted = _find_slopes(made, found, warp) @ way
    costs = []
    for sign in (1.0, -1.0):
        moved = warp.with_coefficients(sign * 0.01 * way)
        take = replace(found.take, step_times=moved.step_times)
        there = solve_problem(BlockProblem(cast, take, cast.whole), found.solution.state, barrier=1e-8)
        assert there.solution.converged
        costs.append(there.objective + moved.cost)
    assert predicted == pytest.approx((costs[0] - costs[1]) / 0.02, rel=0.05)


def test_found_times_cost_less_and_laws_hold_at_them(cast: Cast) -> None:
    log: list[SolvedBlock] = []
    take = find_timing(cast, cast.draft(), cast.whole, 2, log.append)
    costs = [one.objective for one in log]
    assert len(costs) >= 2
    assert costs[-1] < 0.95 * costs[0]
    assert (take.step_times > 0.0).all()
    assert np.ptp(take.step_times) > 0.01 * cast.frame_time
    assert max(log[-1].solution.residuals.values()) < 1e-6
    flight = cast.roles["anna"].draft.contacts.flight
    heights = BlockProblem(cast, take, cast.whole).spaces["anna"].dynamics.center_of_mass(take.tracks["anna"].q)[:, 2]
    steps = take.step_times
    rates = np.diff(heights) / steps
    falls = np.diff(rates) / (0.5 * (steps[1:] + steps[:-1]))
    inner = np.flatnonzero(flight[1:-1])
    np.testing.assert_allclose(falls[inner], -9.81, atol=0.02)

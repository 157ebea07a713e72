"""Find when things happen: a time warp that all coordinates and constraints of a scene share (L05 section 6.3.1).

Poses, contacts and conditions stay at their frames; the warp says how long every step between frames lasts. What holds
at a frame still holds when its time changes: a constraint at t_c is active when the warp shows t_c, as in figure 6.3,
which is the inverse of the printed F(t_c). Steps are the draft's times the exponential of a cubic B-spline, so that
time always runs forward (eq. 6.1). The derivative of the least cost of the motion by the coefficients is that of its
Lagrangian (the envelope theorem): a few evaluations, and no solve, for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gambol.composition.blocks import Block, BlockProblem, Cast, SolvedBlock, Take, solve_problem
from gambol.geometry.arrays import Array
from gambol.solve.evaluate import evaluate_lagrangian
from gambol.terms.splines import spline_basis

_KNOT_SECONDS = 0.5
"""Seconds between the knots of the warp."""
_RATE_COST, _BEND_COST = 2.0, 0.5
"""Costs per second of squared logarithms of the rate, and of their squared change over a knot."""
_SMALL = 1e-5
"""Step of finite differences of the Lagrangian."""
_LARGEST = 0.35
"""Largest logarithm of a rate: 1.4 times as fast or as slow."""
_STEP = 0.1
"""Largest change of a coefficient in one round."""
_GAIN = 1e-3
"""Share of the cost below which a round ends the search."""


@dataclass(frozen=True, eq=False)
class Warp:
    """A monotonic map from the frames of a draft to times."""

    frame_time: float
    basis: Array
    """(frames - 1, coefficients) cubic B-splines on the steps."""
    coefficients: Array
    """Logarithms of how much longer steps last than in the draft."""

    @property
    def step_times(self) -> Array:
        """(frames - 1,) seconds"""
        return self.frame_time * np.exp(self.basis @ self.coefficients)

    @property
    def cost(self) -> float:
        """What it costs to leave the times of the draft."""
        seconds = self.frame_time * len(self.basis)
        rate = float(np.mean(self.coefficients**2)) * seconds
        return _RATE_COST * rate + _BEND_COST * float(np.sum(np.diff(self.coefficients) ** 2))

    @property
    def cost_slopes(self) -> Array:
        """(coefficients,)"""
        values = self.coefficients
        seconds, change = self.frame_time * len(self.basis), np.diff(values)
        slopes = 2.0 * _RATE_COST * seconds / len(values) * values
        slopes[1:] += 2.0 * _BEND_COST * change
        slopes[:-1] -= 2.0 * _BEND_COST * change
        return np.asarray(slopes)

    def with_coefficients(self, values: Array) -> Warp:
        """Return another warp on the same frames."""
        return replace(self, coefficients=np.clip(values, -_LARGEST, _LARGEST))


def make_warp(frames: int, frame_time: float) -> Warp:
    """Return the warp that changes nothing."""
    gaps = max(1, round((frames - 1) * frame_time / _KNOT_SECONDS))
    inner = np.linspace(0.0, 1.0, gaps + 1)
    knots = np.concatenate((np.zeros(3), inner, np.ones(3)))
    return Warp(frame_time, spline_basis(knots, np.linspace(0.0, 1.0, frames - 1)), np.zeros(gaps + 3))


def find_timing(
    cast: Cast, take: Take, block: Block, rounds: int, solved: Callable[[SolvedBlock], None] | None = None
) -> Take:
    """Return the state with the times of least cost, and the motion at these times.

    The whole motion is solved again after every change of times, from the solution before; times change along the
    negative gradient, scaled by what changes of the gradient show (BFGS). Only changes that lower the cost are kept.
    """
    warp = make_warp(cast.frames, cast.frame_time)
    made = BlockProblem(cast, take, block)
    best = solve_problem(made)
    cost = best.objective
    if solved is not None:
        solved(best)
    inverse: Array = np.eye(len(warp.coefficients)) / (2.0 * _RATE_COST)
    gradient = _find_slopes(made, best, warp)
    for _ in range(rounds):
        way = -inverse @ gradient
        way *= min(1.0, _STEP / max(float(np.abs(way).max()), 1e-12))
        tried = warp.with_coefficients(warp.coefficients + way)
        next_take = replace(best.take, step_times=tried.step_times)
        next_made = BlockProblem(cast, next_take, block)
        found = solve_problem(next_made, best.solution.state)
        if not found.solution.converged or found.objective + tried.cost >= cost:
            inverse *= 0.25
            continue
        gained = cost - found.objective - tried.cost
        slopes = _find_slopes(next_made, found, tried)
        inverse = _update(inverse, tried.coefficients - warp.coefficients, slopes - gradient)
        warp, best, cost, gradient, made = tried, found, found.objective + tried.cost, slopes, next_made
        if solved is not None:
            solved(best)
        if gained < _GAIN * abs(cost):
            break
    return best.take


def _find_slopes(made: BlockProblem, found: SolvedBlock, warp: Warp) -> Array:
    """Return derivatives (coefficients,) of the least cost, that of the warp included."""
    state = found.solution.state

    def evaluate(at: Array) -> float:
        moved = replace(warp, coefficients=at)
        problem = BlockProblem(made.cast, replace(made.take, step_times=moved.step_times), made.block)
        return evaluate_lagrangian(problem.problem, state.x, state.constraints) - problem.baseline

    here = evaluate(warp.coefficients)
    steps = _SMALL * np.eye(len(warp.coefficients))
    slopes = np.array([(evaluate(warp.coefficients + step) - here) / _SMALL for step in steps])
    return np.asarray(slopes + warp.cost_slopes)


def _update(inverse: Array, moved: Array, bent: Array) -> Array:
    """Return the inverse Hessian after a step (BFGS); unchanged where the cost did not bend upward."""
    along = float(moved @ bent)
    if along <= 1e-10:
        return inverse
    left = np.eye(len(moved)) - np.outer(moved, bent) / along
    return np.asarray(left @ inverse @ left.T + np.outer(moved, moved) / along)

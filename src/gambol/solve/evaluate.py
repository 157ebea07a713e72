"""Evaluate cost and constraints of a problem at one point, without building functions for a solver."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.solve.assemble import to_columns
from gambol.solve.problem import Problem, join_triplets


def evaluate_problem(problem: Problem, x: Array) -> tuple[float, Array]:
    """Return the cost of variables x and the values of the constraints (constraints,)."""
    entries, targets, weights, _ = problem.square_terms()
    squares = np.bincount(entries.rows, entries.values * x[entries.columns], minlength=len(targets)) - targets
    cost = float(weights @ squares**2)
    linear = join_triplets(problem.entries)
    values: Array = np.zeros(problem.constraint_count)
    np.add.at(values, linear.rows, linear.values * x[linear.columns])
    for use in problem.uses:
        inputs = use.compute_inputs(x)
        outputs, own = use.kernel.value.map(len(inputs))(to_columns(inputs), to_columns(use.parameters))
        flat = np.array(outputs).T.ravel()
        cost += float(np.sum(np.array(own))) if use.kernel.has_cost else 0.0
        if use.entries:
            chosen = join_triplets(use.entries)
            np.add.at(values, chosen.rows, chosen.values * flat[chosen.columns])
    return cost, values


def evaluate_lagrangian(problem: Problem, x: Array, multipliers: Array) -> float:
    """Return the cost plus multipliers (constraints,) times what constraints exceed their bounds by.

    At a solution, its derivative by a number in the problem is that of the least cost (the envelope theorem).
    """
    cost, values = evaluate_problem(problem, x)
    low, high = problem.constraint_bounds
    bounds = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, values))
    return cost + float(multipliers @ (values - bounds))

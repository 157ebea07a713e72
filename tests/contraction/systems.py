"""Systems with known contraction rates, and graphs for tests."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gambol.contraction.certificate import Region
from gambol.contraction.graphs import Graph, grid_graph
from gambol.contraction.system import System

ALPHA = 2.0


def hopf() -> System:
    """Its symmetric Jacobian has the eigenvalues alpha (1 - r^2) and alpha (1 - 3 r^2)."""
    return System(
        ("x", "y"),
        lambda x, y: (ALPHA * (1 - x * x - y * y) * x - 6 * y, ALPHA * (1 - x * x - y * y) * y + 6 * x),
    )


def linear(matrix: np.ndarray) -> System:
    names = tuple(f"x{n}" for n in range(len(matrix)))
    return System(names, lambda *x: [sum(float(a) * b for a, b in zip(row, x, strict=True)) for row in matrix])


def pendulum() -> System:
    return System(("angle", "speed"), lambda angle, speed: (speed, -4 * ca.sin(angle) - 3 * speed))


def van_der_pol() -> System:
    return System(("x", "v"), lambda x, v: (v, (1 - x * x) * v - x))


def box(system: System, half: float) -> Region:
    return Region.of(dict.fromkeys(system.names, (-half, half)))


def line(count: int) -> Graph:
    """One behind another: lambda_2 = 2 - 2 cos(pi / count)."""
    return grid_graph(count, 1)


def random_connected(count: int, extra: int, seed: int) -> Graph:
    """A random tree and `extra` further edges."""
    random = np.random.default_rng(seed)
    order = random.permutation(count)
    tree = {tuple(sorted((int(order[n]), int(order[random.integers(n)])))) for n in range(1, count)}
    others = [(a, b) for a in range(count) for b in range(a + 1, count) if (a, b) not in tree]
    more = random.permutation(len(others))[:extra]
    edges = np.array(sorted(tree) + [others[n] for n in more])
    return Graph("random", count, edges, np.ones(len(edges)))

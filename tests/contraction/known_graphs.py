"""Graphs for tests: a line, and random ones."""

from __future__ import annotations

import numpy as np

from gambol.contraction.graphs import Graph, grid_graph


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

"""Undirected weighted graphs of interacting agents, and the Laplacian eigenvalues that rates depend on.

lambda_2, the second smallest (M. Fiedler's algebraic connectivity), determines how fast a network reaches consensus;
lambda_N is the largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields

_DENSE = 3_000
"""Most agents for which eigenvalues are computed (6 s, 72 MB), all of them: a bound needs a certain lambda_2."""

_FEW = 200
"""Agents up to which dense products are faster than sparse ones."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Agents 0 ... count - 1 and the undirected edges between them."""

    __repr__ = summarise_fields

    name: str
    count: int
    edges: NDArray[np.integer]
    """(edges, 2), each pair once."""
    weights: Array
    """(edges,) above 0."""

    def __post_init__(self) -> None:
        if self.count < 2:
            raise InputError(f"a graph of {self.count} agents", fix="use at least two")
        if self.edges.ndim != 2 or self.edges.shape[1:] != (2,) or self.weights.shape != (len(self.edges),):
            raise InputError(
                f"edges {self.edges.shape} with weights {self.weights.shape}", fix="give (edges, 2) and (edges,)"
            )
        if len(self.edges) and (self.edges.min() < 0 or self.edges.max() >= self.count):
            raise InputError(f"an edge names an agent outside 0 to {self.count - 1}")
        if (self.edges[:, 0] == self.edges[:, 1]).any() or not (self.weights > 0.0).all():
            raise InputError("an edge joins an agent to itself, or a weight is not above 0")

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """(count, count), symmetric."""
        first, second = self.edges.T
        rows, columns = np.concatenate((first, second)), np.concatenate((second, first))
        values = np.concatenate((self.weights, self.weights))
        return sparse.csr_array((values, (rows, columns)), shape=(self.count, self.count))

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """(edges, count): 1 at the first agent of an edge, -1 at its second."""
        rows = np.repeat(np.arange(len(self.edges)), 2)
        values = np.tile((1.0, -1.0), len(self.edges))
        return sparse.csr_array((values, (rows, self.edges.ravel())), shape=(len(self.edges), self.count))

    @cached_property
    def degrees(self) -> Array:
        """(count,) sum of the edge weights at each agent."""
        return np.asarray(self.adjacency.sum(axis=1)).reshape(-1)

    @cached_property
    def laplacian(self) -> sparse.csr_array:
        """(count, count) degrees on the diagonal minus the adjacency."""
        return sparse.csr_array(sparse.diags_array(self.degrees) - self.adjacency)

    def apply_laplacian(self, values: Array) -> Array:
        """Return L times values (count, ...): the sum of differences from the neighbours."""
        return np.asarray(self._quick[0] @ values)

    def edge_differences(self, values: Array) -> Array:
        """Return (edges, ...) value of the first agent minus value of the second."""
        return np.asarray(self._quick[1] @ values)

    def sum_at_agents(self, pulls: Array) -> Array:
        """Return (count, ...) sums of edge values (edges, ...), added at the first agent and subtracted at the
        second."""
        return np.asarray(self._quick[1].T @ pulls)

    @cached_property
    def _quick(self) -> tuple[Any, Any]:
        """Laplacian and incidence matrix; dense for few agents."""
        if self.count > _FEW:
            return self.laplacian, self.incidence
        return self.laplacian.toarray(), self.incidence.toarray()

    @cached_property
    def eigenvalues(self) -> Array:
        """(count,) eigenvalues of the Laplacian, ascending."""
        if self.count > _DENSE:
            raise InputError(f"the graph has {self.count} agents", fix=f"certify at most {_DENSE} agents")
        return np.asarray(np.linalg.eigvalsh(self.laplacian.toarray()))

    @property
    def connectivity(self) -> float:
        """lambda_2, rounded down by the error of the eigenvalues; 0 if the graph is not connected."""
        return max(float(self.eigenvalues[1]) - self._rounding, 0.0)

    @property
    def spectral_radius(self) -> float:
        """lambda_N, rounded up."""
        return float(self.eigenvalues[-1]) + self._rounding

    @property
    def connected(self) -> bool:
        """Whether every agent is reachable from every other."""
        return int(sparse.csgraph.connected_components(self.adjacency, directed=False)[0]) == 1

    @property
    def _rounding(self) -> float:
        return 4.0 * self.count * np.finfo(float).eps * float(self.eigenvalues[-1])


def graph_from_adjacency(name: str, adjacency: Array) -> Graph:
    """Make a graph from a symmetric matrix of weights (count, count); 0 is no edge."""
    matrix = np.asarray(adjacency, float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, matrix.T):
        raise InputError("the adjacency is not square and symmetric", fix="give equal weights in both directions")
    edges = np.argwhere(np.triu(matrix, 1))
    return Graph(name, len(matrix), edges, matrix[edges[:, 0], edges[:, 1]])


def all_to_all_graph(count: int) -> Graph:
    """Make the complete graph: lambda_2 = lambda_N = count."""
    return _unweighted("all to all", count, np.array(np.triu_indices(count, 1)).T)


def ring_graph(count: int) -> Graph:
    """Make a ring, two neighbours each: lambda_2 = 2 - 2 cos(2 pi / count)."""
    each = np.arange(count)
    pairs = np.unique(np.sort(np.stack((each, (each + 1) % count), axis=1), axis=1), axis=0)
    return _unweighted("ring", count, pairs)


def grid_graph(rows: int, columns: int) -> Graph:
    """Make a grid with edges to the next in front, behind, left and right; agents are numbered row by row."""
    at = np.arange(rows * columns).reshape(rows, columns)
    beside = np.stack((at[:, :-1].ravel(), at[:, 1:].ravel()), axis=1)
    behind = np.stack((at[:-1].ravel(), at[1:].ravel()), axis=1)
    return _unweighted(f"grid {rows} x {columns}", rows * columns, np.concatenate((beside, behind)))


def _unweighted(name: str, count: int, edges: NDArray[np.integer]) -> Graph:
    return Graph(name, count, edges.reshape(-1, 2), np.ones(len(edges)))

"""Who acts on whom: undirected graphs with weights, and the eigenvalues of their Laplacians that rates depend on.

lambda_2, the second smallest (M. Fiedler's algebraic connectivity), says how fast a network agrees; lambda_N, the
largest, how stiff it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gambol.errors import InputError
from gambol.geometry.arrays import Array

_DENSE = 3_000
"""Agents up to which all eigenvalues are computed (6 s, 72 MB); a bound needs the second smallest for certain."""

_FEW = 200
"""Agents up to which products with whole matrices are faster than with sparse ones."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Agents 0 ... count - 1 and who acts on whom, both ways alike."""

    name: str
    count: int
    edges: NDArray[np.integer]
    """(edges, 2), each pair once."""
    weights: Array
    """(edges,) above 0."""

    def __post_init__(self) -> None:
        if self.count < 2:
            raise InputError(f"a graph of {self.count} agents", fix="two agents or more")
        if self.edges.ndim != 2 or self.edges.shape[1:] != (2,) or self.weights.shape != (len(self.edges),):
            raise InputError(
                f"edges {self.edges.shape} with weights {self.weights.shape}", fix="(edges, 2) and (edges,)"
            )
        if len(self.edges) and (self.edges.min() < 0 or self.edges.max() >= self.count):
            raise InputError(f"an edge to an agent outside 0 to {self.count - 1}")
        if (self.edges[:, 0] == self.edges[:, 1]).any() or not (self.weights > 0.0).all():
            raise InputError("an edge from an agent to itself, or a weight that is not above 0")

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """(count, count), symmetric."""
        first, second = self.edges.T
        rows, columns = np.concatenate((first, second)), np.concatenate((second, first))
        values = np.concatenate((self.weights, self.weights))
        return sparse.csr_array((values, (rows, columns)), shape=(self.count, self.count))

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """(edges, count): 1 at an edge's first agent, -1 at its second; its product with places gives differences."""
        rows = np.repeat(np.arange(len(self.edges)), 2)
        values = np.tile((1.0, -1.0), len(self.edges))
        return sparse.csr_array((values, (rows, self.edges.ravel())), shape=(len(self.edges), self.count))

    @cached_property
    def degrees(self) -> Array:
        """(count,) sums of the weights at each agent."""
        return np.asarray(self.adjacency.sum(axis=1)).reshape(-1)

    @cached_property
    def laplacian(self) -> sparse.csr_array:
        """(count, count): degrees on the diagonal, less the adjacency."""
        return sparse.csr_array(sparse.diags_array(self.degrees) - self.adjacency)

    def apply_laplacian(self, values: Array) -> Array:
        """L values (count, ...): how far everyone's value exceeds the neighbours', summed."""
        return np.asarray(self._quick[0] @ values)

    def edge_differences(self, values: Array) -> Array:
        """(edges, ...) by which an edge's first agent exceeds its second."""
        return np.asarray(self._quick[1] @ values)

    def sum_at_agents(self, pulls: Array) -> Array:
        """(count, ...) sums of what edges (edges, ...) pull at their first agent with, and push at their second."""
        return np.asarray(self._quick[1].T @ pulls)

    @cached_property
    def _quick(self) -> tuple[Any, Any]:
        """Laplacian and incidence; dense where few agents make that faster."""
        if self.count > _FEW:
            return self.laplacian, self.incidence
        return self.laplacian.toarray(), self.incidence.toarray()

    @cached_property
    def eigenvalues(self) -> Array:
        """(count,) of the Laplacian, rising."""
        if self.count > _DENSE:
            raise InputError(f"eigenvalues of a graph of {self.count} agents", fix=f"certify at most {_DENSE} agents")
        return np.asarray(np.linalg.eigvalsh(self.laplacian.toarray()))

    @property
    def connectivity(self) -> float:
        """lambda_2, rounded down by what the eigenvalues may be off; 0 where the graph falls apart."""
        return max(float(self.eigenvalues[1]) - self._off, 0.0)

    @property
    def spectral_radius(self) -> float:
        """lambda_N, rounded up."""
        return float(self.eigenvalues[-1]) + self._off

    @property
    def connected(self) -> bool:
        """Whether everyone is reached."""
        return int(sparse.csgraph.connected_components(self.adjacency, directed=False)[0]) == 1

    @property
    def _off(self) -> float:
        return 4.0 * self.count * np.finfo(float).eps * float(self.eigenvalues[-1])


def graph_from_adjacency(name: str, adjacency: Array) -> Graph:
    """From a symmetric matrix of weights (count, count); 0 is no edge."""
    matrix = np.asarray(adjacency, float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, matrix.T):
        raise InputError("an adjacency that is not square and symmetric", fix="who acts on whom both ways alike")
    edges = np.argwhere(np.triu(matrix, 1))
    return Graph(name, len(matrix), edges, matrix[edges[:, 0], edges[:, 1]])


def all_to_all_graph(count: int) -> Graph:
    """Everyone with everyone: lambda_2 = lambda_N = count."""
    return _unweighted("all to all", count, np.array(np.triu_indices(count, 1)).T)


def ring_graph(count: int) -> Graph:
    """Everyone with two neighbours: lambda_2 = 2 - 2 cos(2 pi / count)."""
    each = np.arange(count)
    pairs = np.unique(np.sort(np.stack((each, (each + 1) % count), axis=1), axis=1), axis=0)
    return _unweighted("ring", count, pairs)


def grid_graph(rows: int, columns: int) -> Graph:
    """Rows and columns, everyone with the next in front, behind, left and right; agents row by row."""
    at = np.arange(rows * columns).reshape(rows, columns)
    beside = np.stack((at[:, :-1].ravel(), at[:, 1:].ravel()), axis=1)
    behind = np.stack((at[:-1].ravel(), at[1:].ravel()), axis=1)
    return _unweighted(f"grid {rows} x {columns}", rows * columns, np.concatenate((beside, behind)))


def _unweighted(name: str, count: int, edges: NDArray[np.integer]) -> Graph:
    return Graph(name, count, edges.reshape(-1, 2), np.ones(len(edges)))

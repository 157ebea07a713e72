"""A nonlinear problem put together from named pieces, without code of its own:

    minimise  sum of squares + sum of kernel costs    subject to    lower <= A x + rows of kernels <= upper

All that is nonlinear sits in kernels (`solve.kernel`), functions of a few numbers that are evaluated at many frames.
What varies from problem to problem (which rows hold when, targets, weights, linear dynamics) is sparse matrices: a new
problem costs no code generation and no derivative graph. Nothing here knows a skeleton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel

Index = NDArray[np.intp]
"""Places of variables or rows in a problem, in the shape they were asked for."""


class Entries(NamedTuple):
    """Entries of a sparse matrix, or of one that selects rows of a kernel."""

    rows: Index
    columns: Index
    values: Array


@dataclass(eq=False)
class Use:
    """A kernel evaluated at many frames: x of frame t is `factors @ variables[columns[t]]`."""

    kernel: Kernel
    columns: Index
    """(frames, variables)"""
    parameters: Array
    """(frames, parameters)"""
    factors: Array | None = None
    """(inputs of the kernel, variables), the same in all frames; None for the variables themselves."""
    name: str = "kernels"
    """What its cost is called."""
    entries: list[Entries] = field(default_factory=list)

    def add(self, rows: Index, frames: ArrayLike, kernel_rows: ArrayLike, values: ArrayLike = 1.0) -> None:
        """Add `values` times rows of the kernel to rows of the problem; all broadcast against each other."""
        flat = np.asarray(frames) * self.kernel.rows + np.asarray(kernel_rows)
        self.entries.append(_entries(rows, flat, values))


class _Square(NamedTuple):
    name: str
    columns: Index
    factors: Array
    targets: Array
    weights: Array


class Problem:
    """Variables, rows and costs, added one after the other."""

    def __init__(self) -> None:
        self._prefix = ""
        self._sizes = [0]
        self._row_counts = [0]
        self._variables: list[tuple[Array, Array, Array]] = []
        self._rows: list[tuple[str, Array, Array]] = []
        self._constants: list[tuple[Index, Array]] = []
        self._shared: dict[Hashable, Index] = {}
        self.entries: list[Entries] = []
        self.uses: list[Use] = []
        self.squares: list[_Square] = []
        self.marks: dict[str, list[tuple[Index, Index]]] = {}
        """Frames and their variables by name, for whoever reads a solution."""

    def named(self, name: str) -> Problem:
        """This problem with names that begin with `name`, for one of several characters; all else is shared."""
        part = copy(self)
        part._prefix = f"{self._prefix}{name}: " if name else self._prefix
        return part

    @property
    def size(self) -> int:
        """The number of variables."""
        return self._sizes[-1]

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return self._row_counts[-1]

    def variables(self, start: ArrayLike, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> Index:
        """New variables with their start and bounds."""
        values = np.asarray(start, dtype=float)
        index = self.size + np.arange(values.size).reshape(values.shape)
        self._sizes.append(self.size + values.size)
        low, high = (np.broadcast_to(bound, values.shape).ravel() for bound in (lower, upper))
        self._variables.append((values.ravel(), low, high))
        return index

    def shared(self, owner: Hashable, make: Callable[[], Index] | None = None) -> Index:
        """Variables that several terms use: those kept for their owner, made when they are first asked for."""
        if owner not in self._shared:
            if make is None:
                raise LookupError(f"{owner} has no variables yet: add the term that makes them first")
            self._shared[owner] = make()
        return self._shared[owner]

    def rows(self, name: str, lower: ArrayLike, upper: ArrayLike | None = None) -> Index:
        """New rows, still empty, between their bounds; equal to `lower` without `upper`."""
        low = np.asarray(lower, dtype=float)
        high = low if upper is None else np.broadcast_to(np.asarray(upper, dtype=float), low.shape)
        index = self.row_count + np.arange(low.size).reshape(low.shape)
        self._row_counts.append(self.row_count + low.size)
        self._rows.append((self._prefix + name, low.ravel(), high.ravel()))
        return index

    def add(self, rows: Index, columns: Index, values: ArrayLike = 1.0) -> None:
        """Add `values` times variables to rows; all broadcast against each other."""
        self.entries.append(_entries(rows, columns, values))

    def add_constant(self, rows: Index, values: ArrayLike) -> None:
        """Add numbers to rows."""
        self._constants.append((rows.ravel(), np.broadcast_to(np.asarray(values, dtype=float), rows.shape).ravel()))

    def mark(self, name: str, frames: Index, columns: Index) -> None:
        """Keep the variables (frames, ...) of some frames under a name."""
        self.marks.setdefault(self._prefix + name, []).append((frames, columns))

    def use(
        self, kernel: Kernel, columns: Index, parameters: Array, factors: Array | None = None, name: str = ""
    ) -> Use:
        """Evaluate a kernel at many frames; its cost counts, its rows count where `Use.add` puts them."""
        made = Use(kernel, columns, parameters, factors, self._prefix + (name or kernel.name))
        self.uses.append(made)
        return made

    def least(
        self, name: str, columns: Index, factors: ArrayLike = (1.0,), target: ArrayLike = 0.0, weight: ArrayLike = 1.0
    ) -> None:
        """Add weight * (factors . x[columns] - target)² to the cost, one square for each leading index of columns."""
        shape = columns.shape[:-1]
        self.squares.append(
            _Square(
                self._prefix + name,
                columns.reshape(-1, columns.shape[-1]),
                np.broadcast_to(factors, columns.shape).reshape(-1, columns.shape[-1]),
                np.broadcast_to(target, shape).ravel(),
                np.broadcast_to(weight, shape).ravel(),
            )
        )

    @property
    def start(self) -> Array:
        """Where the variables begin."""
        return np.concatenate([start for start, _, _ in self._variables])

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Of the variables."""
        return _joined([low for _, low, _ in self._variables]), _joined([high for _, _, high in self._variables])

    @property
    def row_bounds(self) -> tuple[Array, Array]:
        """Of the rows without their constants."""
        added = np.zeros(self.row_count)
        for rows, values in self._constants:
            np.add.at(added, rows, values)
        low, high = (_joined([bounds[part] for _, *bounds in self._rows]) for part in (0, 1))
        return low - added, high - added

    @property
    def row_names(self) -> NDArray[np.str_]:
        """(rows,)"""
        return np.repeat([name for name, _, _ in self._rows], [len(low) for _, low, _ in self._rows])

    def squared(self) -> tuple[Entries, Array, Array, NDArray[np.str_]]:
        """All squares: entries of R, targets and weights of weight * (R x - target)², and their names."""
        counts = [len(square.targets) for square in self.squares]
        first = np.cumsum([0, *counts])
        entries = joined(
            [
                _entries((start + np.arange(count))[:, None], square.columns, square.factors)
                for start, count, square in zip(first[:-1], counts, self.squares, strict=True)
            ]
        )
        targets, weights = (_joined([getattr(s, part) for s in self.squares]) for part in ("targets", "weights"))
        return entries, targets, weights, np.repeat([square.name for square in self.squares], counts)


def joined(entries: Sequence[Entries]) -> Entries:
    """All entries in one."""
    if not entries:
        return Entries(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return Entries(rows, columns, values)


def _entries(rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> Entries:
    row, column, value = np.broadcast_arrays(rows, columns, np.asarray(values, dtype=float))
    return Entries(row.ravel(), column.ravel(), value.ravel())


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)

"""Nonlinear problems put together from named parts, without generating code:

    minimise  sum of squares + sum of kernel costs    subject to    lower <= A x + kernel outputs <= upper

All nonlinear functions are kernels (`solve.kernel`): functions of a few variables, evaluated at many frames. Everything
that varies from problem to problem (which constraints are active when, targets, weights, linear dynamics) is in sparse
matrices, so a new problem needs no code generation and no derivative graph. This module does not depend on skeletons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.geometry.arrays import Array
from gambol.solve.kernel import Kernel

Owner = TypeVar("Owner", bound=Hashable)
Index = NDArray[np.intp]
"""Indices of variables or constraints in a problem, in the shape in which they were added."""


class Triplets(NamedTuple):
    """Entries of a sparse matrix: row, column, value."""

    rows: Index
    columns: Index
    values: Array


@dataclass(eq=False)
class KernelUse:
    """A kernel evaluated at many frames: its input in frame t is `factors @ variables[columns[t]]`."""

    kernel: Kernel
    columns: Index
    """(frames, variables)"""
    parameters: Array
    """(frames, parameters)"""
    factors: Array | None = None
    """(inputs of the kernel, variables), the same in all frames, or one matrix per frame; None for the identity."""
    name: str = "kernels"
    """Name of its cost."""
    entries: list[Triplets] = field(default_factory=list)

    def compute_inputs(self, x: Array) -> Array:
        """Return the kernel's inputs (frames, inputs) for values x of the problem's variables."""
        if self.factors is None:
            return x[self.columns]
        return np.asarray((self.factors @ x[self.columns][..., None])[..., 0])

    def add(self, constraints: Index, frames: ArrayLike, outputs: ArrayLike, values: ArrayLike = 1.0) -> None:
        """Add `values` times outputs of the kernel to constraints; all arguments broadcast against each other."""
        flat = np.asarray(frames) * self.kernel.outputs + np.asarray(outputs)
        self.entries.append(_triplets(constraints, flat, values))


class _Square(NamedTuple):
    name: str
    columns: Index
    factors: Array
    targets: Array
    weights: Array


class Problem:
    """Variables, constraints and costs, added one after the other."""

    def __init__(self) -> None:
        self._prefix = ""
        self._sizes = [0]
        self._constraint_counts = [0]
        self._variables: list[tuple[Array, Array, Array]] = []
        self._fixed: list[tuple[Index, Array]] = []
        self._constraints: list[tuple[str, Array, Array]] = []
        self._constants: list[tuple[Index, Array]] = []
        self._shared: dict[Hashable, Index] = {}
        self._squares: list[_Square] = []
        self.entries: list[Triplets] = []
        self.uses: list[KernelUse] = []
        self.marks: dict[str, list[tuple[Index, Index]]] = {}
        """Frames and their variables by name, for reading a solution."""

    def with_prefix(self, name: str) -> Problem:
        """Return a view of this problem that prefixes all names with `name`: one per character. All data is shared."""
        part = copy(self)
        part._prefix = f"{self._prefix}{name}: " if name else self._prefix
        return part

    @property
    def size(self) -> int:
        """The number of variables."""
        return self._sizes[-1]

    @property
    def constraint_count(self) -> int:
        """The number of constraints."""
        return self._constraint_counts[-1]

    def add_variables(self, start: ArrayLike, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> Index:
        """Add variables with start values and bounds; return their indices in the shape of `start`."""
        values = np.asarray(start, dtype=float)
        index = self.size + np.arange(values.size).reshape(values.shape)
        self._sizes.append(self.size + values.size)
        low, high = (np.broadcast_to(bound, values.shape).ravel() for bound in (lower, upper))
        self._variables.append((values.ravel(), low, high))
        return index

    def fix(self, columns: Index, values: ArrayLike) -> None:
        """Give variables their values: the solver leaves them out. No constraint may have such variables alone."""
        self._fixed.append((columns.ravel(), np.broadcast_to(values, columns.shape).ravel()))

    def shared(self, owner: Hashable, make: Callable[[], Index] | None = None) -> Index:
        """Return the variables stored for an owner, for terms that share them; the first call makes them."""
        if owner not in self._shared:
            if make is None:
                raise LookupError(f"{owner} has no variables yet: add the term that makes them first")
            self._shared[owner] = make()
        return self._shared[owner]

    def shared_by(self, kind: type[Owner]) -> dict[Owner, Index]:
        """Return the stored variables of all owners of a kind."""
        return {owner: index for owner, index in self._shared.items() if isinstance(owner, kind)}

    def add_constraints(self, name: str, lower: ArrayLike, upper: ArrayLike | None = None) -> Index:
        """Add constraints, still empty, between bounds (equal to `lower` without `upper`); return their indices."""
        low = np.asarray(lower, dtype=float)
        high = low if upper is None else np.broadcast_to(np.asarray(upper, dtype=float), low.shape)
        index = self.constraint_count + np.arange(low.size).reshape(low.shape)
        self._constraint_counts.append(self.constraint_count + low.size)
        self._constraints.append((self._prefix + name, low.ravel(), high.ravel()))
        return index

    def add_linear(self, constraints: Index, columns: Index, values: ArrayLike = 1.0) -> None:
        """Add `values` times variables to constraints; all arguments broadcast against each other."""
        self.entries.append(_triplets(constraints, columns, values))

    def add_constant(self, constraints: Index, values: ArrayLike) -> None:
        """Add constants to constraints."""
        constants = np.broadcast_to(np.asarray(values, dtype=float), constraints.shape).ravel()
        self._constants.append((constraints.ravel(), constants))

    def mark(self, name: str, frames: Index, columns: Index) -> None:
        """Store the variables (frames, ...) of some frames under a name."""
        self.marks.setdefault(self._prefix + name, []).append((frames, columns))

    def add_kernel(
        self, kernel: Kernel, columns: Index, parameters: Array, factors: Array | None = None, name: str = ""
    ) -> KernelUse:
        """Evaluate a kernel at many frames: its cost is added; `KernelUse.add` adds its outputs to constraints."""
        made = KernelUse(kernel, columns, parameters, factors, self._prefix + (name or kernel.name))
        self.uses.append(made)
        return made

    def add_squares(
        self, name: str, columns: Index, factors: ArrayLike = (1.0,), target: ArrayLike = 0.0, weight: ArrayLike = 1.0
    ) -> None:
        """Add weight * (factors . x[columns] - target)² to the cost, one square for each leading index of columns."""
        shape = columns.shape[:-1]
        self._squares.append(
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
        """Start values of the variables."""
        return self._join_variables(0)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the variables."""
        return self._join_variables(1), self._join_variables(2)

    def _join_variables(self, part: int) -> Array:
        """Return start values (0), lower (1) or upper bounds (2) of all variables."""
        values = _concatenate([each[part] for each in self._variables])
        for columns, fixed in self._fixed:
            values[columns] = fixed
        return values

    @property
    def constraint_bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the constraints, with their constants subtracted."""
        added = np.zeros(self.constraint_count)
        for constraints, values in self._constants:
            np.add.at(added, constraints, values)
        low, high = (_concatenate([bounds[part] for _, *bounds in self._constraints]) for part in (0, 1))
        return low - added, high - added

    @property
    def constraint_names(self) -> NDArray[np.str_]:
        """(constraints,)"""
        return np.repeat([name for name, _, _ in self._constraints], [len(low) for _, low, _ in self._constraints])

    def square_terms(self) -> tuple[Triplets, Array, Array, NDArray[np.str_]]:
        """Return all squares: entries of R, targets and weights of weight * (R x - target)², and their names."""
        counts = [len(square.targets) for square in self._squares]
        first = np.cumsum([0, *counts])
        entries = join_triplets(
            [
                _triplets((start + np.arange(count))[:, None], square.columns, square.factors)
                for start, count, square in zip(first[:-1], counts, self._squares, strict=True)
            ]
        )
        targets, weights = (_concatenate([getattr(s, part) for s in self._squares]) for part in ("targets", "weights"))
        return entries, targets, weights, np.repeat([square.name for square in self._squares], counts)


def join_triplets(entries: Sequence[Triplets]) -> Triplets:
    """Concatenate triplets."""
    if not entries:
        return Triplets(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return Triplets(rows, columns, values)


def _triplets(rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> Triplets:
    row, column, value = np.broadcast_arrays(rows, columns, np.asarray(values, dtype=float))
    return Triplets(row.ravel(), column.ravel(), value.ravel())


def _concatenate(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)

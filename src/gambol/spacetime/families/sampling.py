"""Choose the members of a family to solve: adaptive sampling on a sparse grid, which L05 section 4.6 leaves open.

A regular grid of n axes costs countⁿ solves, although most of the variation is a sum of effects of single axes and few
pairs. So members are solved level by level: the middle of all axes, their ends, the midpoints between, and combinations
of these. The surplus of a solved member is its difference from the interpolation of the members before it (hierarchical
hat functions, as in sparse grids). A combination of levels is tried only if all members it builds on have a large
surplus, and with two of its members first. If their surplus is small, the others are interpolated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.families.plan import FamilyPlan, GridIndex

SURPLUS_TOLERANCE = 0.05
"""Surplus (radians, metres or seconds) below which a member need not be solved."""
SolveBatch = Callable[[list[GridIndex]], Sequence[tuple[Array, Array] | None]]
"""Returns times (frames,) and coordinates (frames, dofs) of members; None where there is no solution."""


def sample_adaptively(
    plan: FamilyPlan, solve: SolveBatch, tolerance: float = SURPLUS_TOLERANCE
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return times (*members, frames), coordinates (*members, frames, dofs), and which members were solved (*members,).

    `solve` gets members in batches; all members of a batch can be solved at the same time.
    """
    found = _SparseGrid(plan.shape)
    batch = [found.middle]
    while batch:
        solutions = list(solve(batch))
        if len(solutions) != len(batch):
            raise InputError(f"solve returned {len(solutions)} solutions for {len(batch)} members")
        for member, solution in sorted(zip(batch, solutions, strict=True), key=lambda pair: found.depth(pair[0])):
            found.add(member, solution)
        batch = found.next(tolerance)
    filled = found.filled()
    solved = np.zeros(plan.shape, dtype=bool)
    for member in found.surplus:
        solved[member] = True
    return filled[..., 0], filled[..., 1:], solved


class _Node(NamedTuple):
    """One member on one axis."""

    level: int
    hat: Array
    """(count,) weight of its surplus at each member of the axis"""
    parents: tuple[int, ...]
    """The members of lower levels that it lies between, the one of the highest level first."""


@lru_cache(maxsize=64)
def axis_nodes(count: int) -> tuple[_Node, ...]:
    """Return the members of an axis with their levels: the middle, the ends, then the midpoints between."""
    middle = (count - 1) // 2 if count > 2 else 0
    at = np.arange(count, dtype=float)
    nodes = {middle: _Node(0, np.ones(count), ())}
    gaps = []
    for end in {0, count - 1} - {middle}:
        nodes[end] = _Node(1, np.clip((at - middle) / (end - middle), 0.0, 1.0), (middle,))
        gaps.append((min(middle, end), max(middle, end)))
    for low, high in gaps:  # gaps are appended while iterating
        new = (low + high) // 2
        if new == low:
            continue
        parents = sorted((low, high), key=lambda n: -nodes[n].level)
        hat = np.interp(at, [low, new, high], [0.0, 1.0, 0.0])
        nodes[new] = _Node(nodes[parents[0]].level + 1, hat, tuple(parents))
        gaps += [(low, new), (new, high)]
    return tuple(nodes[n] for n in range(count))


@dataclass
class _SparseGrid:
    """The solved members of a family."""

    shape: tuple[int, ...]
    surplus: dict[GridIndex, Array] = field(default_factory=dict)
    """(frames, 1 + dofs) surplus in seconds and coordinates of solved members"""
    lost: set[GridIndex] = field(default_factory=set)
    """Members without a solution."""
    probed: set[tuple[int, ...]] = field(default_factory=set)
    """Combinations of levels of which some members were tried."""

    @property
    def middle(self) -> GridIndex:
        """The first member to be solved."""
        return tuple(next(n for n, node in enumerate(axis_nodes(count)) if not node.level) for count in self.shape)

    def levels(self, member: GridIndex) -> tuple[int, ...]:
        """Return the level of a member on every axis."""
        return tuple(axis_nodes(count)[n].level for count, n in zip(self.shape, member, strict=True))

    def depth(self, member: GridIndex) -> int:
        """Return the sum of the levels of a member."""
        return sum(self.levels(member))

    def add(self, member: GridIndex, solution: tuple[Array, Array] | None) -> None:
        """Add a member; all members it builds on must have been added before."""
        if solution is None:
            if member == self.middle:
                raise InputError("the member in the middle of the family has no solution")
            self.lost.add(member)
            return
        value = np.column_stack(solution)
        for other, surplus in self.surplus.items():
            share = self._share(other, member)
            if share:
                value = value - share * surplus
        self.surplus[member] = value

    def next(self, tolerance: float) -> list[GridIndex]:
        """Return the members to solve next: the rest of relevant combinations, and the first two of new ones."""
        open_: dict[tuple[int, ...], list[GridIndex]] = {}
        for member in itertools.product(*map(range, self.shape)):
            if member not in self.surplus and member not in self.lost and self._is_admissible(member, tolerance):
                open_.setdefault(self.levels(member), []).append(member)
        batch = []
        for levels, members in open_.items():
            if levels not in self.probed and sum(level > 0 for level in levels) > 1:
                batch += list(dict.fromkeys((members[0], members[-1])))
            elif levels not in self.probed or self._is_relevant(levels, tolerance):
                batch += members
            self.probed.add(levels)
        return batch

    def filled(self) -> Array:
        """Return (*members, frames, 1 + dofs), interpolated where not solved."""
        some = self.surplus[self.middle]
        out = np.zeros((*self.shape, *some.shape))
        for member, surplus in self.surplus.items():
            hats = [axis_nodes(count)[n].hat for count, n in zip(self.shape, member, strict=True)]
            share = hats[0]
            for hat in hats[1:]:
                share = share[..., None] * hat
            touched = share != 0.0
            out[touched] += share[touched][:, None, None] * surplus
        return out

    def _share(self, other: GridIndex, member: GridIndex) -> float:
        """Return the weight of a member's surplus at another member."""
        shares = [axis_nodes(count)[n].hat[m] for count, n, m in zip(self.shape, other, member, strict=True)]
        return float(np.prod(shares))

    def _is_admissible(self, member: GridIndex, tolerance: float) -> bool:
        """Whether all members that a member builds on are solved and have a large surplus."""
        for axis, (count, n) in enumerate(zip(self.shape, member, strict=True)):
            for rank, parent in enumerate(axis_nodes(count)[n].parents):
                below = (*member[:axis], parent, *member[axis + 1 :])
                if below not in self.surplus:
                    return False
                if rank == 0 and below != self.middle and not self._is_large(below, tolerance):
                    return False
        return True

    def _is_large(self, member: GridIndex, tolerance: float) -> bool:
        return bool(np.abs(self.surplus[member]).max() > tolerance)

    def _is_relevant(self, levels: tuple[int, ...], tolerance: float) -> bool:
        """Whether any solved member of a combination of levels has a large surplus."""
        return any(self._is_large(m, tolerance) for m in self.surplus if self.levels(m) == levels)

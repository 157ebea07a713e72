"""Which members of a family are worth solving: active sampling, which L05 section 4.6 leaves open.

A regular grid of n axes costs countⁿ solves, though most of what motions do is the sum of what they do along each axis
and along few pairs. So members are solved in an order of levels: the middle of all axes, their ends, the middles of
what is between, and combinations of them. What a solved member adds to the interpolation of those before it is its
surplus (hierarchical hat functions, as in sparse grids). A combination is tried where all it is built on have large
surpluses, with two of its members first; where those add little, the rest is not solved but filled in.
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
from gambol.spacetime.families.plan import FamilyPlan

SURPLUS_TOLERANCE = 0.05
"""Radians, metres or seconds that a member may add and yet not be worth solving."""
GridIndex = tuple[int, ...]
SolveBatch = Callable[[list[GridIndex]], Sequence[tuple[Array, Array] | None]]
"""Seconds (frames,) and coordinates (frames, dofs) of members; None where there is no solution."""


def sample_adaptively(plan: FamilyPlan, solve: SolveBatch, tolerance: float = SURPLUS_TOLERANCE) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Seconds (*members, frames), coordinates (*members, frames, dofs), and which members were solved (*members,).

    Members come to `solve` in batches, within which all can be solved at the same time.
    """
    found = _Found(plan.shape)
    batch = [found.middle]
    while batch:
        solutions = list(solve(batch))
        if len(solutions) != len(batch):
            raise InputError(f"{len(solutions)} solutions for {len(batch)} members")
        for member, solution in sorted(zip(batch, solutions, strict=True), key=lambda pair: found.depth(pair[0])):
            found.add(member, solution)
        batch = found.next(tolerance)
    filled = found.filled()
    solved = np.zeros(plan.shape, dtype=bool)
    for member in found.surplus:
        solved[member] = True
    return filled[..., 0], filled[..., 1:], solved


class _Node(NamedTuple):
    """One member along one axis."""

    level: int
    hat: Array
    """(count,) how much of its surplus each member of the axis has"""
    parents: tuple[int, ...]
    """The members of lower levels that it lies between, the one of the highest level first."""


@lru_cache(maxsize=64)
def axis_nodes(count: int) -> tuple[_Node, ...]:
    """The members of an axis by levels: the middle, the ends, then the middles of what is between."""
    middle = (count - 1) // 2 if count > 2 else 0
    at = np.arange(count, dtype=float)
    nodes = {middle: _Node(0, np.ones(count), ())}
    gaps = []
    for end in {0, count - 1} - {middle}:
        nodes[end] = _Node(1, np.clip((at - middle) / (end - middle), 0.0, 1.0), (middle,))
        gaps.append((min(middle, end), max(middle, end)))
    for low, high in gaps:  # grows while it is walked
        new = (low + high) // 2
        if new == low:
            continue
        parents = sorted((low, high), key=lambda n: -nodes[n].level)
        hat = np.interp(at, [low, new, high], [0.0, 1.0, 0.0])
        nodes[new] = _Node(nodes[parents[0]].level + 1, hat, tuple(parents))
        gaps += [(low, new), (new, high)]
    return tuple(nodes[n] for n in range(count))


@dataclass
class _Found:
    """What is known of a family's members while they are solved."""

    shape: tuple[int, ...]
    surplus: dict[GridIndex, Array] = field(default_factory=dict)
    """(frames, 1 + dofs) seconds and coordinates that solved members add"""
    lost: set[GridIndex] = field(default_factory=set)
    """Members without a solution."""
    probed: set[tuple[int, ...]] = field(default_factory=set)
    """Levels an axis of which some members were tried."""

    @property
    def middle(self) -> GridIndex:
        """The member with which all begins."""
        return tuple(next(n for n, node in enumerate(axis_nodes(count)) if not node.level) for count in self.shape)

    def levels(self, member: GridIndex) -> tuple[int, ...]:
        """Of a member along every axis."""
        return tuple(axis_nodes(count)[n].level for count, n in zip(self.shape, member, strict=True))

    def depth(self, member: GridIndex) -> int:
        """The sum of its levels."""
        return sum(self.levels(member))

    def add(self, member: GridIndex, solution: tuple[Array, Array] | None) -> None:
        """A member that came back; all that it is built on is there already."""
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
        """The members to be solved now: the rest of combinations that matter, and the first two of new ones."""
        open_: dict[tuple[int, ...], list[GridIndex]] = {}
        for member in itertools.product(*map(range, self.shape)):
            if member not in self.surplus and member not in self.lost and self._wanted(member, tolerance):
                open_.setdefault(self.levels(member), []).append(member)
        batch = []
        for levels, members in open_.items():
            if levels not in self.probed and sum(level > 0 for level in levels) > 1:
                batch += list(dict.fromkeys((members[0], members[-1])))
            elif levels not in self.probed or self._matters(levels, tolerance):
                batch += members
            self.probed.add(levels)
        return batch

    def filled(self) -> Array:
        """(*members, frames, 1 + dofs) with what is not solved interpolated."""
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
        """How much of the surplus of one member another has."""
        shares = [axis_nodes(count)[n].hat[m] for count, n, m in zip(self.shape, other, member, strict=True)]
        return float(np.prod(shares))

    def _wanted(self, member: GridIndex, tolerance: float) -> bool:
        """Whether all that a member is built on is solved, and adds much."""
        for axis, (count, n) in enumerate(zip(self.shape, member, strict=True)):
            for rank, parent in enumerate(axis_nodes(count)[n].parents):
                below = (*member[:axis], parent, *member[axis + 1 :])
                if below not in self.surplus:
                    return False
                if rank == 0 and below != self.middle and not self._large(below, tolerance):
                    return False
        return True

    def _large(self, member: GridIndex, tolerance: float) -> bool:
        return bool(np.abs(self.surplus[member]).max() > tolerance)

    def _matters(self, levels: tuple[int, ...], tolerance: float) -> bool:
        """Whether any solved member of a combination adds much."""
        return any(self._large(m, tolerance) for m in self.surplus if self.levels(m) == levels)

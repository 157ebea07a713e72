"""Solve members of a family one after the other, or in parallel on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from gambol.solve.workers import collect, open_cluster, share
from gambol.spacetime.families.member import FamilySetup, Member, solve_member
from gambol.spacetime.families.plan import GridIndex

SolvedMembers = Iterator[tuple[GridIndex, Member]]
"""Indices and members; from a cluster in any order."""
SolveMembers = Callable[[Sequence[GridIndex], Mapping[GridIndex, Member]], SolvedMembers]
"""Solves members, given others to start from."""


@contextmanager
def open_solver(setup: FamilySetup, workers: int = 1, scheduler: str | None = None) -> Iterator[SolveMembers]:
    """Yield a function that solves members: in this process, in local processes, or on a Dask cluster at an address."""
    with open_cluster(workers, scheduler) as client:
        yield partial(_solve_here, setup) if client is None else partial(_solve_on_cluster, client, setup)


def _solve_here(setup: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]) -> SolvedMembers:
    known = dict(found)
    for index in _order(setup, indices):
        parent = setup.parent(index)
        known[index] = solve_member(setup, index, known.get(parent) if parent else None)
        yield index, known[index]


def _solve_on_cluster(
    client: Any, setup: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]
) -> SolvedMembers:
    shared = share(client, setup)
    known: dict[GridIndex, Any] = dict(found)
    for index in _order(setup, indices):
        parent = setup.parent(index)
        start = known.get(parent) if parent else None
        known[index] = client.submit(solve_member, shared, index, start, pure=False)
    yield from collect({known[index]: index for index in indices})


def _order(setup: FamilySetup, indices: Sequence[GridIndex]) -> list[GridIndex]:
    """Sort members so that parents come before those that start from them."""
    return sorted(indices, key=lambda index: len(setup.ancestry(index)))

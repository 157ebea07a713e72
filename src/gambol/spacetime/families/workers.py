"""Solve members of a family one after the other, or in parallel on the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from gambol.errors import GambolError, InputError, MissingExtra
from gambol.spacetime.families.member import FamilySetup, Member, solve_member
from gambol.spacetime.families.plan import GridIndex

_ALLOWED_FAILURES = 10
"""Workers that may die on one member before it is given up."""
_SETTINGS = {
    "distributed.scheduler.allowed-failures": _ALLOWED_FAILURES,
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "distributed.worker.preload": ["import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)"],
}
"""Settings of Dask. Its default environment returns memory to the system at once, and the solver would request it again
and again. Workers ignore Ctrl-C, which is meant for the calling program.
"""
_MOST = 1024
_TIMEOUT = "10s"
SolvedMembers = Iterator[tuple[GridIndex, Member]]
"""Indices and members; from a cluster in any order."""
SolveMembers = Callable[[Sequence[GridIndex], Mapping[GridIndex, Member]], SolvedMembers]
"""Solves members, given others to start from."""


def check_workers(workers: int, scheduler: str | None) -> None:
    """Raise an error if `open_solver` cannot use these workers."""
    if not 1 <= workers <= _MOST:
        raise InputError(f"workers must be 1 to {_MOST}, not {workers}")
    if workers > 1 or scheduler is not None:
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise MissingExtra("solving members in parallel", "cluster") from None


@contextmanager
def open_solver(setup: FamilySetup, workers: int = 1, scheduler: str | None = None) -> Iterator[SolveMembers]:
    """Yield a function that solves members: in this process, in local processes, or on a Dask cluster at an address."""
    if workers == 1 and scheduler is None:
        yield partial(_solve_here, setup)
        return
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        stack.enter_context(dask.config.set(_SETTINGS))
        if scheduler is None:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=None,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
        try:
            client = stack.enter_context(Client(scheduler or cluster, timeout=_TIMEOUT))
        except (OSError, ValueError):
            raise InputError(
                f"no Dask cluster answers at {scheduler}", fix="give an address such as tcp://10.0.0.1:8786"
            ) from None
        yield partial(_solve_on_cluster, client, setup)


def _solve_here(setup: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]) -> SolvedMembers:
    known = dict(found)
    for index in _order(setup, indices):
        parent = setup.parent(index)
        known[index] = solve_member(setup, index, known.get(parent) if parent else None)
        yield index, known[index]


def _solve_on_cluster(
    client: Any, setup: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]
) -> SolvedMembers:
    from distributed import KilledWorker, as_completed

    # A task, not scattered data: it is recomputed when its worker dies.
    shared = client.submit(_identity, setup, pure=False)
    known: dict[GridIndex, Any] = dict(found)
    for index in _order(setup, indices):
        parent = setup.parent(index)
        start = known.get(parent) if parent else None
        known[index] = client.submit(solve_member, shared, index, start, pure=False)
    asked = {known[index]: index for index in indices}
    try:
        for future, member in as_completed(list(asked), with_results=True):
            yield asked[future], member
    except KilledWorker:
        raise GambolError(
            f"{_ALLOWED_FAILURES} workers died while solving one member: the machine may lack memory"
        ) from None


def _order(setup: FamilySetup, indices: Sequence[GridIndex]) -> list[GridIndex]:
    """Sort members so that parents come before those that start from them."""
    return sorted(indices, key=lambda index: len(setup.ancestry(index)))


def _identity(value: Any) -> Any:
    return value

"""Members of a family solved one after the other, or at the same time by the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from gambol.errors import GambolError, InputError, MissingExtra
from gambol.spacetime.families.member import GridIndex, Member, FamilySetup, solve_member

_DEATHS = 10
"""Workers that may die over one member before it is given up."""
_SETTINGS = {
    "distributed.scheduler.allowed-failures": _DEATHS,
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "distributed.worker.preload": ["import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)"],
}
"""Of Dask. Its own environment gives memory back to the system at once: the solver would ask for it again and again.
Ctrl-C is for the program that asked, not for its workers."""
_MOST = 1024
_ANSWER = "10s"
SolvedMembers = Iterator[tuple[GridIndex, Member]]
"""Members and where they belong; from a cluster in any order."""
SolveMembers = Callable[[Sequence[GridIndex], Mapping[GridIndex, Member]], SolvedMembers]
"""Solves some members, given others that they may begin with."""


def check_workers(workers: int, scheduler: str | None) -> None:
    """Refuse what `solving` could not do."""
    if not 1 <= workers <= _MOST:
        raise InputError(f"1 to {_MOST} workers, not {workers}")
    if workers > 1 or scheduler is not None:
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise MissingExtra("solving members at the same time", "cluster") from None


@contextmanager
def open_solver(setting: FamilySetup, workers: int = 1, scheduler: str | None = None) -> Iterator[SolveMembers]:
    """Who solves members: this process, as many processes of this machine, or the Dask cluster at an address."""
    if workers == 1 and scheduler is None:
        yield partial(_here, setting)
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
            client = stack.enter_context(Client(scheduler or cluster, timeout=_ANSWER))
        except (OSError, ValueError):
            raise InputError(f"no Dask cluster answers at {scheduler}", fix="such as tcp://10.0.0.1:8786") from None
        yield partial(_there, client, setting)


def _here(setting: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]) -> SolvedMembers:
    known = dict(found)
    for index in _ordered(setting, indices):
        parent = setting.parent(index)
        known[index] = solve_member(setting, index, known.get(parent) if parent else None)
        yield index, known[index]


def _there(client: Any, setting: FamilySetup, indices: Sequence[GridIndex], found: Mapping[GridIndex, Member]) -> SolvedMembers:
    from distributed import KilledWorker, as_completed

    # A task and not scattered data: what is lost with a worker is made again.
    shared = client.submit(_given, setting, pure=False)
    known: dict[GridIndex, Any] = dict(found)
    for index in _ordered(setting, indices):
        parent = setting.parent(index)
        given = known.get(parent) if parent else None
        known[index] = client.submit(solve_member, shared, index, given, pure=False)
    asked = {known[index]: index for index in indices}
    try:
        for future, member in as_completed(list(asked), with_results=True):
            yield asked[future], member
    except KilledWorker:
        raise GambolError(f"{_DEATHS} workers died over one member: has the machine enough memory?") from None


def _ordered(setting: FamilySetup, indices: Sequence[GridIndex]) -> list[GridIndex]:
    """Parents before those who begin with them."""
    return sorted(indices, key=lambda index: len(setting.ancestry(index)))


def _given(value: Any) -> Any:
    return value

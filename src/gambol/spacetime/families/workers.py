"""Members of a family solved one after the other, or at the same time by the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import Any

from gambol.errors import GambolError, InputError, MissingExtra
from gambol.spacetime.families.member import Member, Setting, solve_member

_DEATHS = 10
"""Workers that may die over one member before it is given up."""
_SETTINGS = {
    "distributed.scheduler.allowed-failures": _DEATHS,
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}
"""Of Dask. Its own environment gives memory back to the system at once: the solver would ask for it again and again."""
_MOST = 1024
_ANSWER = "10s"
Index = tuple[int, ...]
Coming = Generator[tuple[Index, Member], None, None]
"""Members and where they belong."""


def check_workers(workers: int, scheduler: str | None) -> None:
    """Refuse what `solve_members` could not do."""
    if not 1 <= workers <= _MOST:
        raise InputError(f"1 to {_MOST} workers, not {workers}")
    if workers > 1 or scheduler is not None:
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise MissingExtra("solving members at the same time", "cluster") from None


def solve_members(setting: Setting, indices: Sequence[Index], workers: int = 1, scheduler: str | None = None) -> Coming:
    """Members as they come; on a cluster in any order.

    One worker is this process; more are processes of this machine; `scheduler` is the address of a Dask cluster.
    """
    if (workers == 1 and scheduler is None) or not indices:
        return ((index, solve_member(setting, index)) for index in indices)
    return _on_cluster(setting, indices, workers, scheduler)


def _on_cluster(setting: Setting, indices: Sequence[Index], workers: int, scheduler: str | None) -> Coming:
    import dask
    from distributed import Client, KilledWorker, LocalCluster, as_completed

    with ExitStack() as stack:
        stack.enter_context(dask.config.set(_SETTINGS))
        if scheduler is None:
            cluster = LocalCluster(
                n_workers=min(workers, len(indices)),
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
        # A task and not scattered data: what is lost with a worker is made again.
        shared = client.submit(_given, setting, pure=False)
        asked = {client.submit(solve_member, shared, index, pure=False): index for index in indices}
        try:
            for future, member in as_completed(list(asked), with_results=True):
                yield asked.pop(future), member
        except KilledWorker:
            raise GambolError(f"{_DEATHS} workers died over one member: has the machine enough memory?") from None


def _given(value: Any) -> Any:
    return value

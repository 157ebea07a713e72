"""Run many solves on the workers of a Dask cluster: local processes, or a cluster at an address."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

from gambol.errors import GambolError, InputError, MissingExtra

_ALLOWED_FAILURES = 10
"""Workers that may die on one task before it is given up."""
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

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Solved = TypeVar("Solved")


def check_workers(workers: int, scheduler: str | None) -> None:
    """Raise an error if `open_cluster` cannot use these workers."""
    if not 1 <= workers <= _MOST:
        raise InputError(f"workers must be 1 to {_MOST}, not {workers}")
    if workers > 1 or scheduler is not None:
        try:
            import distributed  # noqa: F401
        except ImportError:
            raise MissingExtra("solving in parallel", "cluster") from None


@contextmanager
def open_cluster(workers: int = 1, scheduler: str | None = None) -> Iterator[Any]:
    """Yield a Dask client of local processes, or of a cluster at an address; None for one worker: this process."""
    if workers == 1 and scheduler is None:
        yield None
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
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
            stack.push(partial(_kill_workers, cluster))
        try:
            client = stack.enter_context(Client(scheduler or cluster, timeout=_TIMEOUT))
        except (OSError, ValueError):
            raise InputError(
                f"no Dask cluster answers at {scheduler}", fix="give an address such as tcp://10.0.0.1:8786"
            ) from None
        yield client


def _kill_workers(cluster: Any, raised: type[BaseException] | None, *_: object) -> None:
    """End local workers at once where the program is stopped: they would first end what they solve, in seconds."""
    if raised is not None and issubclass(raised, KeyboardInterrupt | SystemExit):
        for nanny in cluster.workers.values():
            nanny.auto_restart = False
            if nanny.pid is not None:
                os.kill(nanny.pid, signal.SIGKILL)


def share(client: Any, value: Any) -> Any:
    """Return a value as a future that all tasks can use: a task, recomputed when its worker dies."""
    return client.submit(_identity, value, pure=False)


def collect(asked: dict[Any, Item]) -> Iterator[tuple[Item, Any]]:
    """Yield items and results of futures as they are finished; `asked` forgets those, so that workers can too."""
    from distributed import KilledWorker, as_completed

    try:
        for future, result in as_completed(list(asked), with_results=True):
            yield asked.pop(future), result
    except KilledWorker:
        raise GambolError(f"{_ALLOWED_FAILURES} workers died on one task: the machine may lack memory") from None


def solve_all(
    client: Any, solve: Callable[[Shared, Item], Solved], shared: Shared, items: Sequence[Item]
) -> Iterator[tuple[Item, Solved]]:
    """Yield items and their solutions: in order in this process, in any order from a cluster."""
    if client is None:
        for item in items:
            yield item, solve(shared, item)
        return
    given = share(client, shared)
    yield from collect({client.submit(solve, given, item, pure=False): item for item in items})


def _identity(value: Any) -> Any:
    return value

"""Many solves here and on workers."""

from __future__ import annotations

import operator

import psutil
import pytest

from gambol.errors import InputError
from gambol.solve import workers
from gambol.solve.workers import check_workers, open_cluster, solve_all


def test_this_process_solves_in_order() -> None:
    with open_cluster() as client:
        assert client is None
        assert list(solve_all(client, operator.mul, 3, [4, 5])) == [(4, 12), (5, 15)]


def list_listeners() -> set[tuple[str, int]]:
    """Return the addresses at which this process and its workers listen."""
    this = psutil.Process()
    found = [one for process in (this, *this.children(recursive=True)) for one in process.net_connections("inet")]
    return {tuple(one.laddr) for one in found if one.status == psutil.CONN_LISTEN}


def test_workers_solve_the_same_and_other_machines_cannot_reach_them() -> None:
    before = list_listeners()
    with open_cluster(2) as client:
        assert sorted(solve_all(client, operator.mul, 3, [5, 4, 6])) == [(4, 12), (5, 15), (6, 18)]
        opened = list_listeners() - before
    assert len(opened) > 2
    assert {host for host, _ in opened} == {"127.0.0.1"}


@pytest.mark.parametrize("count", [0, -1, 5000])
def test_wrong_numbers_of_workers_are_refused(count: int) -> None:
    with pytest.raises(InputError, match="workers"):
        check_workers(count, None)


def test_an_address_without_a_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_TIMEOUT", "1s")
    with pytest.raises(InputError, match="no Dask cluster"), open_cluster(1, "tcp://127.0.0.1:9"):
        pass

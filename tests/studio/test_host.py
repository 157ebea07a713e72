"""The loop of live pages: an engine runs in real time, actions wait their turn, and bad input is shown."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from gambol.errors import InputError
from gambol.studio.host import Live
from tests.studio.serving import serve, wait_for


class Counter:
    """Counts the seconds that it is given."""

    def __init__(self) -> None:
        self.seconds, self.steps, self.largest, self.thread = 0.0, 0, 0.0, 0
        self.broken = False

    def advance(self, seconds: float) -> None:
        if self.broken:
            self.broken = False
            raise InputError("the engine stumbles")
        self.seconds, self.steps = self.seconds + seconds, self.steps + 1
        self.largest, self.thread = max(self.largest, seconds), threading.get_ident()


class Page(Live):
    """Shows the counter's seconds."""

    def __init__(self, counter: Counter, host: str = "127.0.0.1") -> None:
        super().__init__(counter, "a counter", "It counts.", host=host, port=0)
        self.counter, self.shown = counter, 0.0

    def show(self) -> None:
        self.shown = self.counter.seconds


@pytest.fixture
def page_of_counter() -> Iterator[Page]:
    with serve(Page(Counter())) as page:
        yield page


def test_an_engine_runs_in_real_time(page_of_counter: Page) -> None:
    counter = page_of_counter.counter
    assert wait_for(lambda: counter.steps > 3, 5.0)
    begun, before = time.perf_counter(), counter.seconds
    assert wait_for(lambda: counter.seconds > before + 1.0, 10.0)
    assert counter.seconds - before <= time.perf_counter() - begun + 0.3
    assert wait_for(lambda: page_of_counter.shown > before + 1.0, 5.0)


def test_actions_run_on_the_loop_in_order_and_bad_ones_are_shown(page_of_counter: Page) -> None:
    page, done = page_of_counter, []

    def fail() -> None:
        raise InputError("no such button", fix="press another")

    page.do(lambda: done.append(threading.get_ident()))
    page.do(fail)
    assert wait_for(lambda: page.problem.content == "no such button; press another", 5.0)
    page.do(lambda: done.append(2))
    assert wait_for(lambda: len(done) == 2, 5.0)
    assert done == [page.counter.thread, 2]
    assert wait_for(lambda: page.problem.content == "", 5.0), "a good action takes the message away"
    page.counter.broken = True
    assert wait_for(lambda: page.problem.content == "the engine stumbles", 5.0)
    steps = page.counter.steps
    assert wait_for(lambda: page.counter.steps > steps, 5.0)


def test_the_engine_runs_on_while_actions_do_not_end(page_of_counter: Page) -> None:
    page = page_of_counter

    def again() -> None:
        page.do(again)

    page.do(again)
    steps = page.counter.steps
    assert wait_for(lambda: page.counter.steps > steps + 3, 10.0)


def test_actions_that_are_too_many_are_dropped_and_that_is_said(page_of_counter: Page, caplog) -> None:
    page, begun, going_on, done = page_of_counter, threading.Event(), threading.Event(), []
    page.do(lambda: begun.set() or going_on.wait(10.0))
    assert begun.wait(10.0)
    for n in range(3000):
        page.do(lambda n=n: done.append(n))
    going_on.set()
    assert wait_for(lambda: len(done) == 1000, 10.0)
    page.do(lambda: done.append("later"))
    assert wait_for(lambda: done[-1] == "later", 5.0)
    assert done[:-1] == list(range(1000))
    assert [record.getMessage() for record in caplog.records] == [
        "an action was dropped: more are waiting than the page can do"
    ]


@pytest.mark.browser
def test_a_page_for_other_machines_opens_by_its_address_and_comes_back(page) -> None:
    """The address has the token; the connection, and every later one, has it from the browser."""
    with serve(Page(Counter(), "0.0.0.0")) as served:
        port, query = served.server.get_port(), urlsplit(served.url).query
        assert page.goto(f"http://127.0.0.1:{port}").status == 403
        assert page.goto(f"http://127.0.0.1:{port}/?{query}").status == 200
        page.get_by_text("a counter").wait_for(timeout=40_000)
        assert wait_for(lambda: len(served.server.get_clients()) == 1)
        (before,) = served.server.get_clients()
        served.server._websock_server.disconnect_all_clients()
        assert wait_for(
            lambda: page.wait_for_timeout(100) is None and max(served.server.get_clients(), default=0) > before
        )


def test_a_pause_is_not_raced_through(page_of_counter: Page) -> None:
    page_of_counter.do(lambda: time.sleep(1.0))
    steps = page_of_counter.counter.steps
    assert wait_for(lambda: page_of_counter.counter.steps > steps + 2, 10.0)
    assert page_of_counter.counter.largest <= 0.25


def test_ctrl_c_stops_serving() -> None:
    page = Page(Counter())
    address = (page.server.get_host(), page.server.get_port())
    socket.create_connection(address, timeout=5.0).close()
    page.do(_interrupt)
    with pytest.raises(KeyboardInterrupt):
        page.run()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5.0)


def _interrupt() -> None:
    raise KeyboardInterrupt

"""The loop of live pages: an engine runs in real time, actions wait their turn, and bad input is shown."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

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

    def __init__(self, counter: Counter) -> None:
        super().__init__(counter, "a counter", "It counts.", host="127.0.0.1", port=0)
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

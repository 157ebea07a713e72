"""The loop of live pages: an engine runs in real time, actions wait their turn, and bad input is shown."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from gambol.errors import InputError
from gambol.judge.recent import RecentFrames
from gambol.studio import host as module
from gambol.studio.host import Live
from tests.judge.test_stances import STANCE, clip, slide
from tests.studio.serving import serve
from tests.waiting import LIMIT, wait_for


class Counter:
    """Counts the seconds that it is given."""

    def __init__(self) -> None:
        self.seconds, self.steps, self.thread = 0.0, 0, 0
        self.broken = False

    def advance(self, seconds: float) -> None:
        if self.broken:
            self.broken = False
            raise InputError("the engine stumbles")
        self.seconds, self.steps = self.seconds + seconds, self.steps + 1
        self.thread = threading.get_ident()


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


def test_an_engine_runs_in_real_time_and_a_pause_is_not_raced_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the loop is the test's: the engine gets what passes on it, and at most a quarter of a second."""
    now = 100.0
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now))
    with serve(Page(Counter())) as page:
        counter = page.counter
        for passed, advanced in ((0.0, 0.0), (0.2, 0.2), (0.1, 0.3), (10.0, 0.55), (0.0, 0.55)):
            now += passed
            steps = counter.steps
            assert wait_for(lambda steps=steps: counter.steps > steps + 2)
            assert counter.seconds == pytest.approx(advanced)
        assert wait_for(lambda: page.shown == counter.seconds)


def test_actions_run_on_the_loop_in_order_and_bad_ones_are_shown(page_of_counter: Page) -> None:
    page, done = page_of_counter, []

    def fail() -> None:
        raise InputError("no such button", fix="press another")

    page.do(lambda: done.append(threading.get_ident()))
    page.do(fail)
    assert wait_for(lambda: page.problem.content == "no such button; press another")
    page.do(lambda: done.append(2))
    assert wait_for(lambda: len(done) == 2)
    assert done == [page.counter.thread, 2]
    assert wait_for(lambda: page.problem.content == ""), "a good action takes the message away"
    page.counter.broken = True
    assert wait_for(lambda: page.problem.content == "the engine stumbles")
    steps = page.counter.steps
    assert wait_for(lambda: page.counter.steps > steps)


def test_the_engine_runs_on_while_actions_do_not_end(page_of_counter: Page) -> None:
    page = page_of_counter

    def again() -> None:
        page.do(again)

    page.do(again)
    steps = page.counter.steps
    assert wait_for(lambda: page.counter.steps > steps + 3)


def test_actions_that_are_too_many_are_dropped_and_that_is_said(page_of_counter: Page, caplog) -> None:
    page, begun, going_on, done = page_of_counter, threading.Event(), threading.Event(), []
    page.do(lambda: begun.set() or going_on.wait(LIMIT))
    assert begun.wait(LIMIT)
    for n in range(3000):
        page.do(lambda n=n: done.append(n))
    going_on.set()
    assert wait_for(lambda: len(done) == 1000)
    page.do(lambda: done.append("later"))
    assert wait_for(lambda: done[-1] == "later")
    assert done[:-1] == list(range(1000))
    assert [record.getMessage() for record in caplog.records] == [
        "an action was dropped: more are waiting than the page can do"
    ]


@pytest.mark.browser(scale=0.25)
def test_a_page_for_other_machines_opens_by_its_address_and_comes_back(page) -> None:
    """The address has the token; the connection, and every later one, has it from the browser."""
    with serve(Page(Counter(), "0.0.0.0")) as served:
        port, query = served.server.get_port(), urlsplit(served.url).query
        assert page.goto(f"http://127.0.0.1:{port}").status == 403
        assert page.goto(f"http://127.0.0.1:{port}/?{query}").status == 200
        page.get_by_text("a counter").wait_for()
        assert wait_for(lambda: len(served.server.get_clients()) == 1)
        (before,) = served.server.get_clients()
        served.server._websock_server.disconnect_all_clients()
        assert wait_for(
            lambda: page.wait_for_timeout(100) is None and max(served.server.get_clients(), default=0) > before
        )


def test_ctrl_c_stops_serving() -> None:
    page = Page(Counter())
    address = (page.server.get_host(), page.server.get_port())
    socket.create_connection(address, timeout=LIMIT).close()
    page.do(_interrupt)
    with pytest.raises(KeyboardInterrupt):
        page.run()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=LIMIT)


def _interrupt() -> None:
    raise KeyboardInterrupt


class Now:
    """A worker that is done at once."""

    def __init__(self, _: int) -> None:
        self.looks = 0

    def submit(self, look, *given) -> Future:
        self.looks += 1
        done: Future = Future()
        done.set_result(look(*given))
        return done


def test_the_last_seconds_are_judged_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ThreadPoolExecutor", Now)
    slid, watch = slide("walk", 0.12, *STANCE), module._Watch()
    recent = RecentFrames(slid)
    for q in slid.q:
        recent.add(q)
    assert watch.look(None, 5.0) == ""
    assert watch.look(recent, 5.0) == ""
    assert watch.look(recent, 5.5) == "**a viewer would not accept this:**\n\nright foot slides by 12.2 cm"
    assert watch._worker.looks == 1
    watch.look(recent, 6.1)
    assert watch._worker.looks == 2
    sound = RecentFrames(slid)
    for q in clip("walk").q:
        sound.add(q)
    watch.look(sound, 8.0)
    assert watch.look(sound, 8.1) == ""


def test_a_page_says_what_is_seen() -> None:
    class Judged(Page):
        recent = RecentFrames(slide("walk", 0.12, *STANCE))

    for q in slide("walk", 0.12, *STANCE).q:
        Judged.recent.add(q)
    with serve(Judged(Counter())) as page:
        assert wait_for(lambda: "right foot slides" in page.seen.content)
        assert page.counter.steps > 0


def test_a_page_goes_on_where_nothing_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise InputError("the rig has no feet")

    class Judged(Page):
        recent = RecentFrames(clip("walk"))

    monkeypatch.setattr(module, "judge", refuse)
    with serve(Judged(Counter())) as page:
        assert wait_for(lambda: "no feet" in page.problem.content)
        steps = page.counter.steps
        assert wait_for(lambda: page.counter.steps > steps)

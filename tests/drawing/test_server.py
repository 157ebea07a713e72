"""A server of pages, asked over the network: by real websocket clients and over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
import viser
import websockets.asyncio.server as library
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.frames import CloseCode
from websockets.protocol import State

from gambol.drawing import server as module
from gambol.drawing.server import GuardedServer, Refusals, WakingEvent, close_server, open_server
from gambol.errors import GambolError
from tests.waiting import LIMIT, wait_for

PROTOCOL = f"viser-v{viser.__version__}"
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [3, 0, 1], "fov": 1.2, "near": 0.1, "far": 100.0,
    "image_height": 400, "image_width": 600, "look_at": [0, 0, 1], "up_direction": [0, 0, 1],
}  # fmt: skip


@pytest.fixture
def serve() -> Iterator[Callable[..., GuardedServer]]:
    with ExitStack() as stack:

        def start(host: str = "127.0.0.1", *more: Any) -> GuardedServer:
            server = open_server(host, 0, *more)
            stack.callback(close_server, server)
            return server

        yield start


def reach(server: GuardedServer, path: str = "/", **options: Any) -> connect:
    """Connect to a server on this machine."""
    address = f"127.0.0.1:{server.get_port()}"
    usual: dict[str, Any] = {
        "origin": f"http://{address}",
        "subprotocols": [PROTOCOL],
        "max_size": None,
        "open_timeout": LIMIT,
    }
    return connect(f"ws://{address}{path}", **usual | options)


def status(server: GuardedServer, path: str = "/", **options: Any) -> int:
    """Return the status with which a websocket is opened or refused."""

    async def ask() -> int:
        try:
            async with reach(server, path, **options) as connection:
                assert await connection.recv(), "what the page shows"
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    return asyncio.run(ask())


def get(server: GuardedServer, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=LIMIT)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def test_loopback_answers_its_own_page_alone(serve) -> None:
    server = serve()
    assert server.url == f"http://127.0.0.1:{server.get_port()}"
    assert get(server).status == 200
    assert get(server).headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert status(server) == 101
    assert get(server, Origin="http://example.com").status == 403
    assert get(server, Host="example.com").status == 403
    assert status(server, origin="http://example.com") == 403
    assert status(server, origin=None) == 403
    assert status(server, additional_headers={"Host": "example.com"}, origin="http://example.com") == 403
    assert status(server, subprotocols=["viser-v0.0.1"]) == 403
    assert status(server, subprotocols=None) == 403


def test_other_addresses_answer_to_the_token(serve) -> None:
    server = serve("0.0.0.0")
    query = "/?" + urlsplit(server.url).query
    assert query.startswith("/?token=")
    assert get(server).status == get(server, "/?token=abc").status == 403
    assert status(server) == status(server, "/?token=abc") == 403
    page = get(server, query)
    assert page.status == 200
    assert status(server, query) == 101
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    assert status(server, additional_headers={"Cookie": cookie}) == 101
    assert get(server, Cookie=cookie).status == 200
    assert status(server, query, origin="http://example.com") == 403
    assert status(server, query, additional_headers={"Host": "example.com"}, origin="http://example.com") == 403


def test_nothing_is_answered_before_the_server_is_ready(serve) -> None:
    """Pages of an earlier run ask once in a second."""
    server = serve()
    server._opened = False
    assert get(server).status == status(server) == 503


def test_the_player_and_other_libraries_get_the_function_back(serve) -> None:
    before = library.serve
    serve()
    assert library.serve is before


def test_a_viser_that_cannot_be_guarded_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GuardedServer, "_serve", lambda self, serve, *address, **options: serve(*address, **options))
    with pytest.raises(GambolError, match="would answer anybody"):
        open_server("127.0.0.1", 0)


def test_bad_messages_change_nothing_and_are_said_once(serve, caplog: pytest.LogCaptureFixture, capfd) -> None:
    """The connection stays open, other pages go on, and there is no traceback."""
    shown: list[str] = []
    server = serve("127.0.0.1", shown.append)
    speed = server.gui.add_dropdown("Speed", ("1x", "2x"))
    update = {"type": "GuiUpdateMessage", "uuid": speed._impl.uuid}

    async def talk() -> None:
        async with reach(server) as bad, reach(server) as good:
            for _ in range(50):
                await bad.send(msgspec.msgpack.encode({**update, "updates": {"value": "abc"}}))
                await bad.send(b"\0")
            await bad.send("text")
            await good.send(msgspec.msgpack.encode(CAMERA))
            await bad.send(msgspec.msgpack.encode(CAMERA))
            await until(lambda: len(server.get_clients()) == 2)
            assert speed.value == "1x"
            await bad.send(msgspec.msgpack.encode({**update, "updates": {"value": "2x"}}))
            await until(lambda: speed.value == "2x")

    asyncio.run(talk())
    said = [record.getMessage() for record in caplog.records]
    assert (
        shown
        == said
        == [
            "'Speed' was set to what it does not offer; it offers 1x, 2x",
            "a page sent something that is not a message of a page",
        ]
    )
    assert "Traceback" not in capfd.readouterr().err


def test_only_the_event_loop_wakes_connections(serve) -> None:
    """A picture is shown by another thread, while connections come and go."""

    async def run() -> None:
        event = WakingEvent(threading.current_thread())
        waiting = asyncio.create_task(event.wait())
        await asyncio.sleep(0)
        (waiter,) = event._waiters
        await asyncio.to_thread(event.set)
        assert event.is_set()
        assert not waiter.done()
        event.set()
        assert waiter.done()
        assert await waiting

    asyncio.run(run())
    server = serve()
    buffers = [server._websock_server.get_message_buffer()]
    server._websock_server.on_client_connect(lambda connection: buffers.append(connection.get_message_buffer()))
    assert status(server) == 101
    assert [type(buffer.message_event) for buffer in buffers] == [WakingEvent, WakingEvent]
    assert buffers[0].message_event._thread is server._websock_server._server_thread is not None


def test_huge_messages_end_their_own_connection(serve, capfd) -> None:
    server = serve()

    async def talk() -> None:
        async with reach(server) as bad, reach(server) as good:
            await bad.send(bytes(2**17))
            await bad.wait_closed()
            assert bad.protocol.close_code == CloseCode.MESSAGE_TOO_BIG
            await good.send(msgspec.msgpack.encode(CAMERA))
            await until(lambda: len(server.get_clients()) == 1)

    asyncio.run(talk())
    assert "Traceback" not in capfd.readouterr().err


def test_failures_of_connections_are_one_line(serve, caplog, capfd, monkeypatch: pytest.MonkeyPatch) -> None:
    """And connections that never become one are none: browsers open such."""
    server = serve()
    for sent in (b"", b"\0\1\2\r\n\r\n", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", server.get_port()), timeout=LIMIT) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1000)
    assert caplog.records == []
    monkeypatch.setattr(module, "check_message", lambda _, received, drags: received)

    async def talk() -> None:
        for _ in range(3):
            async with reach(server) as connection:
                await connection.send(b"\0")
                await connection.wait_closed()

    asyncio.run(talk())
    assert [record.getMessage() for record in caplog.records] == ["connection handler failed: AttributeError"]
    assert "Traceback" not in capfd.readouterr().err


def test_a_flood_is_read_at_a_limited_rate_and_dropped_when_it_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that goes on only while the connection waits: 200 messages at once, then 200 per second."""
    now, flood = 100.0, iter(range(1016))

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    async def receive(*_: object) -> bytes:
        for _ in flood:
            return b"message"
        raise ConnectionClosedError(None, None)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    monkeypatch.setattr(library.ServerConnection, "recv", receive)
    connection = object.__new__(module._CheckedConnection)
    connection._check, connection._due = bytes, 0.0
    connection.loop = SimpleNamespace(time=lambda: now)
    connection.protocol = SimpleNamespace(state=State.OPEN)

    async def read() -> list[float]:
        times = [now for _ in range(1000) if await connection.recv()]
        connection.protocol.state = State.CLOSING
        with pytest.raises(ConnectionClosedError):
            await connection.recv()
        return times

    times = asyncio.run(read())
    assert times[:200] == [100.0] * 200
    assert times[999] == pytest.approx(104.0)
    assert now == times[999]


def test_a_line_per_kind_and_some_seconds_with_a_count(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    shown: list[str] = []
    refusals = Refusals(shown.append)
    for _ in range(30):
        refusals.add("a")
    refusals.add("b")
    now += 5.0
    refusals.add("a")
    refusals.add("a")
    now += 5.0
    refusals.add("b")
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert said == ["a", "b", "a (30 times)", "b"]
    assert shown == ["a", "b", "a", "b"]


async def until(condition: Callable[[], bool]) -> None:
    assert await asyncio.to_thread(wait_for, condition)

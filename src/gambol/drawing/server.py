"""Serve pages with viser, to browsers that have them from here.

viser starts its websocket server by `websockets.asyncio.server.serve` and offers no hook: while a server is opened,
that function is replaced by one that also checks requests and messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

import viser
import websockets.asyncio.server as library
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Data

from gambol.drawing.access import Access
from gambol.drawing.messages import Drags, check_message
from gambol.errors import GambolError, InputError

_LARGEST = 2**16
"""Bytes of the longest message that is read."""
_RATE = 200.0
"""Messages per second that are read from one connection; the rest waits there."""
_CLOSING = 0.5
"""Seconds for which a connection may take to close: one that sends too much does not come to it."""
_QUIET = 5.0
"""Seconds between two lines of the log for the same refusal."""
_OPENING = threading.Lock()
_LOG = logging.getLogger(__name__)


class Refusals:
    """Logs what was refused: one line per kind in some seconds, with the count. `show` gets these lines, too."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show = show
        self._counts: dict[str, int] = {}
        self._logged: dict[str, float] = {}

    def add(self, problem: str) -> None:
        """Count a refusal, and log it if that is due."""
        count = self._counts[problem] = self._counts.get(problem, 0) + 1
        now = time.monotonic()
        if now - self._logged.get(problem, -_QUIET) >= _QUIET:
            self._counts[problem], self._logged[problem] = 0, now
            _LOG.warning("%s", problem if count == 1 else f"{problem} ({count} times)")
            self._show(problem)


class GuardedServer(viser.ViserServer):
    """A viser server that checks who asks, and every message. `show` gets lines about what was refused."""

    def __init__(self, host: str, port: int, show: Callable[[str], object]) -> None:
        self._access, self._refusals = Access.at(host), Refusals(show)
        self._guarded = self._opened = False
        with _OPENING:
            unguarded, library.serve = library.serve, partial(self._serve, library.serve)  # type: ignore[misc, assignment]
            try:
                super().__init__(host=host, port=port, verbose=False)
            finally:
                library.serve = unguarded  # type: ignore[misc]
        if not self._guarded:
            self.stop()
            raise GambolError(
                f"viser {viser.__version__} would answer anybody: use a version that gambol was tested with"
            )
        self._wake_safely(self._websock_server)
        self._websock_server.on_client_connect(self._wake_safely)
        self._opened = True

    @property
    def url(self) -> str:
        """The address to open."""
        return self._access.make_url(self.get_port())

    def _serve(
        self, serve: Callable[..., Any], *address: Any, process_request: Callable[..., Response | None], **options: Any
    ) -> Any:
        self._guarded = True
        logger = logging.Logger(__name__, logging.ERROR)
        logger.addHandler(_Failures(self._refusals))
        options |= {
            "max_size": _LARGEST,
            "close_timeout": _CLOSING,
            "logger": logger,
            "create_connection": partial(_CheckedConnection, self._check),
        }
        return serve(*address, process_request=partial(self._answer, process_request), **options)

    def _answer(
        self, answer: Callable[..., Response | None], connection: library.ServerConnection, request: Request
    ) -> Response | None:
        if not self._opened:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "starting\n")
        problem = self._access.find_problem(request.path, request.headers)
        protocol = f"viser-v{viser.__version__}"
        if "Upgrade" in request.headers and request.headers.get_all("Sec-WebSocket-Protocol") != [protocol]:
            problem = problem or "a page of another version of viser was refused; reload the page"
        if problem is not None:
            self.refuse(problem)
            return connection.respond(HTTPStatus.FORBIDDEN, f"{problem}\n")
        response = answer(connection, request)
        if response is not None:
            response.headers.update(self._access.list_headers(self.get_port()))
        return response

    def _wake_safely(self, connection: viser.infra.WebsockMessageHandler) -> None:
        connection.get_message_buffer().message_event = WakingEvent(self._websock_server._server_thread)

    def refuse(self, problem: str) -> None:
        """Log what was refused, from any thread."""
        self._refusals.add(problem)

    def _check(self, drags: Drags, received: Data) -> bytes | None:
        try:
            return check_message(self, received, drags)
        except InputError as error:
            self.refuse(str(error))
            return None


class WakingEvent(asyncio.Event):
    """An event that any thread may set; only the thread of the event loop wakes those who wait.

    viser sets an event in the thread that changes a page and again in its event loop. Others than the loop may not
    touch those who wait: a connection that closes at this moment would raise RuntimeError and end the page.
    """

    def __init__(self, thread: threading.Thread | None) -> None:
        super().__init__()
        self._thread = thread

    def set(self) -> None:
        """Set the event, and wake those who wait if this is the thread of the event loop."""
        if threading.current_thread() is self._thread:
            self.clear()
            super().set()
        else:
            self._value = True


class _CheckedConnection(library.ServerConnection):
    """A connection from which checked messages are read, at a limited rate."""

    def __init__(self, check: Callable[[Drags, Data], bytes | None], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._check, self._due = partial(check, Drags()), 0.0

    async def recv(self, decode: bool | None = None) -> Data:  # type: ignore[override]
        while True:
            received = await super().recv(decode)
            now = self.loop.time()
            self._due = max(self._due, now - 1.0) + 1.0 / _RATE
            if self._due > now:
                # What waits from a flood is dropped when the connection is closed.
                if self.protocol.state is not State.OPEN:
                    continue
                await asyncio.sleep(self._due - now)
            checked = self._check(received)
            if checked is not None:
                return checked


class _Failures(logging.Handler):
    """Turns errors of connections, which come with a traceback each, into refusals."""

    def __init__(self, refusals: Refusals) -> None:
        super().__init__()
        self._refusals = refusals

    def emit(self, record: logging.LogRecord) -> None:
        # Browsers open connections that they do not use.
        if record.getMessage() != "opening handshake failed":
            kind = record.exc_info[0] if record.exc_info else None
            self._refusals.add(record.getMessage() + ("" if kind is None else f": {kind.__name__}"))


def open_server(host: str, port: int, show: Callable[[str], object] = lambda _: None) -> GuardedServer:
    """Open a server with a light, silent on standard output; raise an error if the address cannot be used.

    `show` gets a line for what was refused, from any thread.
    """
    try:
        with socket.create_server((host, 0)):
            pass
    except OSError as error:
        raise InputError(
            f"cannot serve on '{host}': {error.strerror or error}", fix="use 127.0.0.1 for this machine"
        ) from None
    with contextlib.redirect_stdout(io.StringIO()):
        server = GuardedServer(host, port, show)
    server.gui.configure_theme(show_share_button=False, brand_color=(79, 140, 189))
    server.scene.set_up_direction("+z")
    server.scene.configure_default_lights(enabled=True, cast_shadow=True)
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop the server silently."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()

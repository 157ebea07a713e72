"""Live pages: one loop that lets an engine run in real time and shows it in the browser.

One thread, that of `run`, owns the engine. What people do in browsers arrives on viser's threads and waits in a queue.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Protocol

from gambol.drawing.scene import close_server, open_server
from gambol.errors import InputError

_TICK = 1.0 / 30.0
_LATE = 0.25
"""Seconds that are made up for at most when the machine was busy or slept."""


class Engine(Protocol):
    """Anything that goes on by itself."""

    def advance(self, seconds: float) -> object:
        """Let some milliseconds pass; what this returns is not looked at."""


class Live(ABC):
    """A page that shows an engine while it runs. A page adds its controls, says what `show` does, and queues actions.

    Actions and the engine may raise InputError: the page shows the message, and the engine goes on as it was.
    """

    def __init__(self, engine: Engine, title: str, how: str, *, host: str, port: int) -> None:
        self._engine = engine
        self._stopped = threading.Event()
        self._actions: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self.server = open_server(host, port)
        self.server.gui.set_panel_label(title)
        self.server.gui.add_markdown(how)
        self.problem = self.server.gui.add_markdown("")
        """What was wrong with the last action; empty where nothing was."""

    @abstractmethod
    def show(self) -> None:
        """Bring the scene and the controls up to the engine's state."""

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def do(self, action: Callable[[], object]) -> None:
        """Have the loop do something before its next step; from any thread."""
        self._actions.put(action)

    def run(self) -> None:
        """Go on until `stop` or Ctrl-C, and stop serving then."""
        try:
            before = time.perf_counter()
            while not self._stopped.wait(_TICK):
                self._do_all()
                now = time.perf_counter()
                self._guard(partial(self._engine.advance, min(now - before, _LATE)))
                before = now
                with self.server.atomic():
                    self.show()
        finally:
            close_server(self.server)

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._stopped.set()

    def _do_all(self) -> None:
        while True:
            try:
                action = self._actions.get_nowait()
            except Empty:
                return
            self.problem.content = ""
            self._guard(action)

    def _guard(self, action: Callable[[], object]) -> None:
        try:
            action()
        except InputError as error:
            self.problem.content = str(error)

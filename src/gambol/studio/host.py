"""The host of live pages: one loop that runs an engine in real time and shows it in the browser.

The thread of `run` owns the engine. Events of browsers arrive on viser's threads and wait in a queue.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import Full, Queue
from typing import Protocol

from gambol.drawing.server import close_server, open_server
from gambol.errors import InputError
from gambol.judge.judgement import Judgement, judge
from gambol.judge.recent import RecentFrames

_TICK = 1.0 / 30.0
_LATE = 0.25
"""Longest delay (s) that is caught up with."""
_WAITING = 1000
"""Most actions that wait; further ones are dropped."""
_EVERY, _LISTED = 1.0, 3
"""Seconds from one look to the next, and findings that are named."""


class Engine(Protocol):
    """Anything that can be advanced by a few milliseconds."""

    def advance(self, seconds: float) -> object:
        """Advance by some seconds; the return value is ignored."""


class Live(ABC):
    """A page that shows a running engine. Subclasses add controls, implement `show` and queue actions with `do`.

    Actions and the engine may raise InputError: the page shows the message and the engine continues unchanged.
    """

    def __init__(self, engine: Engine, title: str, how: str, *, host: str, port: int) -> None:
        self._engine = engine
        self._stopped = threading.Event()
        self._actions: Queue[Callable[[], object]] = Queue(_WAITING)
        self.server = open_server(host, port, self.say)
        self.server.gui.set_panel_label(title)
        self.server.gui.add_markdown(how)
        self.problem = self.server.gui.add_markdown("")
        """Error message of the last action; empty if it succeeded."""
        self.seen = self.server.gui.add_markdown("")
        """What a viewer sees in the last seconds; empty if that is nothing."""
        self._watch = _Watch()

    @abstractmethod
    def show(self) -> None:
        """Update the scene and the controls to the engine's state."""

    @property
    def recent(self) -> RecentFrames | None:
        """The frames that were shown last, to be judged about once a second; None where there is no person."""
        return None

    @property
    def url(self) -> str:
        """The address to open."""
        return self.server.url

    def do(self, action: Callable[[], object]) -> None:
        """Queue an action for the loop, from any thread."""
        try:
            self._actions.put_nowait(action)
        except Full:
            self.server.refuse("an action was dropped: more are waiting than the page can do")

    def say(self, problem: str) -> None:
        """Show a problem on the page, from any thread."""
        self.do(partial(_refuse, problem))

    def run(self) -> None:
        """Run until `stop` or Ctrl-C, then stop serving."""
        try:
            before = time.perf_counter()
            while not self._stopped.wait(_TICK):
                self._do_all()
                now = time.perf_counter()
                self._guard(partial(self._engine.advance, min(now - before, _LATE)))
                before = now
                with self.server.atomic():
                    self.show()
                    self._guard(partial(self._show_seen, now))
        finally:
            self._watch.close()
            close_server(self.server)

    def stop(self) -> None:
        """End `run`, from any thread."""
        self._stopped.set()

    def _show_seen(self, now: float) -> None:
        words = self._watch.look(self.recent, now)
        if words != self.seen.content:
            self.seen.content = words

    def _do_all(self) -> None:
        # Actions that arrive meanwhile wait for the next step: the engine runs on whatever browsers send.
        for _ in range(self._actions.qsize()):
            self.problem.content = ""
            self._guard(self._actions.get_nowait())

    def _guard(self, action: Callable[[], object]) -> None:
        try:
            action()
        except InputError as error:
            self.problem.content = str(error)


class _Watch:
    """Judges the last seconds on a thread of its own, so that the loop does not wait."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(1)
        self._judged: Future[Judgement] | None = None
        self._begun = -_EVERY
        self._words = ""

    def look(self, recent: RecentFrames | None, now: float) -> str:
        """Return what was seen last, and begin to look again if that was a second ago."""
        if self._judged is not None and self._judged.done():
            judged, self._judged = self._judged, None
            self._words = _describe(judged.result())
        if recent is not None and self._judged is None and now - self._begun >= _EVERY:
            self._begun = now
            self._judged = self._worker.submit(judge, recent.motion)
        return self._words

    def close(self) -> None:
        """End the thread."""
        self._worker.shutdown(cancel_futures=True)


def _describe(found: Judgement) -> str:
    """Return the worst findings in words, without their times."""
    lines = [
        f"{one.part.replace('_', ' ')} {one.kind.words} {one.value:.3g} {one.kind.unit}"
        for one in found.findings[:_LISTED]
    ]
    opening = "" if found.accepted else "**a viewer would not accept this:**\n\n"
    return f"{opening}{'; '.join(lines)}"


def _refuse(problem: str) -> None:
    raise InputError(problem)

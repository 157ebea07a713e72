"""Progress as lines of a log, where no terminal shows a bar: at every stage, and never 10 seconds without one."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SILENCE = 8.0
"""Seconds after which the last report is printed again: a library may keep the interpreter for one or two more."""
_NUMBERS = re.compile(r"\([^)]*\)|[-+.\d]+(e[-+]\d+)?")


class ProgressLog:
    """Prints what a command reports, and repeats it while nothing is reported."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock, self._lock = write, clock, threading.Lock()
        self._begin("")

    def _begin(self, what: str) -> None:
        """Begin a stage, whose duration is measured from now."""
        self._what, self._done, self._first = what, 0, 0
        self._total: int | None = None
        self._begun = self._reported = self._written = self._clock()

    def begin(self, what: str) -> None:
        """Begin a stage that is printed only if it takes long; one without a name is not printed at all."""
        with self._lock:
            self._begin(what)

    def report(self, what: str, done: int, total: int | None) -> None:
        """Print a report (a `Progress`) that begins a stage, is a message, or comes after a silence."""
        with self._lock:
            old, now = self._what, self._clock()
            begins = _find_stage(what) != _find_stage(old)
            if begins:
                self._begin(what)
                self._first = done
            self._what, self._done, self._total, self._reported = what, done, total, now
            if begins or (what != old and (done, total) == (0, None)) or now - self._written >= SILENCE:
                self._print(now)

    def repeat(self) -> float:
        """Print the last report again if that is due; return the seconds until the next time."""
        with self._lock:
            now = self._clock()
            if now - self._written >= SILENCE:
                self._print(now)
            return self._written + SILENCE - now

    def _print(self, now: float) -> None:
        self._written = now
        if not self._what:
            return
        spent, steps, left = now - self._begun, self._done - self._first, 0.0
        count = f" {self._done}" if self._total is None else f" {self._done} of {self._total}"
        if self._total is not None and steps > 0:
            left = (self._reported - self._begun) / steps * (self._total - self._first) - spent
        times = [f"{spent:.0f} s so far"] * (spent >= 1.0) + [f"about {left:.0f} s left"] * (left >= 1.0)
        text = self._what + ("" if (self._done, self._total) == (0, None) else count)
        self._write(f"{text} ({', '.join(times)})" if times else text)

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Repeat reports from a thread of its own."""
        ended = threading.Event()

        def run() -> None:
            while not ended.wait(self.repeat()):
                pass

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _find_stage(what: str) -> str:
    """Return a report without what changes within a stage: numbers, and what is in brackets."""
    return _NUMBERS.sub("", what)

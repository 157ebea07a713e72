"""Wait for what must happen, with a limit that only a hang exceeds, however busy the machine is."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LIMIT = 600.0
"""Seconds after which what has not happened, or has not ended, hangs."""
PATIENCE = 10.0
"""Seconds after which something is tried again."""
_PERIOD = 0.02


def wait_for(condition: Callable[[], bool], seconds: float = LIMIT) -> bool:
    """Wait until a condition is true; return whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(_PERIOD)
    return True


@contextmanager
def must_end() -> Iterator[None]:
    """Fail what is done inside, in the main thread, if it has not ended by the limit."""

    def fail(*_: object) -> None:
        raise AssertionError(f"it has not ended after {LIMIT:g} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

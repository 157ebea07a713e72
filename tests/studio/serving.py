"""Pages that are being served while a test uses them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar


class Page(Protocol):
    """Something that serves a page until it is stopped."""

    def run(self) -> None:
        """Serve."""

    def stop(self) -> None:
        """Make `run` return."""


Served = TypeVar("Served", bound=Page)


@contextmanager
def serve(page: Served) -> Iterator[Served]:
    """A page that is being served; its loop has to be running still when the test is over, and to end when stopped."""
    thread = threading.Thread(target=page.run)
    thread.start()
    yield page
    running = thread.is_alive()
    page.stop()
    thread.join(timeout=10.0)
    assert running, "the loop ended by itself"
    assert not thread.is_alive()


def wait_for(condition: Callable[[], bool], seconds: float = 40.0) -> bool:
    """Software rendering is slow and its pace unknown: wait for what must come, not for a time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True

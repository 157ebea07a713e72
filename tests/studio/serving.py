"""Pages that are being served while a test uses them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import viser

from tests.waiting import LIMIT


class Page(Protocol):
    """Something that serves a page until it is stopped."""

    server: viser.ViserServer

    def run(self) -> None:
        """Serve."""

    def stop(self) -> None:
        """Make `run` return."""


Served = TypeVar("Served", bound=Page)


def draw_simply(server: viser.ViserServer) -> None:
    """Leave out shadows and reflections, which are slow in software and which no test of these pages looks at."""
    server.scene.configure_default_lights(enabled=True, cast_shadow=False)
    server.scene.configure_environment_map(None)


@contextmanager
def serve(page: Served) -> Iterator[Served]:
    """A page that is being served; its loop has to be running still when the test is over, and to end when stopped."""
    draw_simply(page.server)
    thread = threading.Thread(target=page.run)
    thread.start()
    yield page
    running = thread.is_alive()
    page.stop()
    thread.join(LIMIT)
    assert running, "the loop ended by itself"
    assert not thread.is_alive()

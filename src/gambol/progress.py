"""How long-running functions report progress, and end with their best result so far when they are stopped."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Callback with a description, the number of steps done, and their total (None if unknown)."""
_ACCEPTED = "accepted"


def silent(what: str, done: int, total: int | None) -> None:
    """Ignore progress reports."""


def accept_stop(stop: KeyboardInterrupt) -> None:
    """Mark a stop (Ctrl-C) after which a function returns its best result so far."""
    stop.args = (_ACCEPTED,)


def is_accepted(stop: KeyboardInterrupt) -> bool:
    """Return whether a stop has arrived where it is accepted; the command line repeats others until they arrive."""
    return stop.args == (_ACCEPTED,)

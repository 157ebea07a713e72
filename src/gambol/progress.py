"""How long-running functions report progress, and end with their best result so far when they are stopped."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Callback with a description, the number of steps done, and their total (None if unknown); 0 and None: a message."""
_ACCEPTED = "accepted"


class _Silent:
    """A callback that `help` shows as a word, where a function would be shown with its address."""

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Ignore a progress report."""

    def __repr__(self) -> str:
        return "silent"


silent = _Silent()
"""Ignores progress reports."""


def pass_messages(progress: Progress) -> Progress:
    """Return a callback that passes on messages, which count no steps: for a part of work whose steps are counted."""

    def report(what: str, done: int, total: int | None) -> None:
        if (done, total) == (0, None):
            progress(what, 0, None)

    return progress if progress is silent else report


def accept_stop(stop: KeyboardInterrupt) -> None:
    """Mark a stop (Ctrl-C) after which a function returns its best result so far."""
    stop.args = (_ACCEPTED,)


def is_accepted(stop: KeyboardInterrupt) -> bool:
    """Return whether a stop has arrived where it is accepted; the command line repeats others until they arrive."""
    return stop.args == (_ACCEPTED,)

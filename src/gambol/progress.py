"""Progress callbacks of long-running functions."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Callback with a description, the number of steps done, and their total (None if unknown)."""


def silent(what: str, done: int, total: int | None) -> None:
    """Ignore progress reports."""

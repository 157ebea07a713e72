"""How verbs report what they are doing while they run."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how many steps are done, and how many there are (None where that is unknown)."""


def silent(what: str, done: int, total: int | None) -> None:
    """Report nothing."""

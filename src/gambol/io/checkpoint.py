"""Keep in a file what a long run has solved, so that a stopped run goes on from there.

The file holds a digest of its content: one that was damaged or changed is never taken for a solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gambol.errors import InputError
from gambol.io.archive import INVALID_CONTENT, read_archive, write_archive
from gambol.io.packed import digest

_FIX = "delete it to begin anew"


def write_checkpoint(path: Path, what: str, version: int, content: Any) -> None:
    """Write content as an archive of kind `what`, with its digest."""
    write_archive(path, what, version, {"content": content, "digest": digest(content)})


def read_checkpoint(path: Path, what: str, version: int, kinds: Iterable[type] = ()) -> Any:
    """Return exactly what was written; `kinds` are the classes allowed in it. Anything else is an InputError."""
    stored = read_archive(path, what, version, kinds, _FIX)
    try:
        intact = str(stored["digest"]) == digest(stored["content"])
    except INVALID_CONTENT:
        intact = False
    if not intact:
        raise InputError(f"this {what} is damaged", file=path, fix=_FIX)
    return stored["content"]

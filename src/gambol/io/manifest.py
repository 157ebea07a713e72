"""The table of a folder of results, as JSON lines: the file of each, its figures, or why there is none.

Lines are appended as results are finished; a run that was stopped goes on after the last whole line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from gambol.errors import InputError
from gambol.io.output import write_text

MANIFEST = "manifest.jsonl"
KEPT = "kept"
"""Status of a result with a file that is good."""


class Manifest:
    """The rows of a folder, by the number or name of the member."""

    def __init__(self, folder: Path, member: type[int] | type[str]) -> None:
        self.path, self._member = folder / MANIFEST, member
        self.rows = {row["member"]: row for row in self._read()}
        self.sort()

    def add(self, row: dict[str, Any]) -> None:
        """Append the row of a member."""
        self.rows[row["member"]] = row
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_format(row))

    def sort(self) -> None:
        """Write all rows in the order of members."""
        self.rows = dict(sorted(self.rows.items()))
        write_text(self.path, "".join(map(_format, self.rows.values())))

    def _read(self) -> list[dict[str, Any]]:
        """Return the whole rows; the last one may have been cut off."""
        if not self.path.exists():
            return []
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]
            rows = [json.loads(line, parse_constant=_refuse) for line in lines]
            if all(_is_row(row, self._member) for row in rows):
                return rows
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            pass
        raise InputError("not a table of results that gambol wrote", file=self.path, fix="choose another folder")


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _is_row(row: dict[str, Any], member: type) -> bool:
    """Return whether a row names a member and a file in the folder, or says why there is none."""
    file = Path(row["file"] or "")
    inside = not file.is_absolute() and ".." not in file.parts and file.name.isprintable()
    words = isinstance(row["status"], str) and isinstance(row["key"], str)
    return type(row["member"]) is member and words and inside and (row["status"] != KEPT or row["file"] is not None)


def _format(row: dict[str, Any]) -> str:
    return json.dumps(row, allow_nan=False) + "\n"


def make_folder(place: Path) -> None:
    """Make a folder, unless there is one."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be a folder: {error.strerror}", file=place.parent, fix="choose another name"
        ) from None

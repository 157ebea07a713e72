"""`gambol reproduce`: measure what papers, plates and other engines say."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import typer

from gambol.cli.options import Writing
from gambol.errors import InputError

Name = Annotated[
    Literal["ground-truth", "near-unactuated", "sketch", "fix", "edit", "primitives", "crowd"],
    typer.Argument(help="Which claims."),
]
Data = Annotated[Path | None, typer.Option(help="Folder of recordings (default: the variable GAMBOL_DATA).")]


def reproduce(writing: Writing, name: Name = "ground-truth", data: Data = None) -> None:
    """Measure the claims of a paper, and print whether each holds.

    Example: gambol reproduce ground-truth --data recordings --json rows.json
    """
    folder = data or Path(os.environ.get("GAMBOL_DATA", "recordings"))
    if not folder.is_dir():
        raise InputError("no such folder of recordings", file=folder, fix="pass --data FOLDER")
    writing.check_outputs()
    from gambol.reproduce import claims

    rows = []
    for row in import_module(f"gambol.reproduce.{name.replace('-', '_')}").run(folder):
        mark = "holds" if row.holds else "DOES NOT HOLD"
        writing.line(f"{row.id:<22} {row.measured:>10.4g} {row.unit:<18} {row.expected!s:<16} {mark}")
        rows.append(row)
    writing.line(f"{sum(row.holds for row in rows)} of {len(rows)} hold")
    writing.write_json(claims.report(name, rows))

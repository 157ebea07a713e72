"""`gambol reproduce`: measure what papers, plates and other engines say."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output
from gambol.errors import InputError

NAMES = ("ground-truth", "near-unactuated", "sketch", "fix", "edit", "primitives", "crowd")
Name = Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.")]
Data = Annotated[Path | None, typer.Option(help="Folder of the recordings; else the variable GAMBOL_DATA.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="File for the rows.")]


def reproduce(
    name: Name = NAMES[0], data: Data = None, json_file: JsonFile = None, overwrite: Overwrite = False
) -> None:
    """Measure each claim anew and say whether it holds; a row that does not hold says so.

    Example: gambol reproduce ground-truth --data recordings --json rows.json
    """
    if name not in NAMES:
        raise InputError(f"nothing called '{name}' to reproduce", fix=f"there are: {', '.join(NAMES)}")
    folder = data or Path(os.environ.get("GAMBOL_DATA", "recordings"))
    if not folder.is_dir():
        raise InputError("no such folder of recordings", file=folder, fix="pass --data FOLDER")
    if json_file is not None:
        fresh_output(json_file, overwrite)
    from gambol.io.output import replacing
    from gambol.reproduce import claims

    rows = []
    for row in import_module(f"gambol.reproduce.{name.replace('-', '_')}").run(folder):
        mark = "holds" if row.holds else "DOES NOT HOLD"
        typer.echo(f"{row.id:<22} {row.measured:>10.4g} {row.unit:<18} {row.expected!s:<16} {mark}")
        rows.append(row)
    typer.echo(f"{sum(row.holds for row in rows)} of {len(rows)} hold")
    if json_file is not None:
        with replacing(json_file) as temporary:
            temporary.write_text(json.dumps(claims.report(name, rows), indent=2) + "\n", encoding="utf-8")
        typer.echo(json_file)

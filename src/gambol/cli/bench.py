"""`gambol bench`: speed, beside its peers, as ratios from one run."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output
from gambol.errors import InputError

NAMES = ("io", "body", "near-unactuated", "sketch", "edit", "primitives", "crowd")
Name = Annotated[str | None, typer.Argument(help=f"One of: {', '.join(NAMES)}. All when not given.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="File for the figures.")]


def bench(name: Name = None, json_file: JsonFile = None, overwrite: Overwrite = False) -> None:
    """Measure speed, ours and that of peers where they are installed (pip install 'gambol[bench]').

    Example: gambol bench io --json io.json
    """
    if name is not None and name not in NAMES:
        raise InputError(f"no benchmark '{name}'", fix=f"benchmarks: {', '.join(NAMES)}")
    if name is None and json_file is not None:
        raise InputError("one file holds one benchmark", fix=f"name it: {', '.join(NAMES)}")
    if json_file is not None:
        fresh_output(json_file, overwrite)
    from gambol.bench import rows
    from gambol.io.output import replacing

    for each in NAMES if name is None else (name,):
        measured = []
        for row in import_module(f"gambol.bench.{each.replace('-', '_')}").run():
            peer = f"{row.peer} {_short(row.peer_value)}, {row.ratio:.1f} times" if row.peer_value and row.ratio else ""
            typer.echo(f"{row.id:<22} {_short(row.value):>12} {row.unit:<9} {peer}")
            measured.append(row)
        if json_file is not None:
            with replacing(json_file) as temporary:
                temporary.write_text(json.dumps(rows.report(each, measured), indent=2) + "\n", encoding="utf-8")
            typer.echo(json_file)


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"

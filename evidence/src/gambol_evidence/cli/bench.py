"""`gambol bench`: measure speed, compared with peers in the same run."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Literal, get_args

import typer

from gambol.cli.options import Writing
from gambol.errors import InputError

Suite = Literal[
    "io",
    "body",
    "near-unactuated",
    "sketch",
    "judge",
    "fix",
    "edit",
    "primitives",
    "crowd",
    "responsive",
    "interaction",
    "humanoid",
    "style",
    "compose",
    "robots",
    "film",
]
Name = Annotated[Suite | None, typer.Argument(help="Which benchmark (default: all).")]


def bench(writing: Writing, name: Name = None) -> None:
    """Measure speed, and that of peers where they are installed (pip install 'gambol-evidence[bench]').

    Example: gambol bench io --json io.json
    """
    names = get_args(Suite)
    if name is None and writing.json is not None:
        raise InputError("one JSON file holds one benchmark", fix=f"name it: {', '.join(names)}")
    writing.check_outputs()
    from gambol.solve.compiled import wait_for_builds
    from gambol_evidence.bench.rows import Row, benchmark_facts, format_figure

    def show(row: Row) -> Row:
        writing.line(f"{row.id:<22} {format_figure(row.value):>12} {row.unit:<9} {row.comparison}")
        return row

    for each in names if name is None else (name,):
        suite = import_module(f"gambol_evidence.bench.{each.replace('-', '_')}")
        measured = list(map(show, suite.run()))
        if wait_for_builds():
            writing.note("code was interpreted until it was compiled: measured again")
            measured = list(map(show, suite.run()))
        writing.write_json(benchmark_facts(each, measured))

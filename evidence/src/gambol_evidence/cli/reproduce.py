"""`gambol reproduce`: measure the claims of papers, force plates and other engines."""

from __future__ import annotations

import os
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gambol.cli.console import check_page
from gambol.cli.options import Report, Writing
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol_evidence.reproduce.claims import Claim

Name = Annotated[
    Literal[
        "ground-truth",
        "near-unactuated",
        "sketch",
        "judge",
        "fix",
        "edit",
        "primitives",
        "crowd",
        "recovery",
        "responsive",
        "interaction",
        "humanoid",
        "style",
        "compose",
        "robots",
    ],
    typer.Argument(help="Suite of claims."),
]
Data = Annotated[Path | None, typer.Option(help="Folder of recordings (default: the variable GAMBOL_DATA).")]


def reproduce(writing: Writing, name: Name = "ground-truth", data: Data = None, report: Report = None) -> None:
    """Measure the claims of a suite; print each with its source, its data and whether it holds.

    Exit code 1 where a claim fails that is not in the list of known failures.

    Example: gambol reproduce ground-truth --data recordings --json rows.json
    """
    folder = data or Path(os.environ.get("GAMBOL_DATA", "recordings"))
    if not folder.is_dir():
        raise InputError("no such folder of recordings", file=folder, fix="pass --data FOLDER")
    check_page(report)
    writing.check_outputs(report)
    from gambol.io.output import write_text
    from gambol_evidence.reproduce.claims import Evidence
    from gambol_evidence.reproduce.report import evidence_html
    from gambol_evidence.reproduce.user_cases import CASES
    from gambol_evidence.reproduce.written import judge_written

    claims = []
    suite = import_module(f"gambol_evidence.reproduce.{name.replace('-', '_')}").run(folder)
    for claim in chain(suite, judge_written(CASES[name](folder)) if name in CASES else ()):
        _print(claim, writing)
        claims.append(claim)
    evidence = Evidence(name, claims)
    writing.line(evidence.summary)
    for claim in evidence.mended:
        writing.line(f"{claim.id} holds now: remove it from known_failures.yaml")
    for claim in evidence.regressions:
        writing.line(f"{claim.id} fails and is not a known failure")
    writing.write_json(evidence.facts())
    if report is not None:
        writing.wrote(write_text(report, evidence_html(evidence)))
    raise typer.Exit(1 if evidence.regressions else 0)


def _print(claim: Claim, writing: Writing) -> None:
    figure = f"{claim.measured:.4g} {claim.unit}".rstrip()
    writing.line(f"{claim.id:<28} {figure}, expected {claim.expected}: {claim.verdict}")
    writing.line(f"    {claim.claim}")
    writing.line(f"    {claim.source}; {claim.data}")
    if claim.by_construction:
        writing.line(f"    by construction: {claim.by_construction}")

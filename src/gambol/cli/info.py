"""`gambol info`: what is in a file."""

from __future__ import annotations

import json

import typer

from gambol.cli.clips import Asf, Clips, Fps, Json, Overrides, RigFile, Scale, Up, files_of


def info(
    clips: Clips,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    as_json: Json = False,
) -> None:
    """Say what is in a file: rig, joints, frames, units, and what was decided while loading.

    Example: gambol info walk.bvh
    """
    from gambol.io import summary
    from gambol.io.formats import READABLE

    overrides = Overrides(scale, up, fps, rig, skeleton)
    reports = []
    missing_rig = None
    for path in files_of(clips, tuple(READABLE)):
        found = summary.describe(path, **overrides._asdict())
        for report in found:
            missing_rig = missing_rig or report.rig_error
            reports.append(report.facts)
            if not as_json:
                _print(report.facts)
    if as_json:
        typer.echo(json.dumps(reports, indent=2))
    if missing_rig is not None:
        raise missing_rig


def _print(facts: dict[str, object]) -> None:
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        if isinstance(value, list):
            for n, line in enumerate(value or ["none"]):
                typer.echo(f"{key if n == 0 else '':<{width}}  {line}")
        else:
            typer.echo(f"{key:<{width}}  {value}")
    typer.echo("")

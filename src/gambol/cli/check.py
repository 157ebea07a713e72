"""`gambol check`: how physical is a clip."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gambol.cli.clips import Asf, Clips, Fps, Json, Overrides, RigFile, Scale, Up, load_clips

if TYPE_CHECKING:
    from gambol.metrics.check import Check

Mass = Annotated[float | None, typer.Option(help="Kilograms; else those of a person of medium weight.")]


def check(
    clips: Clips,
    mass: Mass = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    as_json: Json = False,
) -> None:
    """Say how physical clips are: feet, flight, forces, joints, each with its band and where that comes from.

    Exit code 1 where a figure is out of its band.

    Example: gambol check walk.bvh
    """
    from gambol.metrics.check import check as measure

    reports, sound = [], True
    for motion in load_clips(clips, Overrides(scale, up, fps, rig, skeleton)):
        found = measure(motion, mass)
        sound = sound and found.passes
        reports.append(_facts(motion.name, found))
        if not as_json:
            _print(motion.name, found)
    if as_json:
        typer.echo(json.dumps(reports, indent=2))
    raise typer.Exit(0 if sound else 1)


def _print(name: str, found: Check) -> None:
    typer.echo(f"{name}: {'every figure in its band' if found.passes else 'NOT every figure in its band'}")
    for figure in found.figures:
        mark = "  -   " if math.isnan(figure.value) else "  ok  " if figure.passes else "OUTSIDE"
        value = "nothing" if math.isnan(figure.value) else f"{figure.value:.3g}"
        typer.echo(f"  {mark:<8}{figure.name:<24}{value:>9} {figure.unit:<32} {figure.band!s:<16} {figure.source}")
    for note in found.notes:
        typer.echo(f"  {note}")


def _facts(name: str, found: Check) -> dict[str, Any]:
    figures = [
        {
            "name": figure.name,
            "value": None if math.isnan(figure.value) else figure.value,
            "unit": figure.unit,
            "band": str(figure.band),
            "passes": figure.passes,
            "source": figure.source,
        }
        for figure in found.figures
    ]
    stages = [{"name": s.name, "kind": s.kind, "first": s.first, "last": s.last} for s in found.stages]
    return {"name": name, "passes": found.passes, "figures": figures, "notes": list(found.notes), "stages": stages}

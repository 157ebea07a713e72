"""`gambol check`: how physical is a clip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gambol.cli.clips import (
    Asf,
    Clips,
    Fps,
    Json,
    Mass,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    fresh_output,
    load_clips,
    page_output,
)

if TYPE_CHECKING:
    from gambol.fit.physics import Physics
    from gambol.metrics.check import Check

Report = Annotated[Path | None, typer.Option(help="HTML page to write: the same figures, and curves over time.")]
_LISTED = 10
"""Stages named one by one; a clip may have a hundred."""


def check(
    clips: Clips,
    mass: Mass = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    as_json: Json = False,
    report: Report = None,
    overwrite: Overwrite = False,
) -> None:
    """Say how physical clips are: feet, flight, forces, joints, jerk, each with its band and where that comes from.

    Exit code 1 where a figure is out of its band, or where no ground contact was found to judge by.

    Example: gambol check walk.bvh
    """
    from gambol.metrics.check import check as measure

    if report is not None:
        page_output(report)
        fresh_output(report, overwrite, clips)
    checked: list[tuple[str, Check]] = []
    for motion in load_clips(clips, Overrides(scale, up, fps, rig, skeleton)):
        checked.append((motion.name, measure(motion, mass)))
        if not as_json:
            _print(*checked[-1])
    if as_json:
        typer.echo(json.dumps([_facts(*item) for item in checked], indent=2))
    if report is not None:
        _write(report, checked)
        typer.echo(report, err=as_json)
    raise typer.Exit(0 if all(found.passes for _, found in checked) else 1)


def _write(report: Path, checked: list[tuple[str, Check]]) -> None:
    from gambol.io.output import replacing
    from gambol.studio.report import to_page

    with replacing(report) as temporary:
        temporary.write_text(to_page(checked), encoding="utf-8")


def _print(name: str, found: Check) -> None:
    typer.echo(f"{name}: {found.verdict}")
    for figure in found.figures:
        mark = "OUTSIDE" if not figure.passes else "  ok  " if figure.measured else "  -   "
        typer.echo(
            f"  {mark:<8}{figure.name:<24}{figure.written:>9} {figure.unit:<32} {figure.band!s:<16} "
            f"{figure.source if figure.measured else figure.absent}"
        )
    for line in _stage_lines(found.physics):
        typer.echo(f"  {line}")
    for note in found.notes:
        typer.echo(f"  {note}")


def _stage_lines(physics: Physics) -> list[str]:
    """What carries and when, in seconds, and the share of the clip that each support has."""
    supports, frame_time, frames = physics.supports, physics.motion.frame_time, len(physics.motion)
    told = [f"{s.name} {s.first * frame_time:.2f}-{(s.last + 1) * frame_time:.2f} s" for s in supports[:_LISTED]]
    more = [f"{len(supports) - _LISTED} more"] if len(supports) > _LISTED else []
    spent: dict[str, int] = {}
    for stage in supports:
        spent[stage.name] = spent.get(stage.name, 0) + len(stage)
    shares = ", ".join(f"{name} {100 * count / frames:.0f} %" for name, count in spent.items())
    return [f"stages  {', '.join(told + more)}", f"in all  {shares}"]


def _facts(name: str, found: Check) -> dict[str, Any]:
    figures = [
        {
            "name": figure.name,
            "value": figure.value if figure.measured else None,
            "absent": figure.absent,
            "unit": figure.unit,
            "band": str(figure.band),
            "passes": figure.passes,
            "source": figure.source,
        }
        for figure in found.figures
    ]
    stages = [{"name": s.name, "kind": s.kind, "first": s.first, "last": s.last} for s in found.stages]
    summary = {"name": name, "passes": found.passes, "verdict": found.verdict}
    return summary | {"figures": figures, "notes": list(found.notes), "stages": stages}

"""`gambol check`: how physical is a clip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gambol.cli.console import check_page
from gambol.cli.options import Clips, Mass, Reading, Report, Writing

if TYPE_CHECKING:
    from gambol.metrics.check import Check

_LISTED = 10
"""Stages that are listed one by one; a clip may have a hundred."""


def check(
    clips: Clips,
    reading: Reading,
    writing: Writing,
    mass: Mass = None,
    report: Report = None,
) -> None:
    """Measure how physical clips are: feet, flight, forces, joints, jerk, each with its band and where that comes from.

    Exit code 1 where a figure is outside its band, or where no ground contact was found to judge by.

    Example: gambol check walk.bvh
    """
    from gambol.io.output import write_text
    from gambol.metrics.check import check as run
    from gambol.metrics.report import check_report_html

    check_page(report)
    writing.check_outputs(report, inputs=clips)
    checked: list[Check] = []
    for motion in reading.load_files(clips, writing):
        writing.announce_duration("check", motion)
        with writing.progress() as progress:
            checked.append(run(motion, mass=mass, progress=progress))
        _print(checked[-1], writing)
    writing.write_json([found.facts() for found in checked])
    if report is not None:
        writing.wrote(write_text(report, check_report_html([(found.motion.name, found) for found in checked])))
    raise typer.Exit(0 if all(found.passes for found in checked) else 1)


def _print(found: Check, writing: Writing) -> None:
    writing.line(f"{found.motion.name}: {found.verdict}")
    for figure in found.measures:
        mark = "OUTSIDE" if not figure.passes else "  ok  " if figure.measured else "  -   "
        writing.line(
            f"  {mark:<8}{figure.name:<24}{figure.formatted:>9} {figure.unit:<32} {figure.band!s:<16} "
            f"{figure.source if figure.measured else figure.absent}"
        )
    for line in (*_stage_lines(found), *found.notes):
        writing.line(f"  {line}")


def _stage_lines(found: Check) -> list[str]:
    """What carries the body and when, in seconds, and each support's share of the clip."""
    from gambol.stages.support import split_by_support

    supports = split_by_support(found.contacts, found.stages)
    frame_time, frames = found.motion.frame_time, len(found.motion)
    listed = [f"{s.name} {s.first * frame_time:.2f}-{(s.last + 1) * frame_time:.2f} s" for s in supports[:_LISTED]]
    more = [f"{len(supports) - _LISTED} more"] if len(supports) > _LISTED else []
    spent: dict[str, int] = {}
    for stage in supports:
        spent[stage.name] = spent.get(stage.name, 0) + len(stage)
    shares = ", ".join(f"{name} {100 * count / frames:.0f} %" for name, count in spent.items())
    return [f"stages  {', '.join(listed + more)}", f"in all  {shares}"]

"""`gambol check`: how physical is a clip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gambol.cli.console import check_page
from gambol.cli.options import Clips, ContactsFile, Mass, Reading, Report, Robot, Writing
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.metrics.figures import Check

_LISTED = 10
"""Stages that are listed one by one; a clip may have a hundred."""


def check(
    clips: Clips,
    reading: Reading,
    writing: Writing,
    contacts: ContactsFile = None,
    mass: Mass = None,
    report: Report = None,
    robot: Robot = None,
) -> None:
    """Measure how physical clips are: feet, flight, forces, joints, jerk, each with its band and where that comes from.

    With --robot, clips are reference motions (.npz, .csv): soles, limits, forces and self-collision of the robot.

    Files of several people are also judged as scenes. Exit code 1 where a viewer would not accept a clip, where a
    figure is outside its band, or where no ground contact was found to judge by.

    Example: gambol check walk.bvh

    Example: gambol check walk.npz --robot g1.urdf
    """
    if robot is not None:
        if report is not None or mass is not None or contacts is not None:
            problem = "--report, --contacts and --mass are for clips of people"
            raise InputError(problem, fix="leave them out, or leave out --robot")
        _check_references(clips, robot, reading, writing)
        return
    from gambol.io.output import write_text
    from gambol.metrics.check import check as run
    from gambol.metrics.figures import Check
    from gambol.metrics.report import check_report_html

    check_page(report)
    writing.check_outputs(report, inputs=clips)
    checked: list[Check] = []
    scenes = reading.load_scenes(clips, writing)
    if contacts is not None and (count := sum(map(len, scenes))) > 1:
        raise InputError(f"contacts of one clip for {count}", fix="check one clip")
    for scene in scenes:
        if len(scene) > 1:
            checked.append(Check(motions=scene))
            _print(checked[-1], writing)
        for motion in scene:
            writing.announce_duration("check", motion)
            with writing.progress() as progress:
                checked.append(run(motion, contacts=contacts, mass=mass, progress=progress))
            _print(checked[-1], writing)
    writing.write_json([found.facts() for found in checked])
    if report is not None:
        writing.wrote(write_text(report, check_report_html([(found.name, found) for found in checked])))
    raise typer.Exit(0 if all(found.passes for found in checked) else 1)


def _check_references(clips: list[Path], robot: Path, reading: Reading, writing: Writing) -> None:
    from gambol.fit.load import find_files
    from gambol.robots.biped_file import load_biped
    from gambol.robots.references.files import REFERENCE_EXTENSIONS, read_reference
    from gambol.robots.references.judgement import judge_reference

    writing.check_outputs(inputs=[*clips, robot])
    biped = load_biped(robot)
    judged = []
    for file in find_files(clips, REFERENCE_EXTENSIONS):
        judged.append(judge_reference(read_reference(file, biped, reading.fps)))
        _print(judged[-1], writing)
    writing.write_json([found.facts() for found in judged])
    raise typer.Exit(0 if all(found.passes for found in judged) else 1)


def _print(found: Check, writing: Writing) -> None:
    writing.line(f"{found.name}: {found.verdict}")
    for figure in found.measures:
        mark = "OUTSIDE" if not figure.passes else "  ok  " if figure.measured else "  -   "
        value = f"{figure.formatted:>9} {figure.unit:<32} {figure.band!s:<16} {figure.source}"
        writing.line(f"  {mark:<8}{figure.name:<24}{value if figure.measured else f'   {figure.reason}'}")
    findings = (f"seen     {finding}" for finding in found.judgement.findings)
    for line in (*_stage_lines(found), *found.notes, *found.judgement.summary, *findings):
        writing.line(f"  {line}")


def _stage_lines(found: Check) -> list[str]:
    """What carries the body and when, in seconds, and each support's share of the clip; nothing of a robot."""
    from gambol.stages.support import split_by_support

    if found.contacts is None:
        return []
    supports = split_by_support(found.contacts, found.stages)
    frame_time, frames = found.motion.frame_time, len(found.motion)
    listed = [f"{s.name} {s.first * frame_time:.2f}-{(s.last + 1) * frame_time:.2f} s" for s in supports[:_LISTED]]
    more = [f"{len(supports) - _LISTED} more"] if len(supports) > _LISTED else []
    spent: dict[str, int] = {}
    for stage in supports:
        spent[stage.name] = spent.get(stage.name, 0) + len(stage)
    shares = ", ".join(f"{name} {100 * count / frames:.0f} %" for name, count in spent.items())
    return [f"stages  {', '.join(listed + more)}", f"in all  {shares}"]

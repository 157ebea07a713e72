"""`gambol retarget`: a motion on another rig, or on a humanoid robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Clip, Output, Reading, Writing
from gambol.errors import InputError

To = Annotated[
    Path,
    typer.Option(
        "--to",
        help="Any clip or GLB or VRM character on the target rig, or a built-in motion: its rig is used. Or a humanoid "
        "robot: .urdf, .xml (MJCF), jvrc1, g1, talos.",
        show_default=False,
    ),
]
_ROBOT = "Robots"
Fast = Annotated[
    bool, typer.Option("--fast", help="Soles and joints only, without forces and momentum.", rich_help_panel=_ROBOT)
]
KeepTime = Annotated[
    bool,
    typer.Option(
        "--keep-time",
        help="Keep durations, so that falls look too slow or too fast (default: scaled by the root of size).",
        rich_help_panel=_ROBOT,
    ),
]
Rate = Annotated[
    float | None, typer.Option(help="Frames per second that are written (default: 50).", rich_help_panel=_ROBOT)
]


def retarget(
    clip: Clip,
    to: To,
    output: Output,
    reading: Reading,
    writing: Writing,
    fast: Fast = False,
    keep_time: KeepTime = False,
    rate: Rate = None,
) -> None:
    """Move a motion to another rig: orientations are kept, steps scaled to the legs, feet brought to their places.

    Onto a robot, soles are flat and fixed while they rest, joints within their limits, and forces feasible; .npz has
    the fields that trackers read, .csv base and joints.

    Example: gambol retarget walk.bvh --to hero.bvh -o hero_walks.bvh

    Example: gambol retarget walk.bvh --to g1.urdf -o walk.npz
    """
    from gambol.robots.descriptions import is_robot

    if is_robot(to):
        _make_reference(clip, to, output, reading, writing, fast, keep_time, rate)
        return
    from gambol.clips.result import list_output_files
    from gambol.clips.retarget import retarget as run

    if fast or keep_time or rate is not None:
        raise InputError("--fast, --keep-time and --rate are for robots", fix="leave them out, or give --to robot.urdf")
    list_output_files(output)
    writing.check_outputs(output, inputs=[clip, to])
    result = run(reading.load(clip, writing), to)
    writing.deliver(result, output)


def _make_reference(
    clip: Path,
    to: Path,
    output: Path,
    reading: Reading,
    writing: Writing,
    fast: bool,
    keep_time: bool,
    rate: float | None,
) -> None:
    from gambol.clips.result import list_output_files
    from gambol.robots.references.verb import RATE, make_reference

    if output.suffix.lower() != ".npz":
        list_output_files(output)
    writing.check_outputs(output, inputs=[clip, to])
    motion = reading.load(clip, writing)
    with writing.progress() as progress:
        result = make_reference(motion, to, fast=fast, keep_time=keep_time, rate=rate or RATE, progress=progress)
    writing.deliver(result, output)

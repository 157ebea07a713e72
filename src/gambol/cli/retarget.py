"""`gambol retarget`: a motion on another rig, or on a humanoid robot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from gambol.cli.options import Clip, ContactsFile, Output, Reading, Writing

To = Annotated[
    Path,
    typer.Option(
        "--to",
        help="Any clip or GLB or VRM character on the target rig, or a built-in motion: its rig is used. Or a humanoid "
        "robot: .urdf, .xml (MJCF), .yaml (from 'gambol rig'), jvrc1, g1, talos.",
        show_default=False,
    ),
]
Feasible = Annotated[
    bool,
    typer.Option(
        "--feasible",
        help="Slow it and shorten its steps until joints are below their largest speeds and torques.",
        rich_help_panel="Robots",
    ),
]


@dataclass(frozen=True)
class OntoRobot:
    """How a motion is moved to a robot."""

    panel: ClassVar = "Robots"
    fast: Annotated[bool, typer.Option("--fast", help="Soles and joints only, without forces and momentum.")] = False
    keep_time: Annotated[
        bool,
        typer.Option(
            "--keep-time",
            help="Keep durations, so that falls look too slow or too fast (default: scaled by the root of size).",
        ),
    ] = False
    output_fps: Annotated[float | None, typer.Option(help="Frames per second of the output (default: 50).")] = None

    @property
    def given(self) -> dict[str, Any]:
        """The keyword arguments of `gambol.retarget` that were given."""
        chosen = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in chosen if value is not None and value is not False}


def retarget(
    clip: Clip,
    to: To,
    output: Output,
    reading: Reading,
    writing: Writing,
    robot: OntoRobot,
    feasible: Feasible = False,
    contacts: ContactsFile = None,
) -> None:
    """Move a motion to another rig: orientations are kept, steps scaled to the legs, feet brought to their places.

    Onto a robot, soles are flat and fixed while they rest, joints within their limits, and forces feasible; .npz has
    the fields that trackers read, .csv base and joints.

    Example: gambol retarget walk.bvh --to hero.bvh -o hero_walks.bvh

    Example: gambol retarget walk.bvh --to g1.urdf -o walk.npz
    """
    from gambol.clips.result import list_output_files
    from gambol.robots.biped_file import load_biped
    from gambol.robots.descriptions import is_robot
    from gambol.robots.references.verb import retarget as run

    is_reference = is_robot(to) or output.suffix.lower() == ".npz"
    list_output_files(output, own=(".npz",) if is_reference else ())
    writing.check_outputs(output, inputs=[clip, to])
    target, motion = load_biped(to) if is_reference else to, reading.load(clip, writing)
    with writing.progress() as progress:
        result = run(motion, target, **robot.given, feasible=feasible, contacts=contacts, progress=progress)
    writing.deliver(result, output)

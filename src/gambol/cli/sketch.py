"""`gambol sketch`: a few rough keyframes become a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gambol.cli.options import ListNames, MaybeOutput, PrintText, Writing
from gambol.errors import InputError

Source = Annotated[
    Path | None,
    typer.Argument(metavar="SKETCH", help="A YAML file, a rough clip, or a name of --list.", show_default=False),
]
Fps = Annotated[float | None, typer.Option(help="Frames per second (default: the sketch's).")]
RoughFile = Annotated[Path | None, typer.Option(help="File for the sketched motion before physics.")]
Soft = Annotated[bool, typer.Option("--soft", help="Allow a residual force where the sketch cannot be met otherwise.")]
Printed = Annotated[bool, typer.Option("--printed", help="Momentum by the thesis's curve instead of contact forces.")]
Transitions = Annotated[
    Literal["near", "exact"],
    typer.Option(help="Suggested take-off and landing poses as costs (near) or constraints (exact, as printed)."),
]
Velocity = Annotated[
    Literal["relative", "plain"],
    typer.Option(help="Minimise joint velocity relative to the rough motion, or plain as printed."),
]
Database = Annotated[
    Path | None, typer.Option("--poses", help="Take-off and landing poses, made with 'gambol poses add'.")
]
Remember = Annotated[bool, typer.Option("--remember", help="Add its take-offs and landings to your poses.")]


def sketch(
    writing: Writing,
    source: Source = None,
    output: MaybeOutput = None,
    fps: Fps = None,
    rough: RoughFile = None,
    soft: Soft = False,
    printed: Printed = False,
    transitions: Transitions = "near",
    velocity: Velocity = "relative",
    poses: Database = None,
    remember: Remember = False,
    list_: ListNames = False,
    show: PrintText = False,
) -> None:
    """Make a motion from a few rough keyframes: crouch, flight and landing come from physics.

    Example: gambol sketch broad_jump -o jump.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.io import save
    from gambol.io.formats import check_writable_format
    from gambol.spacetime import sketches
    from gambol.spacetime.poses import PoseDatabase, open_poses, user_file
    from gambol.spacetime.sketch_verb import sketch as run

    if list_:
        for name in sketches.names():
            writing.line(f"{name:<16} {sketches.about(name)}")
        return
    if source is None:
        raise InputError("no sketch", fix="give a YAML file, or a name of 'gambol sketch --list'")
    path = sketches.find(source)
    if show and path.suffix.lower() not in (".yaml", ".yml"):
        raise InputError("is not a YAML sketch", file=path, fix="--print shows YAML files")
    if show:
        typer.echo(path.read_text(encoding="utf-8"), nl=False)
        return
    if output is None:
        raise InputError("no output", fix="add -o FILE")
    list_output_files(output)
    if rough is not None:
        check_writable_format(rough)
    writing.check_outputs(output, rough, inputs=[path])
    with writing.progress() as progress:
        result = run(
            path,
            fps=fps,
            soft=soft,
            printed=printed,
            transitions=transitions,
            velocity=velocity,
            poses=open_poses(poses),
            progress=progress,
        )
    writing.explain(result, result.sketched.summary)
    writing.wrote(*result.save(output))
    if rough is not None:
        writing.wrote(*save(result.rough, rough))
    if remember:
        own = user_file() if poses is None else poses
        kept = PoseDatabase.load(own) if own.exists() else PoseDatabase()
        own.parent.mkdir(parents=True, exist_ok=True)
        kept.with_examples(result.sketched.examples).save(own)
        writing.note(f"{len(result.sketched.examples)} take-offs and landings kept in {own.name}")
    writing.write_json(result.facts())

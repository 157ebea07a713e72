"""`gambol edit`: move, turn and raise the stages of a clip; the whole body is replanned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gambol.cli.options import ContactsFile, ListNames, Mass, MaybeOutput, PrintText, Reading, Saving
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.spacetime.edits.parts import EditableClip

Source = Annotated[
    Path | None, typer.Argument(metavar="CLIP", help="A motion file, or a built-in motion.", show_default=False)
]
EditFile = Annotated[
    Path | None, typer.Argument(metavar="EDIT", help="A YAML file, or a name of --list.", show_default=False)
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--change", help="A change of one stage, repeatable: 'ground 2: {forward: 0.5, turn: 90}'.", metavar="YAML"
    ),
]
Gravity = Annotated[float | None, typer.Option(help="Gravity in m/s² (default: the edit's); 1.62 is the moon's.")]
ListStages = Annotated[bool, typer.Option("--list-stages", help="List the stages and steps of the clip, and exit.")]
Start = Annotated[float | None, typer.Option("--start", help="Start of the part to edit, in seconds.")]
End = Annotated[float | None, typer.Option("--end", help="End of the part to edit, in seconds.")]
SolveFps = Annotated[
    float, typer.Option(help="Solve at this many frames per second; the output keeps the clip's frame rate.")
]
Soft = Annotated[bool, typer.Option("--soft", help="Allow a residual force where contacts cannot give what is needed.")]
Printed = Annotated[bool, typer.Option("--printed", help="Momentum by the thesis's splines instead of contact forces.")]
Calibrate = Annotated[
    Literal["time", "gravity", "off"],
    typer.Option(help="What to correct if flights do not fall at 9.81 m/s²: the frame time, gravity, or nothing."),
]
DraftFile = Annotated[Path | None, typer.Option("--draft", help="File for the moved clip before physics.")]


def edit(
    reading: Reading,
    writing: Saving,
    clip: Source = None,
    asked: EditFile = None,
    output: MaybeOutput = None,
    change: Changes = None,
    gravity: Gravity = None,
    contacts: ContactsFile = None,
    list_stages: ListStages = False,
    start: Start = None,
    end: End = None,
    solve_fps: SolveFps = 60.0,
    soft: Soft = False,
    printed: Printed = False,
    calibrate: Calibrate = "time",
    draft: DraftFile = None,
    mass: Mass = None,
    list_: ListNames = False,
    show: PrintText = False,
) -> None:
    """Move, turn and raise the stages of a clip, make flights higher, change gravity; the whole body is replanned.

    Example: gambol edit jump spin -o spin.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.io import save
    from gambol.io.formats import check_writable_format
    from gambol.spacetime.edits import library
    from gambol.spacetime.edits.verb import combine, prepare_clip
    from gambol.spacetime.edits.verb import edit as run

    if list_:
        for name in library.names():
            writing.line(f"{name:<12} {library.about(name)}")
        return
    if show:
        named = asked or clip  # gambol edit spin --print
        if named is None:
            raise InputError("no edit to print", fix="name one of 'gambol edit --list'")
        typer.echo(library.find(named).read_text(encoding="utf-8"), nl=False)
        return
    if clip is None:
        raise InputError(
            "no clip", fix="gambol edit CLIP EDIT -o OUT; --list names edits, --list-stages those of a clip"
        )
    if list_stages:
        made, notes = prepare_clip(reading.load(clip, writing), start, end, mass, calibrate, contacts)
        _print_stages(made, writing)
        writing.notes(notes)
        return
    wanted = combine(asked, [_parse(text) for text in change or ()], gravity)
    if output is None:
        raise InputError("no output", fix="add -o FILE")
    list_output_files(output)
    if draft is not None:
        check_writable_format(draft)
    writing.check_outputs(output, draft, inputs=[clip, contacts])
    motion = reading.load(clip, writing)
    with writing.progress() as progress:
        result = run(
            motion,
            wanted,
            start=start,
            end=end,
            solve_fps=solve_fps,
            soft=soft,
            printed=printed,
            calibrate=calibrate,
            contacts=contacts,
            mass=mass,
            progress=progress,
        )
    writing.explain(result, f"{result.edited.summary}; joint angles changed by {result.edited.change_deg:.1f} degrees")
    writing.save(result, output)
    if draft is not None:
        writing.wrote(*save(result.draft, draft))
    writing.write_json(result.facts())


def _parse(text: str) -> Mapping[str, Any]:
    """A change as it is written on the command line."""
    from gambol.io.yamls import parse_yaml

    try:
        given, _ = parse_yaml(text)
    except InputError:
        given = None
    if not (isinstance(given, dict) and len(given) == 1 and isinstance(next(iter(given.values())), dict)):
        raise InputError(f"not a change: {text}", fix="--change 'ground 2: {forward: 0.5, turn: 90}'")
    stage, rest = next(iter(given.items()))
    return {"stage": stage, **rest}


def _print_stages(clip: EditableClip, writing: Saving) -> None:
    step = clip.frame_time
    for part in clip.parts:
        name = f"  {part.name}" if part.kind == "step" else part.name
        writing.line(f"{name:<16} {part.first * step:6.2f} - {(part.last + 1) * step:5.2f} s   {part.about}")
    writing.write_json(
        [{"stage": p.name, "kind": p.kind, "start_s": p.first * step, "end_s": (p.last + 1) * step} for p in clip.parts]
    )

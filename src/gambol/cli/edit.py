"""`gambol edit`: stages of a clip moved, turned, raised; the whole body plans anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Mass,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    apart,
    fresh_output,
    load_clip,
)
from gambol.cli.editable import Begin, End, editable
from gambol.cli.telling import clear_line, say, show_iteration
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion
    from gambol.spacetime.edits.edit import Edit
    from gambol.spacetime.edits.edited import Edited
    from gambol.spacetime.edits.parts import Clip

Source = Annotated[
    Path | None, typer.Argument(metavar="CLIP", help="A motion file, or a built-in motion.", show_default=False)
]
Wanted = Annotated[
    Path | None, typer.Argument(metavar="EDIT", help="A YAML file, or one of --list by its name.", show_default=False)
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Changes = Annotated[
    list[str] | None,
    typer.Option("--change", help="A change instead of a file: 'ground 2: {forward: 0.5, turn: 90}'.", metavar="YAML"),
]
Gravity = Annotated[
    float | None, typer.Option(help="Metres a second squared, instead of the edit's: 1.62 is the moon.")
]
Stages = Annotated[bool, typer.Option("--stages", help="List the stages and steps of the clip by name and time.")]
Rate = Annotated[float, typer.Option(help="Frames a second that are solved; the clip keeps its own rate.")]
Soft = Annotated[bool, typer.Option("--soft", help="Where the ground cannot give what is needed, come near.")]
Printed = Annotated[bool, typer.Option("--printed", help="Momentum by the thesis's splines: no forces.")]
DraftFile = Annotated[Path | None, typer.Option("--draft", help="File for the clip as it was moved, before physics.")]
List = Annotated[bool, typer.Option("--list", help="Name the edits that come with gambol.")]
Show = Annotated[bool, typer.Option("--print", help="Print the edit, to be changed.")]


def edit(
    clip: Source = None,
    wanted: Wanted = None,
    output: Output = None,
    change: Changes = None,
    gravity: Gravity = None,
    stages: Stages = False,
    begin: Begin = None,
    end: End = None,
    rate: Rate = 60.0,
    soft: Soft = False,
    printed: Printed = False,
    draft: DraftFile = None,
    mass: Mass = None,
    list_: List = False,
    show: Show = False,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Move, turn and raise the stages of a clip, make flights higher, change gravity: the whole body plans anew.

    Example: gambol edit jump spin -o spin.bvh
    """
    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.spacetime.edits import library
    from gambol.spacetime.edits.home import taken_home

    if list_:
        for name in library.names():
            typer.echo(f"{name:<12} {library.about(name)}")
        return
    if show and wanted is None and clip is not None:  # gambol edit spin --print
        wanted = clip
    if show:
        typer.echo(_file(wanted).read_text(encoding="utf-8"), nl=False)
        return
    if clip is None:
        raise InputError("no clip", fix="gambol edit CLIP EDIT -o OUT; --list names edits, --stages those of a clip")
    if not 10.0 <= rate <= 240.0:
        raise InputError(f"10 to 240 frames a second, not {rate:g}", fix="leave --rate out")
    if soft and printed:
        raise InputError("the printed form has no forces that could be soft", fix="leave --soft or --printed out")
    asked = None if stages else _edit(wanted, change or [], gravity)
    if asked is not None and output is None:
        raise InputError("nowhere to write to", fix="add -o FILE")
    apart(output, draft)
    for target in filter(None, (output, draft)):
        writable_format(target)
        fresh_output(target, overwrite, [clip])
    material = editable(load_clip(clip, Overrides(scale, up, fps, rig, skeleton)), begin, end, mass)
    if asked is None:
        _list(material)
        return
    found = _solved(material, asked, rate, soft, printed)
    results = [(found.outcome.motion.q, output), (found.draft.like.q, draft)]
    for q, file in results:
        for written in save(_made(taken_home(found.draft, q), found), file) if file is not None else ():
            typer.echo(written)


def _file(wanted: Path | None) -> Path:
    from gambol.spacetime.edits import library

    if wanted is None:
        raise InputError("no edit", fix="give a YAML file, a name of 'gambol edit --list', or --change")
    return wanted if wanted.exists() or wanted.suffix else library.file(str(wanted))


def _edit(wanted: Path | None, changes: list[str], gravity: float | None) -> Edit:
    """The edit of a file with what the command line says besides, or that alone."""
    from gambol.spacetime.edits.edit import Edit, change_of, read_edit

    alone = wanted is None and (changes or gravity is not None)
    asked = Edit("edit") if alone else read_edit(_file(wanted))
    asked = replace(asked, changes=asked.changes + tuple(change_of(_said(text)) for text in changes))
    return asked if gravity is None else replace(asked, gravity=gravity)


def _said(text: str) -> object:
    """A change as it is written on the command line."""
    import yaml

    try:
        given = yaml.safe_load(text)
    except yaml.YAMLError:
        given = None
    if not (isinstance(given, dict) and len(given) == 1 and isinstance(next(iter(given.values())), dict)):
        raise InputError(f"no change: {text}", fix="--change 'ground 2: {forward: 0.5, turn: 90}'")
    stage, rest = next(iter(given.items()))
    return {"stage": stage, **rest}


def _list(clip: Clip) -> None:
    step = clip.frame_time
    for part in clip.parts:
        name = f"  {part.name}" if part.kind == "step" else part.name
        typer.echo(f"{name:<16} {part.first * step:6.2f} - {(part.last + 1) * step:5.2f} s   {part.about}")


def _solved(clip: Clip, asked: Edit, rate: float, soft: bool, printed: bool) -> Edited:
    """The edited motion; what cannot be is not written."""
    from gambol.spacetime.edits.edited import edited, farthest

    found = edited(clip, asked, rate=rate, soft=soft, printed=printed, progress=show_iteration, tell=say)
    clear_line()
    if found.outcome.solution.converged:
        say(f"{found.story}; joints turned by {found.change:.1f} degrees from the clip")
    else:
        say("too far: looking for how far it can go")
        share = farthest(clip, asked)
        most = str(asked.scaled(share)) if share > 0.0 else "not even a little of it"
        raise InputError(
            f"this edit cannot be done ({found.outcome.solution.status}); what can: {most}",
            file=clip.fitted.source.name,
            fix="ask for less" if soft or printed else "ask for less, or pass --soft",
        )
    for note in found.notes:
        say(note)
    return found


def _made(motion: Motion, found: Edited) -> Motion:
    made = {"command": "edit", "edit": str(found.draft.edit), "change_deg": round(found.change, 3)}
    return replace(motion, made={**motion.made, **made})

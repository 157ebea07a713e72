"""`gambol sketch`: a few rough keyframes become a motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from gambol.cli.clips import Overrides, Overwrite, apart, fresh_output, load_clip
from gambol.cli.telling import clear_line, say, show_iteration
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion
    from gambol.spacetime.poses import Poses
    from gambol.spacetime.rough import Rough
    from gambol.spacetime.sketch import Sketch
    from gambol.spacetime.sketched import Sketched
    from gambol.spacetime.synthesis import Form

Source = Annotated[
    Path | None,
    typer.Argument(
        metavar="SKETCH", help="A YAML file, a rough clip, or one of --list by its name.", show_default=False
    ),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Rate = Annotated[float | None, typer.Option(help="Frames a second, instead of the sketch's.")]
RoughFile = Annotated[Path | None, typer.Option(help="File for the sketched motion, as it was before.")]
Soft = Annotated[bool, typer.Option("--soft", help="Where the laws of motion cannot be kept, come as near as can be.")]
Printed = Annotated[bool, typer.Option("--printed", help="Momentum on the ground by the thesis's curve: no forces.")]
Database = Annotated[Path | None, typer.Option("--poses", help="Transition poses, made with 'gambol poses add'.")]
Remember = Annotated[bool, typer.Option("--remember", help="Add its take-offs and landings to your poses.")]
List = Annotated[bool, typer.Option("--list", help="Name the sketches that come with gambol.")]
Show = Annotated[bool, typer.Option("--print", help="Print the sketch, to be changed.")]


def sketch(
    source: Source = None,
    output: Output = None,
    rate: Rate = None,
    rough: RoughFile = None,
    soft: Soft = False,
    printed: Printed = False,
    poses: Database = None,
    remember: Remember = False,
    list_: List = False,
    show: Show = False,
    overwrite: Overwrite = False,
) -> None:
    """Make a motion of a few rough keyframes: crouch, swing, flight and landing come from physics.

    Example: gambol sketch broad_jump -o jump.bvh
    """
    from gambol.fit.rig import clip_of
    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.spacetime import sketches
    from gambol.spacetime.poses import Poses, open_poses, users_file
    from gambol.spacetime.synthesis import Form
    from gambol.spacetime.trouble import PRICE

    if list_:
        for name in sketches.names():
            typer.echo(f"{name:<16} {sketches.about(name)}")
        return
    if source is None:
        raise InputError("no sketch", fix="give a YAML file, or a name of 'gambol sketch --list'")
    path = source if source.exists() or source.suffix else sketches.file(str(source))
    if show and path.suffix.lower() not in (".yaml", ".yml"):
        raise InputError("is no sketch in words", file=path, fix="--print shows YAML files")
    if show:
        typer.echo(path.read_text(encoding="utf-8"), nl=False)
        return
    if output is None:
        raise InputError("nowhere to write to", fix="add -o FILE")
    if soft and printed:
        raise InputError("the printed form has no forces that could be soft", fix="leave --soft or --printed out")
    apart(output, rough)
    for target in filter(None, (output, rough)):
        writable_format(target)
        fresh_output(target, overwrite, [path])
    wanted = _asked(path, rate)
    found = _solved(wanted, path, Form(printed, PRICE if soft else None), open_poses(poses))
    for motion, file in ((wanted.home(found), output), (clip_of(found.plan.rough.motion), rough)):
        for written in save(motion, file) if file is not None else ():
            typer.echo(written)
    if remember:
        own = users_file() if poses is None else poses
        kept = Poses.load(own) if own.exists() else Poses()
        own.parent.mkdir(parents=True, exist_ok=True)
        kept.with_examples(found.examples).save(own)
        say(f"{len(found.examples)} take-offs and landings kept in {own.name}")


class _Asked(NamedTuple):
    """What is to be made, and how it comes home."""

    sketch: Sketch
    rough: Rough | None
    home: Callable[[Sketched], Motion]


def _asked(path: Path, rate: float | None) -> _Asked:
    """A sketch from YAML, or a rough clip on its rig."""
    from gambol.fit.rig import clip_of
    from gambol.io.formats import MOTIONS
    from gambol.spacetime.rough_clip import sketch_of_clip, taken_home
    from gambol.spacetime.sketch import read_sketch

    if path.suffix.lower() not in MOTIONS:
        sketch = read_sketch(path)
        sketch = sketch if rate is None else replace(sketch, rate=rate)
        return _Asked(sketch, None, lambda found: clip_of(found.outcome.motion))
    if rate is not None:
        raise InputError("a clip keeps its own rate", file=path, fix="leave --rate out")
    sketch, rough, fitted = sketch_of_clip(load_clip(path, Overrides(None, None, None, None, None)))
    return _Asked(sketch, rough, lambda found: taken_home(fitted, found.outcome.motion.q))


def _solved(asked: _Asked, path: Path, form: Form, database: Poses) -> Sketched:
    """The motion; what does not keep to its laws is not written."""
    from gambol.spacetime import trouble
    from gambol.spacetime.sketched import realise

    try:
        found = realise(asked.sketch, database, form=form, rough=asked.rough, progress=show_iteration, tell=say)
    except InputError as error:
        raise InputError(error.problem, file=error.file or path, fix=error.fix) from None
    clear_line()
    say(found.story)
    if not found.outcome.solution.converged:
        why, possible = trouble.obstacle(found.plan, progress=show_iteration)
        clear_line()
        fix = "take the nearest with --soft, or change the sketch" if possible else "change the sketch"
        raise InputError(f"no motion keeps to this sketch: {why}", file=path, fix=fix)
    for note in found.notes:
        say(note)
    return found

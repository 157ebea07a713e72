"""`gambol primitives play`: a motion of any length, in any style of a model, or from one style to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output, show_progress
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.geometry.arrays import Array
    from gambol.primitives.model import Primitives

_SECONDS, _LONGEST = 8.0, 3600.0

Model = Annotated[Path, typer.Argument(help="What 'gambol primitives learn' wrote.", show_default=False)]
Style = Annotated[str | None, typer.Option(help="The style; else the first.", show_default=False)]
To = Annotated[str | None, typer.Option(help="The style that it becomes, evenly over the clip.", show_default=False)]
Seconds = Annotated[
    float | None,
    typer.Option(
        help=f"How long; else {_SECONDS:g}, or as long as a whole clip lasts.", max=_LONGEST, show_default=False
    ),
]
Speed = Annotated[float, typer.Option(help="Cadence as a multiple of the one learned.")]
Rate = Annotated[float, typer.Option("--fps", help="Frames a second.", max=1000.0)]
Live = Annotated[bool, typer.Option("--live", help="Evaluate the regressions in every frame where tables would do.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]


def play(
    model: Model,
    output: Output = None,
    style: Style = None,
    to: To = None,
    seconds: Seconds = None,
    speed: Speed = 1.0,
    fps: Rate = 60.0,
    live: Live = False,
    overwrite: Overwrite = False,
) -> None:
    """Write a motion that the primitives generate, on the rig that they were learned on; without -o, tell the styles.

    Example: gambol primitives play moods.npz --style sad --to happy -o morph.bvh
    """
    from rich.console import Console
    from rich.progress import Progress

    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.primitives.player import Player, morphing
    from gambol.primitives.player import play as played
    from gambol.primitives.store import load_primitives

    if output is not None:
        writable_format(output)
        fresh_output(output, overwrite, [model])
    found = load_primitives(model)
    if output is None:
        if (style, to, seconds) != (None, None, None):
            raise InputError("nowhere to write to", fix="add -o FILE")
        for line in told(found):
            typer.echo(line)
        return
    first = found.styles[0] if style is None else style
    last = first if to is None else to
    whole = float(found.periods.max()) / speed if found.once and speed > 0.0 else _SECONDS
    length = whole if seconds is None else seconds
    with Progress(console=Console(stderr=True), disable=not show_progress(), transient=True) as bar:
        task = bar.add_task("Playing", total=length)
        morph = morphing(found, first, last, length)

        def told_morph(seconds: float) -> Array:
            bar.update(task, completed=seconds)
            return morph(seconds)

        motion = played(Player(found, live), length, told_morph, fps, speed)
    made = {"command": "primitives play", "style": first, "to": last, "speed": speed}
    for written in save(replace(motion, name=output.stem, made=made), output):
        typer.echo(written)


def told(model: Primitives) -> list[str]:
    """A line for every style."""
    unit = "whole clip" if model.once else "stride"
    return [
        f"{style}: {count} {unit}{'s' if count > 1 else ''} of {period:.2f} s"
        for style, count, period in zip(model.styles, model.counts, model.periods, strict=True)
    ]

"""`gambol join`: one clip that runs into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Fps, Overrides, Overwrite, RigFile, Scale, Up, fresh_output, load_clip

First = Annotated[
    Path, typer.Argument(help="A motion file, or a built-in motion: stand, walk, run, jump.", show_default=False)
]
Second = Annotated[Path, typer.Argument(help="The clip that it runs into, on the same rig.", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Leave = Annotated[float | None, typer.Option(min=0.0, help="Seconds at which the first clip is left.")]
Enter = Annotated[float | None, typer.Option(min=0.0, help="Seconds at which the second clip is entered.")]


def join(
    first: First,
    second: Second,
    output: Output,
    leave: Leave = None,
    enter: Enter = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Run one clip into another where they agree best, between their flights: two jumps become one clip.

    The second is turned and shifted so that the feet meet; before and after the seam nothing else changes.

    Example: gambol join jump.bvh higher.bvh -o twice.bvh
    """
    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.spacetime.join import joined

    writable_format(output)
    fresh_output(output, overwrite, [first, second])
    overrides = Overrides(scale, up, fps, rig, skeleton)
    result = joined(load_clip(first, overrides), load_clip(second, overrides), leave, enter)
    typer.echo(result.motion.notes[-1], err=True)
    for written in save(result.motion, output):
        typer.echo(written)

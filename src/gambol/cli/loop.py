"""`gambol loop`: a seamless cycle of a clip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Fps, Overrides, Overwrite, RigFile, Scale, Up, fresh_output, load_clip

Clip = Annotated[Path, typer.Argument(help="A motion file.", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Times = Annotated[int, typer.Option(min=1, max=1000, help="How often the cycle is repeated.")]
InPlace = Annotated[bool, typer.Option("--in-place", help="Take the way out: the cycle stays where it is.")]


def loop(
    clip: Clip,
    output: Output,
    times: Times = 1,
    in_place: InPlace = False,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Cut the cycle that best leads back to its own beginning and close its seam.

    Example: gambol loop walk.bvh -o cycle.bvh --times 4
    """
    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.motion.cycles import closed, find_cycle, repeat

    writable_format(output)
    fresh_output(output, overwrite, [clip])
    motion = load_clip(clip, Overrides(scale, up, fps, rig, skeleton))
    cycle = find_cycle(motion)
    looped = repeat(closed(motion, cycle, in_place), times)
    start, stop = cycle.start * motion.frame_time, cycle.stop * motion.frame_time
    typer.echo(f"cycle from {start:.2f} to {stop:.2f} s ({cycle.stop - cycle.start} frames)", err=True)
    for written in save(looped, output):
        typer.echo(written)

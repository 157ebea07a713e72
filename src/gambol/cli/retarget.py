"""`gambol retarget`: a motion on another rig."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Clips, Overwrite, fresh_output
from gambol.errors import InputError

To = Annotated[Path, typer.Option("--to", help="Any clip on the rig that the motion should have.", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]


def retarget(clips: Clips, to: To, output: Output, overwrite: Overwrite = False) -> None:
    """Move a motion to another rig: orientations kept, steps scaled to the legs, feet where they belong.

    Example: gambol retarget walk.bvh --to hero.bvh -o hero_walks.bvh
    """
    from gambol.io import load, save
    from gambol.io.formats import writable_format

    if len(clips) != 1 or clips[0].is_dir():
        raise InputError("one clip at a time", fix="name one file")
    writable_format(output)
    fresh_output(output, overwrite, [*clips, to])
    motion, rig = load(clips[0]), load(to)
    from gambol.fit.retarget import retarget as move

    for written in save(move(motion, rig), output):
        typer.echo(written)

"""`gambol rig`: the mapping file for a rig that is not recognised."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Overwrite, fresh_output

Clip = Annotated[Path, typer.Argument(help="A motion on that rig.", show_default=False)]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write; else it is printed.")]


def rig(clip: Clip, output: Output = None, skeleton: Asf = None, overwrite: Overwrite = False) -> None:
    """Write a mapping file: which joint plays which part of the body, with what could be guessed filled in.

    Example: gambol rig strange.bvh -o rig.yaml
    """
    from gambol.io import load_all
    from gambol.io.output import replacing
    from gambol.motion.rig import template

    text = template(load_all(clip, skeleton=skeleton)[0].skeleton)
    if output is None:
        typer.echo(text)
        return
    with replacing(fresh_output(output, overwrite, [clip])) as temporary:
        temporary.write_text(text, encoding="utf-8")
    typer.echo(f"{output}: fill in what is missing, then pass --rig {output}")

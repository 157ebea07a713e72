"""`gambol render`: a strip of poses, a film, or a page that plays offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Clips, Reading, Writing

Output = Annotated[Path, typer.Option("--output", "-o", help="PNG, SVG, PDF, GIF, MP4 or HTML.", show_default=False)]
Poses = Annotated[int, typer.Option(min=1, max=60, help="Number of poses in a strip.")]
Moments = Annotated[
    int | None,
    typer.Option(
        min=1, max=12, help="Draw everybody in the world they share at this many moments.", show_default=False
    ),
]
Apart = Annotated[bool, typer.Option("--apart/--together", help="Side by side, or in the world they share (HTML).")]
Physics = Annotated[
    bool, typer.Option("--physics", help="Show ground forces, contacts, support phases and the centre of mass.")
]


def render(
    clips: Clips,
    output: Output,
    reading: Reading,
    writing: Writing,
    poses: Poses = 9,
    moments: Moments = None,
    apart: Apart = False,
    physics: Physics = False,
) -> None:
    """Draw clips: a strip of poses (PNG, SVG, PDF), a film (GIF, MP4) or a page that plays offline (HTML).

    Example: gambol render walk.bvh -o walk.png
    """
    from gambol.drawing import check_drawable
    from gambol.drawing import render as run

    check_drawable(output, moments, physics)
    writing.check_outputs(output)
    motions = reading.load_files(clips, writing)
    with writing.progress() as progress:
        run(motions, output, poses=poses, moments=moments, apart=apart, physics=physics, progress=progress)
    writing.wrote(output)

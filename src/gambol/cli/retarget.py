"""`gambol retarget`: a motion on another rig."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Clip, Output, Reading, Writing

To = Annotated[
    Path,
    typer.Option(
        "--to",
        help="Any clip or GLB or VRM character on the target rig, or a built-in motion: its rig is used.",
        show_default=False,
    ),
]


def retarget(clip: Clip, to: To, output: Output, reading: Reading, writing: Writing) -> None:
    """Move a motion to another rig: orientations are kept, steps scaled to the legs, feet brought to their places.

    Example: gambol retarget walk.bvh --to hero.bvh -o hero_walks.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.clips.retarget import retarget as run

    list_output_files(output)
    writing.check_outputs(output, inputs=[clip, to])
    result = run(reading.load(clip, writing), to)
    writing.deliver(result, output)

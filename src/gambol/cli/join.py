"""`gambol join`: one clip that runs into another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Clip, Output, Reading, Saving

Second = Annotated[Path, typer.Argument(help="The clip that it runs into, on the same rig.", show_default=False)]
SecondAnimation = Annotated[
    str | None, typer.Option(help="Animation of the second file to read (default: that of --animation).")
]
Leave = Annotated[
    float | None, typer.Option(min=0.0, help="When the first clip is left, in seconds (default: the best moment).")
]
Enter = Annotated[
    float | None, typer.Option(min=0.0, help="When the second clip is entered, in seconds (default: the best moment).")
]


def join(
    first: Clip,
    second: Second,
    output: Output,
    reading: Reading,
    writing: Saving,
    leave: Leave = None,
    enter: Enter = None,
    second_animation: SecondAnimation = None,
) -> None:
    """Run one clip into another where they agree best, between their flights: two jumps become one clip.

    The second clip is turned and shifted so that the feet meet; away from the seam nothing else changes.

    Example: gambol join jump.bvh higher.bvh -o twice.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.spacetime.join import join as run

    list_output_files(output)
    writing.check_outputs(output, inputs=[first, second])
    other = reading if second_animation is None else replace(reading, animation=second_animation)
    result = run(reading.load(first, writing), other.load(second, writing), leave=leave, enter=enter)
    writing.deliver(result, output)

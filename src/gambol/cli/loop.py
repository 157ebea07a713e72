"""`gambol loop`: a seamless cycle of a clip."""

from __future__ import annotations

from typing import Annotated

import typer

from gambol.cli.options import Clip, Output, Reading, Saving

Times = Annotated[int, typer.Option(min=1, max=1000, help="Number of repetitions of the cycle.")]
InPlace = Annotated[bool, typer.Option("--in-place", help="Remove the travel: loop in place.")]


def loop(
    clip: Clip, output: Output, reading: Reading, writing: Saving, times: Times = 1, in_place: InPlace = False
) -> None:
    """Cut out the cycle that best leads back to its own beginning, close its seam and repeat it.

    Example: gambol loop walk.bvh -o cycle.bvh --times 4
    """
    from gambol.clips.loop import loop as run
    from gambol.clips.result import list_output_files

    list_output_files(output)
    writing.check_outputs(output, inputs=[clip])
    motion = reading.load(clip, writing)
    writing.announce_duration("loop", motion)
    result = run(motion, times=times, in_place=in_place)
    writing.deliver(result, output)

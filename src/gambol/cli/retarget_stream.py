"""`gambol retarget-stream`: frames of a person in, frames of a robot out, a line of JSON each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.console import print_line, read_standard_input
from gambol.cli.options import Reading, Writing

RigClip = Annotated[
    Path,
    typer.Argument(
        metavar="RIG", help="A clip on the rig whose frames are sent; the person is measured on it.", show_default=False
    ),
]
To = Annotated[
    Path, typer.Option("--to", help="A humanoid robot: .urdf, .xml (MJCF), jvrc1, g1, talos.", show_default=False)
]
StreamFps = Annotated[float, typer.Option(help="Frames per second that come in, and go out.")]
Delay = Annotated[
    float, typer.Option(help="Seconds from a frame in to its frame out. Below 0.3 footholds are often found late.")
]


def retarget_stream(
    clip: RigClip, to: To, reading: Reading, writing: Writing, stream_fps: StreamFps = 60.0, delay: Delay = 0.3
) -> None:
    """Let a robot follow a tracked person over standard input and output: a line of JSON in, one out.

    Example: gambol retarget-stream walk.bvh --to g1.urdf, and then lines such as {"channels": [0, 95, 0, ...]}
    """
    from gambol.io.json_lines import answer_lines
    from gambol.robots.references.live import LiveReference
    from gambol.robots.references.live_stream import ReferenceStream

    writing.rest()
    lines = read_standard_input()
    stream = ReferenceStream(LiveReference(reading.load(clip, writing), to, fps=stream_fps, delay=delay))
    for line in answer_lines(stream, lines):
        print_line(line)
    for left in stream.finish():
        print_line(json.dumps(left))
    print_line(json.dumps(stream.judge()))

"""`gambol push-stream`: frames and pushes in, poses out, a line of JSON each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.console import print_line, read_standard_input
from gambol.cli.methods import Method, take_method
from gambol.cli.options import Mass, Reading, Writing
from gambol.cli.push import Cycle
from gambol.errors import InputError

Clip = Annotated[
    Path | None, typer.Argument(help='A motion file; without it the first line names one: {"clip": "walk.bvh"}.')
]
Bodies = Annotated[
    bool, typer.Option("--bodies", help="Add the pose of every body: x, y, z and the quaternion w, x, y, z.")
]


@take_method
def push_stream(
    reading: Reading,
    writing: Writing,
    clip: Clip = None,
    method: Method = None,
    cycle: Cycle = None,
    mass: Mass = None,
    bodies: Bodies = False,
) -> None:
    """Answer pushes frame by frame over standard input and output, for a game engine: a line of JSON in, one out.

    Example: gambol push-stream walk.bvh, and then lines such as {"pushes": [{"body": "head", "force": [0, 60, 0]}]}
    """
    from gambol.io.json_lines import answer_lines
    from gambol.motion.cycles import choose_cycle
    from gambol.respond.method import PushTask, make_responder
    from gambol.respond.stream import Stream, parse_clip_name

    def begin(path: Path) -> Stream:
        motion = reading.load(path, writing)
        chosen = None if cycle is None else choose_cycle(motion, *cycle)
        return Stream(make_responder(method, PushTask(clip=motion, cycle=chosen, mass=mass)), bodies=bodies)

    writing.rest()
    lines = read_standard_input()
    stream = None if clip is None else begin(clip)
    while stream is None:
        line = next(lines, None)
        if line is None:
            return
        try:
            stream = begin(Path(parse_clip_name(line)))
        except (InputError, OSError) as error:
            print_line(json.dumps({"error": " ".join(str(error).split())}))
    for answer in answer_lines(stream, lines):
        print_line(answer)
    print_line(json.dumps(stream.judge()))

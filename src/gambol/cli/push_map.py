"""`gambol push-map`: where a clip is weak."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.console import check_page
from gambol.cli.methods import Method, take_method
from gambol.cli.options import Clip, Mass, Reading, Seed, Writing
from gambol.cli.push import Cycle

Output = Annotated[Path, typer.Option("--output", "-o", help="HTML page to write.", show_default=False)]
Pushes = Annotated[int, typer.Option(help="Approximate number of pushes.")]
Strongest = Annotated[float, typer.Option(help="The strongest push, in body weights.")]
Duration = Annotated[float, typer.Option(help="How long each push lasts, in seconds.")]
Bodies = Annotated[
    list[str] | None, typer.Option("--body", help="A body to push, repeatable (default: eight of them).")
]


@take_method
def push_map(
    clip: Clip,
    output: Output,
    reading: Reading,
    writing: Writing,
    pushes: Pushes = 1000,
    strongest: Strongest = 1.0,
    duration: Duration = 0.2,
    body: Bodies = None,
    method: Method = None,
    cycle: Cycle = None,
    seed: Seed = 0,
    mass: Mass = None,
) -> None:
    """Push a clip a thousand times and draw where it is weak: body part, direction, phase and force.

    Example: gambol push-map walk.bvh -o map.html
    """
    from gambol.respond.push import push_map as run
    from gambol.respond.push_map import BODIES

    check_page(output)
    writing.check_outputs(output, inputs=[clip])
    motion = reading.load(clip, writing)
    with writing.progress() as progress:
        result = run(
            motion,
            pushes=pushes,
            strongest=strongest,
            duration=duration,
            bodies=body or BODIES,
            method=method,
            cycle=cycle,
            seed=seed,
            mass=mass,
            progress=progress,
        )
    writing.deliver(result, output, result.verdict)

"""`gambol push-map`: where a clip is weak."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Mass,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    apart,
    fresh_output,
    load_clip,
    page_output,
    show_progress,
)  # fmt: skip

if TYPE_CHECKING:
    from gambol.fit.rig import Fit
    from gambol.respond.push_map import Plan, PushMap

Clip = Annotated[Path, typer.Argument(help="A motion file, or a built-in motion: walk, run.", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="HTML page to write.", show_default=False)]
Pushes = Annotated[int, typer.Option(help="About how many pushes.")]
Strongest = Annotated[float, typer.Option(help="The strongest push, in body weights.")]
For = Annotated[float, typer.Option("--for", help="Seconds that every push lasts.")]
Bodies = Annotated[list[str] | None, typer.Option("--body", help="A body to push, repeatable; else eight of them.")]
Free = Annotated[int, typer.Option("--k", help="Near-unactuated coordinates: the more, the more compliant.")]
Seed = Annotated[int, typer.Option(help="Which moments and directions are drawn.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="File for the numbers of every push.")]


def push_map(
    clip: Clip,
    output: Output,
    pushes: Pushes = 1000,
    strongest: Strongest = 1.0,
    for_: For = 0.2,
    body: Bodies = None,
    k: Free = 10,
    seed: Seed = 0,
    mass: Mass = None,
    json_file: JsonFile = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Push a clip a thousand times and draw where it is weak: body part, direction, phase and force.

    Example: gambol push-map walk.bvh -o map.html
    """
    from gambol.body.character import Character
    from gambol.fit.rig import fit
    from gambol.io.output import replacing
    from gambol.respond.push_map import BODIES, Plan
    from gambol.studio.push_map_page import to_page, verdict

    page_output(output)
    apart(output, json_file)
    for target in filter(None, (output, json_file)):
        fresh_output(target, overwrite, [clip])
    plan = Plan(pushes, strongest, for_, tuple(dict.fromkeys(body)) if body else BODIES, seed)
    motion = load_clip(clip, Overrides(scale, up, fps, rig, skeleton))
    found = _pushed(fit(Character.from_motion(motion, mass), motion), plan, k)
    with replacing(output) as temporary:
        temporary.write_text(to_page(found), encoding="utf-8")
    typer.echo(verdict(found), err=True)
    typer.echo(output)
    if json_file is not None:
        with replacing(json_file) as temporary:
            temporary.write_text(json.dumps(found.facts(), indent=1) + "\n", encoding="utf-8")
        typer.echo(json_file)


def _pushed(fitted: Fit, plan: Plan, free: int) -> PushMap:
    """The map, with a bar for a person who waits."""
    from rich.console import Console
    from rich.progress import Progress

    from gambol.respond.clip_responder import NearUnactuated
    from gambol.respond.push_map import push_map as measure

    with Progress(console=Console(stderr=True), transient=True, disable=not show_progress()) as bar:
        task = bar.add_task("Pushing", total=plan.total)
        responder = NearUnactuated.learn(fitted, free, machine_code=True)
        return measure(responder, plan, lambda done: bar.advance(task, done))

"""`gambol crowd`: many walkers in a scene, each a whole body."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    apart,
    fresh_output,
    load_clip,
    show_progress,
)
from gambol.cli.telling import say
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.primitives.crowd.performance import Performance
    from gambol.primitives.crowd.scene import Scene
    from gambol.primitives.prototypes import Prototypes

SceneFile = Annotated[
    Path | None,
    typer.Argument(metavar="SCENE", help="A YAML file, or a scene that comes with gambol.", show_default=False),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="GLB, USD or numbered BVHs.", show_default=False)]
WalkClip = Annotated[
    Path | None,
    typer.Option("--walk", help="The walk that all steps are made of; else the built-in one.", show_default=False),
]
Model = Annotated[
    Path | None, typer.Option(help="What 'gambol primitives learn' wrote, instead of a walk.", show_default=False)
]
Seed = Annotated[int | None, typer.Option(min=0, help="Of all that is drawn at random; else the scene's.")]
Seconds = Annotated[float | None, typer.Option(min=0.1, max=600.0, help="How long; else as the scene says.")]
Certify = Annotated[bool, typer.Option("--certify", help="Say what a march must come to, from which starts, and why.")]
Picture = Annotated[Path | None, typer.Option(help="PNG of everybody at four moments.", show_default=False)]
JsonFile = Annotated[Path | None, typer.Option("--json", help="File for order parameters or arrivals.")]
List = Annotated[bool, typer.Option("--list", help="Name the scenes that come with gambol.")]

_PICTURES = (".png", ".svg", ".pdf")


def crowd(
    scene: SceneFile = None,
    output: Output = None,
    walk: WalkClip = None,
    model: Model = None,
    seed: Seed = None,
    seconds: Seconds = None,
    certify: Certify = False,
    picture: Picture = None,
    json_file: JsonFile = None,
    list_scenes: List = False,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Let walkers cross a floor, march in step or dance; everybody is a whole body on the rig of the walk.

    Example: gambol crowd march -o march.glb --certify
    """
    from dataclasses import replace

    from gambol.primitives.crowd import library

    if list_scenes:
        for name in library.names():
            typer.echo(f"{name:<10} {library.about(name)}")
        return
    if scene is None:
        raise InputError("which scene?", fix=f"a YAML file, or {', '.join(library.names())}")
    if output is None and picture is None and json_file is None and not certify:
        raise InputError("nothing to do", fix="add -o FILE, --picture PNG, --json FILE or --certify")
    if walk is not None and model is not None:
        raise InputError("a walk and a model are given", fix="steps come from one of them")
    from gambol.primitives.crowd.scene import read_scene

    found = read_scene(scene if scene.is_file() or scene.suffix else library.file(str(scene)))
    found = replace(
        found,
        seed=found.seed if seed is None else seed,
        seconds=found.seconds if seconds is None else seconds,
    )
    _check_outputs(found, output, picture, json_file, overwrite, [file for file in (scene, walk, model) if file])
    overrides = Overrides(scale, up, fps, rig, skeleton)
    prototypes = _of_model(model) if model is not None else _of_clip(walk or Path("walk"), overrides)
    if certify:
        from gambol.primitives.crowd.performance import certify as certified

        for line in certified(found, prototypes).lines():
            typer.echo(line)
    if output is not None or picture is not None or json_file is not None:
        _write(found, prototypes, output, picture, json_file)


def _check_outputs(
    scene: Scene,
    output: Path | None,
    picture: Path | None,
    json_file: Path | None,
    overwrite: bool,
    inputs: list[Path],
) -> None:
    """Refuse, before anybody walks, what could not be written."""
    from gambol.io import outputs
    from gambol.io.formats import writable_format

    apart(output, picture, json_file)
    if output is not None:
        writable_format(output)
    if picture is not None and picture.suffix.lower() not in _PICTURES:
        raise InputError(f"'{picture.suffix}' is not drawn", file=picture, fix=f"choose {', '.join(_PICTURES)}")
    files = [] if output is None else outputs(output, scene.agents)
    for file in (*files, *(other for other in (picture, json_file) if other is not None)):
        fresh_output(file, overwrite, inputs)


def _of_model(model: Path) -> Prototypes:
    """The steps of a model."""
    from gambol.primitives.crowd.gaits import walker_prototypes
    from gambol.primitives.store import load_primitives

    return walker_prototypes(load_primitives(model).prototypes)


def _of_clip(walk: Path, overrides: Overrides) -> Prototypes:
    """The steps of a clip."""
    from gambol.features.strides import strides
    from gambol.primitives.crowd.gaits import STRAIGHT, walker_prototypes
    from gambol.primitives.prototypes import prototypes_of

    clip = load_clip(walk, overrides)
    return walker_prototypes(prototypes_of(clip, {STRAIGHT: strides(clip)}))


def _write(
    scene: Scene, prototypes: Prototypes, output: Path | None, picture: Path | None, json_file: Path | None
) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from gambol.io import save
    from gambol.io.output import replacing
    from gambol.primitives.crowd.performance import RATE, perform

    with Progress(console=Console(stderr=True), disable=not show_progress(), transient=True) as bar:
        task = bar.add_task("Walking", total=None)
        done = perform(scene, prototypes, lambda frame, frames: bar.update(task, completed=frame + 1, total=frames))
    for line in done.told:
        say(line)
    if output is not None:
        for written in save(list(done.motions), output):
            typer.echo(written)
    if picture is not None:
        from gambol.render.moments import save_moments

        with replacing(picture) as temporary:
            save_moments(done.motions, temporary, poles=done.poles, walls=done.walls)
        typer.echo(picture)
    if json_file is not None:
        with replacing(json_file) as temporary:
            temporary.write_text(json.dumps(_report(scene, done, RATE), indent=2) + "\n", encoding="utf-8")
        typer.echo(json_file)


def _report(scene: Scene, done: Performance, rate: float) -> dict[str, object]:
    """What a program would read."""
    from gambol.primitives.crowd.march import Order

    report: dict[str, object] = {"scene": scene.name, "seed": scene.seed, "agents": len(done.motions)}
    if done.orders is None:
        return {**report, "told": list(done.told)}
    columns = dict(zip(Order._fields, done.orders.T.tolist(), strict=True))
    return {**report, "seconds": [frame / rate for frame in range(len(done.orders))], **columns}

"""`gambol crowd`: many walkers in a scene, each a whole body."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gambol.cli.options import Filming, ListNames, Reading, Writing
from gambol.errors import InputError

SceneFile = Annotated[
    Path | None,
    typer.Argument(metavar="SCENE", help="A YAML file, or a name of --list.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="GLB, USD, numbered BVHs, PNG, MP4, GIF, HTML.", show_default=False),
]
WalkClip = Annotated[
    Path | None,
    typer.Option("--walk", help="Walk that all steps are made from (default: the built-in one).", show_default=False),
]
Model = Annotated[
    Path | None, typer.Option(help="Model of 'gambol primitives learn', instead of a walk.", show_default=False)
]
Poses = Annotated[
    Literal["tables", "primitives"],
    typer.Option(help="Read poses from tables of strides, or drive a learned model with every walker's oscillator."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Random seed (default: the scene's).")]
Seconds = Annotated[float | None, typer.Option(help="Duration in seconds (default: the scene's).")]
Certify = Annotated[
    bool, typer.Option("--certify", help="Print the certificate of a march: what it must come to, from which starts.")
]
Picture = Annotated[Path | None, typer.Option(help="PNG of everybody at four moments.", show_default=False)]


def crowd(
    reading: Reading,
    writing: Writing,
    filming: Filming,
    scene: SceneFile = None,
    output: Output = None,
    walk: WalkClip = None,
    model: Model = None,
    poses: Poses = "tables",
    seed: Seed = None,
    seconds: Seconds = None,
    certify: Certify = False,
    picture: Picture = None,
    list_: ListNames = False,
) -> None:
    """Let walkers cross a floor, march in step or dance; everybody is a whole body on the rig of the walk.

    Example: gambol crowd march -o march.glb --certify
    """
    from gambol.clips.result import list_output_files
    from gambol.drawing import check_picture, render
    from gambol.io.models import as_model
    from gambol.primitives.crowd import library
    from gambol.primitives.crowd.performance import certify_scene
    from gambol.primitives.crowd.verb import crowd as run
    from gambol.primitives.crowd.verb import make_step_prototypes, prepare_scene
    from gambol.primitives.model import Primitives

    if list_:
        for name in library.names():
            writing.line(f"{name:<10} {library.about(name)}")
        return
    if scene is None:
        raise InputError("no scene", fix=f"give a YAML file, or {', '.join(library.names())}")
    performed = not (output is None and picture is None and writing.json is None)
    if not performed and not certify:
        raise InputError("no output", fix="add -o FILE, --picture PNG, --json FILE or --certify")
    if walk is not None and model is not None:
        raise InputError("both a walk and a model are given", fix="give one of them")
    found = prepare_scene(scene, seed, seconds)
    if picture is not None:
        check_picture(picture)
    filming.check(output)
    files = [] if output is None else list_output_files(output, found.agents)
    writing.check_outputs(*files, picture, inputs=[scene, walk, model])
    learned = None if model is None else as_model(model, Primitives)
    motion = reading.load(walk or Path("walk"), writing) if model is None else Path("walk")
    shot = filming.make_shot(lambda path: reading.load(path, writing))
    if certify:
        for line in certify_scene(found, make_step_prototypes(motion, learned)).lines():
            writing.line(line)
    if not performed:
        return
    with writing.progress() as progress:
        result = run(found, walk=motion, model=learned, poses=poses, progress=progress)
    writing.explain(result)
    if output is not None:
        filming.save(result, output, shot, writing)
    if picture is not None:
        writing.wrote(render(result.motions, picture, moments=4))
    writing.write_json(result.facts())

"""`gambol compose`: several actions and several people in one physics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Filming, ListNames, Writing
from gambol.errors import InputError

SceneFile = Annotated[
    Path | None,
    typer.Argument(metavar="SCENE", help="A YAML file, or a name of --list.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="GLB, USD, numbered BVHs, PNG, MP4, GIF, HTML.", show_default=False),
]
Schedule = Annotated[
    str,
    typer.Option(
        help="Order of solving: auto, together, timed, layered, alternating, horizon or surprise.", metavar="NAME"
    ),
]
PersonClip = Annotated[
    list[str] | None,
    typer.Option("--clip", help="Clip of a person, instead of the scene's.", metavar="NAME=FILE", show_default=False),
]
Workers = Annotated[
    int, typer.Option(help="Blocks solved at the same time (more than 1 needs gambol[cluster]).", metavar="N")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask cluster to solve on: tcp://HOST:8786.", metavar="ADDRESS")
]
Picture = Annotated[Path | None, typer.Option(help="PNG of everybody at eight moments.", show_default=False)]
_MOMENTS = 8


def compose(
    writing: Writing,
    filming: Filming,
    scene: SceneFile = None,
    output: Output = None,
    schedule: Schedule = "auto",
    clip: PersonClip = None,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    picture: Picture = None,
    list_: ListNames = False,
) -> None:
    """Compose a scene: people walk hand in hand, carry a load, tackle and dodge; footsteps and forces are found.

    Example: gambol compose hand-in-hand -o hands.glb
    """
    from gambol.clips.result import list_output_files
    from gambol.composition import library
    from gambol.composition.runner import BLOCK_COLUMNS
    from gambol.composition.verb import as_composition
    from gambol.composition.verb import compose as run
    from gambol.drawing import check_picture, render
    from gambol.fit.load import load
    from gambol.io.lock import lock_output

    if list_:
        for name in library.names():
            writing.line(f"{name:<14} {library.about(name)}")
        return
    if scene is None:
        raise InputError("no scene", fix=f"give a YAML file, or {', '.join(library.names())}")
    if output is None and picture is None and writing.json is None:
        raise InputError("no output", fix="add -o FILE, --picture PNG or --json FILE")
    asked = as_composition(scene)
    clips = dict(_split(one) for one in clip or ())
    if picture is not None:
        check_picture(picture)
    filming.check(output)
    files = [] if output is None else list_output_files(output, len(asked.people))
    writing.check_outputs(*files, picture, inputs=[scene, *map(Path, clips.values())])
    kept = output or picture or writing.json
    assert kept is not None
    shot = filming.make_shot(load)
    store = kept.with_name(f"{kept.name}.part")
    with lock_output(kept):
        with writing.progress() as progress:
            result = run(
                asked,
                schedule=schedule,
                clips=clips,
                workers=workers,
                scheduler=scheduler,
                store=store,
                progress=progress,
            )
        writing.explain(result, *([BLOCK_COLUMNS, *map(str, result.rows)] if result.rows else []))
        if output is not None:
            filming.save(result, output, shot, writing)
        if picture is not None:
            writing.wrote(render(result.motions, picture, moments=_MOMENTS))
        writing.write_json({**result.facts(), "blocks": [vars(row) for row in result.rows]})
        if result.stopped:
            writing.note(f"the same command with --overwrite goes on from {store}")
            raise typer.Exit(130)
        store.unlink(missing_ok=True)


def _split(given: str) -> tuple[str, str]:
    name, equals, file = given.partition("=")
    if not (name and equals and file):
        raise InputError(f"--clip takes NAME=FILE, got '{given}'", fix="such as --clip child=walk.bvh")
    return name, file

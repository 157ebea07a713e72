"""`gambol style`: how somebody moves, learned from one clip, and other things done in that way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.console import check_suffix
from gambol.cli.options import Clips, ContactsFile, Mass, Output, Reading, Writing, expand_groups
from gambol.errors import InputError

StyleOutput = Annotated[Path, typer.Option("--output", "-o", help="File to write, .json.", show_default=False)]
Folder = Annotated[
    Path, typer.Option("--output", "-o", help="Folder to write to: one .json of each clip.", show_default=False)
]
StyleFile = Annotated[
    Path, typer.Argument(metavar="STYLE", help="A file that 'gambol style learn' wrote.", show_default=False)
]
OtherStyle = Annotated[Path, typer.Argument(metavar="OTHER", help="Another one.", show_default=False)]
Task = Annotated[
    Path | None,
    typer.Argument(
        metavar="[TASK]",
        help="YAML: clip, loop, stride, curve, slope, skate, load, shoes, lock, cycle, changes (default: as recorded).",
        show_default=False,
    ),
]
Start = Annotated[float | None, typer.Option("--start", help="Learn from this time on (s).", show_default=False)]
End = Annotated[float | None, typer.Option("--end", help="Learn up to this time (s).", show_default=False)]
Name = Annotated[str | None, typer.Option(help="Name of the style (default: of the clip).", show_default=False)]
Steps = Annotated[int, typer.Option(min=0, max=200, help="Largest number of steps of the search.")]
Workers = Annotated[
    int,
    typer.Option(help="Clips learned from at the same time (more than 1 needs gambol[cluster]).", metavar="N"),
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask cluster to learn on: tcp://HOST:8786.", metavar="ADDRESS")
]
Footprints = Annotated[
    Path | None,
    typer.Option("--clip", help="Clip whose footprints are used, instead of the task's.", show_default=False),
]
Blend = Annotated[
    tuple[Path, float] | None,
    typer.Option(help="Another style and its share: 0.5 is halfway.", metavar="STYLE SHARE", show_default=False),
]

style_app = typer.Typer(
    help="Learn how somebody moves from one clip, and let them do something else.\n\n"
    "Example: gambol style learn walk.bvh -o style.json",
    no_args_is_help=True,
)


@style_app.command()
@expand_groups
def learn(
    clips: Clips,
    output: StyleOutput,
    reading: Reading,
    writing: Writing,
    start: Start = None,
    end: End = None,
    name: Name = None,
    mass: Mass = None,
    contacts: ContactsFile = None,
    steps: Steps = 25,
) -> None:
    """Learn which muscles somebody prefers, how stiff their joints are, and where they rest, from one or several clips.

    All clips are of one person, and one style is learned from them.

    Example: gambol style learn walk.bvh -o style.json
    """
    from gambol.styles.verb import learn_style

    check_suffix(output, "a style", ".json")
    writing.check_outputs(output, inputs=clips)
    motions = reading.load_files(clips, writing)
    with writing.progress() as progress:
        result = learn_style(
            *motions,
            start=start,
            end=end,
            name=name,
            mass=mass,
            contacts=contacts,
            steps=steps,
            progress=progress,
        )
    lines, liked = _list(result.figures), list(result.preferences)
    if liked:
        lines.append(f"uses most: {', '.join(liked[:3])}; spares: {', '.join(liked[-3:])}")
    writing.deliver(result, output, lines=lines)
    if result.learned.stopped:
        raise typer.Exit(130)


@style_app.command(name="learn-each")
@expand_groups
def learn_each(
    clips: Clips,
    output: Folder,
    reading: Reading,
    writing: Writing,
    start: Start = None,
    end: End = None,
    mass: Mass = None,
    steps: Steps = 25,
    workers: Workers = 1,
    scheduler: Scheduler = None,
) -> None:
    """Learn one style from each of many clips, into a folder. A run that was stopped goes on where it was.

    Example: gambol style learn-each clips -o styles --workers 2
    """
    from gambol.styles.style_folder import learn_each_style

    motions = reading.load_files(clips, writing)
    try:
        with writing.progress() as progress:
            made = learn_each_style(
                *motions, folder=output, start=start, end=end, mass=mass, steps=steps, workers=workers,
                scheduler=scheduler, progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        writing.note(f"styles learned so far are kept in {output}; the same command continues from there")
        raise
    for name, why in made.refused.items():
        writing.note(f"{name}: {why}")
    writing.line(f"{len(made.files)} of {len(motions)} styles are in {output}")
    writing.write_json(made.facts())
    if not made.files:
        raise InputError("nothing was learned from any clip", fix="see the notes above")


@style_app.command()
@expand_groups
def apply(
    style: StyleFile,
    output: Output,
    writing: Writing,
    task: Task = None,
    clip: Footprints = None,
    blend: Blend = None,
    mass: Mass = None,
    contacts: ContactsFile = None,
) -> None:
    """Do something in a style: along a curve, up a slope, with a load, with a locked joint.

    Example: gambol style apply style.json uphill.yaml -o uphill.glb
    """
    from gambol.clips.result import list_output_files
    from gambol.io.models import as_model
    from gambol.styles.style import PhysicalStyle
    from gambol.styles.verb import apply_style

    inputs = [path for path in (style, task, clip) if path is not None]
    writing.check_outputs(*list_output_files(output), inputs=inputs)
    chosen = as_model(style, PhysicalStyle)
    if blend is not None:
        chosen = chosen.blend(as_model(blend[0], PhysicalStyle), blend[1])
    with writing.progress() as progress:
        result = apply_style(chosen, task, clip=clip, mass=mass, contacts=contacts, progress=progress)
    writing.deliver(result, output, lines=_list(result.figures))


@style_app.command()
@expand_groups
def compare(one: StyleFile, two: OtherStyle, writing: Writing) -> None:
    """Show how two styles differ, joint by joint, where their clips determine it.

    Example: gambol style compare happy.json sad.json
    """
    from gambol.styles.comparison import compare_styles

    result = compare_styles(one, two)
    writing.deliver(result, None, lines=_list(result.figures))


def _list(figures: Mapping[str, float]) -> list[str]:
    return [f"{name:<42}{value:10.4g}" for name, value in figures.items()]

"""`gambol render`: a strip of poses, a film, or a page that plays offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Clips, ContactsFile, Filming, Reading, Robot, Writing
from gambol.errors import InputError

Output = Annotated[Path, typer.Option("--output", "-o", help="PNG, SVG, PDF, GIF, MP4 or HTML.", show_default=False)]
Poses = Annotated[int, typer.Option(min=1, max=60, help="Number of poses in a strip.")]
Moments = Annotated[
    int | None,
    typer.Option(
        min=1, max=12, help="Draw everybody in the world they share at this many moments.", show_default=False
    ),
]
Apart = Annotated[bool, typer.Option("--apart/--together", help="Side by side, or in the world they share (HTML).")]
Physics = Annotated[
    bool, typer.Option("--physics", help="Show ground forces, contacts, support phases and the centre of mass.")
]

Judge = Annotated[bool, typer.Option("--judge", help="Ring what a viewer would not accept, with its time and size.")]


@dataclass(frozen=True)
class ClipReading(Reading):
    """How clips are read, where --fps is the rate of the film."""

    fps: Annotated[
        float | None, typer.Option("--clip-fps", help="Frames per second of the clips, instead of the files'.")
    ] = None


@dataclass(frozen=True)
class FilmRate(Filming):
    """How pictures and films are taken, with the rate of the film as --fps."""

    film_fps: Annotated[
        float | None, typer.Option("--fps", "--film-fps", help="Pictures of a film per second (default: 30).")
    ] = None


def render(
    clips: Clips,
    output: Output,
    reading: ClipReading,
    filming: FilmRate,
    writing: Writing,
    poses: Poses = 9,
    moments: Moments = None,
    apart: Apart = False,
    physics: Physics = False,
    contacts: ContactsFile = None,
    judge: Judge = False,
    robot: Robot = None,
) -> None:
    """Draw clips: a strip of poses (PNG, SVG, PDF), a film (GIF, MP4) or a page that plays offline (HTML).

    Example: gambol render walk.bvh -o walk.mp4 --size 1080p --fps 60 --view front

    Example: gambol render walk.npz --robot g1.xml -o walk.png
    """
    from gambol.drawing import check_drawable
    from gambol.drawing import render as run

    check_physics(physics, robot)
    check_drawable(output, moments, physics, judge)
    filming.check(output)
    writing.check_outputs(output)
    scenes = reading.load_scenes(clips, writing, robot)
    shot = filming.make_shot(lambda path: reading.load(path, writing))
    with writing.progress() as progress:
        run(
            scenes,
            output,
            poses=poses,
            moments=moments,
            apart=apart,
            physics=physics,
            contacts=contacts,
            judge=judge,
            shot=shot,
            progress=progress,
        )
    writing.wrote(output)


def check_physics(physics: bool, robot: Path | None) -> None:
    """Refuse to show forces of references that are played on a robot: files of others have none."""
    if physics and robot is not None:
        raise InputError("--physics is not for --robot", fix="leave one of them out: files of gambol have both")

"""`gambol render`: a strip of poses, a GIF or MP4, or an HTML player."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from gambol.cli.clips import (
    Asf,
    Clips,
    Fps,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    find_physics,
    fresh_output,
    load_clips,
    show_progress,
)
from gambol.errors import InputError

Item = TypeVar("Item")
Output = Annotated[Path, typer.Option("--output", "-o", help="PNG, SVG, PDF, GIF, MP4 or HTML.", show_default=False)]
Poses = Annotated[int, typer.Option(min=1, max=60, help="Poses in a strip.")]
Moments = Annotated[
    int | None,
    typer.Option(min=1, max=12, help="PNG: everybody in the world they share, at so many moments.", show_default=False),
]
Apart = Annotated[bool, typer.Option("--apart/--together", help="HTML: side by side, or in the world they share.")]
Physics = Annotated[bool, typer.Option("--physics", help="Show ground forces, contacts, stages, centre of mass.")]
_STRIPS = (".png", ".svg", ".pdf")
_FILMS = (".gif", ".mp4")
_LONGEST = 1800.0


def render(
    clips: Clips,
    output: Output,
    poses: Poses = 9,
    moments: Moments = None,
    apart: Apart = False,
    physics: Physics = False,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Draw clips: a strip of poses (PNG, SVG, PDF), a film (GIF, MP4) or a page that plays offline (HTML).

    Example: gambol render walk.bvh -o walk.png
    """
    from gambol.io.output import replacing

    suffix = output.suffix.lower()
    if suffix not in (*_STRIPS, *_FILMS, ".html"):
        raise InputError(f"'{suffix}' is not drawn", file=output, fix="choose .png, .svg, .pdf, .gif, .mp4 or .html")
    if moments is not None and (suffix not in _STRIPS or physics):
        raise InputError("moments are drawn into a PNG, SVG or PDF, without physics", file=output)
    fresh_output(output, overwrite)
    motions = load_clips(clips, Overrides(scale, up, fps, rig, skeleton))
    longest = max(m.duration for m in motions)
    if suffix not in _STRIPS and longest > _LONGEST:
        raise InputError(
            f"it would last {longest:.0f} s, {_LONGEST:.0f} s at most are drawn",
            file=output,
            fix="correct --fps or cut it",
        )
    found = find_physics(motions) if physics else []
    with replacing(output) as temporary:
        if suffix in _STRIPS and moments is not None:
            from gambol.render.moments import save_moments

            save_moments(motions, temporary, moments)
        elif suffix in _STRIPS:
            from gambol.render.strip import save_strip

            save_strip(motions, temporary, poses, found)
        elif suffix in _FILMS:
            from gambol.render.film import picture_count, pictures, save_film

            save_film(_counted(pictures(motions, found), picture_count(motions)), temporary, suffix)
        else:
            from gambol.studio.player import to_html

            temporary.write_text(to_html(motions, apart=apart, physics=found), encoding="utf-8")
    typer.echo(output)


def _counted(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The same items, with a bar for a person who waits."""
    from rich.console import Console
    from rich.progress import track

    yield from track(items, "Drawing", total=total, console=Console(stderr=True), disable=not show_progress())

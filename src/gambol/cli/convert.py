"""`gambol convert`: between formats, by extension."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import Asf, Clips, Force, Fps, RigFile, Scale, Up, files_of, fresh_output, load_clips
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion

To = Annotated[str, typer.Option("--to", help="Extension to write when the output is a folder.")]


def convert(
    clips: Clips,
    output: Annotated[Path, typer.Argument(help="File to write, or a folder for one file each.", show_default=False)],
    to: To = ".glb",
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    force: Force = False,
) -> None:
    """Convert clips: several into one GLB or USD scene, into numbered BVHs, or each into a folder.

    Example: gambol convert walk.bvh walk.glb
    """
    from gambol.io.formats import MOTIONS

    if not output.is_dir():
        _convert_together(clips, output, (scale, up, fps, rig, skeleton), force)
        return
    for path in files_of(clips, MOTIONS):
        target = fresh_output(output / f"{path.stem}{to if to.startswith('.') else '.' + to}", force)
        _save(load_clips([path], scale, up, fps, rig, skeleton), target, force)


def _convert_together(
    clips: list[Path],
    output: Path,
    overrides: tuple[float | None, str | None, float | None, Path | None, Path | None],
    force: bool,
) -> None:
    from gambol.io import load_recording
    from gambol.io.formats import MOTIONS, format_of
    from gambol.io.tables import save_recording

    fresh_output(output, force)
    files = files_of(clips, MOTIONS)
    if any(output.exists() and output.samefile(file) for file in files):
        raise InputError("input and output are the same file", file=output, fix="choose another name")
    if len(files) == 1 and format_of(files[0]) in ("c3d", "trc", "table"):
        typer.echo(save_recording(load_recording(files[0]), output))
    else:
        _save(load_clips(files, *overrides), output, force)


def _save(motions: list[Motion], output: Path, force: bool) -> None:
    from gambol.io import outputs, save

    for target in outputs(output, len(motions)):
        fresh_output(target, force)
    for written in save(motions, output):
        typer.echo(written)

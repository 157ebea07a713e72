"""`gambol convert`: between formats, by extension."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Clips, Force, Fps, RigFile, Scale, Up, files_of, fresh_output, load_clips
from gambol.errors import InputError

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
    from gambol.io import save
    from gambol.io.formats import MOTIONS

    if not output.is_dir():
        _convert_together(clips, output, (scale, up, fps, rig, skeleton), force)
        return
    for path in files_of(clips, MOTIONS):
        target = fresh_output(output / f"{path.stem}{to if to.startswith('.') else '.' + to}", force)
        for written in save(load_clips([path], scale, up, fps, rig, skeleton), target):
            typer.echo(written)


def _convert_together(
    clips: list[Path],
    output: Path,
    overrides: tuple[float | None, str | None, float | None, Path | None, Path | None],
    force: bool,
) -> None:
    from gambol.io import load_recording, save
    from gambol.io.formats import MOTIONS, format_of
    from gambol.io.tables import save_recording

    fresh_output(output, force)
    files = files_of(clips, MOTIONS)
    if any(output.exists() and output.samefile(file) for file in files):
        raise InputError("input and output are the same file", file=output, fix="choose another name")
    if len(files) == 1 and format_of(files[0]) in ("c3d", "trc", "table"):
        written = [save_recording(load_recording(files[0]), output)]
    else:
        written = save(load_clips(files, *overrides), output)
    for path in written:
        typer.echo(path)

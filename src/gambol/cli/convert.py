"""`gambol convert`: between formats, by extension."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Clips, Force, Fps, Overrides, RigFile, Scale, Up, files_of, fresh_output, load_clips
from gambol.errors import InputError

Onto = Annotated[
    Path | None,
    typer.Option(help="A GLB with the same joints, to take the motion with its meshes; a GLB input is its own."),
]
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
    onto: Onto = None,
    force: Force = False,
) -> None:
    """Convert clips: several into one GLB or USD scene, into numbered BVHs, or each into a folder.

    Example: gambol convert walk.bvh walk.glb
    """
    from gambol.io import load_recording
    from gambol.io.formats import MOTIONS, READABLE, format_of
    from gambol.io.tables import save_recording

    overrides = Overrides(scale, up, fps, rig, skeleton)
    if output.is_dir():
        ending = to if to.startswith(".") else f".{to}"
        for path in files_of(clips, MOTIONS):
            _save([path], output / f"{path.stem}{ending}", overrides, onto, force)
        return
    files = files_of(clips, tuple(READABLE) if len(clips) == 1 else MOTIONS)
    if len(files) == 1 and format_of(files[0]) in ("c3d", "trc", "table"):
        typer.echo(save_recording(load_recording(files[0]), fresh_output(output, force)))
    else:
        _save(files, output, overrides, onto, force)


def _save(files: list[Path], output: Path, overrides: Overrides, onto: Path | None, force: bool) -> None:
    from gambol.io import outputs, save
    from gambol.io.formats import format_of

    if any(output.exists() and file.exists() and output.samefile(file) for file in files):
        raise InputError("input and output are the same file", file=output, fix="choose another name")
    fresh_output(output, force)
    motions = load_clips(files, overrides)
    for target in outputs(output, len(motions)):
        fresh_output(target, force)
    own = len(files) == len(motions) == 1 and output.suffix.lower() == ".glb" and format_of(files[0]) == "gltf"
    for written in save(motions, output, onto=onto or (files[0] if own else None)):
        typer.echo(written)

"""What all commands share: naming clips on the command line, and the options that override what is found."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.fit.physics import Physics
    from gambol.motion.motion import Motion

Mass = Annotated[float | None, typer.Option(help="Kilograms; else those of a person of medium weight.")]
Clips = Annotated[
    list[Path],
    typer.Argument(
        help="Motion files, folders of them, or a built-in motion: stand, walk, run, jump.", show_default=False
    ),
]
Scale = Annotated[float | None, typer.Option(help="Metres in one unit of the file, where the guess is wrong.")]
Up = Annotated[str | None, typer.Option(help="The file's axis that points up: x, y, z, -x, -y or -z.")]
Fps = Annotated[float | None, typer.Option(help="True frames a second, where the file is wrong.")]
RigFile = Annotated[Path | None, typer.Option("--rig", help="Mapping file for a rig that is not recognised.")]
Asf = Annotated[Path | None, typer.Option("--skeleton", help="The ASF of an AMC, if it is not beside it.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def files_of(paths: Iterable[Path], suffixes: tuple[str, ...]) -> list[Path]:
    """The files and built-in motions named, and all files with these extensions in the folders named."""
    from gambol.io import samples

    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in suffixes and p.is_file())
            if not inside:
                raise InputError("no motion in this folder", file=path, fix=f"looked for {', '.join(suffixes)}")
            files += inside
        elif str(path) in samples.names() and not path.exists():
            files.append(samples.file(str(path)))
        else:
            files.append(path)
    return files


class Overrides(NamedTuple):
    """What a person said about a file, where it would be found otherwise."""

    scale: float | None
    up: str | None
    fps: float | None
    rig: Path | None
    skeleton: Path | None


def load_clips(paths: Iterable[Path], overrides: Overrides) -> list[Motion]:
    """Load all characters of all files named, and print what was noted on the way, each thing once."""
    from gambol.io.formats import MOTIONS

    motions: list[Motion] = []
    said: set[str] = set()
    for path in files_of(paths, MOTIONS):
        for motion in _motions_of(path, overrides):
            for note in motion.notes:
                if note not in said:
                    typer.echo(f"{path.name}: {note}", err=True)
            said.update(motion.notes)
            motions.append(motion)
    return motions


def load_clip(path: Path, overrides: Overrides) -> Motion:
    """The one character of one file."""
    motions = load_clips([path], overrides)
    if len(motions) > 1:
        raise InputError(f"holds {len(motions)} characters", file=path, fix="convert it into files of one each first")
    return motions[0]


def _motions_of(path: Path, overrides: Overrides) -> tuple[Motion, ...]:
    """The characters of a file; markers move a person of their lengths."""
    from gambol.io import load_all, load_recording
    from gambol.io.formats import format_of

    if format_of(path) not in ("c3d", "trc"):
        return tuple(load_all(path, **overrides._asdict()))
    from gambol.body.character import Character
    from gambol.fit.markers import as_rig
    from gambol.fit.rig import fit
    from gambol.motion.recording import Markers, Recording

    if any(value is not None for value in overrides):
        raise InputError("a marker file says its own unit, axes and rate", file=path, fix="leave the corrections out")
    recording = load_recording(path)
    markers = recording.markers if isinstance(recording, Recording) else recording
    assert isinstance(markers, Markers)
    rig = as_rig(markers)
    return (fit(Character.from_motion(rig), rig).clip,)


def find_physics(motions: Iterable[Motion]) -> list[Physics]:
    """The physics of all motions, to be shown with them."""
    from gambol.fit.physics import physics_of

    return [physics_of(motion) for motion in motions]


def fresh_output(path: Path, overwrite: bool, inputs: Iterable[Path] = ()) -> Path:
    """An output that can be written, that replaces nothing unless that was asked for, and never an input."""
    from gambol.io.output import check_writable

    if any(path.exists() and file.exists() and path.samefile(file) for file in inputs):
        raise InputError("input and output are the same file", file=path, fix="choose another name")
    if (path.is_file() or path.is_symlink()) and not overwrite:
        raise InputError("exists already", file=path, fix="choose another name, or pass --overwrite to replace it")
    check_writable(path)
    return path


def apart(*outputs: Path | None) -> None:
    """Refuse outputs that would be written over each other."""
    named = [path.absolute() for path in outputs if path is not None]
    twice = next((path for n, path in enumerate(named) if path in named[:n]), None)
    if twice is not None:
        raise InputError("two outputs would become this file", file=twice, fix="give each its own name")


def page_output(path: Path) -> None:
    """Refuse a report that is not a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is a page, not '{path.suffix}'", file=path, fix="name it .html")


def show_progress() -> bool:
    """Bars are for people: none where the output is not a terminal."""
    return sys.stderr.isatty()

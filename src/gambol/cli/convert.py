"""`gambol convert`: between formats, by extension."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gambol.cli.options import Clips, ContactsFile, Mass, Reading, Writing
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.ensemble import Ensemble

Onto = Annotated[
    Path | None,
    typer.Option(
        help="A GLB or VRM with the same joints that receives the motion (default: the one it came from, if any)."
    ),
]
Physics = Annotated[
    bool, typer.Option("--physics", help="CSV, STO, MOT: angles, torques, centre of mass, ground forces, contacts.")
]
To = Annotated[str | None, typer.Option("--to", help="Extension of files written into a folder (default: .glb).")]

Layout = Annotated[
    str | None,
    typer.Option(help="Reference motions of robots (.npz): fields as isaaclab, gmr or loco-mujoco have them."),
]


def convert(
    clips: Clips,
    output: Annotated[
        Path, typer.Argument(help="File to write, or a folder (no extension) for one file each.", show_default=False)
    ],
    reading: Reading,
    writing: Writing,
    to: To = None,
    onto: Onto = None,
    physics: Physics = False,
    contacts: ContactsFile = None,
    mass: Mass = None,
    layout: Layout = None,
) -> None:
    """Convert clips: several into one GLB or USD scene, into numbered BVHs, or each into a folder.

    Example: gambol convert walk.bvh walk.glb

    Example: gambol convert walk.npz walk_gmr.npz --layout gmr
    """
    from gambol.fit.load import find_files
    from gambol.io.formats import READABLE, RUN_EXTENSION, find_formats

    if layout is not None:
        if physics:
            raise InputError("--physics is for clips, --layout for reference motions", fix="leave one of them out")
        _check_layout(layout)
    files = find_files(clips, (*READABLE, *find_formats()) if layout is None else (RUN_EXTENSION,))
    for name, given in (("--mass", mass), ("--contacts", contacts)):
        if given is not None and not physics:
            raise InputError(f"{name} has no effect without --physics", fix=f"add --physics, or leave {name} out")

    def write(inputs: list[Path], target: Path) -> dict[str, Any]:
        writing.check_outputs(target, inputs=files)
        facts: dict[str, Any] = {}
        if layout is not None:
            _change_layout(inputs, target, writing, layout)
        elif physics:
            facts = _tabulate(inputs, target, reading, writing, mass, contacts)
        else:
            facts = _convert(inputs, target, reading, writing, onto)
        return {"file": str(target), **facts}

    if output.suffix and not output.is_dir():
        writing.write_json([write(files, output)])
        return
    default = ".glb" if layout is None else RUN_EXTENSION
    targets = _targets_in(output, clips, files, default if to is None else f".{to.removeprefix('.')}")
    for target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
    writing.check_outputs(*targets, inputs=files)
    writing.write_json([write([file], target) for file, target in zip(files, targets, strict=True)])


def _explain(motions: Ensemble, output: Path, writing: Writing) -> dict[str, Any]:
    """Print what a viewer would see in motions that are converted as they are, and return it."""
    from gambol.clips.result import Result

    result = Result(motions=motions)
    writing.explain(result, about=output.name)
    return result.facts()


def _targets_in(folder: Path, clips: list[Path], files: list[Path], ending: str) -> list[Path]:
    """One output for each file, in the subfolder it came from."""
    roots = [clip for clip in clips if clip.is_dir()]
    targets = []
    for file in files:
        root = next((root for root in roots if root in file.parents), file.parent)
        targets.append(folder / file.relative_to(root).with_suffix(ending))
    twice = next((t for n, t in enumerate(targets) if t in targets[:n]), None)
    if twice is not None:
        raise InputError("two inputs would become this file", file=twice, fix="convert them into folders of their own")
    return targets


def _convert(files: list[Path], output: Path, reading: Reading, writing: Writing, onto: Path | None) -> dict[str, Any]:
    from gambol.io import holds_motion, list_outputs, load_recording, save
    from gambol.io.formats import check_writable_format
    from gambol.io.tables import TABLE_EXTENSIONS, save_recording

    check_writable_format(output)
    if len(files) == 1 and output.suffix.lower() in TABLE_EXTENSIONS and not holds_motion(files[0], reading.skeleton):
        writing.wrote(save_recording(load_recording(files[0]), output))
        return {}
    motions = reading.load_files(files, writing)
    writing.check_outputs(*list_outputs(output, len(motions)), inputs=files)
    facts = _explain(motions, output, writing)
    writing.wrote(*save(motions, output, onto=onto, replace=True))
    return facts


def _tabulate(
    files: list[Path], output: Path, reading: Reading, writing: Writing, mass: float | None, contacts: Path | None
) -> dict[str, Any]:
    """Write joint angles, torques and ground forces of a clip; OpenSim's formats have its axes."""
    from gambol.fit.physics import estimate_physics
    from gambol.fit.table import tabulate_physics
    from gambol.io.tables import check_table_path, save_table

    check_table_path(output)
    motions = reading.load_files(files, writing)
    if len(motions) != 1:
        raise InputError(
            f"one table holds one clip, not {len(motions)}", file=output, fix="name a folder, with --to csv"
        )
    up = "z" if output.suffix.lower() == ".csv" else "y"
    physics = estimate_physics(motions[0], mass, contacts)
    facts = _explain(motions, output, writing)
    writing.wrote(save_table(tabulate_physics(physics, up), output))
    return facts


def _check_layout(layout: str) -> None:
    from gambol.robots.references.layouts import LAYOUTS

    if layout not in LAYOUTS:
        raise InputError(f"unknown layout '{layout}'", fix=f"give {', '.join(LAYOUTS)}")


def _change_layout(files: list[Path], output: Path, writing: Writing, layout: str) -> None:
    """Write a reference motion of a robot with the fields of another program."""
    from gambol.robots.references.layouts import convert_reference

    if len(files) != 1:
        raise InputError(f"one file holds one reference, not {len(files)}", file=output, fix="name a folder")
    writing.wrote(convert_reference(files[0], output, layout))

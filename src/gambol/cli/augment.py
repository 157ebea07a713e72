"""`gambol augment`: a folder of reference motions of a robot, varied in terrain, steps, pace, loads and pushes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from gambol.cli.family import Scheduler, Workers
from gambol.cli.options import Clips, ContactsFile, Reading, Seed, Writing
from gambol.cli.retarget import OntoRobot
from gambol.errors import InputError

To = Annotated[Path, typer.Option("--to", help="The robot: .urdf, .xml (MJCF), jvrc1, g1, talos.", show_default=False)]
Folder = Annotated[
    Path, typer.Option("--output", "-o", help="Folder to write to: .npz files, manifest.jsonl.", show_default=False)
]
Members = Annotated[int, typer.Option(help="References to make.", metavar="N")]
Mirror = Annotated[bool, typer.Option("--mirror", help="Mirror half of them.")]
_RANGE = "LOW:HIGH"


@dataclass(frozen=True)
class Varying:
    """Ranges of what varies; a single number is the same for all members."""

    panel: ClassVar = "What varies"
    stairs: Annotated[
        str | None, typer.Option(help="Rise per step (m); negative leads down. One terrain per member.", metavar=_RANGE)
    ] = None
    slope: Annotated[str | None, typer.Option(help="Degrees uphill along the way.", metavar=_RANGE)] = None
    stones: Annotated[
        str | None, typer.Option(help="Largest height (m) of stepping stones above or below.", metavar=_RANGE)
    ] = None
    gaps: Annotated[str | None, typer.Option(help="Metres by which one step in four is longer.", metavar=_RANGE)] = None
    stride: Annotated[str | None, typer.Option(help="Length of steps; 1 keeps it.", metavar=_RANGE)] = None
    turn: Annotated[str | None, typer.Option(help="Degrees to the left by which the path bends.", metavar=_RANGE)] = (
        None
    )
    pace: Annotated[str | None, typer.Option(help="Speed; 1 keeps it.", metavar=_RANGE)] = None
    load: Annotated[str | None, typer.Option(help="Kilograms at the chest.", metavar=_RANGE)] = None
    hand_load: Annotated[str | None, typer.Option(help="Kilograms in either hand.", metavar=_RANGE)] = None
    push: Annotated[
        str | None, typer.Option(help="Newtons at the chest for 0.2 s, at a random time.", metavar=_RANGE)
    ] = None

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The ranges that are given, by name."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _parse_range(name, text) for name, text in given.items() if text is not None}


def augment(
    clips: Clips,
    to: To,
    output: Folder,
    varying: Varying,
    reading: Reading,
    writing: Writing,
    robot: OntoRobot,
    mirror: Mirror = False,
    contacts: ContactsFile = None,
    members: Members = 100,
    seed: Seed = 0,
    workers: Workers = 1,
    scheduler: Scheduler = None,
) -> None:
    """Make many reference motions of a robot from a few clips, judge each, and list them in FOLDER/manifest.jsonl.

    Those with a figure outside its band are in FOLDER/outside. A run that was stopped goes on where it was.

    Example: gambol augment walk.bvh --to g1.urdf -o walks --stairs 0.1:0.18 --turn -40:40 --members 200 --workers 2
    """
    from gambol.io.manifest import MANIFEST
    from gambol.robots.references.augment import augment as run
    from gambol.robots.references.augment_plan import AugmentPlan

    writing.check_outputs(inputs=[*clips, to])
    plan = AugmentPlan(varying.ranges, mirror, members, seed)
    motions = reading.load_files(clips, writing)
    usual = " (the default; --members N makes more or fewer)" if members == AugmentPlan.members else ""
    writing.note(f"making {members} references of {len(motions)} clip{'s' * (len(motions) > 1)}{usual}")
    with writing.progress() as progress:
        made = run(
            motions,
            to,
            output,
            plan,
            **robot.given,
            contacts=contacts,
            workers=workers,
            scheduler=scheduler,
            overwrite=writing.overwrite,
            progress=progress,
        )
    for why, count in Counter(made.refused.values()).most_common():
        writing.note(f"{count} not kept: {why}")
    writing.line(f"{len(made.files)} of {members} references have every figure in its band: {output / MANIFEST}")
    writing.write_json(made.facts())


def _parse_range(name: str, text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high or low)
    except ValueError:
        raise InputError(
            f"--{name.replace('_', '-')} must be a range such as 0.5:1.5, not '{text}'", fix="give LOW:HIGH"
        ) from None

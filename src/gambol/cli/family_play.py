"""`gambol family play`: one motion of a family."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output
from gambol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gambol.spacetime.families.family import Family

NEGATIVE = {"ignore_unknown_options": True}
"""Settings of a command whose values may be negative: -0.1 is no option."""

FamilyFile = Annotated[Path, typer.Argument(metavar="FAMILY", help="What 'gambol family' wrote.", show_default=False)]
First = Annotated[
    float | None, typer.Option("--at", metavar="VALUE...", help="A value for every axis.", show_default=False)
]
Rest = Annotated[list[float] | None, typer.Argument(hidden=True)]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default=False)]


def play(
    family: FamilyFile, rest: Rest = None, at: First = None, output: Output = None, overwrite: Overwrite = False
) -> None:
    """Write one motion of a family, on the clip's own rig and at its own rate; without --at, tell what varies.

    Example: gambol family play jumps.npz --at 0.2 -0.1 -o further.bvh
    """
    from gambol.io.formats import writable_format
    from gambol.spacetime.families.store import load_family

    if output is not None:
        writable_format(output)
        fresh_output(output, overwrite, [family])
    found = load_family(family)
    if at is None:
        if output is not None:
            raise InputError("which motion?", file=family, fix=f"--at {_example(found)}")
        for line in ranges(found):
            typer.echo(line)
        return
    values = [at, *(rest or [])]
    if len(values) != len(found.plan.axes):
        raise InputError(
            f"has {len(found.plan.axes)} axes, and --at gives {len(values)} of them",
            file=family,
            fix=f"one value each, such as --at {_example(found)}",
        )
    if output is None:
        raise InputError("nowhere to write to", fix="add -o FILE")
    write(found, values, output, "family play")


def ranges(family: Family) -> list[str]:
    """A line for every axis."""
    lines = []
    for axis in family.plan.axes:
        spans = [f"{name} {first:g} to {last:g}" for name, (first, last) in axis.ranges.items()]
        lines.append(f"{axis.stage}: {', '.join(spans)} ({axis.count} members)")
    return lines


def write(family: Family, values: Sequence[float], output: Path, command: str) -> None:
    """Write the motion at a place of a family."""
    from gambol.io import save
    from gambol.spacetime.edits.home import taken_home

    draft, motion = family.motion(values)
    home = taken_home(draft, motion.q)
    made = {"command": command, "edit": str(draft.edit), "values": [round(float(value), 6) for value in values]}
    for written in save(replace(home, made={**home.made, **made}), output):
        typer.echo(written)


def _example(family: Family) -> str:
    return " ".join(f"{axis.values.mean():g}" for axis in family.plan.axes)

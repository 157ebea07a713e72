"""`gambol poses`: the flights that transition poses are suggested from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gambol.cli.options import Clips, Reading, Writing, expand_groups

if TYPE_CHECKING:
    from gambol.spacetime.poses import PoseDatabase
    from gambol.spacetime.transitions import Example

poses = typer.Typer(
    help="Manage the recorded flights that sketches take their take-off and landing poses from.\n\n"
    "Example: gambol poses add jump.bvh",
    no_args_is_help=True,
)
To = Annotated[Path | None, typer.Option("--to", help="Database to add to (default: your own).", show_default=False)]
File = Annotated[Path | None, typer.Argument(help="A database (default: gambol's and your own).", show_default=False)]


@poses.command()
@expand_groups
def add(clips: Clips, reading: Reading, writing: Writing, to: To = None) -> None:
    """Add every flight of the clips; those that are there already are not added again.

    Example: gambol poses add jump.bvh
    """
    from gambol.fit.load import find_files
    from gambol.io.output import check_writable
    from gambol.spacetime.poses import user_file
    from gambol.spacetime.transitions import find_clip_examples

    path = user_file() if to is None else to
    if to is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    check_writable(path)
    held = _held(path)
    before = len(held)
    for file in find_files(clips):
        for motion in reading.load_all(file, writing):
            found = find_clip_examples(motion)
            had = len(held)
            if found:
                # What another run has added in the meantime is kept, and a killed run loses nothing.
                held = _held(path)
                had = len(held)
                held = held.with_examples(found)
            if len(held) > had:
                held.save(path)
            writing.line(f"{motion.name}: {_summarise(len(found), len(held) - had)}")
    writing.line(f"{path}: {_flights(len(held))}, {before} before")


@poses.command("list")
@expand_groups
def show(writing: Writing, file: File = None) -> None:
    """List the flights of a database: distance, height, spin, and the feet that carry.

    Example: gambol poses list
    """
    from gambol.spacetime.poses import PoseDatabase, open_poses

    found = open_poses() if file is None else PoseDatabase.load(file)
    writing.check_outputs()
    writing.write_json([_facts(example) for example in found.examples])
    if not len(found):
        writing.line("no flights yet; 'gambol poses add CLIPS' adds those of clips")
        return
    width = max(4, *(len(example.name) for example in found.examples))
    writing.line(f"{'name':<{width}}  {'D, m':>5}  {'H, m':>5}  {'spin, deg':>9}  feet")
    for facts in map(_facts, found.examples):
        writing.line(
            f"{facts['name']:<{width}}  {facts['distance']:5.2f}  {facts['height']:5.2f}  {facts['spin']:9.0f}  "
            f"{' + '.join(facts['takeoff_feet'])} to {' + '.join(facts['landing_feet'])}"
        )


def _held(path: Path) -> PoseDatabase:
    from gambol.spacetime.poses import PoseDatabase

    return PoseDatabase.load(path) if path.exists() else PoseDatabase()


def _summarise(found: int, new: int) -> str:
    if not found:
        return "no flight from feet to feet"
    return f"{_flights(found)}, {new} new"


def _flights(count: int) -> str:
    return f"{count} flight{'' if count == 1 else 's'}"


def _facts(example: Example) -> dict[str, Any]:
    from math import degrees

    flight = example.flight
    feet = {
        f"{side}_feet": [foot.removesuffix("_foot") for foot in getattr(example, side).feet]
        for side in ("takeoff", "landing")
    }
    facts = {"name": example.name, "distance": flight.distance, "height": flight.height, "spin": degrees(flight.spin)}
    return facts | feet

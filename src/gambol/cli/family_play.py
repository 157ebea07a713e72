"""`gambol family play`, `reach` and `drive`: motions of a family."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.family import family_app
from gambol.cli.options import MaybeOutput, Serving, Writing, expand_groups
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.spacetime.families.family import Family

_WORDS = {
    "forward": (1.0, 0.0),
    "back": (-1.0, 0.0),
    "left": (0.0, 1.0),
    "right": (0.0, -1.0),
    "straight": (0.0, 0.0),
}
_MOST = 1000

FamilyFile = Annotated[
    Path, typer.Argument(metavar="FAMILY", help="A file that 'gambol family' wrote.", show_default=False)
]
FirstValue = Annotated[
    float | None, typer.Option("--at", metavar="VALUE...", help="A value for each axis.", show_default=False)
]
OtherValues = Annotated[list[float] | None, typer.Argument(hidden=True)]
BodyPart = Annotated[str, typer.Option("--part", help="The part that reaches: head, left hand, right foot ...")]
Target = Annotated[tuple[float, float, float], typer.Option("--place", help="Target in metres: x, y, z (z is up).")]
Time = Annotated[float, typer.Option(help="When it is there, in seconds of the motion.")]
Steer = Annotated[
    str,
    typer.Option(
        help=f"Directions and number of jumps, 'right 3, forward left 2': {', '.join(_WORDS)}, combinations, "
        "or two numbers from -1 to 1: '0.5 -1 x 4'."
    ),
]
Fps = Annotated[float, typer.Option(min=10.0, max=240.0, help="Frames per second.")]
View = Annotated[bool, typer.Option("--view", help="Steer it with the arrow keys in the browser.")]


def _command(run: Callable[..., None]) -> Callable[..., None]:
    """Register a command whose values may be negative: -0.1 is not an option."""
    family_app.command(context_settings={"ignore_unknown_options": True})(expand_groups(run))
    return run


@_command
def play(
    family: FamilyFile, writing: Writing, rest: OtherValues = None, at: FirstValue = None, output: MaybeOutput = None
) -> None:
    """Write one motion of a family, on the clip's own rig and at its own frame rate; without --at, list what varies.

    Example: gambol family play jumps.npz --at 0.2 -0.1 -o further.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.io.models import as_model
    from gambol.spacetime.families.family import Family
    from gambol.spacetime.families.verb import play_family

    if output is not None:
        list_output_files(output)
    writing.check_outputs(output, inputs=[family])
    found = as_model(family, Family)
    if at is None:
        if output is not None:
            raise InputError("no values", file=family, fix="give --at a value for each axis")
        for line in _axes(found):
            writing.line(line)
        return
    if output is None:
        raise InputError("no output", fix="add -o FILE")
    result = play_family(found, [at, *(rest or [])])
    writing.deliver(result, output)


@_command
def reach(
    family: FamilyFile, part: BodyPart, place: Target, time: Time, writing: Writing, output: MaybeOutput = None
) -> None:
    """Find the motion of a family that brings a part of the body to a place at a time: a head to a ball.

    Example: gambol family reach jumps.npz --part "right hand" --place 0.9 0.1 2.2 --time 1.4 -o slam.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.io.models import as_model
    from gambol.spacetime.families.family import Family
    from gambol.spacetime.families.verb import reach_family

    if output is not None:
        list_output_files(output)
    writing.check_outputs(output, inputs=[family])
    found = as_model(family, Family)
    begin = clock.perf_counter()
    result = reach_family(found, part, place, time)
    spent = 1e3 * (clock.perf_counter() - begin)
    values = [f"{value:8.3f}   {line}" for line, value in zip(_axes(found), result.reached.values, strict=True)]
    missed = f"{part} misses by {100 * result.reached.miss:.1f} cm; found in {spent:.0f} ms"
    writing.deliver(result, output, lines=(*values, missed))


@_command
def drive(
    family: FamilyFile,
    writing: Writing,
    serving: Serving,
    output: MaybeOutput = None,
    steer: Steer = "straight 2, left 2, right 2, forward 2",
    fps: Fps = 60.0,
    view: View = False,
) -> None:
    """Steer a family of two jumps: the character jumps on and on, in a clip that is written or in the browser.

    Example: gambol family drive twice.npz --steer "right 3, forward 2" -o driven.bvh
    """
    from gambol.io.models import as_model
    from gambol.spacetime.families.family import Family
    from gambol.spacetime.families.verb import drive_family

    if view == (output is not None):
        raise InputError("no output", fix="give -o FILE for a clip, or --view for the browser")
    if output is not None:
        from gambol.clips.result import list_output_files

        list_output_files(output)
        writing.check_outputs(output, inputs=[family])
        directions = parse_directions(steer)
        result = drive_family(family, directions, fps)
        writing.deliver(result, output)
        return
    from gambol.studio.drive import LiveDrive

    shown = LiveDrive(as_model(family, Family), host=serving.host, port=serving.port)
    writing.rest()
    serving.announce(shown.url)
    shown.run()


def _axes(family: Family) -> list[str]:
    """A line per axis."""
    lines = []
    for axis in family.plan.axes:
        spans = [f"{name} {first:g} to {last:g}" for name, (first, last) in axis.ranges.items()]
        lines.append(f"{axis.stage}: {', '.join(spans)} ({axis.count} members)")
    return lines


def parse_directions(text: str) -> list[tuple[float, float]]:
    """The direction (forward, left) of each jump."""
    out: list[tuple[float, float]] = []
    for item in text.split(","):
        *words, times = item.replace(" x ", " ").split() or [""]
        if not times.isdigit():
            words, times = [*words, times], "1"
        out += [_direction(words, item.strip())] * int(times)
        if not 0 < len(out) <= _MOST:
            raise InputError(f"1 to {_MOST} jumps, not {len(out)}", fix="right 3, forward 2")
    return out


def _direction(words: list[str], item: str) -> tuple[float, float]:
    if words and all(word in _WORDS for word in words):
        forward, left = (sum(_WORDS[word][axis] for word in words) for axis in (0, 1))
        return forward, left
    try:
        forward, left = map(float, words)
    except ValueError:
        raise InputError(f"'{item}' is not a direction", fix=f"{', '.join(_WORDS)}, or two numbers") from None
    return forward, left

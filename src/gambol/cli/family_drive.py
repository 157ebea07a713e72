"""`gambol family drive`: a character that jumps on where it is steered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output
from gambol.cli.family_play import FamilyFile, Output
from gambol.cli.telling import say
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

Steer = Annotated[
    str,
    typer.Option(
        help=f"Directions and how many jumps each, 'right 3, forward left 2': {', '.join(_WORDS)}, two of them, "
        "or a pad: '0.5 -1 x 4'."
    ),
]
Rate = Annotated[float, typer.Option(min=10.0, max=240.0, help="Frames a second.")]
View = Annotated[bool, typer.Option("--view", help="In the browser: arrow keys say where it jumps.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of --view.")]
OpenBrowser = Annotated[bool, typer.Option("--open/--no-open", help="Open the page of --view.")]


def drive(
    family: FamilyFile,
    output: Output = None,
    steer: Steer = "straight 2, left 2, right 2, forward 2",
    rate: Rate = 60.0,
    view: View = False,
    port: Port = 8080,
    open_browser: OpenBrowser = True,
    overwrite: Overwrite = False,
) -> None:
    """Steer a family of two jumps: the character jumps on and on, in a clip that is written or in the browser.

    Example: gambol family drive twice.npz --steer "right 3, forward 2" -o driven.bvh
    """
    from gambol.spacetime.families.store import load_family

    if view == (output is not None):
        raise InputError("where should it jump?", fix="give -o FILE for a clip, or --view for the browser")
    if output is not None:
        from gambol.io.formats import writable_format

        writable_format(output)
        fresh_output(output, overwrite, [family])
        asked = directions(steer)
        _write(load_family(family), asked, rate, output, steer)
        return
    from gambol.studio.drive import LiveDrive

    shown = LiveDrive(load_family(family), port=port)
    typer.echo(f"{shown.url}  (Ctrl-C stops)")
    if open_browser:
        typer.launch(shown.url)
    shown.run()


def _write(family: Family, asked: list[tuple[float, float]], rate: float, output: Path, steer: str) -> None:
    from gambol.io import save
    from gambol.spacetime.families.controller import Controller
    from gambol.spacetime.families.driven import driven_home

    clip = driven_home(family, list(Controller(family, rate).jumps(asked)), rate)
    say(f"{len(asked)} jumps in {clip.duration:.1f} s")
    for written in save(replace(clip, made={**clip.made, "command": "family drive", "steer": steer}), output):
        typer.echo(written)


def directions(text: str) -> list[tuple[float, float]]:
    """What the pad says for each jump."""
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
        ways = [_WORDS[word] for word in words]
        return sum(way[0] for way in ways), sum(way[1] for way in ways)
    try:
        forward, left = map(float, words)
    except ValueError:
        raise InputError(f"'{item}' is no direction", fix=f"{', '.join(_WORDS)}, or two numbers from -1 to 1") from None
    return forward, left

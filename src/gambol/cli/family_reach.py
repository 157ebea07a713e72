"""`gambol family reach`: the motion of a family that brings a hand, the head or a foot to a place."""

from __future__ import annotations

import json
import time as clock
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Json, Overwrite, fresh_output
from gambol.cli.family_play import FamilyFile, Output, ranges, write
from gambol.cli.telling import say

Part = Annotated[str, typer.Option(help="What comes there: head, left hand, right hand, left foot ...")]
Place = Annotated[tuple[float, float, float], typer.Option(help="Metres along x, y and z, which is up.")]
Time = Annotated[float, typer.Option(help="Second of the motion.")]


def reach(
    family: FamilyFile,
    part: Part,
    place: Place,
    time: Time,
    output: Output = None,
    as_json: Json = False,
    overwrite: Overwrite = False,
) -> None:
    """Find the motion of a family that brings a part of the body to a place at a time: a head to a ball.

    Example: gambol family reach jumps.npz --part "right hand" --place 0.9 0.1 2.2 --time 1.4 -o slam.bvh
    """
    from gambol.io.formats import writable_format
    from gambol.spacetime.families.inverse import point_of
    from gambol.spacetime.families.inverse import reach as reached
    from gambol.spacetime.families.store import load_family

    path: Path = family
    if output is not None:
        writable_format(output)
        fresh_output(output, overwrite, [path])
    found = load_family(path)
    body, point = point_of(found.character, part)
    begin = clock.perf_counter()
    answer = reached(found, body, point, place, time)
    spent = 1e3 * (clock.perf_counter() - begin)
    if as_json:
        facts = {"values": answer.values, "there": answer.there.tolist(), "miss": answer.miss, "ms": round(spent, 2)}
        typer.echo(json.dumps(facts))
    else:
        for line, value in zip(ranges(found), answer.values, strict=True):
            typer.echo(f"{value:8.3f}   {line}")
        typer.echo(f"{part} {100 * answer.miss:.1f} cm from there; found in {spent:.1f} ms")
    if not answer.hit:
        x, y, z = answer.there
        say(f"out of reach: the nearest that this family comes is {x:.2f} {y:.2f} {z:.2f}")
    if output is not None:
        write(found, answer.values, output, "family reach")

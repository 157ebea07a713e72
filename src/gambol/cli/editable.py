"""A clip as edits and families take it: cut out, mended, fitted, with its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.telling import say
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion
    from gambol.spacetime.edits.parts import Clip

Begin = Annotated[float | None, typer.Option("--from", help="Second of the clip to begin at.")]
End = Annotated[float | None, typer.Option("--to", help="Second of the clip to end at.")]


def editable(motion: Motion, begin: float | None, end: float | None, mass: float | None) -> Clip:
    """What is between two times of a clip, with its parts; a wrong frame rate is told."""
    from gambol.body.character import Character
    from gambol.fit.rig import fit
    from gambol.metrics.pace import likely_rate
    from gambol.spacetime.edits.parts import clip_of
    from gambol.spacetime.repairs import repaired
    from gambol.stages.speed import runs

    mended = repaired(_cut(motion, begin, end))
    for note in mended.notes:
        say(note)
    source = mended.motion
    rate = likely_rate(source)
    if rate is not None:
        say(f"looks like a recording of {rate:.0f} frames a second: if so, add --fps {rate:.0f}")
    made = clip_of(fit(Character.from_motion(source, mass), source))
    for first, last in runs(made.stands.carried):
        when = f"{first * source.frame_time:.2f}-{(last + 1) * source.frame_time:.2f} s"
        say(f"{when}: carried by something that is neither foot nor hand")
    return made


def _cut(motion: Motion, begin: float | None, end: float | None) -> Motion:
    step = motion.frame_time
    first, last = round((begin or 0.0) / step), len(motion) - 1 if end is None else round(end / step)
    if not 0 <= first < last or first >= len(motion):
        raise InputError(
            f"nothing from {begin or 0:g} to {end or motion.duration:g} s", file=motion.name, fix="times in seconds"
        )
    return motion[first : last + 1]

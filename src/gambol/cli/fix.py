"""`gambol fix`: the smallest change that makes a clip physical."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Mass,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    apart,
    fresh_output,
    load_clip,
    page_output,
)

if TYPE_CHECKING:
    from gambol.metrics.check import Check
    from gambol.metrics.figures import Figure
    from gambol.motion.motion import Motion
    from gambol.spacetime.fix import Fixed, Window

Clip = Annotated[
    Path, typer.Argument(help="A motion file, or a built-in motion: stand, walk, run, jump.", show_default=False)
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
Retime = Annotated[bool, typer.Option("--retime", help="Correct the frame rate if flights or steps say it is wrong.")]
Report = Annotated[Path | None, typer.Option(help="HTML page to write: figures and curves before and after.")]


def fix(
    clip: Clip,
    output: Output,
    retime: Retime = False,
    mass: Mass = None,
    report: Report = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Plant the feet, put flights on their parabola, keep momentum; change as little as possible, on the same rig.

    Flips, teleports and lost frames are mended first. What needs forces that no foot explains is told.

    Example: gambol fix clip.bvh -o fixed.bvh
    """
    from gambol.body.character import Character
    from gambol.fit.rig import fit
    from gambol.io import save
    from gambol.io.formats import writable_format
    from gambol.metrics.check import check
    from gambol.spacetime.fix import fix as repair
    from gambol.spacetime.repairs import repaired

    apart(output, report)
    writable_format(output)
    if report is not None:
        page_output(report)
    for target in filter(None, (output, report)):
        fresh_output(target, overwrite, [clip])
    motion = load_clip(clip, Overrides(scale, up, fps, rig, skeleton))
    before = check(motion, mass)
    _say(before.notes)
    mended = repaired(motion)
    _say(mended.notes)
    source = _retimed(mended.motion) if retime else mended.motion
    begun = time.perf_counter()
    fixed = repair(fit(Character.from_motion(source, mass), source), tell=_line, done=_progress(source))
    seconds = time.perf_counter() - begun
    after = check(fixed.motion, mass)
    _table(before, after)
    _line(
        f"joints turned by {fixed.change:.2f} degrees (root mean square); {len(motion) / seconds:.0f} frames a second"
    )
    _say(fixed.notes)
    for written in save(_made(fixed), output):
        typer.echo(written)
    if report is not None:
        _write(report, motion.name, before, after)
        typer.echo(report)


def _retimed(motion: Motion) -> Motion:
    """At the frame rate that flights, else steps, ask for."""
    from gambol.metrics.pace import likely_rate
    from gambol.spacetime.repairs import likely_frame_time

    step = likely_frame_time(motion)
    if step is None and (rate := likely_rate(motion)) is not None:
        step = 1.0 / rate
    if step is None:
        _line("nothing says that the frame rate is wrong: it stays")
        return motion
    _line(f"{1.0 / motion.frame_time:.4g} frames a second are taken for {1.0 / step:.4g}")
    return replace(motion, frame_time=step)


def _progress(motion: Motion) -> Callable[[Window], None]:
    def done(window: Window) -> None:
        _line(f"frames {window.first}-{window.last} of {len(motion)}: {window.status}, {window.iterations} iterations")

    return done


def _made(fixed: Fixed) -> Motion:
    made = {"command": "fix", "change_deg": round(fixed.change, 3), "notes": list(fixed.notes)}
    return replace(fixed.motion, made={**fixed.motion.made, **made})


def _table(before: Check, after: Check) -> None:
    """What `check` says, before and after."""
    _line(f"{'':<26}{'before':>10}{'after':>10}   band")
    for old, new in zip(before.figures, after.figures, strict=True):
        mark = "" if new.passes else "  OUTSIDE"
        _line(f"  {new.name:<24}{_written(old):>10}{_written(new):>10}   {new.band!s:<16} {new.unit}{mark}")
    pairs = zip(before.figures, after.figures, strict=True)
    worse = [new.name for old, new in pairs if _beyond(new) > 1.05 * _beyond(old)]
    if worse:
        _line(f"worse than before: {', '.join(worse)}; look at the result")


def _written(figure: Figure) -> str:
    return "nothing" if isnan(figure.value) else f"{figure.value:.3g}"


def _beyond(figure: Figure) -> float:
    """How far a figure is outside its band."""
    return 0.0 if figure.passes else max(figure.band.low - figure.value, figure.value - figure.band.high)


def _write(report: Path, name: str, before: Check, after: Check) -> None:
    from gambol.io.output import replacing
    from gambol.studio.report import to_page

    with replacing(report) as temporary:
        temporary.write_text(to_page([(f"{name}, before", before), (f"{name}, after", after)]), encoding="utf-8")


def _say(notes: Iterable[str]) -> None:
    for note in notes:
        _line(note)


def _line(text: str) -> None:
    typer.echo(text, err=True)

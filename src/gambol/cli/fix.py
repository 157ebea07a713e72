"""`gambol fix`: the smallest change that makes a clip physical."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gambol.cli.console import check_page
from gambol.cli.family import Scheduler, Workers
from gambol.cli.options import BUILT_IN, ContactsFile, Mass, Output, Reading, Report, Saving
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.metrics.figures import Figure

Retime = Annotated[
    bool, typer.Option("--retime", help="Correct the frame rate if flights or steps show that it is wrong.")
]
KeepPath = Annotated[
    bool,
    typer.Option("--keep-path", help="Leave feet that slide or float on their path, as on ice or in a moonwalk."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Repair this and leave the rest; may be repeated. jitter: noise, lost frames, flips, pops; rate: frames "
        "per second; feet: plant them; flight: put it on parabolas.",
    ),
]


ClipOrFolder = Annotated[
    Path, typer.Argument(metavar="CLIP", help=f"A motion file, a folder of them, {BUILT_IN}.", show_default=False)
]


def fix(
    clip: ClipOrFolder,
    output: Output,
    reading: Reading,
    writing: Saving,
    only: Only = None,
    retime: Retime = False,
    keep_path: KeepPath = False,
    contacts: ContactsFile = None,
    mass: Mass = None,
    report: Report = None,
    workers: Workers = 1,
    scheduler: Scheduler = None,
) -> None:
    """Plant the feet, put flights on their parabolas, keep momentum; change as little as possible, on the same rig.

    Flips, pops, swapped legs and lost frames are repaired first; feet that slide or float are set down. Notes say where
    a force is needed that no contact gives. A folder of clips becomes another folder. A run that was stopped goes on
    where it was.

    Example: gambol fix clip.bvh -o fixed.bvh

    Example: gambol fix clip.bvh --only feet -o planted.bvh

    Example: gambol fix captured -o fixed --workers 8
    """
    if clip.is_dir():
        if contacts is not None or report is not None:
            raise InputError("--contacts and --report are for a single clip", file=clip, fix="leave them out")
        choice = {"only": only or (), "retime": retime, "keep_path": keep_path, "mass": mass}
        _fix_folder(clip, output, reading, writing, {**choice, "workers": workers, "scheduler": scheduler})
        return
    if workers > 1 or scheduler is not None:
        raise InputError("--workers and --scheduler are for a folder of clips", file=clip, fix="leave them out")
    from gambol.clips.result import list_output_files
    from gambol.io.lock import lock_output
    from gambol.spacetime.fix import estimate_seconds
    from gambol.spacetime.fix import fix as run

    check_page(report)
    list_output_files(output)
    writing.check_outputs(output, report, inputs=[clip, contacts])
    with lock_output(output):
        motion = reading.load(clip, writing)
        store = output.with_name(f"{output.name}.part")
        expected = estimate_seconds(motion)
        if expected is not None:
            writing.note(f"{motion.duration:.0f} s of motion, in windows: about {expected:.0f} s")
        try:
            with writing.progress() as progress:
                result = run(
                    motion,
                    only=only or (),
                    retime=retime,
                    keep_path=keep_path,
                    contacts=contacts,
                    mass=mass,
                    store=store,
                    progress=progress,
                )
        except KeyboardInterrupt:
            if store.exists():
                writing.note(f"solved windows are kept in {store}; the same command continues from there")
            raise
        expected, found = (result.figures[f"stances_{kind}_count"] for kind in ("expected", "found"))
        writing.explain(
            result,
            f"{'':<26}{'before':>10}{'after':>10}   band",
            *map(_row, result.before.measures, result.after.measures),
            f"joint angles changed by {result.repair.change:.2f} degrees (root mean square)",
            f"contacts found in {found:.0f} of the {expected:.0f} stances that the poses lead to expect",
        )
        writing.save(result, output)
        store.unlink(missing_ok=True)
        if report is not None:
            writing.wrote(result.report(report))
        writing.write_json(result.facts())


def _fix_folder(clips: Path, folder: Path, reading: Reading, writing: Saving, choice: dict[str, Any]) -> None:
    """Repair all clips of a folder; print how many, and why others were not."""
    from gambol.io.manifest import MANIFEST
    from gambol.spacetime.fix_folder import fix_folder

    writing.check_outputs(inputs=[])
    with writing.progress() as progress:
        made = fix_folder(
            clips, folder, **choice, reading=reading.options, overwrite=writing.overwrite, progress=progress
        )
    for name, why in made.refused.items():
        writing.note(f"{name}: not repaired: {why}")
    repaired, count, accepted = (made.figures[f"{kind}_count"] for kind in ("repaired", "clips", "accepted"))
    words = f"{repaired:.0f} of {count:.0f} clips repaired; a viewer would accept {accepted:.0f} of them"
    writing.line(f"{words}: {folder / MANIFEST}")
    writing.write_json(made.facts())
    if made.refused or (writing.strict and accepted < count):
        raise typer.Exit(1)


def _row(before: Figure, after: Figure) -> str:
    """Return a figure before and after in one line; where it could not be measured, why."""
    if not (before.measured or after.measured):
        return f"  {after.name:<24}   {after.reason}"
    mark = "" if after.passes else "  OUTSIDE"
    missing = "".join(f"; {when}: {one.reason}" for when, one in (("before", before), ("after", after))
                      if not one.measured)  # fmt: skip
    values = f"{before.formatted:>10}{after.formatted:>10}"
    return f"  {after.name:<24}{values}   {after.band!s:<16} {after.unit}{mark}{missing}"

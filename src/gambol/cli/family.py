"""`gambol family`: a clip edited on a grid of values, and everything between by blending."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from gambol.cli.console import check_suffix
from gambol.cli.edit import End, Start
from gambol.cli.options import ContactsFile, Mass, Reading, Writing, expand_groups

Source = Annotated[
    Path, typer.Argument(metavar="CLIP", help="A motion file, or a built-in motion: jump.", show_default=False)
]
PlanFile = Annotated[
    Path,
    typer.Argument(
        metavar="FAMILY", help="What varies: a YAML file, or line, grid, circle or steer.", show_default=False
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write, .npz.", show_default=False)]
Workers = Annotated[
    int, typer.Option(help="Members solved at the same time (more than 1 needs gambol[cluster]).", metavar="N")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask cluster to solve on: tcp://HOST:8786.", metavar="ADDRESS")
]
Calibrate = Annotated[
    Literal["time", "off"],
    typer.Option(help="What to correct if flights do not fall at 9.81 m/s²: the frame time, or nothing."),
]
Active = Annotated[
    bool,
    typer.Option("--active", help="Adaptive sampling: solve a member only where interpolation is not good enough."),
]


class _MakeUnlessNamed(TyperGroup):
    """`gambol family CLIP FAMILY` is `gambol family make CLIP FAMILY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["make", *args]
        return super().parse_args(ctx, args)


family_app = typer.Typer(
    cls=_MakeUnlessNamed,
    help="Edit a clip on a grid of values and use everything between.\n\n"
    "Without a subcommand, a family is made.\n\n"
    "Example: gambol family jump grid -o jumps.npz",
    no_args_is_help=True,
    subcommand_metavar="[CLIP FAMILY -o FILE | COMMAND ...]",
)


@family_app.command()
@expand_groups
def make(
    clip: Source,
    plan: PlanFile,
    output: Output,
    reading: Reading,
    writing: Writing,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    active: Active = False,
    start: Start = None,
    end: End = None,
    calibrate: Calibrate = "time",
    contacts: ContactsFile = None,
    mass: Mass = None,
) -> None:
    """Solve all members of a family; a run that was stopped goes on where it was.

    Example: gambol family jump grid -o jumps.npz --workers 2
    """
    from gambol.io.lock import lock_output
    from gambol.spacetime.families import library
    from gambol.spacetime.families.member import remove_members
    from gambol.spacetime.families.verb import family

    check_suffix(output, "a family", ".npz")
    path = library.find(plan)
    writing.check_outputs(output, inputs=[clip, path])
    with lock_output(output):
        motion = reading.load(clip, writing)
        folder = output.with_name(f"{output.name}.part")
        begun = time.perf_counter()
        try:
            with writing.progress() as progress:
                result = family(
                    motion,
                    path,
                    workers=workers,
                    scheduler=scheduler,
                    active=active,
                    store=folder,
                    start=start,
                    end=end,
                    calibrate=calibrate,
                    contacts=contacts,
                    mass=mass,
                    progress=progress,
                )
        except KeyboardInterrupt:
            if folder.exists():
                writing.note(f"solved members are kept in {folder}; the same command continues from there")
            raise
        writing.wrote(*result.save(output))
        remove_members(folder)
        figures, spent = result.figures, time.perf_counter() - begun
        summary = f"{figures['solved_members']} of {figures['members']} members solved in {spent:.1f} s"
        writing.explain(result, summary)
        writing.write_json(result.facts())

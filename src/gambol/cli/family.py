"""`gambol family`: a clip edited many times, and all between by blending."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gambol.cli.clips import Asf, Fps, Mass, Overrides, Overwrite, RigFile, Scale, Up, fresh_output, load_clip
from gambol.cli.editable import Begin, End, editable
from gambol.cli.telling import clear_line, say
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.spacetime.families.populate import Progress

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
Workers = Annotated[int, typer.Option(help="Members solved at the same time (gambol[cluster]).", metavar="N")]
Scheduler = Annotated[
    str | None, typer.Option(help="A Dask cluster that solves them, such as tcp://10.0.0.1:8786.", metavar="ADDRESS")
]
Active = Annotated[bool, typer.Option("--active", help="Solve only members that others do not tell; fill in the rest.")]


class _MakeUnlessNamed(TyperGroup):
    """`gambol family CLIP FAMILY` is `gambol family make CLIP FAMILY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help"):
            args = ["make", *args]
        return super().parse_args(ctx, args)


family_app = typer.Typer(
    cls=_MakeUnlessNamed,
    help="Edit a clip many times along axes, and use all that lies between.\n\n"
    "Without the name of a command a family is made.\n\n"
    "Example: gambol family jump grid -o jumps.npz",
    no_args_is_help=True,
    subcommand_metavar="[CLIP FAMILY -o FILE | COMMAND ...]",
)


@family_app.command()
def make(
    clip: Source,
    plan: PlanFile,
    output: Output,
    workers: Workers = 1,
    scheduler: Scheduler = None,
    active: Active = False,
    begin: Begin = None,
    end: End = None,
    mass: Mass = None,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Solve all members of a family; a run that was stopped goes on where it was.

    Example: gambol family jump grid -o jumps.npz --workers 2
    """
    from gambol.spacetime.families import library
    from gambol.spacetime.families.member import forget
    from gambol.spacetime.families.plan import read_plan
    from gambol.spacetime.families.populate import populate
    from gambol.spacetime.families.store import save_family

    if output.suffix.lower() != ".npz":
        raise InputError(f"a family is an .npz, not '{output.suffix}'", file=output, fix="name it .npz")
    path = plan if plan.exists() or plan.suffix else library.file(str(plan))
    fresh_output(output, overwrite, [clip, path])
    wanted = read_plan(path)
    motion = load_clip(clip, Overrides(scale, up, fps, rig, skeleton))
    material = editable(motion, begin, end, mass)
    folder = output.with_name(f"{output.name}.part")
    begun = time.perf_counter()
    try:
        made = populate(
            material,
            wanted,
            active=active,
            workers=workers,
            scheduler=scheduler,
            store=folder,
            progress=_show,
            tell=say,
        )
    except KeyboardInterrupt:
        say(f"\nwhat is solved is kept in {folder}; the same command goes on from there")
        raise
    finally:
        clear_line()
    save_family(made, output)
    forget(folder)
    say(f"{made.solved.sum()} of {made.solved.size} members solved in {time.perf_counter() - begun:.1f} s")
    typer.echo(output)


def _show(progress: Progress) -> None:
    """How far it is, in one line that is written over."""
    if sys.stderr.isatty():
        line = f"{progress.done} of {progress.total} members, {progress.iterations} iterations"
        typer.echo(f"\r{line}, {progress.seconds_left:.0f} s left   ", err=True, nl=False)

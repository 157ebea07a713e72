"""`gambol walker`: a walker that takes steps when pushed, learned from one walk."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from gambol.cli.console import check_suffix
from gambol.cli.options import Clip, ContactsFile, Mass, Reading, Writing, expand_groups

Examples = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Clips of the same person, pushed once while walking (default: they are made).", metavar="EXAMPLE..."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write, .npz.", show_default=False)]
Phases = Annotated[int, typer.Option(min=1, help="Phases of the cycle at which made examples are pushed.")]
Directions = Annotated[int, typer.Option(min=1, help="Directions in which made examples are pushed.")]
Speed = Annotated[float, typer.Option(help="Velocity that their pushes give to the body, in m/s.")]
Dimensions = Annotated[int, typer.Option(min=2, max=4, help="Dimensions of the latent space.")]
Order = Annotated[int, typer.Option(min=1, max=2, help="Order of the latent dynamics.")]
By = Annotated[
    Literal["phase", "direction", "none"],
    typer.Option(help="Examples of one model: those of a phase of the cycle, of a direction, or all."),
]
Workers = Annotated[int, typer.Option(min=1, help="Processes that make examples.")]
_SHOWN = "PNG, SVG or PDF of the latent trajectories of the models and of the pushes of their examples."
Picture = Annotated[Path | None, typer.Option(help=_SHOWN, show_default=False)]
PictureOutput = Annotated[Path, typer.Option("--output", "-o", help=_SHOWN, show_default=False)]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that 'gambol walker learn' wrote.", show_default=False)
]

walker_app = typer.Typer(
    help="Learn a walker that takes steps when pushed, from one walk.\n\n"
    "Example: gambol walker learn walk.bvh -o walker.npz",
    no_args_is_help=True,
)


@walker_app.command()
@expand_groups
def learn(
    clip: Clip,
    output: Output,
    reading: Reading,
    writing: Writing,
    examples: Examples = None,
    phases: Phases = 8,
    directions: Directions = 4,
    speed: Speed = 0.5,
    dimensions: Dimensions = 3,
    order: Order = 1,
    by: By = "phase",
    workers: Workers = 1,
    mass: Mass = None,
    contacts: ContactsFile = None,
    picture: Picture = None,
) -> None:
    """Learn a walker from one walk; without examples it makes its own, in minutes. An interrupted run resumes.

    Example: gambol walker learn walk.bvh -o walker.npz
    """
    from gambol.drawing import check_picture
    from gambol.io.lock import lock_output
    from gambol.respond.latent.picture import draw_walker
    from gambol.respond.latent.verb import learn_walker

    check_suffix(output, "a model", ".npz")
    if picture is not None:
        check_picture(picture)
    given = examples or []
    writing.check_outputs(output, picture, inputs=[clip, *given])
    with lock_output(output):
        motion = reading.load(clip, writing)
        recorded = [reading.load(path, writing) for path in given]
        begun = time.perf_counter()
        store = output.with_suffix(".examples")
        try:
            with writing.progress() as progress:
                result = learn_walker(
                    motion,
                    recorded,
                    phases=phases,
                    directions=directions,
                    speed=speed,
                    dimensions=dimensions,
                    order=order,
                    by=by,
                    mass=mass,
                    contacts=contacts,
                    workers=workers,
                    store=store,
                    progress=progress,
                )
        except KeyboardInterrupt:
            if store.exists():
                writing.note(f"answered pushes are kept in {store}; the same command continues from there")
            raise
        if sys.stderr.isatty():  # a log has them from before training
            writing.explain(result)
        writing.note(f"learned in {time.perf_counter() - begun:.1f} s")
        writing.wrote(*result.save(output))
        if picture is not None:
            writing.wrote(draw_walker(result.model, picture))
        writing.write_json(result.facts())


@walker_app.command()
@expand_groups
def draw(model: Model, output: PictureOutput, writing: Writing) -> None:
    """Draw what a walker has learned: the latents of the normal walk and of its examples, and their pushes.

    Example: gambol walker draw walker.npz -o walker.png
    """
    from gambol.drawing import check_picture
    from gambol.io.models import as_model
    from gambol.respond.latent.picture import draw_walker
    from gambol.respond.latent.responder import LatentWalker

    check_picture(output)
    writing.check_outputs(output, inputs=[model])
    walker = as_model(model, LatentWalker)
    writing.wrote(draw_walker(walker, output))
    writing.write_json(dict(walker.settings))

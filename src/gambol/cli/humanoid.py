"""`gambol humanoid`: a simulated humanoid robot that walks, and opens a drawer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.assumptions import FRICTION
from gambol.cli.console import check_suffix
from gambol.cli.options import MaybeOutput, Serving, Writing, expand_groups
from gambol.errors import InputError

To = Annotated[
    tuple[float, float],
    typer.Option("--to", help="Where to walk, in metres ahead and to the left of the start.", metavar="X Y"),
]
Height = Annotated[
    float | None,
    typer.Option(help="Height of the handle of a drawer there (m): it is opened and reached into.", metavar="H"),
]
RobotName = Annotated[
    str, typer.Option("--robot", help="jvrc1, g1, talos, or a robot's .urdf, .xml (MJCF) or .yaml (from 'gambol rig').")
]
Walks = Annotated[
    list[Path] | None,
    typer.Option("--walk", help="Walks of people to move like; may be given several times (default: built-in)."),
]
Log = Annotated[Path | None, typer.Option(help="Write all that was recorded, .npz.", show_default=False)]
Joints = Annotated[Path | None, typer.Option(help="Write joint angles over time, .csv.", show_default=False)]
Footsteps = Annotated[
    Path | None,
    typer.Option(help="Write lift-offs and touchdowns: times, side, place and heading, .csv.", show_default=False),
]
Friction = Annotated[float, typer.Option(min=0.05, max=2.0, help="Friction of the floor.")]
View = Annotated[
    bool, typer.Option("--view", help="Watch it walk in the browser, push it, and drag its goal away; writes no file.")
]

humanoid_app = typer.Typer(
    help="Let a simulated humanoid robot walk, and open a drawer.\n\n"
    "Example: gambol humanoid walk --to 1.5 0 -o walk.png",
    no_args_is_help=True,
)


@humanoid_app.command()
@expand_groups
def walk(
    to: To,
    writing: Writing,
    serving: Serving,
    drawer_height: Height = None,
    output: MaybeOutput = None,
    robot: RobotName = "jvrc1",
    walks: Walks = None,
    friction: Friction = FRICTION,
    log: Log = None,
    joints: Joints = None,
    footsteps: Footsteps = None,
    view: View = False,
) -> None:
    """Walk to a place, or up to a drawer that is opened with the left hand and reached into with the right one.

    Example: gambol humanoid walk --to 1.6 0.1 --drawer-height 0.95 -o drawer.mp4
    """
    from gambol.clips.result import list_output_files
    from gambol.robots.simulation import World
    from gambol.robots.verb import prepare_task, walk_humanoid

    if view:
        from gambol.studio.walk import LiveWalk

        if any(path is not None for path in (output, log, joints, footsteps, writing.json)):
            raise InputError("--view writes no file", fix="leave out --view, or the files to write")
        with writing.progress() as progress:
            task = prepare_task(to, drawer_height, robot=robot, walks=walks or ("walk",), progress=progress)
        shown = LiveWalk(task, World(friction=friction), host=serving.host, port=serving.port)
        writing.rest()
        serving.announce(shown.url)
        shown.run()
        return
    if output is not None:
        list_output_files(output)
    for path, what, suffix in ((log, "a log", ".npz"), (joints, "a table", ".csv"), (footsteps, "a table", ".csv")):
        check_suffix(path, what, suffix)
    writing.check_outputs(output, log, joints, footsteps, inputs=walks or [])
    with writing.progress() as progress:
        result = walk_humanoid(
            to,
            drawer_height,
            robot=robot,
            walks=walks or ("walk",),
            world=World(friction=friction),
            progress=progress,
        )
    writing.deliver(result, output, lines=(f"{name:<26}{value:10.4g}" for name, value in result.figures.items()))
    for path in (log, joints):
        if path is not None:
            writing.wrote(*result.save(path))
    if footsteps is not None:
        writing.wrote(result.save_footsteps(footsteps))

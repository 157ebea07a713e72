"""`gambol view`: play clips in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from gambol.cli.options import Clips, ContactsFile, Reading, Robot, Serving, Writing
from gambol.cli.render import Physics, check_physics

Apart = Annotated[
    bool | None,
    typer.Option(
        "--apart/--together",
        help="Side by side, or in the world they share (default: side by side if they start at one place).",
        show_default=False,
    ),
]


def view(
    clips: Clips,
    reading: Reading,
    serving: Serving,
    writing: Writing,
    apart: Apart = None,
    physics: Physics = False,
    contacts: ContactsFile = None,
    robot: Robot = None,
) -> None:
    """Play clips in the browser: scrub, change speed, follow, compare side by side.

    Example: gambol view before.bvh after.bvh

    Example: gambol view walk.npz --robot g1.xml
    """
    check_physics(physics, robot)
    from gambol.studio.viewer import view as run

    motions = reading.load_files(clips, writing, robot)
    viewer = run(motions, apart=apart, physics=physics, contacts=contacts, host=serving.host, port=serving.port)
    writing.rest()
    serving.announce(viewer.url)
    viewer.wait()

"""`gambol view`: play clips in the browser."""

from __future__ import annotations

from gambol.cli.options import Clips, Reading, Robot, Serving, Writing
from gambol.cli.render import Apart, Physics, check_physics


def view(
    clips: Clips,
    reading: Reading,
    serving: Serving,
    writing: Writing,
    apart: Apart = False,
    physics: Physics = False,
    robot: Robot = None,
) -> None:
    """Play clips in the browser: scrub, change speed, follow, compare side by side.

    Example: gambol view before.bvh after.bvh --apart

    Example: gambol view walk.npz --robot g1.xml
    """
    check_physics(physics, robot)
    from gambol.studio.viewer import view as run

    motions = reading.load_files(clips, writing, robot)
    viewer = run(motions, apart=apart, physics=physics, host=serving.host, port=serving.port)
    serving.announce(viewer.url)
    viewer.wait()

"""`gambol view`: play clips in the browser."""

from __future__ import annotations

from gambol.cli.options import Clips, Reading, Serving, Writing
from gambol.cli.render import Apart, Physics


def view(
    clips: Clips,
    reading: Reading,
    serving: Serving,
    writing: Writing,
    apart: Apart = False,
    physics: Physics = False,
) -> None:
    """Play clips in the browser: scrub, change speed, follow, compare side by side.

    Example: gambol view before.bvh after.bvh --apart
    """
    from gambol.studio.viewer import view as run

    viewer = run(reading.load_files(clips, writing), apart=apart, physics=physics, host=serving.host, port=serving.port)
    serving.announce(viewer.url)
    viewer.wait()

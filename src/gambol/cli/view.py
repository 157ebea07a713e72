"""`gambol view`: play it in the browser."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from gambol.cli.clips import Asf, Clips, Fps, Overrides, RigFile, Scale, Up, find_physics, load_clips

Apart = Annotated[bool, typer.Option("--apart/--together", help="Side by side, or in the world they share.")]
Physics = Annotated[bool, typer.Option("--physics", help="Show ground forces, contacts, stages, centre of mass.")]
Host = Annotated[str, typer.Option(help="Address to serve on; 0.0.0.0 lets other machines in.")]
Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Port to serve on; the next free one is taken if it is in use.")
]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")]


def view(
    clips: Clips,
    apart: Apart = False,
    physics: Physics = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    open_browser: Open = True,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
) -> None:
    """Play clips in the browser: scrub, change speed, follow, compare side by side.

    Example: gambol view before.bvh after.bvh --apart
    """
    motions = load_clips(clips, Overrides(scale, up, fps, rig, skeleton))
    from gambol.studio.viewer import Viewer

    found = find_physics(motions) if physics else []
    viewer = Viewer(motions, host=host, port=port, apart=apart, physics=found)
    typer.echo(f"{viewer.url}  (Ctrl-C stops)")
    if open_browser:
        typer.launch(viewer.url)
    try:
        while True:
            time.sleep(3600)
    finally:
        viewer.close()

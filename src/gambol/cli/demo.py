"""`gambol demo`: the main job on the built-in motions, nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")]


def demo(output: Folder = Path("demo")) -> None:
    """Play the built-in motions into files to open: a GLB, BVHs, a strip of poses and a page that plays offline.

    Example: gambol demo -o demo
    """
    from gambol.io import samples, save
    from gambol.io.output import replacing
    from gambol.render.strip import save_strip
    from gambol.studio.player import to_html

    output.mkdir(parents=True, exist_ok=True)
    motions = [samples.by_name(name) for name in ("walk", "run", "jump")]
    walk = motions[0]
    made: list[tuple[Path, str]] = []
    for motion in motions:
        made += [
            (path, f"the built-in {motion.name}, for any animation tool")
            for path in save(motion, output / f"{motion.name}.bvh")
        ]
    made += [
        (path, "the walk as a skinned character, for Blender or a game engine")
        for path in save(walk, output / "walk.glb")
    ]
    with replacing(output / "strip.png") as temporary:
        save_strip(motions, temporary)
    made.append((output / "strip.png", "walk, run and jump as strips of poses"))
    with replacing(output / "play.html") as temporary:
        temporary.write_text(to_html(motions, apart=True), encoding="utf-8")
    made.append((output / "play.html", "all three, playing in any browser, offline: open this first"))
    for path, what in made:
        typer.echo(f"{path!s:<20}  {what}")
    typer.echo(f"\nNext: gambol view {output / 'walk.bvh'}    or bring your own: gambol info YOUR_CLIP.bvh")

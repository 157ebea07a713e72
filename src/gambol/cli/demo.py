"""`gambol demo`: the main job on the built-in motions, nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Force, fresh_output

_FILES = {
    "play.html": "walk, run and jump, playing in any browser, offline: open this first",
    "strip.png": "the same as strips of poses",
    "walk.glb": "the walk as a skinned character, for Blender or a game engine",
    "walk.bvh": "the built-in walk, for any animation tool",
    "run.bvh": "the built-in run",
    "jump.bvh": "the built-in jump",
}
Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")]


def demo(output: Folder = Path("demo"), force: Force = False) -> None:
    """Play the built-in motions into files to open: a GLB, BVHs, a strip of poses and a page that plays offline.

    Example: gambol demo -o demo
    """
    from gambol.io import samples, save
    from gambol.io.output import replacing
    from gambol.metrics.check import check
    from gambol.render.strip import save_strip
    from gambol.studio.player import to_html

    output.mkdir(parents=True, exist_ok=True)
    files = {output / name: what for name, what in _FILES.items()}
    for path in files:
        fresh_output(path, force)
    motions = {name: samples.by_name(name) for name in ("walk", "run", "jump")}
    for name, motion in motions.items():
        save(motion, output / f"{name}.bvh")
    save(motions["walk"], output / "walk.glb")
    with replacing(output / "strip.png") as temporary:
        save_strip(list(motions.values()), temporary)
    with replacing(output / "play.html") as temporary:
        temporary.write_text(to_html(list(motions.values()), apart=True), encoding="utf-8")
    for path, what in files.items():
        typer.echo(f"{path!s:<20}  {what}")
    for name, motion in motions.items():
        found = check(motion)
        missing = next(figure.value for figure in found.figures if figure.name == "missing force")
        verdict = "every figure in its band" if found.passes else "NOT every figure in its band"
        typer.echo(f"check {name:<5} {verdict}; the ground explains all but {missing:.1f} % of the force")
    typer.echo(f"\nNext: gambol view {output / 'walk.bvh'}    or bring your own: gambol check YOUR_CLIP.bvh")

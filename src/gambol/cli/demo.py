"""`gambol demo`: the main job on the built-in motions, nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.clips import Overwrite, fresh_output

_FILES = {
    "pushed.html": "the walk, pushed backwards and from the side, beside the walk as it was: open this first",
    "pushed.png": "the same as strips of poses",
    "pushed.glb": "the pushed walk on its own rig, for Blender or a game engine",
    "play.html": "walk, run and jump, playing in any browser, offline",
    "strip.png": "the same as strips of poses",
    "walk.glb": "the walk as a skinned character, for Blender or a game engine",
    "walk.bvh": "the built-in walk, for any animation tool",
    "run.bvh": "the built-in run",
    "jump.bvh": "the built-in jump",
}
Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")]


def demo(output: Folder = Path("demo"), overwrite: Overwrite = False) -> None:
    """Push the built-in walk and play the built-in motions, into files to open: GLBs, BVHs, strips, offline pages.

    Example: gambol demo -o demo
    """
    from gambol.body.character import Character
    from gambol.io import samples, save
    from gambol.io.output import replacing
    from gambol.metrics.check import check
    from gambol.motion.pushes import Push
    from gambol.render.strip import save_strip
    from gambol.respond.clips import answer
    from gambol.studio.player import to_html

    output.mkdir(parents=True, exist_ok=True)
    files = {output / name: what for name, what in _FILES.items()}
    for path in files:
        fresh_output(path, overwrite)
    motions = {name: samples.by_name(name) for name in ("walk", "run", "jump")}
    for name, motion in motions.items():
        save(motion, output / f"{name}.bvh")
    save(motions["walk"], output / "walk.glb")
    pushes = [Push("chest", (-200.0, 0.0, 0.0), 0.9, 0.25), Push("left_upper_arm", (0.0, -160.0, 0.0), 2.4, 0.25)]
    found = answer(Character.from_motion(motions["walk"]), motions["walk"], pushes)
    save(found.motion, output / "pushed.glb")
    for name, shown in (("strip.png", list(motions.values())), ("pushed.png", [motions["walk"], found.motion])):
        with replacing(output / name) as temporary:
            save_strip(shown, temporary)
    for name, shown in (("play.html", list(motions.values())), ("pushed.html", [motions["walk"], found.motion])):
        with replacing(output / name) as temporary:
            temporary.write_text(to_html(shown, apart=True), encoding="utf-8")
    for path, what in files.items():
        typer.echo(f"{path!s:<20}  {what}")
    for name, motion in motions.items():
        checked = check(motion)
        missing = next(figure.value for figure in checked.figures if figure.name == "missing force")
        verdict = "every figure in its band" if checked.passes else "NOT every figure in its band"
        typer.echo(f"check {name:<5} {verdict}; the ground explains all but {missing:.1f} % of the force")
    degrees, second = found.peak
    typer.echo(
        f"push  walk  off by {degrees:.0f} degrees at {second:.2f} s, back {found.recovery:.2f} s after the last push"
    )
    typer.echo("\nNext: pull and hit it yourself: gambol push walk --live    or push your own clip:")
    typer.echo("gambol push YOUR_CLIP.bvh --body left_upper_arm --force 0 60 0 --at 1.0 --for 0.2 -o pushed.glb")
    typer.echo("make a jump of three keys:    gambol sketch broad_jump -o jump.bvh")
    typer.echo("repair a clip that breaks physics:    gambol fix YOUR_CLIP.bvh -o fixed.bvh")
    typer.echo("let six people walk as you do:    gambol crowd poles --walk YOUR_CLIP.bvh -o crowd.glb")

"""`gambol demo`: the main job on the built-in motions, nothing to download."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from gambol.cli.options import Writing

_FILES = {
    "pushed.html": "the walk, pushed backwards and from the side, beside the original: open this first",
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


def demo(writing: Writing, output: Folder = Path("demo")) -> None:
    """Push the built-in walk and play the built-in motions, into files to open: GLBs, BVHs, strips, offline pages.

    Example: gambol demo -o demo
    """
    import gambol as gb

    output.mkdir(parents=True, exist_ok=True)
    files = {output / name: what for name, what in _FILES.items()}
    writing.check_outputs(*files)
    motions = {name: gb.load(name) for name in ("walk", "run", "jump")}
    for name, motion in motions.items():
        gb.save(motion, output / f"{name}.bvh")
    gb.save(motions["walk"], output / "walk.glb")
    pushes = [gb.Push("chest", (-200.0, 0.0, 0.0), 0.9, 0.25), gb.Push("left_upper_arm", (0.0, -160.0, 0.0), 2.4, 0.25)]
    pushed = gb.push("walk", pushes)
    pushed.save(output / "pushed.glb")
    for suffix in ("png", "html"):
        gb.render([motions["walk"], pushed.motion], output / f"pushed.{suffix}", apart=True)
    gb.render(list(motions.values()), output / "strip.png")
    gb.render(list(motions.values()), output / "play.html", apart=True)
    writing.explain(pushed, about="pushed")
    for path, what in files.items():
        writing.line(f"{path!s:<20}  {what}")
    checked = {name: gb.check(motion) for name, motion in motions.items()}
    for name, found in checked.items():
        missing = found.figures["missing_force_percent"]
        writing.line(f"check {name:<5} {found.verdict}; ground contact explains all but {missing:.1f} % of the force")
    writing.line(f"push  walk  {pushed.summary}")
    writing.write_json({"pushed": pushed.facts(), "checks": [found.facts() for found in checked.values()]})
    writing.line("")
    writing.line("Next: push it yourself: gambol push walk --live    or push your own clip:")
    writing.line(
        "gambol push YOUR_CLIP.bvh --body left_upper_arm --force 0 60 0 --start 1.0 --duration 0.2 -o pushed.glb"
    )
    writing.line("make a jump from three keyframes:    gambol sketch broad_jump -o jump.bvh")
    writing.line("repair a clip that breaks physics:    gambol fix YOUR_CLIP.bvh -o fixed.bvh")
    writing.line("let six people walk as you do:    gambol crowd poles --walk YOUR_CLIP.bvh -o crowd.glb")
    if (activation := _find_activation()) is not None:
        writing.line(
            f"'gambol' is not on the PATH of this shell yet; put it there:    source {shlex.quote(activation)}"
        )


def _find_activation() -> str | None:
    """Return the script that puts `gambol` on the PATH, if this runs in a virtual environment and it is not there."""
    folder, found = Path(sys.prefix, "bin"), shutil.which("gambol")
    # A link on the PATH, as pipx and uv make it, leads into the environment.
    there = found is not None and Path(found).resolve().parent == folder.resolve()
    return None if there or not (folder / "activate").is_file() else os.path.relpath(folder / "activate")

"""`gambol primitives`: movements learned as a few source functions, played online and morphed."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gambol.cli.clips import (
    Asf,
    Fps,
    Overrides,
    Overwrite,
    RigFile,
    Scale,
    Up,
    files_of,
    fresh_output,
    load_clips,
    show_progress,
)
from gambol.cli.primitives_play import play, told
from gambol.cli.telling import say
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion

Clips = Annotated[
    list[str],
    typer.Argument(
        metavar="CLIP[=STYLE]...",
        help="Motion files, folders of them, or built-in motions: walk, run. A clip's style is its file's name, or what"
        " follows '='; clips of one style are learned as one.",
        show_default=False,
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write, .npz.", show_default=False)]
Sources = Annotated[int, typer.Option(min=1, help="How many source functions.", metavar="N")]
Delays = Annotated[
    Literal["tied", "free", "band"],
    typer.Option(help="Delays of a source and joint: the same in all styles, free, or within a band of one."),
]
Rotations = Annotated[Literal["log", "quaternion"], typer.Option(help="What sources add up to.")]
Once = Annotated[bool, typer.Option("--once", help="Take clips whole, as movements that do not repeat.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random starts.", metavar="N")]

primitives_app = typer.Typer(
    help="Learn a body's movements as a few source functions, and play them: any length, any blend of styles.\n\n"
    "Example: gambol primitives learn walk -o walk.npz",
    no_args_is_help=True,
)


@primitives_app.command()
def learn(
    clips: Clips,
    output: Output,
    sources: Sources = 4,
    delays: Delays = "tied",
    rotations: Rotations = "log",
    once: Once = False,
    seed: Seed = 0,
    scale: Scale = None,
    up: Up = None,
    fps: Fps = None,
    rig: RigFile = None,
    skeleton: Asf = None,
    overwrite: Overwrite = False,
) -> None:
    """Learn primitives from the strides of clips, all on one rig.

    Example: gambol primitives learn sad.bvh happy.bvh -o moods.npz
    """
    from rich.console import Console

    from gambol.primitives.learning import learn as learned
    from gambol.primitives.store import save_primitives

    if output.suffix.lower() != ".npz":
        raise InputError(f"a model is an .npz, not '{output.suffix}'", file=output, fix="name it .npz")
    named = _named(clips)
    fresh_output(output, overwrite, [path for _, path in named])
    overrides = Overrides(scale, up, fps, rig, skeleton)
    styles: dict[str, list[Motion]] = {}
    for style, path in named:
        styles.setdefault(style, []).extend(load_clips([path], overrides))
    begun = time.perf_counter()
    with Console(stderr=True).status("Learning") if show_progress() else nullcontext():
        model = learned(styles, sources, delays, once=once, rotations=rotations, seed=seed)
    save_primitives(model, output)
    for line in told(model):
        say(line)
    count = f"{sources} source{'s' if sources > 1 else ''} with {delays} delays"
    say(f"{count}: {100.0 * model.explained:.2f} % of the variance, {time.perf_counter() - begun:.1f} s")
    typer.echo(output)


def _named(clips: list[str]) -> list[tuple[str, Path]]:
    """The style and the file of every clip."""
    from gambol.io.formats import MOTIONS

    named = []
    for clip in clips:
        before, equals, style = clip.rpartition("=")
        if not equals or Path(clip).exists():
            before, style = clip, ""
        elif not (before and style.strip()):
            raise InputError(f"'{clip}' is no clip and style", fix="such as walk.bvh=happy")
        named += [(style or path.stem, path) for path in files_of([Path(before)], MOTIONS)]
    return named


primitives_app.command()(play)

"""`gambol primitives`: movements learned as a few source functions, played and morphed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gambol.cli.console import check_suffix
from gambol.cli.options import MaybeOutput, Reading, Seed, Writing, expand_groups
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion

Clips = Annotated[
    list[str],
    typer.Argument(
        metavar="CLIP[=STYLE]...",
        help="Motion files, folders of them, or built-in motions: walk, run. The style of a clip is its file's name, or"
        " what follows '='; clips of one style are learned together.",
        show_default=False,
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write, .npz.", show_default=False)]
Sources = Annotated[int, typer.Option(min=1, help="Number of source functions.", metavar="N")]
Delays = Annotated[
    Literal["tied", "free", "band"],
    typer.Option(help="Delays of a source and channel: the same in all styles, free, or within a band."),
]
Rotations = Annotated[Literal["log", "quaternion"], typer.Option(help="How rotations are encoded: log or quaternion.")]
Once = Annotated[bool, typer.Option("--once", help="Learn whole clips, as movements that do not repeat.")]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that 'gambol primitives learn' wrote.", show_default=False)
]
Style = Annotated[str | None, typer.Option(help="Style to play (default: the first).", show_default=False)]
To = Annotated[str | None, typer.Option(help="Style to morph to, evenly over the clip.", show_default=False)]
Seconds = Annotated[
    float | None,
    typer.Option(help="Duration in seconds (default: 8, or that of a whole clip).", show_default=False),
]
Speed = Annotated[float, typer.Option(help="Cadence as a multiple of the learned one.")]
Fps = Annotated[float, typer.Option("--fps", help="Frames per second.", max=1000.0)]
Live = Annotated[bool, typer.Option("--live", help="Evaluate the regressions in every frame instead of using tables.")]

primitives_app = typer.Typer(
    help="Learn the movements of a body as a few source functions and play them: any length, any blend of styles.\n\n"
    "Example: gambol primitives learn walk -o walk.npz",
    no_args_is_help=True,
)


@primitives_app.command()
@expand_groups
def learn(
    clips: Clips,
    output: Output,
    reading: Reading,
    writing: Writing,
    sources: Sources = 4,
    delays: Delays = "tied",
    rotations: Rotations = "log",
    once: Once = False,
    seed: Seed = 0,
) -> None:
    """Learn primitives from the strides of clips, all on one rig.

    Example: gambol primitives learn sad.bvh happy.bvh -o moods.npz
    """
    from gambol.primitives.verb import learn_primitives

    check_suffix(output, "a model", ".npz")
    named = _named(clips)
    writing.check_outputs(output, inputs=[path for _, path in named])
    styles: dict[str, list[Motion]] = {}
    for style, path in named:
        styles.setdefault(style, []).extend(reading.load_all(path, writing))
    begun = time.perf_counter()
    with writing.progress() as progress:
        progress("learning", 0, None)
        result = learn_primitives(styles, sources=sources, delays=delays, rotations=rotations, once=once, seed=seed)
    writing.deliver(result, output, f"learned in {time.perf_counter() - begun:.1f} s")


@primitives_app.command()
@expand_groups
def play(
    model: Model,
    writing: Writing,
    output: MaybeOutput = None,
    style: Style = None,
    to: To = None,
    seconds: Seconds = None,
    speed: Speed = 1.0,
    fps: Fps = 60.0,
    live: Live = False,
) -> None:
    """Write a motion that the primitives generate, on the rig they were learned on; without -o, list the styles.

    Example: gambol primitives play moods.npz --style sad --to happy -o morph.bvh
    """
    from gambol.clips.result import list_output_files
    from gambol.io.models import as_model
    from gambol.primitives.model import Primitives
    from gambol.primitives.verb import describe_styles, play_primitives

    if output is not None:
        list_output_files(output)
    writing.check_outputs(output, inputs=[model])
    found = as_model(model, Primitives)
    if output is None:
        if (style, to, seconds) != (None, None, None):
            raise InputError("no output", fix="add -o FILE")
        for line in describe_styles(found):
            writing.line(line)
        return
    with writing.progress() as progress:
        result = play_primitives(
            found, style=style, to=to, seconds=seconds, speed=speed, fps=fps, live=live, progress=progress
        )
    writing.deliver(result, output)


def _named(clips: list[str]) -> list[tuple[str, Path]]:
    """The style and the file of every clip."""
    from gambol.fit.load import find_files

    named = []
    for clip in clips:
        before, equals, style = clip.rpartition("=")
        if not equals or Path(clip).exists():
            before, style = clip, ""
        elif not (before and style.strip()):
            raise InputError(f"'{clip}' is not a clip and a style", fix="such as walk.bvh=happy")
        named += [(style or path.stem, path) for path in find_files([Path(before)])]
    return named

"""Options that several commands share, declared once as groups and expanded into each command's own options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_type_hints

import typer

from gambol.cli.console import Console
from gambol.drawing.shot import Look, Shot, View
from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.clips.result import Result
    from gambol.motion.ensemble import Ensemble
    from gambol.motion.motion import Motion

BUILT_IN = "or a built-in motion: stand, walk, run, jump"
Clip = Annotated[Path, typer.Argument(metavar="CLIP", help=f"A motion file, {BUILT_IN}.", show_default=False)]
Clips = Annotated[
    list[Path],
    typer.Argument(metavar="CLIP...", help=f"Motion files, folders of them, {BUILT_IN}.", show_default=False),
]
_OUTPUT = "File to write: .bvh, .glb, .usda ..., or a picture of it: .png, .gif, .html ..."
Output = Annotated[Path, typer.Option("--output", "-o", help=_OUTPUT, show_default=False)]
MaybeOutput = Annotated[Path | None, typer.Option("--output", "-o", help=_OUTPUT, show_default=False)]
Robot = Annotated[
    Path | None,
    typer.Option(
        "--robot", help="Robot (.urdf, .xml, .yaml, jvrc1 ...) of which the clips are references (.npz, .csv)."
    ),
]
Mass = Annotated[float | None, typer.Option(help="Body mass in kilograms (default: that of a person of this height).")]
Report = Annotated[Path | None, typer.Option(help="HTML report to write.", show_default=False)]
ContactsFile = Annotated[
    Path | None,
    typer.Option(
        "--contacts", help="Contacts instead of those found: a corrected file of `gambol contacts`.", metavar="FILE"
    ),
]
ListNames = Annotated[bool, typer.Option("--list", help="List the ones that come with gambol, and exit.")]
PrintText = Annotated[bool, typer.Option("--print", help="Print its YAML, to start a file of your own, and exit.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.", metavar="N")]


@dataclass(frozen=True)
class Reading:
    """How motion files are read, where what is detected is wrong."""

    panel: ClassVar = "Reading"
    scale: Annotated[float | None, typer.Option(help="Metres per unit of length of the file.")] = None
    up: Annotated[
        Literal["x", "y", "z", "-x", "-y", "-z"] | None, typer.Option(help="The file's axis that points up.")
    ] = None
    fps: Annotated[float | None, typer.Option(help="Frames per second, instead of the file's.")] = None
    rig: Annotated[
        Path | None, typer.Option(help="Mapping file for a rig that is not recognised ('gambol rig' writes one).")
    ] = None
    skeleton: Annotated[
        Path | None,
        typer.Option(
            "--skeleton", "--osim", help="ASF of an AMC, or OpenSim model of a MOT or STO, if it is not beside it."
        ),
    ] = None
    animation: Annotated[
        str | None,
        typer.Option(help="Animation of a glTF file to read (default: the last that gambol wrote, else the longest)."),
    ] = None
    markers: Annotated[
        Path | None, typer.Option(help="Mapping file for markers that are not recognised ('gambol rig' writes one).")
    ] = None
    travel: Annotated[
        bool, typer.Option("--travel", help="Make a motion in place, as on a treadmill, travel at its feet's speed.")
    ] = False

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments of `load`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def load(self, path: Path, console: Console) -> Motion:
        """Load the one motion of a file and print its notes."""
        from gambol.fit.load import load

        motion = load(path, **self.options)
        console.notes(motion.notes, path.name)
        return motion

    def load_all(self, path: Path, console: Console) -> Ensemble:
        """Load every motion of a file and print their notes."""
        from gambol.fit.load import load_all

        motions = load_all(path, **self.options)
        console.notes(motions.notes, path.name)
        return motions

    def load_files(self, paths: Iterable[Path], console: Console, robot: Path | None = None) -> Ensemble:
        """Load every motion of every file, also those of folders; reference motions of a robot with its looks."""
        from gambol.motion.ensemble import unite_ensembles

        return unite_ensembles(self.load_scenes(paths, console, robot))

    def load_scenes(self, paths: Iterable[Path], console: Console, robot: Path | None = None) -> list[Ensemble]:
        """Load the motions of each file, also of files in folders."""
        from gambol.fit.load import find_files
        from gambol.motion.ensemble import as_ensemble

        if robot is None:
            return [self.load_all(file, console) for file in find_files(paths)]
        from gambol.robots.biped_file import load_biped
        from gambol.robots.references.files import REFERENCE_EXTENSIONS, read_reference
        from gambol.robots.skin import load_skin

        biped = load_biped(robot)
        console.notes(biped.description.notes, robot.name)
        skin = load_skin(biped.description)
        files = find_files(paths, REFERENCE_EXTENSIONS)
        return [as_ensemble(replace(read_reference(file, biped, self.fps).motion, skin=skin)) for file in files]


@dataclass(frozen=True)
class Writing(Console):
    """What is printed and replaced."""

    panel: ClassVar = "Writing"
    json: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON to a file; '-' is standard output.")
    ] = None
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace outputs that exist.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a viewer would not accept the result.")] = (
        False
    )


@dataclass(frozen=True)
class Saving(Writing):
    """How a changed clip is saved."""

    replace: Annotated[
        bool, typer.Option("--replace", help="GLB onto GLB: replace the animation that was read (default: add one).")
    ] = False

    def check_outputs(self, *outputs: Path | None, inputs: Iterable[Path | None] = ()) -> None:
        """Refuse also to replace an animation where none is read or written."""
        from gambol.fit.load import find_file
        from gambol.io.formats import GLTF_EXTENSIONS, detect_format

        clips = [clip for clip in inputs if clip is not None]
        super().check_outputs(*outputs, inputs=clips)
        written = [path for path in outputs if path is not None and path.suffix.lower() in GLTF_EXTENSIONS]
        if self.replace and not (written and detect_format(find_file(clips[0])) == "gltf"):
            raise InputError(
                "--replace is for a clip from a glTF file that is saved as .glb or .gltf", fix="leave --replace out"
            )

    def save(self, result: Result, output: Path) -> None:
        """Save a result and name the files; in place of the animation that was read, if asked to."""
        from gambol.io import save

        self.wrote_onto(result, *(save(result.motions, output, replace=True) if self.replace else result.save(output)))


@dataclass(frozen=True)
class Filming:
    """How pictures and films are taken."""

    panel: ClassVar = "Pictures and films"
    view: Annotated[View, typer.Option(help="Where it is seen from; orbit goes around it.")] = "three-quarter"
    size: Annotated[
        str | None, typer.Option(help="Pixels of a film: 1920x1080, 720p, 1080p, 4k (default: 720p; GIF 640x400).")
    ] = None
    film_fps: Annotated[
        float | None, typer.Option(help="Pictures of a film per second (default: 30).", metavar="FPS")
    ] = None
    ghost: Annotated[
        Path | None, typer.Option(help="Draw this clip translucently behind, such as the one before an edit.")
    ] = None
    trails: Annotated[
        bool, typer.Option("--trails", help="Draw the paths of hands and centre of mass into a film.")
    ] = False
    look: Annotated[Look, typer.Option(help="Of a still picture; studio follows light, for minutes.")] = "plain"

    def check(self, output: Path | None) -> None:
        """Refuse options that the output cannot show."""
        from gambol.drawing import DRAWN, check_drawable

        drawn = output is not None and output.suffix.lower() in DRAWN
        shot = self._shot(None)
        if output is not None and drawn:
            check_drawable(output, shot=shot)
        elif shot != Shot() or self.ghost is not None:
            raise InputError(
                "view, look, size, rate, ghost and trails are for pictures and films", fix="add -o FILE.mp4"
            )

    def make_shot(self, load: Callable[[Path], Motion]) -> Shot:
        """Return the options, with the ghost loaded."""
        return self._shot(None if self.ghost is None else load(self.ghost))

    def _shot(self, ghost: Motion | None) -> Shot:
        return Shot(self.view, self.size, self.film_fps, self.trails, ghost, self.look)

    def save(self, result: Result, output: Path, shot: Shot, writing: Writing) -> None:
        """Save a result, or draw it, and name the files."""
        from gambol.drawing import DRAWN

        if output.suffix.lower() not in DRAWN:
            writing.save(result, output)
            return
        with writing.progress() as progress:
            writing.wrote(result.draw(output, shot=shot, progress=progress))


@dataclass(frozen=True)
class Serving:
    """Where a live page is served."""

    panel: ClassVar = "Page in the browser"
    host: Annotated[
        str, typer.Option(help="Address to serve on; 0.0.0.0 lets in machines that are given the printed address.")
    ] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to serve on; the next free one if it is taken.")] = (
        8080
    )
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True

    def announce(self, url: str) -> None:
        """Print the address, and open it if asked to."""
        typer.echo(f"{url}  (Ctrl-C stops)")
        if self.open_browser:
            typer.launch(url)


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters that are groups of options became one parameter per option."""
    hints = get_type_hints(command, include_extras=True)
    groups, parameters, shared = {}, [], []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            shared += _options(hints[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        console = next((value for value in values.values() if isinstance(value, Console)), None)
        with nullcontext() if console is None else console.work("preparing"):
            command(**values)
        if isinstance(console, Writing) and console.strict and console.refused:
            raise typer.Exit(1)

    parameters += shared
    expanded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    expanded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return expanded


def _options(group: Any) -> list[inspect.Parameter]:
    """The options of a group, which `--help` shows in a panel of their own."""
    hints = get_type_hints(group, include_extras=True)
    found = []
    for field in fields(group):
        for option in hints[field.name].__metadata__:
            option.rich_help_panel = group.panel
        found.append(
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
            )
        )
    return found

"""What commands print: results on standard output, notes and progress on standard error, JSON where asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gambol.cli.progress_log import ProgressLog
from gambol.errors import InputError, make_printable
from gambol.progress import Progress

if TYPE_CHECKING:
    from gambol.clips.result import Result
    from gambol.motion.motion import Motion

_STDOUT = Path("-")
_SECONDS_PER_FRAME = {"check": 0.004, "push": 0.002, "loop": 0.0003}
"""Processor time by verb, measured on one core with walks of 120 frames per second."""
_ANNOUNCED = 10.0
"""Expected duration (s) from which it is announced."""


@dataclass(frozen=True)
class Console:
    """Printing of one run of a command."""

    json: Path | None = None
    overwrite: bool = False
    quiet: bool = False

    def check_outputs(self, *outputs: Path | None, inputs: Iterable[Path | None] = ()) -> None:
        """Refuse, before any work is done, outputs that cannot be written, would be replaced, or are inputs."""
        from gambol.io.output import check_writable

        given = [path for path in (*outputs, self.json) if path is not None and path != _STDOUT]
        for n, path in enumerate(given):
            if path.absolute() in (other.absolute() for other in given[:n]):
                raise InputError("two outputs have this name", file=path, fix="give each its own name")
            if any(file is not None and file.exists() and path.exists() and path.samefile(file) for file in inputs):
                raise InputError("input and output are the same file", file=path, fix="choose another name")
            check_writable(path, self.overwrite)

    def line(self, text: object) -> None:
        """Print a line of the result: on standard output, unless JSON goes there."""
        typer.echo(make_printable(str(text)), err=self.json == _STDOUT)

    def note(self, text: str) -> None:
        """Print a line for a person on standard error, above a progress bar that is shown there."""
        if not self.quiet:
            print(make_printable(text), file=sys.stderr)  # the bar redirects `sys.stderr`, which `typer.echo` goes past

    def notes(self, lines: Iterable[str], about: str = "") -> None:
        """Print several such lines."""
        for line in lines:
            self.note(f"{about}: {line}" if about else line)

    def announce_duration(self, verb: str, motion: Motion) -> None:
        """Print before a long run how long it is expected to take."""
        expected = _SECONDS_PER_FRAME[verb] * len(motion)
        if expected >= _ANNOUNCED:
            self.note(f"{motion.name}: {len(motion)} frames, about {expected:.0f} s")

    def wrote(self, *files: Path) -> None:
        """Name the files that were written."""
        for file in files:
            self.line(file)

    def save(self, result: Result, output: Path) -> None:
        """Save a result and name the files."""
        self.wrote_onto(result, *result.save(output))

    def wrote_onto(self, result: Result, *files: Path) -> None:
        """Name the files that were written, and the animation of a glTF file that a motion came home to."""
        self.wrote(*files)
        self._note_missing_characters(result, files[0])
        if len(result.motions) == 1 and result.motion.origin.format == "gltf" and files[0].suffix in (".glb", ".gltf"):
            from gambol.io.gltf.read import find_written_animation

            self.note(f"{files[0].name}: animation '{find_written_animation(files[0])}'")

    def _note_missing_characters(self, result: Result, file: Path) -> None:
        """Say where a motion of a model is not on the character of the glTF file that the model was learned from."""
        from gambol.io.archive import is_changed, is_there

        origins = {(one.origin.file, one.origin.digest) for one in result.motions if one.origin.format == "gltf"}
        for name, digest in sorted(origins) if file.suffix in (".glb", ".gltf") else ():
            if digest and not is_there(Path(name)):
                self.note(f"written without the character of {name}: put that file beside the model")
            elif is_changed(name, digest):
                self.note(f"{Path(name).name} is not the file that the model was learned from")

    def explain(self, result: Result, *summary: str, about: str = "") -> None:
        """Print whether a viewer would not accept a result, then its summary, its notes and what a viewer would see."""
        if not result.judgement.accepted:
            self.refused.append(result.judgement.verdict)
            self.notes((result.judgement.verdict,), about)
        kept = result.judgement.summary if result.judgement.original_stances is not None else ()
        self.notes((*summary, *result.notes, *kept, *result.judgement.worst), about)

    @cached_property
    def refused(self) -> list[str]:
        """Verdicts on results that a viewer would not accept."""
        return []

    def deliver(self, result: Result, output: Path | None, *summary: str, lines: Iterable[str] = ()) -> None:
        """Explain a result, print lines of it, save it if a file is asked for, and write its figures."""
        self.explain(result, *summary)
        for line in lines:
            self.line(line)
        if output is not None:
            self.save(result, output)
        self.write_json(result.facts())

    def write_json(self, facts: Any) -> None:
        """Write what a program would read, if it was asked for."""
        if self.json is None:
            return
        text = json.dumps(facts, indent=2, allow_nan=False)
        if self.json == _STDOUT:
            typer.echo(text)
            return
        from gambol.io.output import write_text

        write_text(self.json, text + "\n")
        self.wrote(self.json)

    @cached_property
    def _log(self) -> ProgressLog:
        return ProgressLog(self.note)

    @contextmanager
    def work(self, what: str) -> Iterator[None]:
        """Print a line at least every 10 seconds while a command works, unless a terminal shows its progress."""
        if self.quiet or sys.stderr.isatty():
            yield
            return
        self._log.begin(what)
        with self._log.repeated():
            yield

    def rest(self) -> None:
        """Print no further progress: the command waits for a person or a program."""
        self._log.begin("")

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show progress on one line of the terminal, elsewhere as lines of a log."""
        from rich.console import Console as Terminal
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        what = TextColumn("{task.description}", markup=False)
        times = (TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("left"))
        if not sys.stderr.isatty():
            yield self._log.report
            self._log.begin("writing the result")
            return
        with Bar(
            what,
            BarColumn(),
            MofNCompleteColumn(),
            *times,
            console=Terminal(stderr=True),
            transient=True,
            disable=self.quiet,
        ) as bar:
            task = bar.add_task("", total=None)

            def show(what: str, done: int, total: int | None) -> None:
                bar.update(task, description=make_printable(what), completed=done, total=total)

            yield show


def read_standard_input() -> Iterator[bytes]:
    """Return the lines of standard input as they come."""
    if sys.stdin is None:
        raise InputError("standard input is closed", fix="send lines of JSON to it")
    return iter(sys.stdin.buffer.readline, b"")


def print_line(line: str) -> None:
    """Print a line that another program waits for."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def check_page(path: Path | None) -> None:
    """Refuse a report that is not an HTML file."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML page, not '{path.suffix}'", file=path, fix="name it .html")


def check_suffix(path: Path | None, what: str, suffix: str) -> None:
    """Refuse a file that is not named as its content is written."""
    if path is not None and path.suffix.lower() != suffix:
        raise InputError(f"{what} is written as {suffix}, not '{path.suffix}'", file=path, fix=f"name it {suffix}")

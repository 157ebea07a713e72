"""Exceptions of gambol. Messages say what was expected, what was given, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

StrPath = str | PathLike[str]
"""The path of a file."""
MAX_MESSAGE = 292
"""Characters of a message; with the name of the command, a line of 300."""


def make_printable(text: str) -> str:
    """Return text from files and users with other than printable characters as Python and YAML write them in quotes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def make_line(text: str, most: int = MAX_MESSAGE) -> str:
    """Return text from files and users as one line of at most so many printable characters."""
    line = make_printable(" ".join(text[: 10 * MAX_MESSAGE].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def suggest(name: str, known: Iterable[str], otherwise: str, compare: Callable[[str], str] = str.lower) -> str:
    """Return what to do about an unknown name: the nearest one that is known, or `otherwise` where none is near.

    `compare` gives the part of a name that is compared.

    >>> suggest("Wlak", ("walk", "run"), "choose one"), suggest("swim", ("walk", "run"), "choose one")
    ("did you mean 'walk'?", 'choose one')
    """
    spelled = {compare(other): other for other in known}
    near = get_close_matches(compare(name), spelled, 1)
    return f"did you mean '{spelled[near[0]]}'?" if near else otherwise


class GambolError(Exception):
    """Base class of all exceptions that gambol raises; the message is one line of printable characters."""

    def __init__(self, message: str) -> None:
        super().__init__(make_line(message))


class InputError(GambolError):
    """Invalid input. The command line prints it as one line and exits with code 2."""

    def __init__(
        self,
        problem: str,
        *,
        file: StrPath | None = None,
        line: int | None = None,
        fix: str | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.fix = problem, file, line, fix
        name = "" if file is None else Path(file).name
        where = f"{name}: " if name else ""
        if where and line is not None:
            where = f"{where[:-2]}, line {line}: "
        advice = "" if fix is None else make_line(f"; {fix}", MAX_MESSAGE // 2)  # what to do is never cut off
        super().__init__(make_line(f"{where}{problem}", MAX_MESSAGE - len(advice)) + advice)


class RigError(InputError):
    """The joints of a rig could not be matched to body parts."""


class MissingExtra(GambolError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional dependency: pip install 'gambol[{extra}]'")


def missing_file_error(path: Path, otherwise: str = "check the path", known: Iterable[str] = ()) -> InputError:
    """Return the error for a file that does not exist; it names the nearest of its folder, or of other `known` names.

    Names are compared without extensions, which would make all files of a folder look alike.
    """
    if not path.parent.is_dir():
        otherwise = f"there is no folder '{path.parent}'"
    names = [file.name for file in path.parent.glob("*") if file.is_file()]
    names += known if path.name == str(path) else ()
    names.sort(key=lambda name: (Path(name).suffix == path.suffix, name))  # of files with equal stems the last counts
    fix = suggest(path.name, names, otherwise, compare=lambda name: Path(name).stem.lower())
    return InputError("no such file", file=path, fix=fix)

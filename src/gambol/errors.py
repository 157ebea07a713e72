"""Exceptions of gambol. Messages say what was expected, what was given, and how to fix it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

MAX_MESSAGE = 292
"""Characters of a message; with the name of the command, a line of 300."""


def make_printable(text: str) -> str:
    """Return text from files and users with other than printable characters as Python and YAML write them in quotes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def make_line(text: str, most: int = MAX_MESSAGE) -> str:
    """Return text from files and users as one line of at most so many printable characters."""
    line = make_printable(" ".join(text[: 10 * MAX_MESSAGE].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


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
        file: str | PathLike[str] | None = None,
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

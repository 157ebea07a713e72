"""One root exception; every message says what was expected, what came, and what would be right."""

from __future__ import annotations

from os import PathLike
from pathlib import Path


class GambolError(Exception):
    """Root of everything gambol raises on purpose."""


class InputError(GambolError):
    """What came in cannot be used. The command line prints it as one line and exits with code 2."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        fix: str | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.fix = problem, file, line, fix
        where = "" if file is None else f"{Path(file).name}: "
        if where and line is not None:
            where = f"{where[:-2]}, line {line}: "
        super().__init__(f"{where}{problem}" + ("" if fix is None else f"; {fix}"))


class RigError(InputError):
    """The joints of a rig could not be matched to the parts of a body."""


class MissingExtra(GambolError):
    """A part of gambol that is installed on request is not there."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional part: pip install 'gambol[{extra}]'")

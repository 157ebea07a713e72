"""Files that come with gambol for people to begin with: YAML, its story in the first line."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from gambol.errors import InputError


@dataclass(frozen=True)
class Library:
    """The YAML files of a folder, by their names."""

    folder: Path
    what: str
    """What a file holds, in a word."""

    def names(self) -> tuple[str, ...]:
        """The names that `file` knows."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.yaml")))

    def file(self, name: str) -> Path:
        """A file by its name."""
        if name not in self.names():
            raise InputError(f"no {self.what} '{name}'", fix=f"there are {', '.join(self.names())}")
        return self.folder / f"{name}.yaml"

    def find(self, given: str | PathLike[str]) -> Path:
        """The path itself where it is one or has an extension, else the file of that name."""
        path = Path(given)
        return path if path.is_file() or path.suffix else self.file(str(path))

    def about(self, name: str) -> str:
        """What a file holds, in a line."""
        return self.file(name).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")

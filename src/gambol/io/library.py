"""Libraries of YAML files that are part of gambol; the first line of each file describes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gambol.errors import InputError, StrPath, suggest


@dataclass(frozen=True)
class Library:
    """The YAML files of a folder, by name."""

    folder: Path
    what: str
    """What a file holds, for messages, such as "edit"."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all files."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.yaml")))

    def file(self, name: str) -> Path:
        """Return the path of a file by name."""
        if name not in self.names():
            known = self.names()
            raise InputError(f"no {self.what} '{name}'", fix=suggest(name, known, f"there are {', '.join(known)}"))
        return self.folder / f"{name}.yaml"

    def find(self, given: StrPath) -> Path:
        """Return `given` if it is a file or has an extension, else the library file of that name."""
        path = Path(given)
        return path if path.is_file() or path.suffix else self.file(str(path))

    def about(self, name: str) -> str:
        """Return the one-line description of a file."""
        return self.file(name).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")

"""The sketches that come with gambol: those of L05 section 3.9.1, a YAML file each, its story in the first line."""

from __future__ import annotations

from pathlib import Path

from gambol.errors import InputError

_FOLDER = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The names that `file` knows."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def file(name: str) -> Path:
    """The YAML file of a sketch."""
    if name not in names():
        raise InputError(f"no sketch '{name}'", fix=f"there are {', '.join(names())}")
    return _FOLDER / f"{name}.yaml"


def about(name: str) -> str:
    """What a sketch is, in a line."""
    return file(name).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")

"""Fitted models as files: every kind is registered once, and one function loads all of them.

A kind says which class a file holds, how a model becomes named values, and how values become a model again. Files are
archives of arrays (`io.archive`), or JSON where people read and change them. A file states its kind and version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

from gambol.errors import InputError, StrPath, missing_file_error
from gambol.io import samples
from gambol.io.archive import (
    INVALID_CONTENT,
    check_version,
    find_beside,
    invalid_content_error,
    is_there,
    name_one,
    read_archive,
    read_archive_kind,
    write_archive,
)
from gambol.io.output import check_writable, write_text
from gambol.io.packed import build

Fitted = TypeVar("Fitted")
_KINDS: dict[str, ModelKind[Any]] = {}
_HOMES = {
    "Gaussian process": "gambol.learn.gaussian.regression",
    "anechoic mixture": "gambol.learn.anechoic.mixture",
    "coefficient process": "gambol.learn.gaussian.coefficients",
    "family": "gambol.spacetime.families.family",
    "interaction": "gambol.interaction.model",
    "latent dynamics": "gambol.learn.gaussian.dynamics",
    "latent variable model": "gambol.learn.gaussian.gplvm",
    "model of actions": "gambol.robots.actions.model",
    "model of primitives": "gambol.primitives.model",
    "style": "gambol.styles.style",
    "walker": "gambol.respond.latent.responder",
}
"""Modules that register the kinds of gambol: imported when a file of that kind is loaded."""


def list_fields(model: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name."""
    return {field.name: getattr(model, field.name) for field in fields(model)}


@dataclass(frozen=True)
class ModelKind(Generic[Fitted]):
    """A kind of file: the class of the model in it, and how the model becomes named values and values the model."""

    model: type[Fitted]
    name: str
    """In words; it is part of the file."""
    version: int
    fix: str
    """How a user makes such a file."""
    classes: tuple[type, ...] = ()
    """Dataclasses that may be in the values."""
    pack: Callable[[Any], Mapping[str, Any]] = list_fields
    unpack: Callable[[dict[str, Any]], Fitted] | None = None
    """Invalid values may raise what is in `archive.INVALID_CONTENT`. None: values are the fields of the class."""
    text: bool = False
    """Whether files are JSON."""

    def save(self, model: Fitted, path: Path, beside: Mapping[str, NDArray[Any]] = {}) -> None:
        """Write a model; an interrupted write leaves no partial file. `beside`: see `write_archive`."""
        if self.text:
            content = {f"gambol_{self.name}": self.version, **self.pack(model)}
            write_text(path, json.dumps(content, indent=1) + "\n")
        else:
            write_archive(path, self.name, self.version, self.pack(model), beside)

    def load(self, path: Path) -> Fitted:
        """Read a model; it gives the same numbers. A file of another kind is an InputError."""
        found = read_kind(path, self.fix)
        if found not in ("", self.name):
            raise InputError(f"{name_one(found)}, not {name_one(self.name)}", file=path, fix=self.fix)
        if self.text:
            values = _read_text(path, self)
        else:
            values = read_archive(path, self.name, self.version, self.classes, self.fix)
        try:
            return build(self.model, values) if self.unpack is None else self.unpack(values)
        except INVALID_CONTENT as error:
            if self.text:
                raise InputError(str(getattr(error, "problem", error)), file=path, fix=self.fix) from None
            raise invalid_content_error(path, self.name, error) from None


def register(kind: ModelKind[Fitted]) -> ModelKind[Fitted]:
    """Make models of a kind known to `save_model` and `load_model`."""
    _KINDS[kind.name] = kind
    return kind


def save_model(model: Any, path: StrPath, overwrite: bool = True) -> Path:
    """Write a fitted model and return the path; an interrupted write leaves no partial file.

    >>> gaits = gb.learn_primitives(["walk", "run"]).model  # doctest: +SKIP
    >>> gb.save_model(gaits, "gaits.npz")  # doctest: +SKIP
    """
    check_writable(Path(path), overwrite)
    _find_kind(type(model)).save(model, Path(path))
    return Path(path)


def find_model_suffix(model: Any) -> str:
    """Return the extension of files of a model."""
    return ".json" if _find_kind(type(model)).text else ".npz"


def load_model(path: StrPath) -> Any:
    """Load a family, a walker, primitives, an interaction, a style or an estimator, whichever the file holds.

    >>> walker = gb.load_model("walker.npz")  # doctest: +SKIP
    >>> gb.push("walk", [gb.Push("chest", (-200.0, 0.0, 0.0), 1.0)], method=gb.Learned(walker))  # doctest: +SKIP
    """
    found = read_kind(Path(path))
    if found in _HOMES:
        import_module(_HOMES[found])
    if found not in _KINDS:
        what = "not a model, or truncated" if not found else f"{name_one(found)}, which is not a model"
        raise InputError(what, file=Path(path), fix="give a file that a 'learn' command or 'gambol family' wrote")
    return _KINDS[found].load(Path(path))


def as_model(source: Fitted | StrPath, expected: type[Fitted]) -> Fitted:
    """Return a model of a class, or load it from a file; a model of another class is an InputError."""
    if isinstance(source, expected):
        return source
    kind = _find_kind(expected)
    if isinstance(source, str | PathLike):
        return kind.load(Path(source))
    given = next((one.name for one in _KINDS.values() if isinstance(source, one.model)), type(source).__name__)
    raise InputError(f"{name_one(given)}, not {name_one(kind.name)}", fix=kind.fix)


def read_kind(path: Path, fix: str = "") -> str:
    """Return the kind that a file states; empty where it states none."""
    if not path.is_file():
        raise missing_file_error(path, fix)
    if found := read_archive_kind(path):
        return found
    try:
        return _find_text_kind(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return ""


def _find_text_kind(content: Any) -> str:
    names = [str(key) for key in content] if isinstance(content, dict) else []
    return next((name.removeprefix("gambol_") for name in names if name.startswith("gambol_")), "")


def _read_text(path: Path, kind: ModelKind[Any]) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", file=path, fix=kind.fix) from None
    if _find_text_kind(content) != kind.name:
        raise InputError(f"not {name_one(kind.name)}", file=path, fix=kind.fix)
    check_version(path, kind.name, content.pop(f"gambol_{kind.name}"), kind.version)
    return {name: _find_clip(path, value) if name == "clip" else value for name, value in content.items()}


def is_sample(clip: str) -> bool:
    """Return whether a clip is none, or a built-in one."""
    return not clip or clip in samples.names()


def _find_clip(model: Path, clip: Any) -> Any:
    """Return the path of the clip of a model: beside its file, or where that says; built-in clips keep their names."""
    if not isinstance(clip, str) or is_sample(clip):
        return clip
    stated = model.parent / clip
    return str(stated) if is_there(stated) else find_beside(model, clip)


def _find_kind(model: type[Fitted]) -> ModelKind[Fitted]:
    return next(kind for kind in _KINDS.values() if kind.model is model)

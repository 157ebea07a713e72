"""Save a learned model of actions as one .npz file."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from pathlib import Path

from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.io.packed import build
from gambol.robots.actions.model import ActionModel, LearnedAction
from gambol.robots.actions.regression import LocalRegression

_WHAT, _FORMAT = "model of actions", 1
_KINDS = (LearnedAction, LocalRegression)


def save_actions(model: ActionModel, path: Path) -> None:
    """Write a model; an interrupted write leaves no partial file."""
    write_archive(path, _WHAT, _FORMAT, {field.name: getattr(model, field.name) for field in fields(model)})


def load_actions(path: str | PathLike[str]) -> ActionModel:
    """Load a model; it gives the same numbers."""
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, "use a file written by save_actions")
    try:
        return build(ActionModel, values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None

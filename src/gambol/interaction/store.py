"""Save a learned interaction as one .npz file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gambol.interaction.course import Course, GoalSpace
from gambol.interaction.model import RATE_WALK, SEGMENTS, InteractionModel
from gambol.interaction.reach import Arm, HandPoint
from gambol.interaction.rows import PersonRows
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.io.packed import build
from gambol.learn.gaussian import CoefficientProcess
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton

_WHAT, _FORMAT = "interaction", 1
_FIX = "'gambol interact learn A B -o FILE' makes one"
_KINDS = (Arm, Dof, GoalSpace, HandPoint, Origin, PersonRows, Rig, Skeleton)
_COURSE = ("goal_space", "emotions", "stretched", "mean", "scales", "noise")
_MODEL = ("people", "log_rates", "log_rate_spread", "frame_time", "trials", "variations")
_ADDED = {"log_rate_walk": RATE_WALK, "pace_variations": np.zeros((0, 2 * SEGMENTS))}
"""What files of gambol 0.1.0 may lack."""


def save_interaction(model: InteractionModel, path: Path) -> None:
    """Write a model; an interrupted write leaves no partial file."""
    course = {name: getattr(model.course, name) for name in _COURSE}
    values = {name: getattr(model, name) for name in (*_MODEL, *_ADDED)}
    write_archive(path, _WHAT, _FORMAT, {**values, "course": {**course, "process": model.course.process.to_values()}})


def load_interaction(path: str | PathLike[str]) -> InteractionModel:
    """Load a model; it gives the same numbers.

    >>> handshake = gb.load_interaction("handshake.npz")  # doctest: +SKIP
    """
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, _FIX)
    try:
        return _make_model(values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None


def _make_model(values: dict[str, Any]) -> InteractionModel:
    course = values["course"]
    process = CoefficientProcess.from_values(course["process"])
    parts = {name: course[name] for name in _COURSE} | {"emotions": tuple(course["emotions"])}
    made = build(Course, {"process": process, **parts})
    rest = {name: values[name] for name in _MODEL} | {name: values.get(name, value) for name, value in _ADDED.items()}
    return build(InteractionModel, {"course": made, **rest, "people": tuple(rest["people"])})

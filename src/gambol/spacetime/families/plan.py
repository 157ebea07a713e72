"""Define what a family varies: stages of a clip along axes (L05 section 4.4.3, figure 4.4), and read it from YAML::

    axes:
      - {stage: ground 2, forward: [-0.5, 0.5], count: 3}
      - {stage: ground 2, left: [-0.5, 0.5], count: 3}

One axis gives a line, two a grid, and one that turns `about` another stage a circle; a family is the product of its
axes. Everything that an edit can change can be an axis; `changes`, `gravity` and `keep` apply to all members as in an
edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.yamls import abbreviate, check_list, check_mapping, check_number, read_yaml
from gambol.spacetime.edits.edit import NUMBERS, Change, Edit, parse_change, parse_edit

GridIndex = tuple[int, ...]
"""Index of a member, one number per axis."""
FAMILY_FPS = 30.0
"""Frames per second at which members are solved."""
_UNITS = {"turn": "deg", "longer": "ratio"}
"""At the end of names of figures; other numbers are metres."""
_MOST = 1000
"""Most members on one axis."""


@dataclass(frozen=True)
class Axis:
    """Numbers of a stage that vary together."""

    stage: str
    ranges: Mapping[str, tuple[float, float]]
    """First and last value of each number that varies; the first number parametrises the axis."""
    count: int
    words: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of the change: about, by, alone."""

    def __post_init__(self) -> None:
        if not 2 <= self.count <= _MOST:
            raise InputError(f"'count' of an axis must be 2 to {_MOST}, not {self.count}")
        same = next((name for name, (low, high) in self.ranges.items() if low == high), None)
        if same is not None or not self.ranges:
            raise InputError(
                f"nothing varies along an axis of '{self.stage}'",
                fix="give a range: forward: [-0.5, 0.5]",
            )

    @property
    def measure(self) -> str:
        """The number that parametrises the axis."""
        return next(iter(self.ranges))

    @property
    def key(self) -> str:
        """Name of its first number among figures: stage, number and unit, such as ground_2_forward_m."""
        return f"{self.stage} {self.measure} {_UNITS.get(self.measure, 'm')}".replace(" ", "_")

    @property
    def values(self) -> Array:
        """The values (count,) of its members."""
        return np.linspace(*self.ranges[self.measure], self.count)

    def at(self, value: float) -> dict[str, float]:
        """Return all its numbers where the first has a value."""
        first, last = self.ranges[self.measure]
        share = (value - first) / (last - first)
        return {name: low + share * (high - low) for name, (low, high) in self.ranges.items()}


@dataclass(frozen=True)
class FamilyPlan:
    """A family to be solved."""

    name: str
    axes: tuple[Axis, ...]
    always: Edit
    """The edit that all members share."""
    fps: float = FAMILY_FPS

    def __post_init__(self) -> None:
        if not self.axes:
            raise InputError("the family has no axes", fix="axes: [{stage: ground 2, forward: [-0.5, 0.5], count: 3}]")
        if not 10.0 <= self.fps <= 240.0:
            raise InputError(f"'fps' is {self.fps:g}", fix="10 to 240 frames per second")
        named = [(axis.stage, axis.measure) for axis in self.axes]
        twice = next((name for n, name in enumerate(named) if name in named[:n]), None)
        if twice is not None:
            raise InputError(f"{twice[1]} of '{twice[0]}' varies along two axes", fix="remove one of them")
        self.edit_at([axis.values[0] for axis in self.axes])

    @property
    def shape(self) -> tuple[int, ...]:
        """Members per axis."""
        return tuple(axis.count for axis in self.axes)

    def edit(self, member: Sequence[int]) -> Edit:
        """Return the edit of a member."""
        return self.edit_at([axis.values[n] for axis, n in zip(self.axes, member, strict=True)])

    def edit_at(self, values: Sequence[float]) -> Edit:
        """Return the edit at axis values, one per axis."""
        changes = {change.stage: change for change in self.always.changes}
        for axis, value in zip(self.axes, values, strict=True):
            change = changes.get(axis.stage, Change(axis.stage))
            numbers = {
                name: getattr(change, name) * given if name == "longer" else getattr(change, name) + given
                for name, given in axis.at(float(value)).items()
            }
            changes[axis.stage] = replace(change, **{**axis.words, **numbers})
        return replace(self.always, changes=tuple(changes.values()))


def read_plan(path: Path) -> FamilyPlan:
    """Read a family plan from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_plan(content, path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_plan(content: Any, name: str) -> FamilyPlan:
    """Make a family plan from parsed YAML."""
    given = check_mapping(content, "a family", ("axes", "fps", "changes", "gravity", "keep"))
    axes = tuple(_axis(entry) for entry in check_list(given.get("axes", []), "axes"))
    always = {key: value for key, value in given.items() if key in ("changes", "gravity", "keep")}
    edit = parse_edit(always, name) if always else Edit(name)
    return FamilyPlan(name, axes, edit, check_number(given.get("fps", FAMILY_FPS), "fps", 1000.0))


def _axis(entry: Any) -> Axis:
    given = check_mapping(entry, "an axis", ("stage", "count", *NUMBERS, "about", "by", "alone"))
    ranges = {name: _range(given[name], name) for name in given if name in NUMBERS}
    count = check_number(given.get("count", 3), "count", 1e9)
    if count != int(count):
        raise InputError(f"'count' must be a whole number, not {count:g}")
    words = {name: given[name] for name in ("about", "by", "alone") if name in given}
    whole = parse_change({"stage": given.get("stage"), **words, **{name: last for name, (_, last) in ranges.items()}})
    return Axis(whole.stage, ranges, int(count), {name: getattr(whole, name) for name in words})


def _range(value: Any, name: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(
            f"'{name}' of an axis must be a range of two numbers, not {abbreviate(value)}", fix=f"{name}: [-0.5, 0.5]"
        )
    first, last = (check_number(end, name, 3600.0 if name == "turn" else 100.0) for end in value)
    return first, last

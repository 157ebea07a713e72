"""Arrays: their type, a check of their shapes, runs of True, lines between rows, and dataclasses in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import MISSING, Field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError, make_line

Array = NDArray[np.floating]
"""An array of floating-point numbers; docstrings state its shape and unit."""
LONGEST_REPR = 120
"""Characters of what `repr` returns for data that a user meets."""


def check_shapes(owner: object, **shapes: tuple[int, ...]) -> None:
    """Raise an InputError unless the named arrays of an object are finite and have these shapes."""
    for name, shape in shapes.items():
        array = getattr(owner, name)
        if np.shape(array) != shape or not np.isfinite(array).all():
            what = f"{name} of {type(owner).__name__}"
            raise InputError(f"{what} must be finite and of shape {shape}, not {np.shape(array)}")


def find_runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield first and last frame of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(int)))
    yield from ((int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True))


def join_runs(mask: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """Return first and last frame of every run of True, those with `gap` frames or fewer between them as one."""
    joined: list[tuple[int, int]] = []
    for first, last in find_runs(mask):
        if joined and first - joined[-1][1] - 1 <= gap:
            first = joined.pop()[0]
        joined.append((first, last))
    return joined


def bridge_line(values: Array, first: int, last: int) -> None:
    """Interpolate values (frames, n) linearly between two frames, in place."""
    values[first : last + 1] = np.linspace(values[first], values[last], last - first + 1)


def summarise_fields(value: Any) -> str:
    """Return a dataclass as one line: numbers and words as they are, arrays by shape, the rest by kind and length.

    Fields that have their default are left out. For `__repr__` of classes with arrays, whose own would be pages long.
    """
    named = ((field, getattr(value, field.name)) for field in fields(value) if field.repr)
    shown = [f"{field.name}={_show(given)}" for field, given in named if not _is_default(field, given)]
    return make_line(f"{type(value).__name__}({', '.join(shown)})", LONGEST_REPR)


def _show(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    kind = type(value).__name__
    return f"{kind} of {len(value)}" if isinstance(value, Sized) else kind


def _is_default(field: Field[Any], value: Any) -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return value is default or (type(value) is type(default) and not isinstance(value, np.ndarray) and value == default)

"""Lines of JSON that other programs send: one object per line, known keys, finite numbers, one answer each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from gambol.errors import InputError


class LineStream(Protocol):
    """Answers lines, after a header."""

    @property
    def header(self) -> dict[str, Any]:
        """The first line out."""

    def answer(self, line: str | bytes) -> dict[str, Any]:
        """Answer a line, or return an error that leaves the state unchanged."""


def answer_lines(stream: LineStream, lines: Iterable[str | bytes]) -> Iterator[str]:
    """Yield the header, then one line per line."""
    yield json.dumps(stream.header)
    for line in lines:
        yield json.dumps(stream.answer(line))


def parse_object(line: str | bytes, example: str) -> dict[str, Any]:
    """Return the object of a line; the error for anything else shows an example."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a line of JSON: {' '.join(str(error).split())}") from None
    if not isinstance(asked, dict):
        raise InputError("not an object", fix=example)
    return asked


def check_keys(asked: dict[str, Any], keys: tuple[str, ...], what: str) -> None:
    """Raise an InputError for keys that are not known."""
    unknown = [key for key in asked if key not in keys]
    if unknown:
        raise InputError(f"{what} has no '{unknown[0][:40]}'", fix=f"it has {', '.join(keys)}")


def parse_numbers(values: Any, what: str) -> tuple[float, ...]:
    """Return a list of finite numbers as a tuple."""
    if not isinstance(values, list) or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        raise InputError(f"{what} is not a list of numbers")
    try:
        numbers = tuple(float(value) for value in values)
    except OverflowError:
        numbers = (math.inf,)
    if not all(math.isfinite(value) for value in numbers):
        raise InputError(f"{what} has a number that is not finite")
    return numbers

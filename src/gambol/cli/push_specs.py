"""Pushes, loads and platforms as a person writes them: on the command line and in YAML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gambol.errors import InputError
from gambol.io.yamls import read_yaml
from gambol.motion.pushes import Load, Platform, Push

_TIMES = re.compile(r"^(?P<what>.*?)\s+at\s+(?P<at>\S+)(?:\s+for\s+(?P<for>\S+))?$")
_KEYS = ("body", "force", "start", "duration", "point", "axes")
_EARLIER = {"at": "start", "for": "duration"}
"""Names that files may have for keys."""
_EXAMPLE = "- {body: head, force: [0, 60, 0], start: 1.0, duration: 0.2}"


def push_spec(text: str, axes: str = "world") -> Push:
    """A push from 'BODY FX FY FZ at SECOND for SECONDS'."""
    example = "write it as 'left_upper_arm 0 60 0 at 1.0 for 0.2'"
    what, start, duration = _timed(text, example)
    body, *numbers = what.split()
    return Push(body, _numbers(numbers, text, example), start, duration, axes=axes)  # type: ignore[arg-type]


def platform_spec(text: str) -> Platform:
    """A platform from 'AX AY AZ at SECOND for SECONDS'."""
    example = "write it as '4 0 0 at 1.0 for 0.2'"
    what, start, duration = _timed(text, example)
    return Platform(_numbers(what.split(), text, example), start, duration)  # type: ignore[arg-type]


def load_spec(text: str) -> Load:
    """A load from 'BODY=KILOGRAMS'."""
    body, equals, mass = text.partition("=")
    if not equals:
        raise InputError(f"no load in '{text}'", fix="write it as right_hand=3")
    return Load(body.strip(), _number(mass, text, "write it as right_hand=3"))


def push_file(path: Path) -> list[Push]:
    """Pushes from a YAML list of mappings."""
    entries = read_yaml(path)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("not a list of pushes", file=path, fix=_EXAMPLE)
    return [_entry(entry, path) for entry in entries]


def _entry(entry: dict[str, Any], path: Path) -> Push:
    entry = {_EARLIER.get(key, key): value for key, value in entry.items()}
    unknown = [str(key) for key in entry if key not in _KEYS]
    if unknown:
        raise InputError(f"a push has no '{unknown[0]}'", file=path, fix=f"it has {', '.join(_KEYS)}")
    missing = [key for key in ("body", "force", "start") if key not in entry]
    if missing:
        raise InputError(f"a push without '{missing[0]}'", file=path, fix="it needs body, force and start")
    try:
        point = None if entry.get("point") is None else tuple(entry["point"])
        return Push(
            str(entry["body"]), tuple(entry["force"]), float(entry["start"]), float(entry.get("duration", 0.2)),
            point, str(entry.get("axes", "world")),  # type: ignore[arg-type]
        )  # fmt: skip
    except (TypeError, ValueError):
        raise InputError(
            f"not a push: {entry}", file=path, fix="force and point are three numbers, start and duration seconds"
        ) from None


def _timed(text: str, example: str) -> tuple[str, float, float]:
    found = _TIMES.match(text.strip())
    if found is None or not found["what"].strip():
        raise InputError(f"cannot read '{text}'", fix=example)
    return found["what"], _number(found["at"], text, example), _number(found["for"] or "0.2", text, example)


def _numbers(words: list[str], text: str, example: str) -> tuple[float, ...]:
    if len(words) != 3:
        raise InputError(f"three numbers are needed in '{text}'", fix=example)
    return tuple(_number(word, text, example) for word in words)


def _number(word: str, text: str, example: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"'{word}' is no number in '{text}'", fix=example) from None

"""YAML that people write: every key once, and what is not as expected told in a line."""

from __future__ import annotations

import math
import reprlib
from pathlib import Path
from typing import Any

from gambol.errors import InputError

_LARGEST = 1_000_000
"""Bytes: people write less."""
_SAID = 80
"""Letters of a value that are repeated in an error."""
MAX_DISTANCE, MAX_DEGREES = 100.0, 3600.0
"""Metres (and whatever is not an angle), and degrees: more is a slip of the pen."""


def read_yaml(path: Path) -> Any:
    """What a YAML file holds."""
    import yaml

    class Once(yaml.SafeLoader):
        """Refuses mappings that name a key twice."""

    def check_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = [loader.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for n, key in enumerate(seen) if key in seen[:n]), None)
        if twice is not None:
            raise InputError(f"'{twice}' is given twice", file=path, line=node.start_mark.line + 1)
        made: dict[Any, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep)
        return made

    Once.add_constructor(
        yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, lambda loader, node: check_mapping(loader, node, True)
    )
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("is too large to have been written by hand", file=path)
        return yaml.load(path.read_text(encoding="utf-8"), Loader=Once)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or 'not text'}", file=path) from None
    except (yaml.YAMLError, RecursionError, TypeError) as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", file=path) from None


def check_mapping(value: Any, what: str, allowed: tuple[str, ...] | None) -> dict[str, Any]:
    """Names with their values; none but those that are allowed."""
    if isinstance(value, dict) and True in value:
        raise InputError(f"YAML reads 'on' and 'yes' as true, in {what}", fix="what carries is given as 'touch: feet'")
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{what} is a mapping of names to values, not {abbreviate(value)}")
    unknown = next((key for key in value if allowed is not None and key not in allowed), None)
    if unknown is not None:
        raise InputError(f"{what} has no {abbreviate(unknown)}", fix=f"it has {', '.join(allowed or ())}")
    return value


def check_list(value: Any, what: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise InputError(f"'{what}' is a list, not {abbreviate(value)}")
    return value


def check_number(value: Any, what: str, most: float = MAX_DISTANCE) -> float:
    """A finite number of a size that makes sense."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == math.inf:
        raise InputError(f"'{what}' is a number, not {abbreviate(value)}")
    if not abs(value) <= most:
        raise InputError(f"'{what}' is at most {most:g}, not {abbreviate(value)}")
    return float(value)


def check_flag(value: Any, what: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InputError(f"'{what}' is true or false, not {abbreviate(value)}")
    return value


def check_choice(value: Any, what: str, options: tuple[str, ...]) -> Any:
    """One of some words."""
    if value not in options:
        raise InputError(f"no {what} {abbreviate(value)}", fix=f"choose {', '.join(options)}")
    return value


def abbreviate(value: Any) -> str:
    """A value as it can be said in a line, however long it is."""
    return reprlib.repr(value)[:_SAID]

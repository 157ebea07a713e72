"""Read and validate YAML files: duplicate keys are rejected, and errors name the value and what was expected."""

from __future__ import annotations

import math
import reprlib
from pathlib import Path
from typing import Any

from gambol.errors import InputError

_LARGEST = 1_000_000
"""Largest file (bytes)."""
_MAX_QUOTED = 80
"""Characters of a value that an error quotes."""
MAX_DISTANCE, MAX_DEGREES = 100.0, 3600.0
"""Largest accepted magnitudes: metres (and any number that is not an angle), and degrees."""


def read_yaml(path: Path) -> Any:
    """Read a YAML file; a mapping with a repeated key is an error."""
    import yaml

    class UniqueKeyLoader(yaml.SafeLoader):
        """Loader that rejects repeated keys."""

    def construct_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = [loader.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for n, key in enumerate(seen) if key in seen[:n]), None)
        if twice is not None:
            raise InputError(f"'{twice}' is given twice", file=path, line=node.start_mark.line + 1)
        made: dict[Any, Any] = yaml.SafeLoader.construct_mapping(loader, node, deep)
        return made

    UniqueKeyLoader.add_constructor(
        yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, lambda loader, node: construct_mapping(loader, node, True)
    )
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"the file is larger than {_LARGEST} bytes", file=path)
        return yaml.load(path.read_text(encoding="utf-8"), Loader=UniqueKeyLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or 'not text'}", file=path) from None
    except (yaml.YAMLError, RecursionError, TypeError) as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", file=path) from None


def check_mapping(value: Any, what: str, allowed: tuple[str, ...] | None) -> dict[str, Any]:
    """Return a mapping whose keys are strings, all among `allowed` if given."""
    if isinstance(value, dict) and True in value:
        raise InputError(
            f"YAML reads the keys 'on' and 'yes' as true, in {what}", fix="write supports as 'touch: feet'"
        )
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{what} must be a mapping of names to values, got {abbreviate(value)}")
    unknown = next((key for key in value if allowed is not None and key not in allowed), None)
    if unknown is not None:
        raise InputError(f"{what} has no key {abbreviate(unknown)}", fix=f"keys: {', '.join(allowed or ())}")
    return value


def check_list(value: Any, what: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise InputError(f"'{what}' must be a list, got {abbreviate(value)}")
    return value


def check_number(value: Any, what: str, most: float = MAX_DISTANCE) -> float:
    """Return a finite number of magnitude `most` or less."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == math.inf:
        raise InputError(f"'{what}' must be a number, got {abbreviate(value)}")
    if not abs(value) <= most:
        raise InputError(f"'{what}' must be at most {most:g}, got {abbreviate(value)}")
    return float(value)


def check_flag(value: Any, what: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise InputError(f"'{what}' must be true or false, got {abbreviate(value)}")
    return value


def check_choice(value: Any, what: str, options: tuple[str, ...]) -> Any:
    """Return a value that must be one of `options`."""
    if value not in options:
        raise InputError(f"no {what} {abbreviate(value)}", fix=f"choose {', '.join(options)}")
    return value


def abbreviate(value: Any) -> str:
    """Return the text of a value, shortened for an error message."""
    return reprlib.repr(value)[:_MAX_QUOTED]

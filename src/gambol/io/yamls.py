"""Read and validate YAML files: repeated keys and aliases are refused, errors name the value and what is expected."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gambol.errors import InputError, missing_file_error

_LARGEST = 1_000_000
"""Largest file (bytes)."""
_DEEPEST = 30
"""Deepest nesting of lists and mappings."""
_MAX_QUOTED = 80
"""Characters of a value that an error quotes."""
MAX_DISTANCE, MAX_DEGREES = 100.0, 3600.0
"""Largest accepted magnitudes: metres (and any number that is not an angle), and degrees."""


def read_yaml(path: Path) -> Any:
    """Read a YAML file; a mapping with a repeated key is an error."""
    return read_yaml_nodes(path)[0]


def read_yaml_nodes(path: Path) -> tuple[Any, Any]:
    """Read a YAML file as its content and the node of the parser that the content was made of."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"the file is larger than {_LARGEST} bytes", file=path)
        return parse_yaml(path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        raise missing_file_error(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or 'not text'}", file=path) from None


def parse_yaml(text: str, file: Path | None = None) -> tuple[Any, Any]:
    """Return the content of YAML and its node, in time linear in the length of the text."""
    import yaml

    base = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

    class StrictLoader(base):  # type: ignore[misc, valid-type]
        """Loader that rejects repeated keys, and numbers that take long to convert."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if key in seen:
                    line = key_node.start_mark.line + 1
                    raise InputError(f"{abbreviate(key)} is given twice", file=file, line=line)
                seen.add(key)
            made: dict[Any, Any] = super().construct_mapping(node, True)
            return made

        def construct_scalar(self, node: Any) -> Any:
            if node.tag != self.DEFAULT_SCALAR_TAG and len(node.value) > _MAX_QUOTED:
                line = node.start_mark.line + 1
                raise InputError(f"{abbreviate(node.value)} is too long for a number", file=file, line=line)
            return super().construct_scalar(node)

    try:
        _check_structure(yaml.parse(text, Loader=base), file)
        loader = StrictLoader(text)
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), node
    except (yaml.YAMLError, RecursionError, TypeError, ValueError) as error:
        raise InputError(f"not YAML: {error}", file=file) from None


def _check_structure(events: Iterable[Any], file: Path | None) -> None:
    """Refuse what takes exponential time to expand, and nesting that a recursive parser cannot follow."""
    import yaml

    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            problem, fix = f"the alias {abbreviate(event.anchor)} is not followed", "write the value again"
        elif depth > _DEEPEST:
            problem, fix = f"values are nested more than {_DEEPEST} deep", None
        else:
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            continue
        raise InputError(problem, file=file, line=event.start_mark.line + 1, fix=fix)


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

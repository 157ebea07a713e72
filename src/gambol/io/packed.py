"""Convert dataclasses to JSON and arrays and back, exactly. Archives store clips, plans and models this way.

A packed value is a number, a string, or a mapping of one kind to its content: {"Motion": {"q": {"array": 3}, ...}}.
Class and field names are part of the file format. `unpack` creates only the classes that the caller allows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_GROUPS: dict[str, Any] = {"tuple": tuple, "list": list, "frozenset": frozenset}


def pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON types; its arrays are appended to `arrays`."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if is_dataclass(value):
        return {kind: {field.name: pack(getattr(value, field.name), arrays) for field in fields(value)}}
    if kind in _GROUPS:
        return {kind: [pack(one, arrays) for one in (sorted(value) if kind == "frozenset" else value)]}
    if isinstance(value, Mapping):
        return {"mapping": {str(name): pack(one, arrays) for name, one in value.items()}}
    return value.item() if isinstance(value, np.generic) else value


def unpack(tree: Any, arrays: Sequence[NDArray[Any]], kinds: Iterable[type]) -> Any:
    """Return the packed value; `kinds` are the allowed dataclasses. Invalid content raises built-in exceptions."""
    return _unpacked(tree, arrays, {kind.__name__: kind for kind in kinds})


def _unpacked(tree: Any, arrays: Sequence[NDArray[Any]], kinds: Mapping[str, Any]) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "array":
        return arrays[content]
    if kind in _GROUPS:
        return _GROUPS[kind](_unpacked(one, arrays, kinds) for one in content)
    named = {name: _unpacked(one, arrays, kinds) for name, one in content.items()}
    return named if kind == "mapping" else kinds[kind](**named)


def digest(*values: Any) -> str:
    """Return a SHA-256 hash of the content of values."""
    arrays: list[NDArray[Any]] = []
    found = hashlib.sha256(json.dumps([pack(value, arrays) for value in values]).encode())
    for array in arrays:
        found.update(repr((array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

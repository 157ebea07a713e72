"""Frozen data as JSON and arrays, and back to the last bit: how files keep clips, plans and models.

A value is a number, a word, or a mapping of one kind to its content: {"Motion": {"q": {"array": 3}, ...}}. Only the
kinds that a reader names come back, and each checks what it is made of.
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
    """What JSON can say of a value; its arrays are added to `arrays`."""
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
    """The value that `pack` was given, of these kinds of frozen data; of anything else it raises what Python raises."""
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
    """Stands for the content of values, to the last bit."""
    arrays: list[NDArray[Any]] = []
    found = hashlib.sha256(json.dumps([pack(value, arrays) for value in values]).encode())
    for array in arrays:
        found.update(repr((array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

"""Convert dataclasses and named tuples to JSON and arrays and back, exactly: clips, plans and models of archives.

A packed value is a number, a string, or a mapping of one kind to its content: {"Motion": {"q": {"array": 3}, ...}}.
Class and field names are part of the file format. `unpack` creates only the classes that the caller allows, and of
every field only what its annotation says.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

_Built = TypeVar("_Built")
MAX_STORED = 1e20
"""Largest magnitude of a number in a file: powers and products of several are finite."""
_UNBOUNDED = ("lower", "upper")
"""Fields whose numbers may be infinite: limits of degrees of freedom."""
_GROUPS: dict[str, Any] = {"tuple": tuple, "list": list, "frozenset": frozenset}


def pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return a value as JSON types; its arrays are appended to `arrays`."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    names = [field.name for field in fields(value)] if is_dataclass(value) else getattr(value, "_fields", None)
    if names is not None:
        return {kind: {name: pack(getattr(value, name), arrays) for name in names}}
    if kind in _GROUPS:
        return {kind: [pack(one, arrays) for one in (sorted(value) if kind == "frozenset" else value)]}
    if isinstance(value, Mapping):
        return {"mapping": {str(name): pack(one, arrays) for name, one in value.items()}}
    return value.item() if isinstance(value, np.generic) else value


def unpack(tree: Any, arrays: Sequence[NDArray[Any]], kinds: Iterable[type]) -> Any:
    """Return the packed value; `kinds` are the allowed classes. Invalid content raises built-in exceptions."""
    return _unpacked(tree, arrays, {kind.__name__: kind for kind in kinds})


def _unpacked(tree: Any, arrays: Sequence[NDArray[Any]], kinds: Mapping[str, Any], unbounded: bool = False) -> Any:
    if not isinstance(tree, dict):
        limit = unbounded and tree in (math.inf, -math.inf)
        if isinstance(tree, int | float) and not (limit or abs(tree) <= MAX_STORED):
            raise ValueError("a number is not finite, or too large")
        if isinstance(tree, list):
            raise TypeError("a list without its kind")
        return tree
    ((kind, content),) = tree.items()
    if kind == "array":
        return arrays[content]
    if kind in _GROUPS:
        return _GROUPS[kind](_unpacked(one, arrays, kinds) for one in content)
    named = {name: _unpacked(one, arrays, kinds, name in _UNBOUNDED) for name, one in content.items()}
    return named if kind == "mapping" else build(kinds[kind], named)


def build(kind: type[_Built], values: Mapping[str, Any]) -> _Built:
    """Return a dataclass of values from a file; a TypeError names the first that is not what its annotation says."""
    hints = _list_hints(kind)  # type: ignore[arg-type]
    for name, value in values.items():
        if name in hints and not _fits(value, hints[name]):
            raise TypeError(f"{name} of {kind.__name__} is not {hints[name]}")
    return kind(**values)


@cache
def _list_hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of an annotated type."""
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in arguments)
    if origin is Any:
        return True
    if origin is Literal:
        return value in arguments
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and np.issubdtype(value.dtype, get_args(arguments[1])[0])
    if origin is tuple and isinstance(value, tuple):
        wanted = arguments[:1] * len(value) if arguments[1:] == (...,) else arguments
        return len(wanted) == len(value) and all(map(_fits, value, wanted))
    if origin is float:
        return type(value) in (int, float)
    if origin in (int, bool, str):
        return type(value) is origin
    if not inspect.isclass(origin) or getattr(origin, "_is_protocol", False):
        return True
    members = value.values() if isinstance(value, Mapping) else value if isinstance(value, frozenset | list) else ()
    return isinstance(value, origin) and (not arguments or all(_fits(one, arguments[-1]) for one in members))


def digest(*values: Any) -> str:
    """Return a SHA-256 hash of the content of values."""
    arrays: list[NDArray[Any]] = []
    found = hashlib.sha256(json.dumps([pack(value, arrays) for value in values]).encode())
    for array in arrays:
        found.update(repr((array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

"""Frozen data as JSON and arrays, and back to the last bit: how a family keeps its clip.

A value is a number, a word, or a mapping of one kind to its content: {"Motion": {"q": {"array": 3}, ...}}. Only the
kinds named here come back, and each checks what it is made of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.fit.rig import Fit
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.families.plan import Axis, Plan

_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Axis, Change, Character, Dof, Edit, Fit, Motion, Origin, Plan, Rig, Skeleton)
}
_GROUPS: dict[str, Any] = {"tuple": tuple, "list": list, "frozenset": frozenset}


def pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """What JSON can say of a value; its arrays are added to `arrays`."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if kind in _KINDS:
        return {kind: {field.name: pack(getattr(value, field.name), arrays) for field in fields(value)}}
    if kind in _GROUPS:
        return {kind: [pack(one, arrays) for one in (sorted(value) if kind == "frozenset" else value)]}
    if isinstance(value, Mapping):
        return {"mapping": {str(name): pack(one, arrays) for name, one in value.items()}}
    return value.item() if isinstance(value, np.generic) else value


def unpack(tree: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    """The value that `pack` was given. Of anything else it raises what Python raises."""
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "array":
        return arrays[content]
    if kind in _GROUPS:
        return _GROUPS[kind](unpack(one, arrays) for one in content)
    named = {name: unpack(one, arrays) for name, one in content.items()}
    return named if kind == "mapping" else _KINDS[kind](**named)


def digest(*values: Any) -> str:
    """Stands for the content of values, to the last bit."""
    arrays: list[NDArray[Any]] = []
    found = hashlib.sha256(json.dumps([pack(value, arrays) for value in values]).encode())
    for array in arrays:
        found.update(repr((array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()

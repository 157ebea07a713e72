"""Packed values: they come back as they were, and a field holds only what its annotation says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.io.packed import build, pack, unpack
from gambol.motion.skeleton import Dof


@dataclass(frozen=True, eq=False)
class Part:
    """One field of every kind that files hold."""

    name: str
    count: int
    size: float
    flag: bool
    kind: Literal["slide", "turn"]
    axis: tuple[float, float, float]
    dofs: tuple[Dof, ...]
    ends: frozenset[int]
    parts: Mapping[str, int]
    values: Array
    maybe: float | None = None


VALUES: dict[str, Any] = {
    "name": "a", "count": 2, "size": 1, "flag": True, "kind": "turn", "axis": (1.0, 0.0, 0.0),
    "dofs": (Dof(0, "turn", (1.0, 0.0, 0.0)),), "ends": frozenset({1}), "parts": {"a": 1}, "values": np.ones(3),
}  # fmt: skip
WRONG: list[tuple[str, Any]] = [
    ("name", 1), ("count", 2.0), ("count", True), ("size", "1"), ("size", True), ("flag", 1), ("kind", "bend"),
    ("axis", (1.0, 0.0)), ("axis", [1.0, 0.0, 0.0]), ("axis", (1.0, 0.0, None)), ("dofs", (1,)),
    ("ends", frozenset({"a"})), ("ends", (1,)), ("parts", {"a": 1.5}), ("parts", [1]), ("values", [1.0]),
    ("values", np.ones(3, dtype=int)), ("values", np.array(["a"])), ("maybe", "x"),
]  # fmt: skip


def test_values_come_back() -> None:
    arrays: list[Any] = []
    tree = json.loads(json.dumps(pack(build(Part, VALUES), arrays)))
    back = unpack(tree, arrays, (Part, Dof))
    assert back.dofs == VALUES["dofs"]
    assert back.dofs[0].upper == np.inf
    assert (back.axis, back.ends, back.parts, back.maybe) == (VALUES["axis"], VALUES["ends"], VALUES["parts"], None)
    np.testing.assert_array_equal(back.values, VALUES["values"])


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_other_types_are_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} of Part"):
        build(Part, {**VALUES, name: value})


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite_but_for_limits(number: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        unpack({"mapping": {"size": number}}, [], ())
    limit = {"Dof": {"joint": 0, "kind": "turn", "axis": {"tuple": [1.0, 0.0, 0.0]}, "lower": number}}
    if np.isnan(number):
        with pytest.raises(ValueError, match="not finite"):
            unpack(limit, [], (Dof,))
    else:
        assert unpack(limit, [], (Dof,)).lower == number

"""Poles, walls and ramps of a scene in the extras of a glTF file: metres, in the world frame of the motions (z up)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io.gltf.document import Document
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion

_WIDTHS = {"poles": 3, "walls": 4, "ramps": 7}
"""Numbers per obstacle, as in `Ensemble`."""
_FARTHEST = 1e4
"""Largest coordinate (m) of an obstacle."""


def add_obstacles(document: dict[str, Any], motions: Sequence[Motion]) -> None:
    """Add the obstacles of an ensemble, where it has any, to the JSON of a glTF."""
    scene = as_ensemble(motions)
    if scene.has_obstacles:
        extras = document.get("extras")
        own = {key: getattr(scene, key).tolist() for key in _WIDTHS if len(getattr(scene, key))}
        document["extras"] = {**(extras if isinstance(extras, dict) else {}), "gambol": own}


def read_obstacles(document: Document) -> dict[str, Array]:
    """Return the obstacles that gambol wrote into a file, as the fields of an `Ensemble`."""
    extras = document.json.get("extras")
    own = document.mapping(extras, "gambol") if isinstance(extras, dict) else {}
    return {key: _read_rows(document, own.get(key, []), key, width) for key, width in _WIDTHS.items()}


def _read_rows(document: Document, rows: Any, key: str, width: int) -> Array:
    if not isinstance(rows, list):
        raise document.error(f"'{key}' is not a list")
    numbers = [document.numbers({key: row}, key, (0.0,) * width) for row in rows]
    found = np.array(numbers, dtype=float).reshape(-1, width)
    if (np.abs(found) > _FARTHEST).any():
        raise document.error(f"'{key}' holds a number larger than {_FARTHEST:g} m")
    return found

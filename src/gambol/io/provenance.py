"""Provenance of a motion that is stored in files: name, exact frame time, notes, settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from gambol.motion.motion import Motion


def make_record(motion: Motion) -> dict[str, Any]:
    """Return name, frame time, notes and settings of a motion, ready for `json.dumps`."""
    return {
        "gambol": version("gambol"),
        "name": motion.name,
        "frame_time": motion.frame_time,
        "frames": len(motion),
        "notes": list(motion.notes),
        "made": to_json_types(motion.made),
    }


def to_json_types(value: Any) -> Any:
    """Return a value as JSON types; numbers that are not finite become None, other objects their text."""
    if isinstance(value, Mapping):
        return {str(key): to_json_types(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return to_json_types(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_types(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)

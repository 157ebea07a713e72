"""What a file says about its motion besides the frames: name, exact frame time, notes, settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from gambol.motion.motion import Motion


def record(motion: Motion) -> dict[str, Any]:
    """The facts of a motion that its frames do not tell, ready for `json.dumps`."""
    return {
        "gambol": version("gambol"),
        "name": motion.name,
        "frame_time": motion.frame_time,
        "frames": len(motion),
        "notes": list(motion.notes),
        "made": plain(motion.made),
    }


def plain(value: Any) -> Any:
    """The value in JSON's own types; numbers that JSON cannot hold become None, other things their text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)

"""Recordings by their numbers, wherever they lie in the folder of data."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.motion.motion import Motion

_AT_60 = "75_"
"""Recordings of a subject that say 120 frames a second and fall as at 60."""


@cache
def load_cmu_clip(data: Path, name: str) -> Motion:
    """A recording by its number."""
    file = next((data / "cmu_bvh").glob(f"*/{name}.bvh"), None)
    if file is None:
        raise InputError(f"there is no recording {name}", file=data, fix="the recordings of CMU as BVH, in cmu_bvh/")
    motion = load(file)
    return replace(motion, frame_time=1.0 / 60.0) if name.startswith(_AT_60) else motion

"""Load CMU recordings at their true frame rates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.motion.motion import Motion

SLOW_SUBJECTS = ("75", "88", "141", "143")
"""Subjects recorded at 60 frames per second, as free flight shows, whose files state 120."""


@cache
def load_cmu_clip(data: Path, name: str) -> Motion:
    """Load a recording by its number, such as "35_01", from the folder of recordings."""
    return load_cmu_file(find_cmu_file(data, name))


def find_cmu_file(data: Path, name: str) -> Path:
    """Return the file of a recording by its number."""
    file = next((data / "cmu_bvh").glob(f"*/{name}.bvh"), None)
    if file is None:
        raise InputError(f"there is no recording {name}", file=data, fix="put the CMU recordings as BVH into cmu_bvh/")
    return file


def load_cmu_file(file: Path) -> Motion:
    """Load a file of a recording; its name begins with the number of the subject."""
    return load(file, fps=60.0 if file.stem.split("_")[0] in SLOW_SUBJECTS else None)

"""Load CMU recordings at their true frame rates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.motion.motion import Motion

_RATES = {"75": 60.0, "88": 60.0, "141": 60.0, "143": 60.0}
"""Frame rates of subjects whose files state 120 frames per second: the acceleration in free flight shows 60."""


@cache
def load_cmu_clip(data: Path, name: str) -> Motion:
    """Load a recording by its number, such as "35_01", from the folder of recordings."""
    file = next((data / "cmu_bvh").glob(f"*/{name}.bvh"), None)
    if file is None:
        raise InputError(f"there is no recording {name}", file=data, fix="put the CMU recordings as BVH into cmu_bvh/")
    return load_cmu_file(file)


def load_cmu_file(file: Path) -> Motion:
    """Load a file of a recording; its name begins with the number of the subject."""
    return load(file, fps=_RATES.get(file.stem.split("_")[0]))

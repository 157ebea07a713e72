"""Make the built-in motions of the package: `python scripts/make_samples.py [NAME ...]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from samples.gait import make_gait
from samples.jump import jump
from samples.run import run
from samples.stand import stand
from samples.walk import walk

from gambol.io import save
from gambol.motion.motion import Motion

FOLDER = Path(__file__).parents[1] / "src" / "gambol" / "io" / "samples"

MAKERS: dict[str, Callable[[], Motion]] = {
    "stand": stand,
    "walk": lambda: make_gait(walk()),
    "run": lambda: make_gait(run()),
    "jump": jump,
}


def main(names: list[str]) -> None:
    """Make the named motions, or all of them."""
    for name in names or list(MAKERS):
        save(MAKERS[name](), FOLDER / f"{name}.bvh")
        print(f"{name}: {(FOLDER / f'{name}.bvh').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Built-in motions, synthesised by `scripts/make_samples.py`."""

from __future__ import annotations

from pathlib import Path

from gambol.errors import InputError
from gambol.io import read_motions
from gambol.io.formats import BUILT_IN
from gambol.motion.motion import Motion


def names() -> tuple[str, ...]:
    """Return the names of the built-in motions."""
    return BUILT_IN


def by_name(name: str) -> Motion:
    """Return a built-in motion by name."""
    return read_motions(file(name))[0]


def file(name: str) -> Path:
    """Return the path of the BVH file of a built-in motion."""
    if name not in BUILT_IN:
        raise InputError(f"no built-in motion '{name}'", fix=f"choose from {', '.join(BUILT_IN)}")
    return Path(__file__).with_name(f"{name}.bvh")


def stand() -> Motion:
    """Return quiet standing with sway and breathing: 4 s that loop."""
    return by_name("stand")


def walk() -> Motion:
    """Return a walk at 1.35 m/s: four cycles of 64 frames and the first frame of the next."""
    return by_name("walk")


def run() -> Motion:
    """Return a run at 3.2 m/s: four cycles of 42 frames and the first frame of the next."""
    return by_name("run")


def jump() -> Motion:
    """Return a standing broad jump of 1.45 m from rest to rest, 0.45 s of it in flight."""
    return by_name("jump")

"""The motions that gambol makes itself (`scripts/make_samples.py`): nothing to download, nobody's recording."""

from __future__ import annotations

from pathlib import Path

from gambol.errors import InputError
from gambol.io import read_motions
from gambol.motion.motion import Motion

_NAMES = ("stand", "walk", "run", "jump")


def names() -> tuple[str, ...]:
    """The names that `by_name` knows."""
    return _NAMES


def by_name(name: str) -> Motion:
    """A built-in motion by its name."""
    return read_motions(file(name))[0]


def file(name: str) -> Path:
    """The BVH of a built-in motion."""
    if name not in _NAMES:
        raise InputError(f"no built-in motion '{name}'", fix=f"there are {', '.join(_NAMES)}")
    return Path(__file__).with_name(f"{name}.bvh")


def stand() -> Motion:
    """Quiet standing: sway and breath, 4 s that loop."""
    return by_name("stand")


def walk() -> Motion:
    """A walk of 1.35 m/s, four cycles of 64 frames and the first frame of the next."""
    return by_name("walk")


def run() -> Motion:
    """A run of 3.2 m/s, four cycles of 42 frames and the first frame of the next."""
    return by_name("run")


def jump() -> Motion:
    """A standing broad jump of 1.45 m from rest to rest, 0.45 s of it in the air."""
    return by_name("jump")

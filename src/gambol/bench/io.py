"""`gambol bench io`: every reader and writer, and BVH beside bvhio and upc-pymotion on the same files.

The long files are a built-in walk, repeated; every program reads the same bytes in the same run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.bench.rows import Row, seconds
from gambol.io import load, load_all, samples, save
from gambol.io.bvh.read import read
from gambol.motion.motion import Motion

LENGTHS = (300, 3_000, 30_000, 100_000)
_PEER_LIMIT = 30_000
"""Frames beyond which bvhio takes minutes and gigabytes."""


def run() -> Iterator[Row]:
    """Rows as they are measured."""
    walk = samples.walk()
    with tempfile.TemporaryDirectory() as folder:
        for frames in LENGTHS:
            path = Path(folder) / f"walk_{frames}.bvh"
            save(_repeated(walk, frames), path)
            yield from _bvh_rows(path, frames)
        yield from _format_rows(walk, Path(folder))


def _repeated(motion: Motion, frames: int) -> Motion:
    times = -(-frames // len(motion))
    return replace(motion, q=np.tile(motion.q, (times, 1))[:frames])


def _bvh_rows(path: Path, frames: int) -> Iterator[Row]:
    repeats = 5 if frames <= 3_000 else 2
    parsed = seconds(lambda: read(path), repeats)
    loaded = seconds(lambda: load(path), repeats)
    yield Row(f"bvh-load-{frames}", frames / loaded, "frames/s")
    for peer, action in _peers(path):
        if peer == "bvhio" and frames > _PEER_LIMIT:
            continue
        theirs = seconds(action, repeats)
        yield Row(f"bvh-read-{frames}", frames / parsed, "frames/s", peer, frames / theirs, theirs / parsed)


def _peers(path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The peers that are installed (the `bench` extra)."""
    try:
        from pymotion.io.bvh import BVH

        yield "upc-pymotion", lambda: BVH().load(str(path))
    except ImportError:
        pass
    try:
        import bvhio

        yield "bvhio", lambda: bvhio.readAsBvh(str(path))
    except ImportError:
        pass


def _format_rows(walk: Motion, folder: Path) -> Iterator[Row]:
    for suffix in (".bvh", ".glb"):
        path = folder / f"clip{suffix}"
        wrote = seconds(lambda path=path: save(walk, path), 3)  # type: ignore[misc]
        yield Row(f"{suffix[1:]}-write", len(walk) / wrote, "frames/s")
        took = seconds(lambda path=path: load_all(path), 3)  # type: ignore[misc]
        yield Row(f"{suffix[1:]}-load", len(walk) / took, "frames/s")
    for suffix in (".csv", ".sto"):
        wrote = seconds(lambda suffix=suffix: save(walk, folder / f"clip{suffix}"), 3)  # type: ignore[misc]
        yield Row(f"{suffix[1:]}-write", len(walk) / wrote, "frames/s")

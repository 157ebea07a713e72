"""`gambol bench io`: readers and writers of all formats, and of BVH compared with bvhio, upc-pymotion and fairmotion.

Long files are the built-in walk, repeated; every program reads the same file in the same run. Formats that gambol does
not write are measured on recordings in the folder that GAMBOL_DATA names. fairmotion requires a torch of 2020, which
does not install on current Pythons; `pip install --no-deps fairmotion` is enough for its BVH reader.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.fit.load import load, load_all
from gambol.io import load_recording, samples, save
from gambol.io.bvh.read import read_bvh
from gambol.motion.motion import Motion
from gambol_evidence.bench.rows import NOT_INSTALLED, Row, measure_seconds

LENGTHS = (300, 3_000, 30_000, 100_000)
_PATIENCE = {"upc-pymotion": 100_000, "bvhio": 30_000, "fairmotion": 3_000}
"""Frames of the longest file that a peer reads in well under a minute."""
_RECORDINGS = {
    "amc": "cmu_asf_amc/49_18.amc",
    "c3d": "gait_grf/btk_c3d/FunctionalWalk.c3d",
    "trc": "gait_grf/opensim_rajagopal_walk_fullbody/markers_walk.trc",
    "mot": "gait_grf/opensim_rajagopal_walk_fullbody/grf_walk.mot",
}


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    walk = samples.walk()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for frames in LENGTHS:
            path = folder / f"walk_{frames}.bvh"
            save(_repeat(walk, frames), path)
            yield from _bvh_rows(path, frames)
        yield from _round_trip_rows(walk, folder)
    yield from _recording_rows()
    yield _help_row()


def _repeat(motion: Motion, frames: int) -> Motion:
    times = -(-frames // len(motion))
    return replace(motion, q=np.tile(motion.q, (times, 1))[:frames])


def _bvh_rows(path: Path, frames: int) -> Iterator[Row]:
    repeats = 5 if frames <= 3_000 else 2
    ours = frames / measure_seconds(lambda: read_bvh(path), repeats)
    for peer, action in _find_peers(path).items():
        if action is None:
            yield Row(f"bvh-read-{frames}", ours, "frames/s", peer, note=NOT_INSTALLED)
        elif frames > _PATIENCE[peer]:
            yield Row(f"bvh-read-{frames}", ours, "frames/s", peer, note="not measured, would take minutes")
        else:
            theirs = frames / measure_seconds(action, repeats)
            yield Row(f"bvh-read-{frames}", ours, "frames/s", peer, theirs, ours / theirs)
    yield Row(f"bvh-load-{frames}", frames / measure_seconds(lambda: load(path), repeats), "frames/s")


def _find_peers(path: Path) -> dict[str, Callable[[], object] | None]:
    """Return what reads a file with each peer (the `bench` extra); None for a peer that is not installed."""
    readers: dict[str, Callable[[], object] | None] = dict.fromkeys(_PATIENCE)
    with suppress(ImportError):
        from pymotion.io.bvh import BVH

        readers["upc-pymotion"] = lambda: BVH().load(str(path))
    with suppress(ImportError):
        import bvhio

        readers["bvhio"] = lambda: bvhio.readAsBvh(str(path))
    with suppress(ImportError):
        from fairmotion.data import bvh

        readers["fairmotion"] = lambda: bvh.load(str(path))
    return readers


def _round_trip_rows(walk: Motion, folder: Path) -> Iterator[Row]:
    for suffix, reader in ((".bvh", load_all), (".glb", load_all), (".sto", load_recording), (".csv", None)):
        path = folder / f"clip{suffix}"
        wrote = measure_seconds(lambda path=path: save(walk, path), 3)  # type: ignore[misc]
        yield Row(f"{suffix[1:]}-write", len(walk) / wrote, "frames/s")
        if reader is not None and suffix != ".bvh":
            took = measure_seconds(lambda path=path, reader=reader: reader(path), 3)  # type: ignore[misc]
            yield Row(f"{suffix[1:]}-read", len(walk) / took, "frames/s")


def _recording_rows() -> Iterator[Row]:
    folder = Path(os.environ.get("GAMBOL_DATA", ""))
    for kind, name in _RECORDINGS.items():
        path = folder / name
        if not path.is_file():
            yield Row(f"{kind}-read", math.nan, "frames/s", note=f"no recording {name} in GAMBOL_DATA")
            continue
        reader: Callable[[Path], object] = load if kind == "amc" else load_recording
        loaded = reader(path)
        frames = len(loaded.markers if kind == "c3d" else loaded)  # type: ignore[attr-defined,arg-type]
        yield Row(f"{kind}-read", frames / measure_seconds(lambda: reader(path), 3), "frames/s")  # noqa: B023


def _help_row() -> Row:
    command = [sys.executable, "-c", "from gambol.cli import main; main()", "--help"]
    return Row("help", measure_seconds(lambda: subprocess.run(command, capture_output=True, check=True), 5), "s")

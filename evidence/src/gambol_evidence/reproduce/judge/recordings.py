"""The recordings of the suite: those that nobody looked at while thresholds of the judge were chosen.

The files of cmu_bvh, sorted, count from 0. The judge is developed on those with even numbers; the suite measures on
those with odd ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gambol.motion.motion import Motion
from gambol_evidence.reproduce.recordings import load_cmu_file

BROKEN = {
    "acrobatics/87_03": "the right shank flips from in front to behind between two frames",
    "acrobatics/87_05": "feet flip over between two frames, three times",
    "acrobatics/88_05": "the right foot points forward in one frame and backward in the next, and later the left",
    "acrobatics/88_07": "the left foot turns over in two frames and then points backward",
    "dance/05_16": "the right shank flips for a frame, twice, and the left foot turns over",
    "jump_hop_leap/75_01": "the left foot turns about the shank by half a turn in two frames",
    "styled_walk/104_16": "the right foot points backward for some frames of every step",
    "terrain_stairs/03_02": "arms stay stretched out sideways and drop between two frames; the legs jump",
    "terrain_stairs/141_07": "the left foot points backward and turns about the shank by half a turn in three frames",
    "terrain_stairs/141_09": "feet turn over so that the toes point backward, in two frames",
    "turn/16_17": "pelvis and trunk tilt for a single frame",
    "two_person/18_06": "the right hand lies back on the forearm, and swings forward in three frames",
    "two_person/19_04": "the left arm stays stretched out sideways and drops between two frames",
}
"""Recordings of the held-out half that a person would not accept as they are, and what is seen.

Poses of all clips were drawn, and frame by frame the moments at which joints are jerkiest, without asking the judge.
"""
_WHOLE = ("walk", "styled_walk", "run", "turn", "jump_hop_leap", "terrain_stairs", "dance")
"""Folders of recordings that are damaged."""
_PARTNERS = {"18": "18 and 19", "19": "18 and 19", "20": "20 and 21", "21": "20 and 21"}
"""Subjects who were recorded together: files of both with one number are one scene."""
MEASURED_HALF = 1
"""Remainder by two of the numbers of recordings that the suite measures on."""


class SoundClip(NamedTuple):
    """A recording with its name, such as walk/07_01, and its number."""

    name: str
    number: int
    motion: Motion


def list_files(data: Path, half: int = MEASURED_HALF) -> dict[str, Path]:
    """Return the files of one half of all recordings by name."""
    folder = data / "cmu_bvh"
    files = {file.relative_to(folder).with_suffix("").as_posix(): file for file in folder.glob("*/*.bvh")}
    return {name: files[name] for name in sorted(files)[half::2]}


def load_sound(data: Path, half: int = MEASURED_HALF) -> Iterator[SoundClip]:
    """Yield the recordings of one half that are not broken."""
    for number, (name, file) in enumerate(list_files(data, half).items()):
        if name not in BROKEN:
            yield SoundClip(name, 2 * number + half, load_cmu_file(file))


def is_damaged(recording: SoundClip) -> bool:
    """Return whether a recording is one of walking, running, turning, jumping, stairs or dancing."""
    return recording.name.partition("/")[0] in _WHOLE


def name_scene(name: str) -> str:
    """Return the scene of two people that a recording is of, such as "18 and 19, 02"; empty for one person alone."""
    subject, _, number = name.rpartition("/")[2].partition("_")
    return f"{_PARTNERS[subject]}, {number}" if subject in _PARTNERS else ""

"""Compare the stances of repaired clips with those of the recordings: how far feet slide in them, and their heights.

Stances are those of the recording before the damage, so that a repair is not judged by contacts that it found itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.contacts.contact import Contact
from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.fix.damages import DAMAGES, take_video_frames
from gambol_evidence.reproduce.fix.repairing import repair_clip

SUBJECTS = {
    "run/02_03": slice(None),
    "dance/05_16": slice(0, 420),
    "walk/07_01": slice(0, 300),
    "run/09_01": slice(None),
    "walk/12_01": slice(0, 360),
    "turn/16_18": slice(0, 360),
    "walk/35_01": slice(0, 300),
    "walk/37_01": slice(0, 300),
    "styled_walk/82_12": slice(0, 360),
    "styled_walk/136_01": slice(120, 480),
}
"""A recording of each of ten subjects of CMU, and the frames used."""
STAIRS = {
    "terrain_stairs/03_01": slice(None),
    "terrain_stairs/13_35": slice(300, 900),
    "terrain_stairs/36_01": slice(None),
}
"""Recordings on stairs and rough ground, and the frames used."""
_WITHIN = 1.5
"""Largest ratio to the recording before the damage."""
_SHORTEST = 0.049
"""Seconds of the shortest contact that is measured: six of 120 frames per second."""


class StanceError(NamedTuple):
    """How stances of a clip fail: metres that feet slide in one (mean), and their heights (standard deviation)."""

    slide: float
    height: float


def measure_stances(data: Path, damage: str) -> Iterator[Claim]:
    """Damage a recording of each of ten subjects, and repair it."""
    found = {}
    for seed, (name, frames) in enumerate(SUBJECTS.items()):
        motion = take_video_frames(load(data / "cmu_bvh" / f"{name}.bvh")[frames], damage)
        damaged = DAMAGES[damage](motion, np.random.default_rng(seed))
        repaired = repair_clip(damaged, damage == "faster").motion
        found[name] = tuple(measure_stance_error(one, motion) for one in (motion, damaged, repaired))
    yield from stance_claims(damage, found)


def stance_claims(damage: str, found: Mapping[str, tuple[StanceError, ...]]) -> Iterator[Claim]:
    """Yield claims about the errors of every recording, of the damaged clip and of the repaired one."""
    texts = ("distance that feet slide in a stance", "standard deviation of the heights of stances")
    for number, (kind, words) in enumerate(zip(("slide", "float"), texts, strict=True)):
        values = {name: [1000.0 * error[number] for error in errors] for name, errors in found.items()}
        ratios = {name: after / clean for name, (clean, _, after) in values.items()}
        worst = max(ratios, key=lambda name: ratios[name])
        clean, before, after = (np.median(column) for column in zip(*values.values(), strict=True))
        about = (
            f"{len(found)} subjects of CMU, damage: {damage}; largest for {worst}; {_count(ratios)} within; "
            f"medians: recorded {clean:.1f} mm, damaged {before:.1f}, repaired {after:.1f}"
        )
        text = f"{words}, repaired relative to recorded, largest of ten subjects"
        yield Claim(f"{damage}-stance-{kind}", OUR_BAR, text, ratios[worst], "times", about, Band(high=_WITHIN))


def _count(ratios: Mapping[str, float]) -> str:
    return f"{sum(ratio <= _WITHIN for ratio in ratios.values())} of {len(ratios)}"


def measure_stairs(data: Path) -> Iterator[Claim]:
    """Repair recordings on stairs as they are."""
    for name, frames in STAIRS.items():
        motion = load(data / "cmu_bvh" / f"{name}.bvh")[frames]
        repaired = repair_clip(motion).motion
        before, after = (
            1000.0 * float(np.ptp(np.concatenate(list(_find_heights(one, motion).values()))))
            for one in (motion, repaired)
        )
        about = f"CMU {name}; recorded {before:.0f} mm, repaired {after:.0f}"
        text = "without damage: height from the lowest to the highest stance, repaired relative to recorded"
        row = f"{name.rpartition('/')[2]}-climbed"
        yield Claim(row, OUR_BAR, text, after / before, "times", about, Band(0.9, 1.1), motion=repaired)


def measure_stance_error(motion: Motion, recorded: Motion) -> StanceError:
    """Measure the stances of a motion, at the times at which the recording has them."""
    tracks = {point.name: track_point(motion, point) for point in find_foot_points(motion)}
    slides = [_measure_slide(tracks[one.part][one.first : one.last + 1]) for one in _find_contacts(recorded)]
    apart = [heights - heights.mean() for heights in _find_heights(motion, recorded).values()]
    return StanceError(float(np.mean(slides)), float(np.sqrt(np.mean(np.concatenate(apart) ** 2))))


def _find_contacts(recorded: Motion) -> list[Contact]:
    found = find_foot_contacts(recorded).items
    long = [one for one in found if (one.last - one.first + 1) * recorded.frame_time >= _SHORTEST]
    return [one for one in long if not one.part.endswith("toe")]


def _measure_slide(path: Array) -> float:
    """Return the distance over the floor from the first to the last third of a path (frames, 3)."""
    third = max(1, len(path) // 3)
    return float(np.linalg.norm((np.median(path[-third:], axis=0) - np.median(path[:third], axis=0))[:2]))


def _find_heights(motion: Motion, recorded: Motion) -> dict[str, Array]:
    """Return the heights (contacts,) of heels and balls of a motion in the contacts of a recording, by point."""
    tracks = {point.name: track_point(motion, point)[:, 2] for point in find_foot_points(motion)}
    found: dict[str, list[float]] = {}
    for one in _find_contacts(recorded):
        found.setdefault(one.part, []).append(float(np.median(tracks[one.part][one.first : one.last + 1])))
    return {name: np.array(heights) for name, heights in found.items()}

"""Whether a repair finds the stances of damaged recordings: those that it finds in the recordings before the damage.

The recordings are the half from which the network of stances has not learned; of each, the first seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.contacts.contact import is_foot
from gambol.contacts.timeline import group_stances
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit
from gambol.metrics.figures import Band
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.fix.damages import DAMAGES, take_video_frames
from gambol_evidence.reproduce.fix.repairing import fit_cleaned
from gambol_evidence.reproduce.judge.recordings import is_damaged, load_sound

_SECONDS = 6.0
"""Of each recording, at most."""
_NEAR = 0.04
"""Seconds by which a stance that is found may begin and end at another time."""
_SHORTEST = 0.1
"""Seconds of the shortest stance that counts."""


class FoundStance(NamedTuple):
    """A stance of one foot, in seconds."""

    side: str
    start: float
    end: float

    def is_near(self, other: FoundStance) -> bool:
        """Whether another stance of the foot begins and ends at the same time."""
        apart = max(abs(self.start - other.start), abs(self.end - other.end))
        return self.side == other.side and apart <= _NEAR + 1e-9

    def overlaps(self, other: FoundStance) -> bool:
        """Whether the foot stands in both at one time."""
        return self.side == other.side and self.start < other.end and other.start < self.end


def measure_found_stances(data: Path) -> Iterator[Claim]:
    """Yield how many stances are found in damaged recordings, and how many that are none."""
    found = {damage: [0, 0, 0, 0] for damage in DAMAGES if damage != "faster"}
    clips = 0
    for recording in filter(is_damaged, load_sound(data)):
        sound = recording.motion[: round(_SECONDS / recording.motion.frame_time)]
        true = list_found_stances(fit_cleaned(sound))
        for damage, counts in found.items():
            random = np.random.default_rng(recording.number)
            seen = list_found_stances(fit_cleaned(DAMAGES[damage](take_video_frames(sound, damage), random)))
            for number, value in enumerate(count_found(true, seen)):
                counts[number] += value
        clips += 1
    for damage, counts in found.items():
        yield from found_claims(damage, counts, clips)


def count_found(true: list[FoundStance], seen: list[FoundStance]) -> tuple[int, int, int, int]:
    """Return how many stances there are, how many are found, how many are seen, and how many of those are none."""
    good = sum(any(one.is_near(other) for other in seen) for one in true)
    none = sum(not any(one.overlaps(other) for other in true) for one in seen)
    return len(true), good, len(seen), none


def found_claims(damage: str, counts: list[int], clips: int) -> Iterator[Claim]:
    """Yield the claims about one damage."""
    true, good, seen, none = counts
    about = f"{clips} held-out recordings of CMU, damage: {damage}; {good} of {true} found, {none} of {seen} are none"
    text = "stances found with both ends within 40 ms of those before the damage"
    share = 100.0 * good / max(true, 1)
    yield Claim(f"{damage}-stances-found", OUR_BAR, text, share, "%", about, Band(low=97.0))
    text = "stances found where the recording before the damage has none"
    yield Claim(f"{damage}-stances-false", OUR_BAR, text, 100.0 * none / max(seen, 1), "%", about, Band(high=1.0))


def list_found_stances(fitted: Fit) -> list[FoundStance]:
    """Return the stances that a repair finds in a clip."""
    feet = [one for one in detect_contacts(fitted).items if is_foot(one.part)]
    step, out = fitted.motion.frame_time, []
    for side in SIDES:
        for stay in group_stances([one for one in feet if one.part.startswith(side)]):
            start, end = stay[0].first * step, (max(one.last for one in stay) + 1) * step
            if end - start >= _SHORTEST:
                out.append(FoundStance(side, start, end))
    return out

"""False alarms of the judge: what it finds in recordings of people that are well recorded, of every kind of finding.

What is found by comparing a motion with another is looked for in sound twins of each recording: every fourth frame of
it, and its mirror image. That has other stances; so stances are compared in every fourth frame of both.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path

import gambol.judge
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.floor import OVER_FLOOR, UNDER_FLOOR
from gambol.judge.judgement import judge, judge_all
from gambol.metrics.figures import Band
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.judge.recordings import SoundClip, load_sound, name_scene

_MOST = 1.0
"""Findings of a kind per 1,000 frames from which the judge cries wolf."""
_SCENES = "scenes"
"""Module of the judge whose kinds are of several people together."""
_STANCES, _LIKENESS = "kept", "likeness"
"""Modules of the judge whose kinds are of a motion beside another; those of a floor that moved are, too."""
_FLOORS = (OVER_FLOOR.name, UNDER_FLOOR.name)
_THINNED = 4
_NAMED = 3

_Judged = tuple[str, int, Sequence[Finding]]
"""A recording, its twin, or a scene of two people, with its frames and what was found."""


def measure_alarms(data: Path) -> Iterator[Claim]:
    """Yield how often each kind is found in recordings that are not damaged, of each person, of twins and of pairs."""
    recordings = list(load_sound(data))
    people = [(one.name, len(one.motion), judge(one.motion).findings) for one in recordings]
    thinned, mirrored = list[_Judged](), list[_Judged]()
    for one in recordings:
        mirror = reflect_motion(one.motion)
        for whole in (one.motion, mirror):
            thinned.append((one.name, len(whole[::_THINNED]), compare_twin(whole[::_THINNED], whole)))
        mirrored.append((one.name, len(mirror), compare_twin(mirror, one.motion)))
    scenes = [
        (name, max(len(one.motion) for one in group), judge_all([one.motion for one in group]).findings)
        for name, group in list_scenes(recordings)
    ]
    for kind, module in sorted(list_kinds().items()):
        if module == _SCENES:
            yield alarm_claim(kind, scenes, "pairs of people")
        elif module == _STANCES:
            yield alarm_claim(kind, thinned, "twins of recordings")
        elif module == _LIKENESS or kind in _FLOORS:
            yield alarm_claim(kind, [*thinned, *mirrored], "twins of recordings")
        else:
            yield alarm_claim(kind, people)


def compare_twin(twin: Motion, original: Motion) -> list[Finding]:
    """Return what is found only because a motion is compared with another."""
    alone = {one.kind.name for one in judge(twin).findings}
    return [one for one in judge(twin, original=original).findings if one.kind.name not in alone]


def alarm_claim(kind: str, judged: Sequence[_Judged], what: str = "recordings") -> Claim:
    """Return the claim about how often one kind is found; it is not computed where nothing was judged."""
    frames = sum(count for _, count, _ in judged)
    by_clip = Counter(name for name, _, findings in judged for one in findings if one.kind.name == kind)
    most = ", ".join(f"{name} {count}" for name, count in by_clip.most_common(_NAMED))
    about = f"{len(judged)} held-out {what} of CMU, {frames:,} frames; {by_clip.total()} found"
    about += f", most in {most}" if most else ""
    rate = 1000.0 * by_clip.total() / frames if frames else float("nan")
    text = f"findings of the kind {kind} in recordings without damage, per 1,000 frames"
    return Claim(f"alarms-{kind}", OUR_BAR, text, rate, "findings", about, Band(high=_MOST))


def list_scenes(recordings: Sequence[SoundClip]) -> list[tuple[str, list[SoundClip]]]:
    """Return the recordings of two people who were recorded together, with the name of what they do."""
    named = sorted((scene, one) for one in recordings if (scene := name_scene(one.name)))
    groups = [(scene, [one for _, one in group]) for scene, group in groupby(named, lambda each: each[0])]
    return [(scene, group) for scene, group in groups if len(group) == 2]


def list_kinds() -> dict[str, str]:
    """Return the names of all kinds of findings that modules of the judge define, with the module of each."""
    kinds: dict[str, str] = {}
    for module in (found.name for found in pkgutil.iter_modules(gambol.judge.__path__)):
        values = vars(import_module(f"{gambol.judge.__name__}.{module}")).values()
        kinds |= {value.name: module for value in values if isinstance(value, FindingKind)}
    return kinds

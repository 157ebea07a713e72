"""`judge`: what a viewer would not accept in motions as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gambol.geometry.arrays import summarise_fields
from gambol.judge.balance import find_leans
from gambol.judge.finding import SLACK, Finding
from gambol.judge.floor import compare_floors, find_floor_faults, find_off_floor
from gambol.judge.kept import compare_stances
from gambol.judge.likeness import compare_likeness
from gambol.judge.limbs import find_limb_faults
from gambol.judge.limits import find_beyond_limits
from gambol.judge.pops import find_pops
from gambol.judge.scenes import compare_bodies, find_meetings
from gambol.judge.seen import SeenPerson, see_person
from gambol.judge.stances import find_slides
from gambol.motion.motion import Motion
from gambol.stages.treadmill import find_treadmill, restore_travel

Finder = Callable[[SeenPerson], list[Finding]]
Comparison = Callable[[SeenPerson, SeenPerson], list[Finding]]
FINDERS: tuple[Finder, ...] = (
    find_slides, find_floor_faults, find_pops, find_limb_faults, find_beyond_limits, find_leans,
)  # fmt: skip
"""What is looked for."""
COMPARISONS: tuple[Comparison, ...] = (compare_stances, compare_floors, compare_likeness)
"""What is looked for in a motion beside one that it should look like."""

_UNACCEPTABLE = 1.5
"""Severity from which a viewer does not accept a finding."""
_FEWEST = 5
"""Frames of the shortest motion that is judged."""
_LISTED = 3
_MOST = 5
"""Motions of a scene that are looked at, evenly chosen."""


@dataclass(frozen=True, eq=False)
class Original:
    """A motion, or its beginning, and the clip that it should look like."""

    __repr__ = summarise_fields

    motion: Motion
    clip: Motion
    compared: tuple[Comparison, ...] = COMPARISONS
    """What should be alike."""
    busy: frozenset[str] = frozenset()
    """Limbs that do something else, such as left_arm."""


@dataclass(frozen=True)
class Judgement:
    """What a viewer finds in a motion, or in several."""

    __repr__ = summarise_fields

    findings: tuple[Finding, ...] = ()
    """The most severe first."""
    judged: bool = True
    """Whether there is a person to look at: a skeleton with a known rig, in more than a moment."""

    @property
    def accepted(self) -> bool:
        """Whether a viewer would accept it, as far as could be seen."""
        return not any(finding.severity > _UNACCEPTABLE for finding in self.findings)

    @property
    def verdict(self) -> str:
        """What a viewer would say, in one line; empty for a motion that is accepted."""
        return "" if self.accepted else f"a viewer would not accept this: {self.findings[0]}"

    @property
    def worst(self) -> tuple[str, ...]:
        """The most severe findings, a line each."""
        more = len(self.findings) - _LISTED
        rest = (f"and {more} more that a viewer would see (gambol check lists them)",) if more > 0 else ()
        return (*(f"seen: {finding}" for finding in self.findings[:_LISTED]), *rest)

    @property
    def figures(self) -> dict[str, float]:
        """How many findings there are, and the largest value of each kind."""
        largest: dict[str, float] = {}
        for one in self.findings:
            key = f"{one.kind.name}_{one.kind.symbol}"
            largest[key] = max(one.value, largest.get(key, 0.0))
        return {"findings_count": float(len(self.findings)), **largest} if self.judged else {}

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain JSON types."""
        return {
            "judged": self.judged,
            "accepted": self.accepted,
            "findings": [finding.facts() for finding in self.findings],
        }


def judge(motion: Motion, sources: Sequence[Motion] = (), original: Motion | None = None) -> Judgement:
    """Return what a viewer would see in a motion.

    What is in `sources`, clips that it was made of, as well is no fault of it. It should look like the `original`.
    """
    if not _is_person(motion):
        return Judgement(judged=False)
    findings = list(_find(motion))
    for source in filter(_is_person, sources if findings else ()):
        known, same_time = _find(source), abs(motion.duration - source.duration) < 2.0 * motion.frame_time
        findings = [one for one in findings if not _was_there(one, known, same_time)]
    return _rank([*findings, *(_compare(Original(motion, original)) if original is not None else ())])


def judge_seen(seen: SeenPerson, finders: Sequence[Finder] = FINDERS) -> Judgement:
    """Return what is found in somebody who is seen already, such as a robot."""
    if len(seen) < _FEWEST:
        return Judgement(judged=False)
    return _rank(finding for find in finders for finding in find(seen))


def judge_all(
    motions: Sequence[Motion], sources: Sequence[Motion] = (), originals: Sequence[Original] = ()
) -> Judgement:
    """Return what a viewer would see in motions that share the world and the clock; of many, in some of them."""
    if len(motions) == 1:
        alone = judge(motions[0], sources)
        return _rank([*alone.findings, *(f for one in originals for f in _compare(one))]) if alone.judged else alone
    people = [motion for motion in motions if _is_person(motion)]
    if not people:
        return Judgement(judged=False)
    findings: list[Finding] = []
    for (one, other), near in find_meetings(people).items():
        both = f"{people[one].name} and {people[other].name}"
        findings += [replace(f, person=both) for f in compare_bodies(_see(people[one]), _see(people[other]), near)]
    for person in people[:: -(-len(people) // _MOST)]:
        lost = [f for one in originals if one.motion.name == person.name for f in _compare(one)]
        own = (*judge(person, sources).findings, *find_off_floor(_see(person)), *lost)
        findings += [replace(finding, person=person.name) for finding in own]
    return _rank(findings)


def _compare(original: Original) -> list[Finding]:
    """Return what a motion lost of the clip that it should look like."""
    if not (_is_person(original.motion) and _is_person(original.clip)):
        return []
    motion, clip = _see(original.motion), _see(original.clip)
    return [one for compare in original.compared for one in compare(motion, clip) if not one.limbs & original.busy]


def _rank(findings: Iterable[Finding]) -> Judgement:
    return Judgement(tuple(sorted((one for one in findings if one.severity > 1.0), key=lambda one: -one.severity)))


def _is_person(motion: Motion) -> bool:
    return motion.rig is not None and len(motion) >= _FEWEST


@lru_cache(maxsize=16)
def _see(motion: Motion) -> SeenPerson:
    """Return what is seen of a motion, as it travels."""
    treadmill = find_treadmill(motion)
    return see_person(motion if treadmill is None else restore_travel(motion, treadmill))


@lru_cache(maxsize=16)
def _find(motion: Motion) -> tuple[Finding, ...]:
    return tuple(finding for find in FINDERS for finding in find(_see(motion)))


def _was_there(one: Finding, known: Sequence[Finding], same_time: bool) -> bool:
    """Return whether the source has a finding of this kind and limb that is about as severe, at that time if known."""
    return any(
        (other.kind.name, other.limbs) == (one.kind.name, one.limbs)
        and one.value <= SLACK * other.value
        and (not same_time or one.is_near(other))
        for other in known
    )

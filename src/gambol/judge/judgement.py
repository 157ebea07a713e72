"""`judge`: what a viewer would not accept in motions as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from gambol.geometry.arrays import summarise_fields
from gambol.judge.balance import find_falls, measure_outcomes
from gambol.judge.finding import Finding
from gambol.judge.floor import compare_floors, find_floor_faults, find_off_floor
from gambol.judge.kept import KeptStances, compare_stances, sort_stances
from gambol.judge.known import drop_as_often, drop_consequences, drop_known
from gambol.judge.likeness import compare_likeness
from gambol.judge.limbs import find_limb_faults
from gambol.judge.limits import find_beyond_limits
from gambol.judge.pops import find_pops
from gambol.judge.scenes import compare_bodies, compare_hands, find_meetings
from gambol.judge.seen import SeenPerson, see_person
from gambol.judge.stances import SeenStance, find_slides, list_stances
from gambol.judge.waiting import find_waiting_faults
from gambol.motion.motion import Motion
from gambol.stages.balance import OUTCOMES
from gambol.stages.treadmill import find_treadmill, restore_travel

Finder = Callable[[SeenPerson], list[Finding]]
Comparison = Callable[[SeenPerson, SeenPerson], list[Finding]]
FINDERS: tuple[Finder, ...] = (
    find_slides, find_floor_faults, find_pops, find_limb_faults, find_beyond_limits, find_falls,
    find_waiting_faults,
)  # fmt: skip
"""What is looked for."""
COMPARISONS: tuple[Comparison, ...] = (compare_stances, compare_floors, compare_likeness)
"""What is looked for in a motion beside one that it should look like."""

_UNACCEPTABLE = 1.5
"""Severity from which a viewer does not accept a finding."""
_FEWEST = 5
"""Frames of the shortest motion that is judged."""
_OUTCOMES = dict(zip(OUTCOMES, ("stands", "must step", "falls"), strict=True))
"""What a person does who moves so, in words."""
_LISTED = 3
_MOST = 5
"""Motions of a scene of which all is looked at, evenly chosen; of others, the floor and who they meet."""
_COARSE = 0.05
"""Seconds between frames that show the floor."""


@dataclass(frozen=True, eq=False)
class Original:
    """A motion, or its beginning, and the clip that it should look like."""

    __repr__ = summarise_fields

    motion: Motion
    clip: Motion
    compared: tuple[Comparison, ...] = field(default_factory=lambda: COMPARISONS)
    """What should be alike."""
    busy: frozenset[str] = frozenset()
    """Limbs that do something else, such as left_arm; "trunk" where it leans for a reason."""


@dataclass(frozen=True)
class Judgement:
    """What a viewer finds in a motion, or in several."""

    __repr__ = summarise_fields

    findings: tuple[Finding, ...] = ()
    """The most severe first."""
    judged: bool = True
    """Whether there is a person to look at: a skeleton with a known rig, in more than a moment."""
    stances: tuple[SeenStance, ...] = ()
    """The stances that are seen, in the order in which they begin."""
    original_stances: KeptStances | None = None
    """Those of the clip that the motion should look like, kept and lost, if there is one that lasts as long."""

    balance: Mapping[str, float] = field(default_factory=dict)
    """Shares of the time in which one person stands, must step, or falls, by the feet at that time."""

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

    @property
    def summary(self) -> tuple[str, ...]:
        """How feet stand, and whether they carry the body, a line each; nothing where none stands."""
        if not self.stances:
            return ()
        slide, speed = max(one.slide for one in self.stances), max(one.speed for one in self.stances)
        line = f"stances: {len(self.stances)}, slides at most {slide:.1f} cm, peak {speed:.2f} m/s"
        if self.original_stances is not None:
            kept, lost = map(len, self.original_stances)
            line += f"; {kept} of {kept + lost} kept"
        shares = ", ".join(f"{_OUTCOMES[name]} {100.0 * share:.0f} %" for name, share in self.balance.items() if share)
        return (line, *([f"balance: {shares}"] if shares else []))

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain JSON types."""
        kept = self.original_stances
        sorted_by = {} if kept is None else {"kept": len(kept.kept), "lost": [one.facts() for one in kept.lost]}
        return {
            "judged": self.judged,
            "accepted": self.accepted,
            "findings": [finding.facts() for finding in self.findings],
            "balance": dict(self.balance),
            "stances": [stance.facts() for stance in self.stances],
            **({"original_stances": sorted_by} if sorted_by else {}),
        }


def judge(motion: Motion, sources: Sequence[Motion] = (), original: Motion | None = None) -> Judgement:
    """Return what a viewer would see in a motion.

    `sources` are clips that it was made of: faults that they have at the same time, or as often per second where
    durations differ, are left out. The motion should look like the `original`.
    """
    return _judge_person(motion, sources, () if original is None else (Original(motion, original),))


def _judge_person(motion: Motion, sources: Sequence[Motion], originals: Sequence[Original]) -> Judgement:
    if not _is_person(motion):
        return Judgement(judged=False)
    findings = list(_find(motion))
    for source in filter(_is_person, sources if findings else ()):
        if abs(motion.duration - source.duration) < 2.0 * motion.frame_time:
            findings = drop_known(findings, _find(source))
        else:
            findings = drop_as_often(findings, _find(source), motion.duration / source.duration)
    findings += [finding for one in originals for finding in _compare(one)]
    whole = [one for one in originals if compare_stances in one.compared and _is_person(one.clip)]
    kept = sort_stances(_see(whole[0].motion), _see(whole[0].clip)) if whole else None
    outcomes = measure_outcomes(_see(motion))
    return replace(_rank(findings, list_stances(_see(motion))), original_stances=kept, balance=outcomes)


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
        return _judge_person(motions[0], sources, originals)
    people = [motion for motion in motions if _is_person(motion)]
    if not people:
        return Judgement(judged=False)
    findings, stances = list[Finding](), list[SeenStance]()
    seen = [see_person(person) for person in people]
    for (one, other), near in find_meetings(people).items():
        both = f"{people[one].name} and {people[other].name}"
        found = (*compare_bodies(seen[one], seen[other], near), *compare_hands(seen[one], seen[other]))
        findings += [replace(finding, person=both) for finding in found]
    for person, whole in zip(people, seen, strict=True):
        thinned = whole.thin(max(1, round(_COARSE / person.frame_time)))
        findings += [replace(finding, person=person.name) for finding in find_off_floor(thinned)]
    for person in people[:: -(-len(people) // _MOST)]:
        mine = [one for one in originals if one.motion.name == person.name]
        own = _judge_person(person, sources, mine)
        findings += [replace(finding, person=person.name) for finding in own.findings]
        stances += [replace(stance, person=person.name) for stance in own.stances]
    return _rank(findings, stances)


def _compare(original: Original) -> list[Finding]:
    """Return what a motion lost of the clip that it should look like."""
    if not (_is_person(original.motion) and _is_person(original.clip)):
        return []
    motion, clip = _see(original.motion), _see(original.clip)
    return [
        one
        for compare in original.compared
        for one in compare(motion, clip)
        if not (one.limbs | {one.part}) & original.busy
    ]


def _rank(findings: Iterable[Finding], stances: Iterable[SeenStance] = ()) -> Judgement:
    worst = sorted((one for one in findings if one.severity > 1.0), key=lambda one: -one.severity)
    return Judgement(tuple(worst), stances=tuple(stances))


def _is_person(motion: Motion) -> bool:
    return motion.rig is not None and len(motion) >= _FEWEST


@lru_cache(maxsize=16)
def _see(motion: Motion) -> SeenPerson:
    """Return what is seen of a motion, as it travels."""
    treadmill = find_treadmill(motion)
    return see_person(motion if treadmill is None else restore_travel(motion, treadmill))


@lru_cache(maxsize=16)
def _find(motion: Motion) -> tuple[Finding, ...]:
    return tuple(drop_consequences([finding for find in FINDERS for finding in find(_see(motion))]))

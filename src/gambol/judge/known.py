"""Leave out findings that say no more than others: those that a source has too, and consequences of jumps.

A source has a finding at the same time, or as often per second where durations differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gambol.judge.balance import LEANS_TOO_FAR, WOULD_FALL
from gambol.judge.finding import SLACK, Finding
from gambol.judge.limits import HARD_PUSH, HIGH_POWER
from gambol.judge.pops import MISSING_FRAME, POP

_OF_VELOCITY = {kind.name for kind in (HARD_PUSH, HIGH_POWER, WOULD_FALL, LEANS_TOO_FAR)}
"""Kinds that are computed from velocities of the whole body."""
_ACROSS = 0.6
"""Seconds around a jump in which these see it: half of the longest average, and what findings last."""
_JUMP = 3.0
"""Severity of a pop from which the body jumps: where recordings go on at twice their speed it is up to 2.7."""


def drop_consequences(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without those of velocities of the body where the body jumps, which is the fault that is seen."""
    jumps = [one for one in findings if one.part == "body" and _is_jump(one)]
    return [
        one
        for one in findings
        if one.kind.name not in _OF_VELOCITY or not any(_is_around(one, jump) for jump in jumps)
    ]  # fmt: skip


def _is_jump(one: Finding) -> bool:
    return one.kind.name == MISSING_FRAME.name or (one.kind.name == POP.name and one.severity > _JUMP)


def _is_around(one: Finding, jump: Finding) -> bool:
    """Return whether a finding begins and ends beside a jump: one that lasts is more than the jump."""
    return jump.start - _ACROSS <= one.start and one.end <= jump.end + _ACROSS


def drop_known(findings: Iterable[Finding], known: Sequence[Finding]) -> list[Finding]:
    """Return findings without those that a source of the same duration has at that time, about as severe."""
    return [one for one in findings if not any(_is_like(one, other) and one.is_near(other) for other in known)]


def drop_as_often(findings: Iterable[Finding], known: Sequence[Finding], stretch: float) -> list[Finding]:
    """Return findings without as many, and as severe, as a source has per second.

    A motion that lasts `stretch` times as long may have each finding of the source that often, rounded up; one that is
    shorter may have each once. The most severe are compared with the most severe.
    """
    left, used = [], Counter[tuple[str, frozenset[str]]]()
    values: dict[tuple[str, frozenset[str]], list[float]] = {}
    for other in sorted(known, key=lambda one: -one.value):
        values.setdefault(_name_kind(other), []).append(other.value)
    for one in sorted(findings, key=lambda one: -one.value):
        kind = _name_kind(one)
        beside, rank = values.get(kind, []), int(used[kind] / max(stretch, 1.0))
        if rank < len(beside) and one.value <= SLACK * beside[rank]:
            used[kind] += 1
        else:
            left.append(one)
    return left


def _is_like(one: Finding, other: Finding) -> bool:
    return _name_kind(one) == _name_kind(other) and one.value <= SLACK * other.value


def _name_kind(one: Finding) -> tuple[str, frozenset[str]]:
    """Return what two findings have in common that may be the same fault: kind and limb."""
    return one.kind.name, one.limbs

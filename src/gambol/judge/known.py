"""Leave out findings that a source of a motion has too: at the same time, or as often where durations differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gambol.judge.finding import SLACK, Finding


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

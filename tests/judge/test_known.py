"""A fault that a source has too is no fault of the motion: at that time, or as often, and as large."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gambol as gb
from gambol.judge.balance import LEANS_TOO_FAR
from gambol.judge.finding import Finding
from gambol.judge.judgement import judge
from gambol.judge.known import drop_as_often, drop_consequences, drop_known
from gambol.judge.pops import POP
from gambol.judge.stances import FOOT_SLIDE


def slide(value: float, start: float = 1.0, part: str = "left_foot") -> Finding:
    return Finding(FOOT_SLIDE, part, start, start + 0.2, value)


@pytest.mark.parametrize(
    ("found", "left"),
    [
        ([slide(4.0)], []),
        ([slide(4.0, 2.0)], [slide(4.0, 2.0)]),
        ([slide(6.0)], [slide(6.0)]),
        ([slide(4.0, part="right_foot")], [slide(4.0, part="right_foot")]),
        ([Finding(POP, "left_foot", 1.0, 1.2, 4.0)], [Finding(POP, "left_foot", 1.0, 1.2, 4.0)]),
    ],
)
def test_in_a_clip_as_long_the_time_counts(found: list[Finding], left: list[Finding]) -> None:
    assert drop_known(found, [slide(4.0)]) == left


@pytest.mark.parametrize(("stretch", "allowed"), [(0.3, 1), (1.0, 1), (1.3, 2), (3.0, 3), (3.1, 4)])
def test_in_a_longer_clip_one_fault_may_come_as_often_per_second(stretch: float, allowed: int) -> None:
    found = [slide(4.0, start) for start in range(9)]
    assert len(drop_as_often(found, [slide(4.0, 0.5)], stretch)) == 9 - allowed


def test_the_most_severe_are_compared_with_the_most_severe() -> None:
    """One slide of 5 cm and one of 3.2 cm in the source are no reason for two of 5 cm, nor for one of 9."""
    known = [slide(3.2), slide(5.0, 3.0)]
    assert drop_as_often([slide(5.0), slide(3.2, 2.0)], known, 1.0) == []
    assert drop_as_often([slide(5.0), slide(4.9, 2.0)], known, 1.0) == [slide(4.9, 2.0)]
    assert drop_as_often([slide(9.0), slide(5.0, 2.0), slide(3.2, 4.0)], known, 1.0) == [slide(9.0)]
    assert drop_as_often([slide(5.0, part="right_foot")], known, 1.0) == [slide(5.0, part="right_foot")]


def test_what_follows_from_a_jump_of_the_body_is_the_jump() -> None:
    walk = gb.load("walk")
    q = walk.q.copy()
    q[126:, walk.skeleton.columns(0, "slide")[0]] += 0.5
    kinds = [one.kind.name for one in judge(replace(walk, q=q)).findings]
    assert kinds[0] == "pop"
    assert not {"high_power", "would_fall", "leans_too_far", "hard_push"} & set(kinds)


@pytest.mark.parametrize(
    ("end", "pops", "left"),
    [(1.5, 6.0, False), (1.5, 3.0, True), (4.0, 6.0, True)],
    ids=["beside a jump", "beside a fast step", "longer than a jump is seen"],
)
def test_what_lasts_longer_than_a_jump_is_more_than_the_jump(end: float, pops: float, left: bool) -> None:
    lean, jump = Finding(LEANS_TOO_FAR, "body", 0.9, end, 20.0), Finding(POP, "body", 1.0, 1.1, pops)
    assert (lean in drop_consequences([lean, jump])) is left
    assert jump in drop_consequences([lean, jump])

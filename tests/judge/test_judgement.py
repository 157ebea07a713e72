"""A judgement tells what a motion has and its sources have not, the worst first, and results carry it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.judge.finding import Finding
from gambol.judge.judgement import Judgement, judge
from gambol.judge.stances import FOOT_SLIDE
from gambol.metrics.figures import Check
from gambol.motion.ensemble import as_ensemble
from tests.judge.test_stances import STANCE, clip, slide


def make(*values: float) -> Judgement:
    return Judgement(tuple(Finding(FOOT_SLIDE, "left_foot", 1.0, 1.5, value) for value in values))


def test_a_result_is_accepted_up_to_half_beyond_a_limit() -> None:
    assert make().accepted
    assert make(1.4 * FOOT_SLIDE.limit).accepted
    refused = make(1.6 * FOOT_SLIDE.limit)
    assert not refused.accepted
    assert refused.verdict == (
        "a viewer would not accept this: left foot slides by 4.8 cm from 1.00 to 1.50 s (people: at most 3)"
    )
    assert make(3.1).verdict == ""


def test_the_worst_three_are_notes_and_all_are_figures() -> None:
    found = make(9.0, 8.0, 7.0, 6.0, 5.0)
    assert [line.split(" by ")[1][:4] for line in found.worst[:3]] == ["9 cm", "8 cm", "7 cm"]
    assert found.worst[3:] == ("and 2 more that a viewer would see (gambol check lists them)",)
    assert found.figures == {"findings_count": 5.0, "foot_slide_cm": 9.0}
    assert len(found.facts()["findings"]) == 5
    assert make(9.0).worst[1:] == ()


@pytest.mark.parametrize("slower", [1.0, 1.25])
def test_what_a_source_has_too_is_no_fault(slower: float) -> None:
    """At the same time; where durations differ, as often. A slide that grew is one."""
    source, worse, elsewhere = (slide("walk", *way) for way in ((0.08, *STANCE), (0.12, *STANCE), (0.08, 1.6, 1.85)))
    source = replace(source, frame_time=slower * source.frame_time)
    names = {one.kind.name for one in judge(worse, [source]).findings}
    assert "foot_slide" not in {one.kind.name for one in judge(slide("walk", 0.08, *STANCE), [source]).findings}
    assert "foot_slide" in names
    if slower == 1.0:
        assert "foot_slide" in {one.kind.name for one in judge(elsewhere, [source]).findings}


def test_findings_are_in_the_order_of_their_severity() -> None:
    severe = [one.severity for one in judge(slide("walk", 0.2, *STANCE)).findings]
    assert severe == sorted(severe, reverse=True)
    assert min(severe) > 1.0


def test_results_carry_it() -> None:
    slid = gb.Result(motions=as_ensemble(slide("walk", 0.12, *STANCE)), notes=("solved",))
    facts = slid.facts()
    assert not slid.judgement.accepted
    assert facts["notes"][0] == "solved"
    assert facts["notes"][1].startswith("seen: ")
    assert facts["figures"]["foot_slide_cm"] == pytest.approx(12.0, rel=0.25)
    assert facts["judgement"]["accepted"] is False
    assert gb.loop("walk", times=2).judgement.findings == ()


def test_a_check_has_all_findings_beside_its_figures() -> None:
    checked = gb.check(slide("walk", 0.12, *STANCE))
    assert isinstance(checked, Check)
    assert checked.facts()["judgement"]["findings"][0]["kind"] == checked.judgement.findings[0].kind.name


def test_what_is_no_person_is_not_judged() -> None:
    walk = clip("walk")
    assert not judge(replace(walk, rig=None)).judged
    assert not judge(walk[:3]).judged
    assert judge(walk[:3]).figures == {}


def test_a_motion_in_place_is_judged_as_on_a_treadmill() -> None:
    walk = clip("walk")
    steady = np.outer(np.arange(len(walk)) * walk.frame_time, [1.0, 0.0, 0.0])
    pelvis = walk.placement.positions[:, 0]
    speed = (pelvis[-1, 0] - pelvis[0, 0]) / walk.duration
    skeleton, q = walk.skeleton, walk.q.copy()
    for column, dof in enumerate(skeleton.dofs):
        if dof.joint == 0 and dof.kind == "slide":
            q[:, column] -= speed * steady @ np.asarray(dof.axis)
    assert judge(replace(walk, q=q)).findings == ()


def test_a_loop_may_repeat_the_fault_of_its_cycle_and_another_motion_has_it_too_often() -> None:
    """The first of several stances slides; the loop has that in every cycle."""
    slid = slide("walk", 0.08, *STANCE)
    looped = gb.loop(slid, times=5)
    counts = [
        sum(one.kind is FOOT_SLIDE for one in judge(looped.motion, sources).findings)
        for sources in ((), (slid,), looped.sources)
    ]
    assert counts == [5, 3, 0], "one in 4.3 s of the clip allows two in 5.3 s"

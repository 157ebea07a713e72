"""A damage is found by a finding of its kind, limb and time only, and nothing that was not tried holds."""

from __future__ import annotations

import pytest

from gambol.io import samples
from gambol.judge.finding import Finding
from gambol.judge.pops import POP
from gambol.judge.stances import FOOT_SLIDE
from gambol_evidence.reproduce.judge.damages import Damaged
from gambol_evidence.reproduce.judge.trials import TRIALS, damage_claim, is_of

SLID = Damaged(samples.stand(), frozenset({"left_leg"}), 1.0, 1.3)


@pytest.mark.parametrize(
    ("finding", "right"),
    [
        (Finding(FOOT_SLIDE, "left_foot", 1.0, 1.3, 4.0), True),
        (Finding(FOOT_SLIDE, "left_foot", 1.35, 1.4, 4.0), True),
        (Finding(FOOT_SLIDE, "feet", 1.0, 1.3, 4.0), True),
        (Finding(FOOT_SLIDE, "right_foot", 1.0, 1.3, 4.0), False),
        (Finding(FOOT_SLIDE, "left_foot", 1.5, 1.6, 4.0), False),
        (Finding(POP, "left_foot", 1.0, 1.3, 4.0), False),
    ],
)
def test_a_finding_is_of_the_damage_by_kind_limb_and_time(finding: Finding, right: bool) -> None:
    assert is_of(finding, SLID, TRIALS["slide"]) == right


def test_shares_count_every_trial_and_no_trial_is_no_evidence() -> None:
    claim = damage_claim("slide", TRIALS["slide"].words, [("walk/a", True)] * 94 + [("walk/b", False)] * 6)
    assert claim.measured == pytest.approx(94.0)
    assert not claim.holds
    assert claim.data.endswith("missed in walk/b 6")
    assert not damage_claim("slide", TRIALS["slide"].words, []).holds

"""False alarms are counted by kind, per 1,000 frames, in recordings that the judge was not developed on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.io import samples
from gambol.judge.finding import Finding
from gambol.judge.likeness import TEMPO
from gambol.judge.pops import POP
from gambol.judge.stances import FOOT_SLIDE
from gambol_evidence.reproduce.judge import alarms
from gambol_evidence.reproduce.judge.recordings import BROKEN, SoundClip, list_files

SLIDE = Finding(FOOT_SLIDE, "left_foot", 0.0, 0.1, 4.0)


def test_findings_of_a_kind_are_counted_per_thousand_frames() -> None:
    judged = [("walk/a", 1500, (SLIDE, SLIDE, replace(SLIDE, kind=POP))), ("walk/b", 500, (SLIDE,)), ("c", 500, ())]
    claim = alarms.alarm_claim("foot_slide", judged)
    assert claim.measured == pytest.approx(1.2)
    assert not claim.holds
    assert claim.data == "3 held-out recordings of CMU, 2,500 frames; 3 found, most in walk/a 2, walk/b 1"
    assert alarms.alarm_claim("pop", judged).holds
    assert not alarms.alarm_claim("pop", []).holds


def test_kinds_of_all_modules_of_the_judge_have_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = samples.walk()
    q = walk.q.copy()
    column = walk.skeleton.columns(0, "slide")[0]
    q[:, column] += np.where(np.arange(len(walk)) == 100, 0.3, 0.0)
    jumping = SoundClip("walk/a", 1, replace(walk, q=q))
    monkeypatch.setattr(alarms, "load_sound", lambda data: [jumping])
    claims = {claim.id: claim for claim in alarms.measure_alarms(None)}
    expected = {"foot_slide", "pop", "knee_backward", "limb_through_limb", "missing_frame", "people_inside_each_other"}
    assert {f"alarms-{kind}" for kind in expected} <= set(claims)
    assert claims["alarms-pop"].measured > 1.0
    assert not claims["alarms-people_inside_each_other"].computed, "there is no pair"


def test_pairs_are_those_who_were_recorded_together() -> None:
    names = ("two_person/18_02", "two_person/19_02", "two_person/20_02", "two_person/19_04", "walk/02_02")
    pairs = alarms.list_scenes([SoundClip(name, n, samples.stand()) for n, name in enumerate(names)])
    assert [(scene, [one.name for one in group]) for scene, group in pairs] == [("18 and 19, 02", list(names[:2]))]


def test_the_halves_of_the_recordings_have_nothing_in_common(data) -> None:
    developed, held_out = (list(list_files(data, half)) for half in (0, 1))
    together = sorted(developed + held_out)
    assert together[0::2] == developed
    assert together[1::2] == held_out
    assert set(BROKEN) <= set(held_out)


def test_comparisons_are_made_with_twins_and_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that says of every twin that it lost its tempo gives an alarm; what is found alone gives none."""
    walk = SoundClip("walk/a", 1, samples.walk())
    monkeypatch.setattr(alarms, "load_sound", lambda data: [walk])
    claims = {claim.id: claim for claim in alarms.measure_alarms(None)}
    for kind in ("lost_stance", "tempo", "over_smoothed", "asymmetry", "over_floor"):
        assert claims[f"alarms-{kind}"].measured == 0.0
        assert "twins of recordings" in claims[f"alarms-{kind}"].data
    assert "2 held-out twins" in claims["alarms-lost_stance"].data
    assert "3 held-out twins" in claims["alarms-tempo"].data
    wrong = Finding(TEMPO, "body", 0.0, 1.0, 9.0)
    monkeypatch.setattr("gambol.judge.judgement.COMPARISONS", (lambda seen, source: [wrong],))
    claims = {claim.id: claim for claim in alarms.measure_alarms(None)}
    assert not claims["alarms-tempo"].holds

"""A repair with given contacts is judged by them, before and after, at the frame rate of either."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gambol.contacts.timeline import Contacts
from gambol.io import samples
from gambol.spacetime.fix import FixResult, fix
from tests.fit.sitting import list_contacts, sit

CLIP = samples.jump()[45:115]
FAST = replace(CLIP, frame_time=0.5 * CLIP.frame_time)
SPANS = [("left_ball", 0, 22), ("right_ball", 0, 22), ("left_ball", 49, 70), ("right_ball", 49, 70)]


def list_rows(contacts: Contacts | None, every: int = 1) -> list[tuple[str, int, int]]:
    assert contacts is not None
    return sorted((one.part, every * one.first, every * (one.last + 1)) for one in contacts.items)


def fix_fast() -> FixResult:
    """A jump played at twice its speed, with contacts in seconds of that file."""
    step = FAST.frame_time
    given = [{"part": part, "start": first * step, "end": end * step} for part, first, end in SPANS]
    return fix(FAST, retime=True, contacts={"contacts": given, "flights": [{"start": 22 * step, "end": 49 * step}]})


@pytest.mark.slow
def test_given_contacts_are_in_seconds_of_the_clip_and_judge_it_before_and_after() -> None:
    found = fix_fast()
    assert found.motion.frame_time == pytest.approx(CLIP.frame_time, rel=0.06)
    assert list_rows(found.repair.contacts) == sorted(SPANS)
    for checked, motion in ((found.before, FAST), (found.after, found.motion)):
        assert list_rows(checked.contacts) == sorted(SPANS)
        assert checked.contacts is not None
        assert checked.contacts.frame_time == motion.frame_time
        (flight,) = [stage for stage in checked.stages if stage.kind == "flight"]
        assert (flight.first, flight.last) == (22, 48)


def test_a_long_clip_is_judged_by_the_contacts_of_the_frames_that_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fix", "windows"):
        monkeypatch.setattr(f"gambol.spacetime.{module}.LONG", 0.5)
    found = fix_fast()
    assert len(found.after.motion) == 35
    assert len(found.before.motion) == 18
    assert list_rows(found.after.contacts, 2)[0] == ("left_ball", 0, 22)
    assert list_rows(found.before.contacts, 4)[0] == ("left_ball", 0, 24)


@pytest.mark.slow
def test_a_chair_carries_who_is_said_to_sit_on_it() -> None:
    step = 1.0 / 30.0
    clip = sit(40, step)
    alone, seated = (fix(clip, contacts={"contacts": list_contacts(40, step, many)}) for many in (0, 40))
    assert any("body weights of force that contacts cannot give" in note for note in alone.notes)
    assert alone.figures["change_deg"] > 1.0
    assert not any("body weights of force" in note for note in seated.notes)
    assert seated.figures["help_body_weights"] < 1e-3
    assert seated.figures["change_deg"] < 0.1
    for checked in (seated.before, seated.after):
        assert checked.figures["missing_force_percent"] < 1.0

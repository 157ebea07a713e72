"""A person who reacts to a hand: without a browser, and dragged and asked in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gambol.studio.meet import LiveMeeting, Meeting
from tests.interaction.meetings import make_model
from tests.studio.serving import serve
from tests.waiting import wait_for


def run_for(meeting: Meeting, seconds: float) -> list[float]:
    """Distances (m) of both hands, 30 per second."""
    apart = []
    for _ in range(round(30 * seconds)):
        meeting.advance(1.0 / 30.0)
        hand = meeting.partner.model.people[0].arm.locate(meeting.frame.local)[0]
        apart.append(float(np.linalg.norm(hand - meeting.hand)))
    return apart


def test_hands_meet_when_the_hand_comes_by_itself_in_any_mood() -> None:
    for mood in (0.0, 1.0):
        meeting = Meeting(make_model())
        meeting.style["gentle"] = mood
        assert min(run_for(meeting, 0.5)) > 0.2
        meeting.come()
        assert min(run_for(meeting, 3.0)) < 0.02
        assert min(run_for(meeting, 1.0)) > 0.2


def test_a_hand_that_is_taken_away_stops_coming() -> None:
    meeting = Meeting(make_model())
    meeting.come()
    run_for(meeting, 0.3)
    meeting.take(np.array([2.0, 0.5, 1.0]))
    run_for(meeting, 1.5)
    np.testing.assert_array_equal(meeting.hand, [2.0, 0.5, 1.0])
    assert meeting.phase < 0.05


@pytest.fixture
def served() -> Iterator[LiveMeeting]:
    with serve(LiveMeeting(make_model(), port=0)) as shown:
        yield shown


@pytest.mark.browser(scale=0.25)
def test_the_button_brings_the_hand_and_sliders_set_the_mood(served: LiveMeeting, page, monkeypatch) -> None:
    phases = []
    advance = served.meeting.advance

    def record(seconds: float) -> None:
        advance(seconds)
        phases.append(served.meeting.phase)

    # A click may return after the meeting is over: its phases are recorded, not looked at.
    monkeypatch.setattr(served.meeting, "advance", record)
    page.goto(served.url)
    page.get_by_text("gambol interaction").wait_for()
    page.get_by_text("hands").wait_for()
    page.get_by_role("button", name="Meet").click()
    assert wait_for(lambda: max(phases) > 0.4)
    served.moods["gentle"].value = 1.0
    assert wait_for(lambda: served.meeting.style["gentle"] == 1.0)
    assert wait_for(lambda: served.meeting.phase < 0.05)

"""The stances of a repair are listed as they were and as they are, and those that were to be expected are counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit
from gambol.fit.rig import fit as fit_to
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.fix import fix
from gambol.spacetime.planted import count_expected, list_planted
from tests.legs.harm import translate

WALK = samples.walk()[40:132]


def _fit(motion: Motion) -> Fit:
    return fit_to(Character.from_motion(motion), motion)


def test_a_stance_that_slides_is_as_long_and_as_fast_as_its_slide() -> None:
    """Both clips have the same stances; one is carried along at 0.5 m/s, so that feet move by that times the time."""
    contacts = detect_contacts(_fit(WALK))
    carried = translate(WALK, np.outer(0.5 * WALK.times, (0.6, 0.8, 0.0)))
    slid, still = list_planted(carried, WALK, contacts), list_planted(WALK, WALK, contacts)
    assert len(slid) >= 3
    for one, same in zip(slid, still, strict=True):
        assert same.slides[0] == same.slides[1] == one.slides[1] < 1.0
        assert same.speeds[0] == same.speeds[1] == one.speeds[1] < 0.1
        assert one.speeds[0] == pytest.approx(0.5, abs=0.1)
        assert 0.3 < one.slides[0] / (50.0 * (one.end - one.start)) < 0.65  # the middle of every contact
        assert 0.0 <= one.certainty <= 1.0
    assert [one.start for one in slid] == sorted(one.start for one in slid)


def test_stances_are_expected_wherever_the_path_leads_and_missed_without_contacts() -> None:
    fitted = _fit(WALK)
    contacts = detect_contacts(fitted)
    expected, found = count_expected(fitted, contacts)
    assert expected == found >= 3
    carried = _fit(translate(WALK, np.outer(0.8 * WALK.times, (1.0, 0.0, 0.0))))
    assert count_expected(carried, replace(contacts, items=())) == (expected, 0)


def test_the_report_lists_the_stances(tmp_path: Path) -> None:
    drifting = translate(WALK[:60], np.outer(0.4 * WALK[:60].times, (1.0, 0.2, 0.0)))
    fixed = fix(drifting, only=["feet"])
    assert fixed.figures["stances_found_count"] == fixed.figures["stances_expected_count"] >= 2
    assert len(fixed.stances) >= 2
    for one in fixed.stances:
        assert one.slides[0] > 3.0 * one.slides[1]
        assert one.slides[1] < 1.0
    page = fixed.report(tmp_path / "report.html").read_text()
    table = page[page.index("Stances that are planted") :].partition("</table>")[0]
    assert table.count("<tr>") == 1 + len(fixed.stances)
    assert f"<td>{fixed.stances[0].slides[0]:.1f} cm</td>" in table

"""The phase at which two people walk hand in hand is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gambol.composition import phases
from gambol.composition.composition import Composition
from gambol.composition.phases import choose_delays
from gambol.errors import InputError
from tests.composition.scenes import ANNA, BEN, HANDS


def test_the_delay_is_that_at_which_hands_swing_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """A right and a left hand swing alike half a cycle apart."""
    scene = Composition("test", (ANNA, replace(BEN, delay=None)), (HANDS,), duration=0.6)
    monkeypatch.setattr(phases, "_DELAYS", 4)
    told: list[str] = []
    found, notes = choose_delays(scene, progress=lambda what, *_: told.append(what))
    delay = found.people[1].delay
    assert delay == pytest.approx(0.53, abs=0.05)
    assert found.people[0] is ANNA
    assert len(told) == 4
    assert notes[0].startswith("ben: a delay of 0.53 s costs least (0.00: ")


def test_a_delay_needs_hands_that_hold_each_other() -> None:
    with pytest.raises(InputError, match="needs a 'hold'"):
        choose_delays(Composition("test", (ANNA, replace(BEN, delay=None))))

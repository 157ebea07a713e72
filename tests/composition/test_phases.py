"""The phase at which two people walk hand in hand is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.composition.blocks import solve_block
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition
from gambol.composition.phases import choose_delays
from gambol.errors import InputError
from tests.composition.scenes import ANNA, BEN, HANDS


def _cost(asked: Composition) -> float:
    cast, _ = make_cast(asked)
    found = solve_block(cast, cast.draft(), cast.whole)
    assert found.solution.converged
    return found.objective


def test_the_delay_is_that_at_which_the_scene_costs_least() -> None:
    """A right and a left hand swing alike half a cycle apart: no other delay costs less."""
    scene = Composition("test", (ANNA, replace(BEN, delay=None)), (HANDS,))
    found, notes = choose_delays(scene)
    delay = found.people[1].delay
    assert delay is not None
    assert found.people[0] is ANNA
    assert notes[0].startswith(f"ben: with a delay of {delay:.2f} s hands move")
    near = _cost(found)
    for away in (-0.25, 0.25):
        other = replace(found, people=(ANNA, replace(BEN, delay=(delay + away) % 1.1)))
        assert near < 0.8 * _cost(other)
    assert np.isclose(delay, 0.53, atol=0.1)


def test_a_delay_needs_hands_that_hold_each_other() -> None:
    with pytest.raises(InputError, match="needs a 'hold'"):
        choose_delays(Composition("test", (ANNA, replace(BEN, delay=None))))

"""Casts: children keep up with those whose hands they hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import CADENCE_POWER
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition
from tests.composition.scenes import ANNA, HANDS, WALK


def test_a_child_keeps_up_with_whom_it_holds_by_more_steps_and_longer_ones() -> None:
    child = replace(ANNA, name="ben", actions=(replace(WALK[0], steps=5),), at=(0.1, -0.5), height=1.2)
    drafts = [role.draft for role in make_cast(Composition("test", (ANNA, child), (HANDS,)))[0].roles.values()]
    ways = [np.linalg.norm(np.diff(one.motion.placement.positions[[0, -1], 0, :2], axis=0)) for one in drafts]
    assert ways[1] == pytest.approx(ways[0], rel=0.02)
    size = drafts[1].character.leg_length / drafts[0].character.leg_length
    landings = [[stance.first for stance in one.stances if stance.first > 0] for one in drafts]
    adult, own = (float(np.diff(some).mean()) for some in landings)
    faster = size**-0.5  # than by its size, at the same Froude number
    assert adult / own == pytest.approx(size**-0.5 * faster**CADENCE_POWER, rel=0.02)

"""The response of a learned walker to the pushes of a clip: when it has recovered, and what its feet do."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io import samples
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.latent.response import respond_with_walker
from tests.respond.latent.walkers import make_test_walker


@pytest.fixture(scope="module")
def clip() -> Motion:
    walk = samples.walk()
    return repeat_cycle(close_cycle(walk, find_cycle(walk)), 5)


def test_without_a_push_nothing_has_to_recover(clip: Motion) -> None:
    calm = respond_with_walker(make_test_walker(), clip, [])
    assert calm.recovery == 0.0
    assert calm.peak[0] > 2.0  # its feet are held where those of the walk slide


def test_a_pushed_walker_recovers_in_time_and_one_that_stays_away_does_not(clip: Motion) -> None:
    push = Push("chest", (0.0, 150.0, 0.0), 1.33, 0.2)
    pushed = respond_with_walker(make_test_walker(), clip, [push])
    assert pushed.peak[0] > pushed.tolerance
    assert pushed.recovery is not None
    assert 0.1 < pushed.recovery < 3.0
    pushed.poses[-1, 10] += np.radians(pushed.tolerance + 5.0)
    assert pushed.recovery is None


def test_a_run_is_not_the_walk_that_was_learned() -> None:
    with pytest.raises(InputError, match="frame distances away from the walk"):
        respond_with_walker(make_test_walker(), samples.run(), [])

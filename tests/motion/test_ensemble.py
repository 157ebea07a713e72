"""Several motions in one world and on one clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io import samples
from gambol.motion.ensemble import Ensemble, as_ensemble, unite_ensembles


def test_frames_are_those_of_one_clock() -> None:
    walk = samples.walk()
    slow = replace(walk[:20], frame_time=0.1)
    both = Ensemble((walk, slow))
    assert both.frames_at(0.0) == [0, 0]
    assert both.frames_at(1.02) == [round(1.02 / walk.frame_time), 10]
    assert both.frames_at(1e6) == [len(walk) - 1, 19]
    assert both.duration == max(walk.duration, 1.9)
    assert [motion.name for motion in both] == ["walk", "walk"]


def test_what_is_one_already_stays_and_notes_are_said_once() -> None:
    walk = samples.walk().add_notes("a", "b")
    both = as_ensemble([walk, walk.add_notes("c")])
    assert as_ensemble(both) is both
    assert both.notes[-3:] == ("a", "b", "c")
    assert len(as_ensemble(walk)) == 1


@pytest.mark.parametrize(
    "given",
    [{"motions": ()}, {"poles": np.zeros((1, 4))}, {"walls": np.full((1, 4), np.nan)}, {"ramps": np.zeros((1, 6))}],
)
def test_what_makes_no_scene_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Ensemble(**{"motions": (samples.walk(),), **given})  # type: ignore[arg-type]


def test_scenes_become_one_with_all_that_is_in_their_way() -> None:
    walk = samples.walk()
    first = Ensemble((walk,), "door", walls=np.ones((2, 4)))
    second = Ensemble((walk, walk), poles=np.full((1, 3), 2.0), walls=np.zeros((1, 4)), ramps=np.ones((1, 7)))
    assert unite_ensembles([first]) is first
    both = unite_ensembles([first, second])
    assert len(both) == 3
    assert np.array_equal(both.walls, [[1.0] * 4, [1.0] * 4, [0.0] * 4])
    assert np.array_equal(both.poles, [[2.0] * 3])
    assert np.array_equal(both.ramps, [[1.0] * 7])
    assert not as_ensemble(walk).has_obstacles

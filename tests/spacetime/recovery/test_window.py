"""Windows of a motion in which pushes are answered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.contacts.contact import BodyPoint
from gambol.motion.pushes import Push
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.window import REACTION, cut_window, list_approaches
from gambol.stages.feet import track_point

RATE = 30.0


def test_the_second_frame_is_the_onset(grounded: GroundedMotion) -> None:
    window = cut_window(grounded, 1.3, 2.0, RATE)
    assert window.times[1] == pytest.approx(1.3)
    assert window.times[-1] == pytest.approx(3.3, abs=1.0 / RATE)
    assert window.closed


def test_feet_that_stand_or_land_at_once_keep_their_places(grounded: GroundedMotion) -> None:
    landing = next(one.first * grounded.motion.frame_time for one in grounded.stances if one.first > 60)
    for before, moves in ((REACTION + 0.05, True), (REACTION - 0.05, False)):
        window = cut_window(grounded, landing - before, 2.0, RATE)
        found = {
            round(window.times[stance.first], 3): one is not None for stance, one in window.footholds if stance.first
        }
        near = min(found, key=lambda time: abs(time - landing))
        assert found[near] is moves
        assert window.footholds[0][1] is None


@pytest.mark.parametrize(("start", "duration"), [(1.3, 0.2), (1.31, 0.2), (1.3, 0.05), (1.3, 0.013), (0.0, 0.1)])
def test_a_force_has_the_impulse_of_its_push(grounded: GroundedMotion, start: float, duration: float) -> None:
    window = cut_window(grounded, start, 2.0, RATE)
    found = window.convert_push(Push("chest", (30.0, -50.0, 10.0), start, duration))
    assert found is not None
    assert found.first >= 1
    np.testing.assert_allclose(found.forces.sum(axis=0) / RATE, duration * np.array([30.0, -50.0, 10.0]), rtol=1e-9)


def test_a_force_in_body_axes_turns_with_the_body(grounded: GroundedMotion) -> None:
    window = cut_window(grounded, 1.3, 2.0, RATE)
    world, body = (
        window.convert_push(Push("chest", (50.0, 0.0, 0.0), 1.3, 0.2, axes=axes)) for axes in ("world", "body")
    )
    assert world is not None
    assert body is not None
    np.testing.assert_allclose(np.linalg.norm(body.forces, axis=1), np.linalg.norm(world.forces, axis=1))
    assert np.abs(body.forces - world.forces).max() > 1.0


def test_a_push_outside_the_window_is_none(grounded: GroundedMotion) -> None:
    window = cut_window(grounded, 1.3, 1.0, RATE)
    assert window.convert_push(Push("chest", (50.0, 0.0, 0.0), 3.0, 0.2)) is None


def test_a_window_at_the_end_of_the_clip_is_open(grounded: GroundedMotion) -> None:
    assert not cut_window(grounded, grounded.motion.duration - 0.8, 2.0, RATE).closed


def test_feet_come_and_leave_on_their_paths_in_the_clip(grounded: GroundedMotion) -> None:
    """Beside a stance, and where a foot travels in it: here in the middle of one, in which neither end is fixed."""
    window = cut_window(grounded, 1.25, 2.0, RATE)
    clip = window.reference
    stance, foothold = next((one, place) for one, place in window.footholds if place is not None)
    middle = (stance.first + stance.last) // 2
    loose = [
        part
        for one in clip.contacts.items
        for part in (
            [
                replace(one, last=middle - 1),
                replace(one, first=middle, last=middle, fixed=False),
                replace(one, first=middle + 1),
            ]
            if one.body == stance.body and one.first < middle < one.last
            else [one]
        )
    ]
    window = replace(window, reference=clip.replan(clip.motion, loose))
    found = [one for one in list_approaches(window) if one.foothold is foothold]
    assert {one.first for one in found} == {stance.first - 1, middle, stance.last + 1}
    for one in found:
        assert one.first == one.last
        path = track_point(clip.motion, BodyPoint(one.part, one.body, one.points[0]))
        np.testing.assert_allclose(one.place, path[one.first])

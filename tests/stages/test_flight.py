"""Stages cover every frame once, and a fall is measured over the frames of its stage and no others."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton
from gambol.stages.flight import (
    compute_centre_heights,
    drop_supported_flights,
    find_stages,
    fit_parabola,
    measure_fall,
)

STEP = 0.01


def _touching(*spans: tuple[int, int], frames: int = 60, frame_time: float = STEP) -> Contacts:
    items = (Contact("foot", np.zeros((1, 3)), np.zeros(3), first, last) for first, last in spans)
    return Contacts(tuple(items), frames, frame_time)


def _spans(stages: tuple[Stage, ...]) -> list[tuple[str, int, int]]:
    return [(stage.name, stage.first, stage.last) for stage in stages]


def _point(heights: np.ndarray) -> Motion:
    """A body of one joint at given heights."""
    skeleton = Skeleton(("thing",), (-1,), np.zeros((1, 3)), (Dof(0, "slide", (0.0, 0.0, 1.0)),))
    return Motion(skeleton, heights[:, None], STEP)


def _throw(frames: int, first: int, last: int, gravity: float = 9.81) -> np.ndarray:
    """Heights that follow a parabola from frame `first` to `last`, and lie 3 m below it elsewhere."""
    time = STEP * (np.arange(frames) - first)
    thrown = 1.0 + 0.7 * time - 0.5 * gravity * time**2
    return np.where((np.arange(frames) >= first) & (np.arange(frames) <= last), thrown, -2.0)


def test_stages_change_with_the_contacts_and_leave_no_frame_out():
    stages = find_stages(_touching((0, 19), (30, 44)))
    assert _spans(stages) == [("ground 1", 0, 19), ("flight 1", 20, 29), ("ground 2", 30, 44), ("flight 2", 45, 59)]
    assert [len(stage) for stage in stages] == [20, 10, 15, 15]


@pytest.mark.parametrize("gap", [3, 4, 5])
def test_gaps_join_their_neighbours_if_they_are_shorter_than_the_least_duration(gap):
    """A flight, or a contact, of 0.04 s is one; one frame less is none, except at an end of the motion."""
    flight = find_stages(_touching((0, 19), (20 + gap, 59)), 0.0399)
    assert len(flight) == (1 if gap < 4 else 3)
    touch = find_stages(_touching((20, 19 + gap)), 0.0399)
    assert len(touch) == (1 if gap < 4 else 3)
    if gap >= 4:
        assert _spans(touch)[1] == ("ground 1", 20, 19 + gap)
    for ends in (_touching((gap, 59)), _touching((0, 59 - gap))):
        assert len(find_stages(ends, 0.0399)) == 2


@pytest.mark.parametrize(("first", "last"), [(10, 18), (10, 13), (0, 8), (51, 59), (20, 49)])
@pytest.mark.parametrize("gravity", [9.81, 1.62])
def test_a_fall_is_that_of_the_frames_of_its_stage(first, last, gravity):
    heights = _throw(60, first, last, gravity)
    stage = Stage("flight", first, last, "flight 1")
    assert measure_fall(_point(heights), stage) == pytest.approx(-gravity)
    np.testing.assert_allclose(fit_parabola(_point(heights), stage), heights[first : last + 1], atol=1e-9)


def test_the_first_and_the_last_tenth_of_a_flight_do_not_count():
    stage = Stage("flight", 20, 49, "flight 1")
    for frame, counts in ((20, False), (22, False), (23, True), (46, True), (47, False), (49, False)):
        heights = _throw(60, 20, 49)
        heights[frame] -= 0.1
        assert (abs(measure_fall(_point(heights), stage) + 9.81) > 0.01) == counts, frame
        whole = fit_parabola(_point(heights), stage)
        assert len(whole) == 30
        if not counts:
            np.testing.assert_allclose(whole, _throw(60, 20, 49)[20:50], atol=1e-9)
    with pytest.raises(InputError, match="takes 4 or more"):
        measure_fall(_point(heights), Stage("flight", 10, 12, "flight 1"))


def test_a_flight_that_does_not_fall_is_ground_and_joins_its_neighbours():
    stages = find_stages(_touching((0, 9), (20, 29), (45, 59)))
    falling = _throw(60, 10, 44)
    resting = np.where(np.arange(60) < 25, _throw(60, 10, 24), 0.5)
    assert _spans(drop_supported_flights(_point(falling), stages)) == _spans(stages)
    assert _spans(drop_supported_flights(_point(resting), stages)) == [
        ("ground 1", 0, 9), ("flight 1", 10, 19), ("ground 2", 20, 59),
    ]  # fmt: skip
    short = find_stages(_touching((0, 9), (13, 59)), 0.0)
    assert _spans(drop_supported_flights(_point(np.zeros(60)), short)) == _spans(short)  # too short to measure
    slow = _throw(60, 10, 44, 4.9), _throw(60, 10, 44, 5.1)
    assert [len(drop_supported_flights(_point(heights), stages)) for heights in slow] == [1, 5]


def test_the_centre_is_the_mean_of_the_parts_by_mass():
    """A trunk of 46 % of the mass between two joints, and legs below: raising all parts raises it as much."""
    skeleton = Skeleton(("pelvis", "chest", "left_foot"), (-1, 0, 0), np.zeros((3, 3)), tuple(
        Dof(joint, "slide", (0.0, 0.0, 1.0)) for joint in range(3)
    ))  # fmt: skip
    q = np.array([[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.0, -0.5], [2.0, 0.0, 0.0]])
    heights = compute_centre_heights(Motion(skeleton, q, STEP))
    assert heights[0] == pytest.approx(1.0)
    assert heights[3] == pytest.approx(2.0)
    # chest and foot have shares of 0.16 and 0.035 of the three parts' 0.335
    np.testing.assert_allclose(heights[1:3] - 1.0, [0.5 * 0.16 / 0.335, -0.5 * 0.035 / 0.335])

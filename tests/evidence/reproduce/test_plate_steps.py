"""Only steps of one foot wholly on one plate count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.motion.recording import ForcePlate, Table
from gambol.stages.feet import Feet, FootTrack
from gambol.stages.gait import GaitEvents
from gambol_evidence.reproduce.plate_steps import PlateStep, compute_event_errors, find_plate_steps, plates_from_table

RATE = 1000.0
SQUARE = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]])


def plate(first: float, last: float, peak: float = 800.0, corners: np.ndarray = SQUARE) -> ForcePlate:
    """A plate that is loaded from `first` to `last` of two seconds, its centre of pressure going from heel to toe."""
    time = np.arange(2000) / RATE
    share = (time - first) / (last - first)
    on = (share > 0.0) & (share < 1.0)
    force = np.zeros((2000, 3))
    force[on, 2] = peak * np.minimum(1.0, 20.0 * np.minimum(share, 1.0 - share)[on])
    pressure = np.where(on[:, None], np.stack((0.1 + 0.25 * share, 0.25 + 0 * share, 0 * share), axis=1), np.nan)
    return ForcePlate(corners, force, pressure, np.zeros(2000), 1.0 / RATE)


def standing(heel: tuple[float, float], toe: tuple[float, float]) -> FootTrack:
    return FootTrack(*(np.tile((*place, 0.03), (200, 1)) for place in (heel, toe)))


def feet(left: FootTrack, right: FootTrack) -> Feet:
    return Feet({"left": left, "right": right}, 0.01)


ON = standing((0.1, 0.25), (0.3, 0.25))
AWAY = standing((2.0, 0.25), (2.2, 0.25))


def test_a_step_on_the_plate_counts_with_its_crossings_of_20_newtons():
    (step,) = find_plate_steps(feet(AWAY, ON), (plate(0.5, 1.1),))
    assert (step.side, step.plate) == ("right", 0)
    # The made force rises to 800 N within 30 ms, and passes 20 N after 0.75 ms.
    assert step.strike == pytest.approx(0.50075, abs=1e-6)
    assert step.toe_off == pytest.approx(1.09925, abs=1e-6)


@pytest.mark.parametrize(
    "both",
    [
        pytest.param(feet(AWAY, standing((-0.1, 0.25), (0.1, 0.25))), id="heel before the edge"),
        pytest.param(feet(AWAY, standing((0.25, 0.25), (0.47, 0.25))), id="toes over the edge"),
        pytest.param(feet(standing((0.1, 0.1), (0.3, 0.1)), ON), id="both feet on it"),
        pytest.param(feet(standing((0.45, 0.1), (0.65, 0.1)), ON), id="the heel of the other foot on it"),
        pytest.param(feet(AWAY, AWAY), id="nobody on it"),
    ],
)
def test_other_steps_do_not(both: Feet):
    assert find_plate_steps(both, (plate(0.5, 1.1),)) == ()


def test_a_foot_must_stand_wholly_between_the_edges():
    """Its heel begins 2 cm before the marker on the back of the shoe, its toes reach 3 tenths beyond theirs."""
    for heel, toe, on in (
        (-0.019, 0.3, True),
        (-0.021, 0.3, False),
        (0.1, 0.1 + 0.399 / 1.3, True),
        (0.1, 0.1 + 0.401 / 1.3, False),
    ):
        for corners in (SQUARE, SQUARE[::-1]):
            found = find_plate_steps(
                feet(AWAY, standing((heel, 0.25), (toe, 0.25))), (plate(0.5, 1.1, corners=corners),)
            )
            assert len(found) == int(on)


@pytest.mark.parametrize("angle", [0.5, 2.0, 4.0])
def test_steps_do_not_depend_on_how_a_plate_lies(angle: float):
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    for heel, toe, on in (
        ((0.02, 0.05), (0.3, 0.3), True),
        ((0.02, 0.05), (0.42, 0.3), False),
        ((-0.1, 0.05), (0.3, 0.3), False),
    ):
        foot, flat = standing(heel, toe), plate(0.5, 1.1)
        turned = FootTrack(foot.heel @ turn.T, foot.toe @ turn.T)
        lying = replace(flat, corners=SQUARE @ turn.T, center_of_pressure=flat.center_of_pressure @ turn.T)
        for here, under in ((foot, flat), (turned, lying)):
            assert len(find_plate_steps(feet(AWAY, here), (under,))) == int(on)


def test_a_step_lasts_a_tenth_of_a_second_and_carries_150_newtons():
    for last, peak, counts in ((0.604, 800.0, True), (0.599, 800.0, False), (1.1, 151.0, True), (1.1, 149.0, False)):
        assert len(find_plate_steps(feet(AWAY, ON), (plate(0.5, last, peak),))) == int(counts)


def test_the_centre_of_pressure_is_within_eight_centimetres_of_the_foot():
    unknown = np.full((4, 3), np.nan)
    for aside, on in ((0.079, True), (0.081, False)):
        beside = standing((0.1, 0.25 + aside), (0.3, 0.25 + aside))
        assert len(find_plate_steps(feet(AWAY, beside), (plate(0.5, 1.1, corners=unknown),))) == int(on)


def test_a_foot_that_moves_over_a_plate_does_not_stand_on_it():
    """Over the three tenths of the load in which a foot is flat, it may move at 0.3 m/s at most."""
    for speed, stands in ((0.25, True), (0.35, False)):
        drift = 0.01 * speed * (np.arange(200) - 75.0)[:, None] * [0.0, 1.0, 0.0]
        moved = FootTrack(ON.heel + drift, ON.toe + drift)
        assert len(find_plate_steps(feet(AWAY, moved), (plate(0.5, 1.1),))) == int(stands)


def test_steps_that_the_recording_cuts_and_knocks_do_not_count():
    assert find_plate_steps(feet(AWAY, ON), (plate(-0.3, 0.5),)) == ()
    assert find_plate_steps(feet(AWAY, ON), (plate(1.5, 2.3),)) == ()
    assert find_plate_steps(feet(AWAY, ON), (plate(0.5, 1.1, peak=60.0),)) == ()


def test_without_corners_the_centre_of_pressure_tells():
    unknown = np.full((4, 3), np.nan)
    (step,) = find_plate_steps(feet(AWAY, ON), (plate(0.5, 1.1, corners=unknown),))
    assert step.side == "right"
    beside = standing((0.1, 0.45), (0.3, 0.45))
    assert find_plate_steps(feet(AWAY, beside), (plate(0.5, 1.1, corners=unknown),)) == ()
    two = (plate(0.5, 1.1, corners=unknown), plate(0.5, 1.1, corners=unknown))
    assert find_plate_steps(feet(AWAY, ON), two) == ()


def test_columns_of_opensim_become_plates_with_z_up():
    labels = tuple(f"ground_force_{side}_{kind}{axis}" for side in "rl" for kind in "vp" for axis in "xyz")
    values = np.tile(np.array([1.0, 500.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0]), (3, 1))
    right, left = plates_from_table(Table(labels, values, np.array([0.0, 0.1, 0.2])))
    np.testing.assert_allclose(right.force[0], (1.0, -3.0, 500.0))
    np.testing.assert_allclose(right.center_of_pressure[0], (4.0, -6.0, 5.0))
    assert np.isnan(left.center_of_pressure).all()
    assert right.frame_time == pytest.approx(0.1)
    with pytest.raises(InputError, match="ground_force"):
        plates_from_table(Table(("a",), np.zeros((3, 1)), np.arange(3.0)))


def test_a_missed_event_is_not_a_number():
    events = GaitEvents({"left": np.array([1.02])}, {"left": np.array([0.2])}, np.array([1.0, 0.0, 0.0]), 1.0)
    errors = compute_event_errors(events, [PlateStep("left", 0, 1.0, 1.6)])
    assert errors[0, 0] == pytest.approx(0.02)
    for late, missed in ((0.149, False), (-0.149, False), (0.151, True)):
        events = GaitEvents(
            {"left": np.array([0.5, 1.0 + late])}, {"left": np.zeros(0)}, np.array([1.0, 0.0, 0.0]), 1.0
        )
        found = compute_event_errors(events, [PlateStep("left", 0, 1.0, 1.6)])[0, 0]
        assert np.isnan(found) if missed else found == pytest.approx(late)
    assert np.isnan(errors[0, 1])

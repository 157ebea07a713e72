"""Feet that shuffle under somebody who waits, and turns on the spot without a step, are seen; steps are no faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson
from gambol.judge.waiting import SHUFFLES, TURNS_ON_SPOT, find_waiting_faults
from gambol.stages.feet import SIDES
from tests.judge.bodies import BODY, BUILT_IN, bump, head_elsewhere, person, turn


def of(kind: FindingKind, seen: SeenPerson) -> list[Finding]:
    return [one for one in find_waiting_faults(seen) if one.kind.name == kind.name and one.severity > 1.0]


def move_foot(seen: SeenPerson, side: str, way: Array) -> SeenPerson:
    """Return a person whose foot is elsewhere by a way (frames, 3) in metres."""
    places = {**seen.places, f"{side}_foot": seen.places[f"{side}_foot"] + way}
    return replace(seen, places=places, soles={**seen.soles, side: seen.soles[side] + way[:, None]})


def shuffle(seen: SeenPerson, amplitude: float, height: float = 0.0) -> SeenPerson:
    """Return a person whose left foot goes to and fro by an amplitude (m) once in a second, lifted by a height (m)."""
    phase = 2.0 * np.pi * np.arange(len(seen)) * seen.frame_time
    return move_foot(
        seen,
        "left",
        np.column_stack((np.sin(phase) * amplitude, 0.0 * phase, height * np.maximum(np.cos(phase), -np.cos(phase)))),
    )


def spin(seen: SeenPerson, degrees: float, seconds: float) -> SeenPerson:
    """Return a person who turns about the vertical through the pelvis, feet and all."""
    share = np.clip((np.arange(len(seen)) * seen.frame_time - 1.0) / seconds, 0.0, 1.0)
    return turn(seen, quat.from_axis_angle(UP, np.radians(degrees) * share), seen.places["pelvis"], BODY, SIDES)


@pytest.mark.parametrize("name", BUILT_IN)
def test_sound_clips_have_no_faults(name: str) -> None:
    assert [one for every in (1, 4) for one in find_waiting_faults(person(name).thin(every))] == []


@pytest.mark.parametrize("amplitude", [0.04, 0.06])
@pytest.mark.parametrize("every", [1, 4])
def test_a_foot_that_shuffles_is_found_and_goes_as_far_as_it_does(amplitude: float, every: int) -> None:
    (one,) = of(SHUFFLES, head_elsewhere(shuffle(person("stand"), amplitude).thin(every)))
    assert one.part == "left_foot"
    assert one.value == pytest.approx(400.0 * amplitude, rel=0.25), "four amplitudes a second"


def test_steps_in_place_and_feet_that_creep_do_not_shuffle() -> None:
    stand = person("stand")
    assert of(SHUFFLES, shuffle(stand, 0.04, height=0.08)) == []
    assert of(SHUFFLES, shuffle(stand, 0.01)) == []


def test_who_walks_with_dragging_feet_does_not_wait() -> None:
    """The whole body glides: that is a slide, and no shuffle."""
    stand = person("stand")
    way = np.outer(np.arange(len(stand)) * stand.frame_time, [0.3, 0.0, 0.0])
    places = {part: path + way for part, path in stand.places.items()}
    gliding = replace(stand, places=places, soles={side: path + way[:, None] for side, path in stand.soles.items()})
    assert of(SHUFFLES, gliding) == []


@pytest.mark.parametrize("degrees", [80.0, -120.0])
def test_a_turn_on_feet_that_do_not_step_is_found(degrees: float) -> None:
    """Feet of who stands are at most 12 cm beside the pelvis, so that they turn slowly."""
    (one,) = of(TURNS_ON_SPOT, spin(person("stand"), degrees, 1.0))
    assert one.part == "pelvis"
    assert one.value == pytest.approx(abs(degrees), rel=0.1)
    assert 0.5 < one.start < one.end < 2.5


def test_a_slow_or_small_turn_or_one_with_a_step_is_none() -> None:
    stand = person("stand")
    assert of(TURNS_ON_SPOT, spin(stand, 30.0, 0.5)) == []
    assert of(TURNS_ON_SPOT, spin(stand, 80.0, 3.0)) == []
    stepping = move_foot(spin(stand, 80.0, 1.0), "left", 0.1 * np.outer(bump(stand, 1.3, 0.4), UP))
    assert of(TURNS_ON_SPOT, stepping) == []


def test_who_travels_over_feet_that_stand_does_not_turn_on_the_spot() -> None:
    stand = person("stand")
    travelling = np.outer(np.clip(np.arange(len(stand)) * stand.frame_time - 0.5, 0.0, 2.0), [0.6, 0.0, 0.0])
    turned = spin(stand, 80.0, 1.0)
    assert (
        of(TURNS_ON_SPOT, replace(turned, places={**turned.places, "pelvis": stand.places["pelvis"] + travelling}))
        == []
    )

"""Bodies that lean so far beside their feet that they would fall are seen; those that lean within them are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import SOLE_HALF_WIDTH
from gambol.fit.load import load
from gambol.judge.balance import find_centre, find_leans
from gambol.judge.finding import Finding
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.mirroring import reflect_motion
from gambol.stages.feet import SIDES
from tests.judge.bodies import BUILT_IN, TRUNK, clip, find_hips, head_elsewhere, lean_sideways, person, thin


def found(seen: SeenPerson) -> list[Finding]:
    return [one for one in find_leans(seen) if one.severity > 1.0]


@pytest.mark.parametrize("name", BUILT_IN)
def test_sound_clips_are_balanced(name: str) -> None:
    assert found(person(name)) == []
    assert found(thin(person(name), 4)) == []


@pytest.mark.parametrize("degrees", [10.0, -10.0, 15.0])
def test_a_walk_that_leans_sideways_throughout_is_found(degrees: float) -> None:
    walk = person("walk")
    (one,) = found(lean_sideways(walk, degrees))
    shift = 100.0 * find_centre(walk)[:, 2].mean() * np.sin(np.radians(abs(degrees)))
    assert 0.4 * shift < one.value < shift, "less than the shift of the mass: soles are as wide as steps and feet"
    assert one.start < 0.8
    assert one.end > clip("walk").duration - 0.8


def test_a_lean_that_feet_can_hold_is_none() -> None:
    assert found(lean_sideways(person("walk"), 3.0)) == []
    assert found(lean_sideways(person("walk"), 10.0, TRUNK)) == [], "the trunk alone does not move so much mass"


def test_who_stands_leans_as_far_as_the_mass_is_outside_the_soles() -> None:
    leaning = lean_sideways(person("stand"), 20.0)
    (one,) = found(leaning)
    right = -find_hips(leaning)
    mass = np.sum(find_centre(leaning) * right, axis=1)
    soles = np.einsum("fpi,fi->fp", np.concatenate([leaning.soles[side] for side in SIDES], axis=1), right)
    assert one.value == pytest.approx(100.0 * (mass - soles.max(axis=1) - SOLE_HALF_WIDTH).mean(), rel=0.1)


def test_who_lies_on_the_ground_is_carried_by_it() -> None:
    assert found(lean_sideways(person("stand"), 90.0)) == []


def test_feet_that_slide_hold_no_more_than_others() -> None:
    stand = lean_sideways(person("stand"), 20.0)
    way = np.outer(np.arange(len(stand)) * stand.frame_time, [2.5, 0.0, 0.0])
    places = {part: path + way for part, path in stand.places.items()}
    gliding = replace(stand, places=places, soles={side: path + way[:, None] for side, path in stand.soles.items()})
    assert found(gliding)[0].value == pytest.approx(found(stand)[0].value, rel=0.1)


def test_a_run_that_leans_is_found_and_its_flights_do_not_matter() -> None:
    (one,) = found(lean_sideways(person("run"), 15.0))
    assert one.value > 10.0


def test_frame_rate_heading_and_side_do_not_matter() -> None:
    leaning = lean_sideways(person("walk"), 12.0)
    (one,) = found(leaning)
    for other in (thin(leaning, 2), thin(leaning, 4), head_elsewhere(leaning)):
        (again,) = found(other)
        assert again.value == pytest.approx(one.value, rel=0.15)
    (mirrored,) = found(lean_sideways(see_person(reflect_motion(clip("walk"))), -12.0))
    assert mirrored.value == pytest.approx(one.value, rel=1e-3)


def test_a_small_person_has_small_feet() -> None:
    leaning = lean_sideways(person("walk"), 12.0)
    places = {part: 0.6 * path for part, path in leaning.places.items()}
    child = replace(leaning, places=places, soles={side: 0.6 * path for side, path in leaning.soles.items()})
    (adult,), (small,) = found(leaning), found(child)
    assert small.kind.limit == pytest.approx(0.6 * adult.kind.limit)


def test_the_centre_of_who_stands_is_above_the_feet_at_half_the_height() -> None:
    stand = person("stand")
    centre = find_centre(stand)
    feet = np.mean([stand.soles[side].mean(axis=1) for side in ("left", "right")], axis=0)
    assert np.abs(centre[:, :2] - feet[:, :2]).max() < 0.06
    assert np.allclose(centre[:, 2], 0.57 * stand.stature, atol=0.05 * stand.stature)


def test_recorded_walks_are_balanced_until_they_lean(data) -> None:
    for name in ("35_01", "07_02"):
        walk = see_person(load(data / "cmu_bvh" / "walk" / f"{name}.bvh"))
        assert found(walk) == []
        assert found(lean_sideways(walk, 10.0))
        assert found(lean_sideways(walk, -10.0))

"""Bodies that would fall are seen: they lean beside their feet, or no foot lands where it would hold them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import SOLE_HALF_WIDTH
from gambol.fit.load import load
from gambol.judge.balance import LEANS_TOO_FAR, WOULD_FALL, find_centre, find_falls, measure_outcomes
from gambol.judge.finding import Finding, FindingKind
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.mirroring import reflect_motion
from gambol.stages.feet import SIDES
from tests.judge.bodies import BUILT_IN, TRUNK, bump, clip, find_hips, head_elsewhere, lean_sideways, person


def found(seen: SeenPerson, kind: FindingKind = LEANS_TOO_FAR) -> list[Finding]:
    return [one for one in find_falls(seen) if one.severity > 1.0 and one.kind.name == kind.name]


def leave_feet(seen: SeenPerson, start: float) -> SeenPerson:
    """Return a person whose soles stay where they are from a time on; the body goes on."""
    frames = np.minimum(np.arange(len(seen)), round(start / seen.frame_time))
    return replace(seen, soles={side: path[frames] for side, path in seen.soles.items()})


@pytest.mark.parametrize("name", BUILT_IN)
def test_sound_clips_are_balanced(name: str) -> None:
    assert found(person(name)) == []
    assert found(person(name).thin(4)) == []
    for every in (1, 4):
        assert found(person(name).thin(every), WOULD_FALL) == []


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
    for other in (leaning.thin(2), leaning.thin(4), head_elsewhere(leaning)):
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


@pytest.mark.parametrize("degrees", [14.0, -14.0])
@pytest.mark.parametrize("name", ["walk", "stand"])
def test_a_body_that_sways_out_and_back_over_feet_that_do_nothing_is_found(name: str, degrees: float) -> None:
    swaying = lean_sideways(person(name), degrees * bump(person(name), 2.0, 0.8))
    (one,) = found(swaying, WOULD_FALL)
    assert 2.0 < one.start < one.end < 2.8
    for other in (swaying.thin(4), head_elsewhere(swaying)):
        (again,) = found(other, WOULD_FALL)
        assert again.value == pytest.approx(one.value, rel=0.25)
    assert found(lean_sideways(person(name), 0.2 * degrees * bump(person(name), 2.0, 0.8)), WOULD_FALL) == []


def test_the_distance_is_that_of_the_extrapolated_centre_of_mass() -> None:
    """Who leans by a constant angle has no velocity: the centre of mass itself is outside."""
    leaning = lean_sideways(person("stand"), 20.0)
    (one,), (mean,) = found(leaning, WOULD_FALL), found(leaning)
    assert one.value == pytest.approx(mean.value, rel=0.1)
    rising = lean_sideways(person("stand"), np.linspace(0.0, 40.0, len(leaning)))
    outside = [one for one in found(rising, WOULD_FALL) if one.value > WOULD_FALL.limit]
    assert outside[0].start < found(rising)[0].start, "it is outside before the centre of mass is"


def test_a_walk_without_the_next_step_falls() -> None:
    walk = person("walk")
    (one,) = found(leave_feet(walk, 2.0), WOULD_FALL)
    assert 1.4 < one.start < 2.4
    assert one.value > 3.0 * WOULD_FALL.limit
    assert measure_outcomes(leave_feet(walk, 2.0))["falls"] > 0.1


def test_who_falls_and_then_lies_is_no_fault() -> None:
    stand = person("stand")
    share = np.clip((np.arange(len(stand)) * stand.frame_time - 1.0) / 0.9, 0.0, 1.0)
    assert found(lean_sideways(stand, 90.0 * share**2), WOULD_FALL) == []
    assert found(lean_sideways(stand, 30.0 * share**2), WOULD_FALL)


def test_who_stands_stands_and_who_runs_steps() -> None:
    assert measure_outcomes(person("stand")) == {"stands": 1.0, "steps": 0.0, "falls": 0.0}
    running, walking = measure_outcomes(person("run")), measure_outcomes(person("walk"))
    assert running["steps"] > 0.95
    assert 0.3 < walking["steps"] < 0.8
    assert running["falls"] == walking["falls"] == 0.0
    assert measure_outcomes(lean_sideways(person("stand"), 90.0)) == {}, "nothing is said of who lies"

"""Feet that stand above or below the floor are seen; stairs, slopes and hovering feet are no faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.judge.floor import FOOT_FLOAT, FOOT_SINKS, find_floor_faults, measure_floor
from gambol.judge.seen import SeenPerson, see_person

STANCE = (0.80, 1.05)
"""Seconds in which the right foot alone carries the built-in walk."""


def found(seen: SeenPerson) -> list[Finding]:
    return [one for one in find_floor_faults(seen) if one.severity > 1.0]


def lift(seen: SeenPerson, rise: Mapping[str, Array]) -> SeenPerson:
    """Return a person whose feet, by side, are higher by `rise` (frames,) in metres."""
    places, soles = dict(seen.places), dict(seen.soles)
    for side, height in rise.items():
        up = np.outer(height, [0.0, 0.0, 1.0])
        places[f"{side}_foot"] = places[f"{side}_foot"] + up
        soles[side] = soles[side] + up[:, None]
    return replace(seen, places=places, soles=soles)


def ramp(seen: SeenPerson, start: float, end: float, edge: float) -> Array:
    """Return a curve (frames,) that is 1 from start to end, and 0 from `edge` seconds before and after."""
    t = np.arange(len(seen)) * seen.frame_time
    up = np.clip(np.minimum(t - start, end - t) / edge + 1.0, 0.0, 1.0)
    return 0.5 - 0.5 * np.cos(np.pi * up)


@pytest.mark.parametrize("name", ["walk", "run", "jump", "stand"])
def test_sound_clips_stand_on_one_floor(name: str) -> None:
    seen = see_person(load(name))
    assert found(seen) == []
    assert measure_floor(seen) == pytest.approx(0.0, abs=0.025)


@pytest.mark.parametrize(("size", "kind"), [(0.05, FOOT_FLOAT), (-0.05, FOOT_SINKS)])
def test_a_foot_that_rises_or_sinks_during_its_stance_is_found(size: float, kind: object) -> None:
    seen = see_person(load("walk"))
    (one,) = found(lift(seen, {"right": size * ramp(seen, 0.92, 0.93, 0.1)}))
    assert (one.kind, one.part) == (kind, "right_foot")
    assert one.value == pytest.approx(5.0, rel=0.25)
    assert STANCE[0] - 0.02 <= one.start <= one.end <= STANCE[1] + 0.02
    (mirrored,) = found(lift(seen, {"left": size * ramp(seen, 0.32, 0.33, 0.1)}))
    assert mirrored.part == "left_foot"


@pytest.mark.parametrize(("size", "kind"), [(0.05, FOOT_FLOAT), (-0.05, FOOT_SINKS)])
def test_up_and_down_over_all_of_a_stance_is_one_fault(data, size: float, kind: object) -> None:
    seen = see_person(load(data / "cmu_bvh" / "walk" / "35_01.bvh"))
    for side, start in (("left", 1.37), ("right", 0.82), ("right", 1.92)):
        (one,) = found(lift(seen, {side: size * ramp(seen, start + 0.16, start + 0.16, 0.16)}))
        assert (one.kind, one.part) == (kind, f"{side}_foot")


@pytest.mark.parametrize(("size", "kind"), [(0.06, FOOT_FLOAT), (-0.06, FOOT_SINKS)])
@pytest.mark.parametrize("every", [1, 4])
def test_a_whole_stance_above_or_below_the_others_is_found(data, size: float, kind: object, every: int) -> None:
    motion = load(data / "cmu_bvh" / "walk" / "35_01.bvh")[::every]
    seen = see_person(motion)
    assert found(seen) == []
    (one,) = found(lift(seen, {"left": size * ramp(seen, 1.2, 1.9, 0.1)}))
    assert (one.kind, one.part) == (kind, "left_foot")
    assert one.value == pytest.approx(6.0, rel=0.25)
    assert (one.start, one.end) == (pytest.approx(1.4, abs=0.12), pytest.approx(1.7, abs=0.12))


def test_stairs_slopes_and_a_step_are_no_faults(data) -> None:
    for name in ("36_01", "141_08"):
        assert [one for one in found(see_person(load(data / "cmu_bvh" / "terrain_stairs" / f"{name}.bvh")))
                if one.kind is FOOT_FLOAT] == []  # fmt: skip
    seen = see_person(load(data / "cmu_bvh" / "walk" / "35_01.bvh"))
    ahead = seen.places["pelvis"] - seen.places["pelvis"][0]
    assert found(lift(seen, dict.fromkeys(("left", "right"), 0.04 * np.linalg.norm(ahead[:, :2], axis=1)))) == []
    assert found(lift(seen, {"left": 0.2 * ramp(seen, 1.2, 1.9, 0.1)})) == []


@pytest.mark.parametrize("degrees", [8.0, -12.0])
def test_an_even_slope_is_a_floor_and_a_stance_above_it_is_found(degrees: float) -> None:
    seen = see_person(load("walk"))
    rise = {side: np.tan(np.radians(degrees)) * sole[..., 0].mean(axis=1) for side, sole in seen.soles.items()}
    assert found(lift(seen, rise)) == []
    raised = lift(seen, {**rise, "right": rise["right"] + 0.06 * ramp(seen, *STANCE, 0.1)})
    assert found(raised)


def test_a_whole_scene_that_floats_is_measured_and_is_no_fault_of_a_foot() -> None:
    seen = see_person(load("walk"))
    up = dict.fromkeys(("left", "right"), np.full(len(seen), 0.06))
    assert found(lift(seen, up)) == []
    assert measure_floor(lift(seen, up)) - measure_floor(seen) == pytest.approx(0.06, abs=0.003)


def test_who_stands_and_sinks_is_found_and_who_lifts_one_foot_is_not() -> None:
    seen = see_person(load("stand"))
    sunk = -0.06 * ramp(seen, 0.8, 1.2, 0.4)
    (one,) = found(lift(seen, {"left": sunk, "right": sunk}))
    assert one.kind is FOOT_SINKS
    assert one.limbs == {"left_leg", "right_leg"}
    assert found(lift(seen, {"left": -sunk})) == []

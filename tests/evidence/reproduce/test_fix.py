"""The damages of `gambol reproduce fix` do what they say, foot locking is a fair comparison, no repair fails."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.metrics.check import check
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import drop_supported_flights, find_stages, measure_fall
from gambol_evidence.peers import filter_clip, lock_feet_only
from gambol_evidence.reproduce.fix import RepairTrial, damage_claims, find_lost_bands, measure_distance
from gambol_evidence.reproduce.fix.damages import DAMAGES
from gambol_evidence.reproduce.fix.found_stances import FoundStance, count_found
from gambol_evidence.reproduce.fix.stances import measure_stance_error, stance_claims


@pytest.fixture(scope="module")
def walk():
    return samples.walk()[:150]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_changes_the_clip_and_is_the_same_for_a_seed(name, walk):
    one, other, third = (DAMAGES[name](walk, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.q, other.q)
    if name == "faster":
        assert one.frame_time == pytest.approx(0.75 * walk.frame_time)
    else:
        assert measure_distance(walk, one) > 1.0
    fixed = ("smoothed", "drift", "gravity", "faster")
    assert (name in fixed) == np.array_equal(one.q, third.q)


def test_gravity_is_taken_from_flights():
    jump = samples.jump()
    falls = []
    for motion in (jump, DAMAGES["gravity"](jump, np.random.default_rng(0))):
        flight = next(
            s for s in drop_supported_flights(jump, find_stages(find_foot_contacts(jump))) if s.kind == "flight"
        )
        falls.append(measure_fall(motion, flight))
    assert falls[1] / falls[0] == pytest.approx(0.7, abs=0.03)


def test_sliding_feet_break_figures_and_locked_feet_slide_less(walk):
    slid = DAMAGES["slide"](walk, np.random.default_rng(0))
    locked = lock_feet_only(fit(Character.from_motion(slid), slid))
    before, after = (next(f.value for f in check(m).measures if f.name == "foot drift") for m in (slid, locked))
    assert find_lost_bands(check(walk), check(slid)) or before > 10.0
    assert after < 0.5 * before


def test_a_figure_that_can_no_longer_be_measured_is_lost(walk):
    before = check(walk)
    first = next(figure for figure in before.measures if figure.passes and figure.measured)
    gone = [replace(f, value=np.nan, absent="no flight") if f is first else f for f in before.measures]
    assert find_lost_bands(before, SimpleNamespace(measures=gone)) == [f"{first.name} {first.formatted} > none"]


@pytest.mark.parametrize(("damage", "number"), [("skate", 0), ("float", 1)])
def test_stances_are_measured_where_the_recording_has_them(damage, number, walk):
    hurt = DAMAGES[damage](walk, np.random.default_rng(3))
    moved = hurt.placement.positions[:, 0] - walk.placement.positions[:, 0]
    speeds = np.linalg.norm(np.gradient(moved, walk.frame_time, axis=0), axis=1)
    if damage == "skate":
        assert speeds.max() == pytest.approx(0.5, abs=0.01)
    else:
        assert (moved[:, 2].min(), moved[:, 2].max()) == pytest.approx((-0.01, 0.07))
    errors = tuple(measure_stance_error(one, walk) for one in (walk, hurt))
    assert errors[1][number] > 4.0 * errors[0][number]
    assert errors[1][1 - number] == pytest.approx(errors[0][1 - number], abs=1e-3)
    rows = {row.id: row for row in stance_claims(damage, {"a": (errors[0], errors[1], errors[1])})}
    kinds = ("slide", "float")
    assert not rows[f"{damage}-stance-{kinds[number]}"].holds
    assert rows[f"{damage}-stance-{kinds[1 - number]}"].holds


def test_returning_the_damaged_clip_does_not_hold(walk):
    slid = DAMAGES["slide"](walk, np.random.default_rng(0))
    clean, damaged = check(walk), check(slid)
    trial = RepairTrial(clean, damaged, damaged, damaged, damaged, None, 1.0)
    rows = {claim.id: claim for claim in damage_claims("walk/35_01", "slide", trial, walk)}
    assert rows["35_01-slide-nearer"].measured == rows["35_01-slide-left"].measured == 1.0
    assert not rows["35_01-slide-nearer"].holds
    assert not rows["35_01-slide-left"].holds


def test_stances_count_as_found_at_their_own_time_only():
    true = [FoundStance("left", 0.0, 0.5), FoundStance("right", 0.4, 1.0), FoundStance("left", 1.0, 1.5)]
    seen = [FoundStance("left", 0.03, 0.47), FoundStance("right", 0.4, 1.1), FoundStance("right", 1.2, 1.4)]
    assert count_found(true, seen) == (3, 1, 3, 1)
    assert count_found(true, true) == (3, 3, 3, 0)


def test_a_filter_removes_what_is_fast_and_keeps_the_rest(walk):
    shaken = replace(walk, q=walk.q + 0.02 * np.sin(2.0 * np.pi * 20.0 * walk.times)[:, None])
    assert measure_distance(filter_clip(shaken), walk) < 0.3 * measure_distance(shaken, walk)
    assert measure_distance(filter_clip(walk), walk) < 3.0

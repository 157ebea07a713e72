"""Gait events against force plates, on made tracks with known events, and on recorded walks and runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers
from gambol.stages.feet import Feet, FootTrack, feet_of_markers
from gambol.stages.gait import GaitEvents, find_gait_events
from gambol_evidence.reproduce.plate_steps import compute_event_errors, find_plate_steps
from gambol_evidence.reproduce.plates import markers_and_plates

RATE = 100.0
STEPS = {
    "btk_c3d/FunctionalWalk.c3d": 3,
    "btk_c3d/Gait.c3d": 2,
    "btk_c3d/PiG_Motion-FlatFoot-One.c3d": 1,
    "btk_c3d/PiG_Motion3_FF.c3d": 3,
    "btk_c3d/sample01__Eb015pr.c3d": 2,
    "opensim_core_c3d_walking/walking2.c3d": 1,
    "bmclab/walk1.trc": 3,
    "bmclab/walk2.trc": 2,
    "opensim_rajagopal_walk_fullbody/markers_walk.trc": 3,
}
"""Steps that land wholly on a plate. FlatFoot-One's second step has its toes over the edge (it carries 60 % of the
body's weight), walking2's first has its heel before the plate, and the recording ends before walk1's and walk2's last
steps do."""


def test_events_agree_with_force_plates(data: Path):
    errors = []
    for name, count in STEPS.items():
        markers, plates = markers_and_plates(data / "gait_grf" / name)
        feet = feet_of_markers(markers)
        steps = find_plate_steps(feet, plates)
        assert len(steps) == count, name
        found = compute_event_errors(find_gait_events(feet), steps)
        assert np.isfinite(found).all(), f"{name}: a step was missed"
        assert np.abs(found).max() < 0.04, name
        errors.append(found)
    strike, off = np.median(np.abs(np.concatenate(errors)), axis=0)
    assert strike < 0.015
    assert off < 0.015
    assert np.abs(np.median(np.concatenate(errors), axis=0)).max() < 0.01


def made_walk(strikes: Array, swing: float = 0.4, length: float = 1.2, rate: float = RATE) -> FootTrack:
    """A foot whose heel comes to rest at the strikes after smooth swings; its toe moves 0.15 s later and as far."""
    time = np.arange(round(3.0 * rate)) / rate

    def along(delay: float, start: float) -> Array:
        share = np.clip((time[:, None] - strikes + swing - delay) / swing, 0.0, 1.0)
        way = start + length * (share - np.sin(2 * np.pi * share) / (2 * np.pi)).sum(axis=1)
        lift = 0.1 * np.sin(np.pi * share).sum(axis=1) ** 2
        return np.stack((way, 0 * time, lift), axis=1)

    return FootTrack(along(0.0, 0.0), along(0.15, 0.2))


def test_made_steps_are_found_when_they_happen():
    left, right = np.array([0.6, 1.6, 2.6]), np.array([1.1, 2.1])
    events = find_gait_events(Feet({"left": made_walk(left), "right": made_walk(right)}, 1.0 / RATE))
    np.testing.assert_allclose(events.strikes["left"], left, atol=0.05)
    np.testing.assert_allclose(events.strikes["right"], right, atol=0.05)
    np.testing.assert_allclose(events.toe_offs["left"], left - 0.4 + 0.15, atol=0.08)
    np.testing.assert_allclose(events.forward, (1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose([off - strike for strike, off in events.stances("left")], (0.75, 0.75), atol=0.1)


def test_events_do_not_depend_on_where_one_walks():
    tracks = {"left": made_walk(np.array([0.6, 1.6, 2.6])), "right": made_walk(np.array([1.1, 2.1]))}
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    moved = {
        side: FootTrack(*(points @ turn.T + (3.0, -2.0, 0.2) for points in (track.heel, track.toe)))
        for side, track in tracks.items()
    }
    here, there = (find_gait_events(Feet(t, 1.0 / RATE)) for t in (tracks, moved))
    for side in ("left", "right"):
        np.testing.assert_allclose(here.strikes[side], there.strikes[side], atol=1e-9)
        np.testing.assert_allclose(here.toe_offs[side], there.toe_offs[side], atol=1e-9)
    np.testing.assert_allclose(there.forward, (0.0, 1.0, 0.0), atol=1e-12)


@pytest.mark.parametrize("factor", [2, 4])
def test_events_do_not_depend_on_the_frame_rate(factor):
    """Sampled less often, events move by much less than a frame."""
    strikes = {"left": np.array([0.6, 1.6, 2.6]), "right": np.array([1.1, 2.1])}
    found = []
    for rate in (RATE, factor * RATE):
        tracks = {side: made_walk(times, rate=rate) for side, times in strikes.items()}
        found.append(find_gait_events(Feet(tracks, 1.0 / rate)))
    for one, other in ((found[0].strikes, found[1].strikes), (found[0].toe_offs, found[1].toe_offs)):
        for side in ("left", "right"):
            np.testing.assert_allclose(one[side], other[side], atol=0.003)
    assert found[0].speed == pytest.approx(found[1].speed, rel=0.01)


def test_the_speed_of_travel_is_the_way_of_the_feet_per_second():
    walk = made_walk(np.array([0.6, 1.6, 3.1]))  # it ends within a swing
    events = find_gait_events(Feet({"left": walk, "right": walk}, 1.0 / RATE))
    middle = 0.5 * (walk.heel + walk.toe)
    assert events.speed == pytest.approx((middle[-1, 0] - middle[0, 0]) / 2.99)


def test_stances_pair_a_strike_with_the_next_toe_off_unless_another_strike_comes_first():
    events = GaitEvents(
        {"left": np.array([1.0, 2.0, 3.0]), "right": np.zeros(0)},
        {"left": np.array([0.5, 1.6, 3.4]), "right": np.zeros(0)},
        np.array([1.0, 0.0, 0.0]),
        1.0,
    )
    assert events.stances("left") == [(1.0, 1.6), (3.0, 3.4)]
    assert events.stances("right") == []


def test_a_short_gap_is_bridged_and_a_long_one_gives_no_events():
    left, right = made_walk(np.array([0.6, 1.6, 2.6])), made_walk(np.array([1.1, 2.1]))
    heel, toe = left.heel.copy(), left.toe.copy()
    heel[80:85] = np.nan
    whole = find_gait_events(Feet({"left": FootTrack(heel, toe), "right": right}, 1.0 / RATE))
    assert len(whole.strikes["left"]) == 3
    heel[120:200] = toe[120:200] = np.nan
    part = find_gait_events(Feet({"left": FootTrack(heel, toe), "right": right}, 1.0 / RATE))
    np.testing.assert_allclose(part.strikes["left"], (0.6, 2.6), atol=0.05)


def test_standing_has_no_events():
    still = FootTrack(np.zeros((200, 3)), np.full((200, 3), 0.1))
    events = find_gait_events(Feet({"left": still, "right": still}, 1.0 / RATE))
    assert all(len(times) == 0 for times in (*events.strikes.values(), *events.toe_offs.values()))


@pytest.mark.parametrize("folder", ["walk", "turn"])
def test_feet_alternate_in_recorded_walks(data: Path, folder: str):
    for file in sorted((data / "cmu_bvh" / folder).glob("*.bvh")):
        events = find_gait_events(load(file))
        order = sorted((time, side) for side, times in events.strikes.items() for time in times)
        assert len(order) >= 4, file.name
        assert all(a[1] != b[1] for a, b in pairwise(order)), file.name
        stances = [off - strike for side in events.strikes for strike, off in events.stances(side)]
        assert 0.4 < min(stances) <= max(stances) < 1.0, file.name


@pytest.mark.parametrize("clip", ["02_03", "09_01", "09_02", "09_03", "09_04", "16_35", "16_36", "16_37", "16_45"])
def test_runners_stand_briefly(data: Path, clip: str):
    events = find_gait_events(load(data / "cmu_bvh" / "run" / f"{clip}.bvh"))
    order = sorted((time, side) for side, times in events.strikes.items() for time in times)
    assert len(order) >= 3
    assert all(a[1] != b[1] for a, b in pairwise(order))
    assert all(0.12 < off - strike < 0.3 for side in events.strikes for strike, off in events.stances(side))


@pytest.mark.parametrize(("make", "step"), [(samples.walk, 64 / 120), (samples.run, 42 / 120)])
def test_built_in_gaits_have_their_cadence(make: Callable[[], Motion], step: float):
    events = find_gait_events(make())
    order = sorted((time, side) for side, times in events.strikes.items() for time in times)
    assert len(order) in (7, 8)
    assert all(a[1] != b[1] for a, b in pairwise(order))
    np.testing.assert_allclose(np.diff([time for time, _ in order]), step, atol=0.02)


def test_wrong_events_and_markers_say_what_is_wrong():
    with pytest.raises(InputError, match="rising seconds"):
        GaitEvents({"left": np.array([2.0, 1.0])}, {}, np.zeros(3), 1.0)
    markers = Markers(("LHEE", "LTOE", "RHEE"), np.zeros((5, 3, 3)), 0.01)
    with pytest.raises(InputError, match="right foot"):
        find_gait_events(markers)
    gone = Markers(("LHEE", "LTOE", "RHEE", "RTOE"), np.full((5, 4, 3), np.nan), 0.01)
    with pytest.raises(InputError, match="left foot"):
        find_gait_events(gone)


def test_heel_and_toe_are_found_by_the_direction_of_travel_without_names(data: Path):
    markers, _ = markers_and_plates(data / "gait_grf" / "btk_c3d" / "sample01__Eb015pr.c3d")
    foot = feet_of_markers(markers).tracks["right"]
    np.testing.assert_array_equal(foot.heel, markers.positions[:, markers.names.index("RFT3")])
    np.testing.assert_array_equal(foot.toe, markers.positions[:, markers.names.index("RFT1")])

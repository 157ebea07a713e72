"""Footholds of JVRC-1 that are moved onto terrains and along other ways, before poses are solved."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.robots.biped import Biped
from gambol.robots.references.footholds import move_footholds
from gambol.robots.references.hips import measure_scale
from gambol.robots.references.kinematic import plan_robot_soles
from gambol.robots.references.person import TrackedPerson, track_person
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.sole_shapes import level_sole
from gambol.stages.contacts import find_foot_contacts
from tests.robots.test_whole_body import jvrc


@dataclass(frozen=True)
class Planned:
    """A walk and the paths of a robot's soles."""

    biped: Biped
    source: TrackedPerson
    soles: dict[str, SolePath]
    scale: float

    def move(self, **values: float) -> Planned:
        """Return it varied."""
        source, soles = move_footholds(self.biped, self.source, self.soles, self.scale, ReferenceVariation(**values))
        return Planned(self.biped, source, soles, self.scale)

    def list_flat(self) -> list[tuple[str, int, int]]:
        """Flat stances in the order of time."""
        return sorted(((s, a, b) for s, path in self.soles.items() for a, b in path.flat), key=lambda one: one[1])

    def find_corners(self, side: str) -> np.ndarray:
        return self.soles[side].find_corners(level_sole(self.biped, side))

    @property
    def hips(self) -> np.ndarray:
        """Metres of the robot (frames, 3)."""
        return self.scale * self.source.bodies.positions["pelvis"]


@pytest.fixture(scope="module")
def walk() -> Planned:
    biped, clip = jvrc(), gb.load("walk")[:150]
    source = track_person(clip).sample(np.arange(int(clip.duration * 50.0)) / 50.0, 0.02)
    scale = measure_scale(source.character, biped)
    return Planned(biped, source, plan_robot_soles(biped, source, find_foot_contacts(source.rig), scale), scale)


def measure_heights(planned: Planned, level: Planned) -> np.ndarray:
    """How much higher flat stances are."""
    heights = []
    for side, first, last in planned.list_flat():
        raised = (planned.find_corners(side) - level.find_corners(side))[first : last + 1, :, 2]
        assert np.ptp(raised) < 1e-9
        heights.append(raised.mean())
    return np.array(heights)


@pytest.mark.parametrize("rise", [0.15, -0.1])
def test_every_step_is_one_stair_higher(walk: Planned, rise: float) -> None:
    climbed = walk.move(stairs=rise)
    np.testing.assert_allclose(np.diff(measure_heights(climbed, walk)), rise, atol=1e-3)


@pytest.mark.parametrize("rise", [0.15, 0.25, -0.1])
def test_soles_are_above_stairs_and_hips_rise_with_them(walk: Planned, rise: float) -> None:
    climbed = walk.move(stairs=rise)
    for side, path in climbed.soles.items():
        assert path.find_heights(level_sole(walk.biped, side)).min() > -1e-3
        steps = np.diff(path.places, axis=0)
        assert np.linalg.norm(steps, axis=1).max() < 0.15, "a jump"
    stances = len(walk.list_flat())
    raised = (climbed.hips - walk.hips)[:, 2]
    assert raised[-1] - raised[0] == pytest.approx(rise * (stances - 1), abs=1.5 * abs(rise))
    assert (np.diff(raised) * np.sign(rise)).min() > -1e-9


@pytest.mark.parametrize("angle", [8.0, -5.0])
def test_a_slope_tilts_soles_and_all_of_them_rest_on_one_plane(walk: Planned, angle: float) -> None:
    tilted = walk.move(slope=angle)
    corners = [tilted.find_corners(side)[first] for side, first, _ in tilted.list_flat()]
    for sole, (side, first, _) in zip(corners, tilted.list_flat(), strict=True):
        turned = quat.rotate(tilted.soles[side].rotations[first], UP)
        assert np.degrees(np.arccos(turned[2])) == pytest.approx(abs(angle), abs=1e-6)
        level = walk.find_corners(side)[first]
        assert np.sign((sole - level)[2:, 2].mean() - (sole - level)[:2, 2].mean()) == np.sign(angle)
    points = np.concatenate(corners)
    rows = np.column_stack((points[:, :2], np.ones(len(points))))
    (east, north, _), *_ = np.linalg.lstsq(rows, points[:, 2], rcond=None)
    assert np.degrees(np.arctan(np.hypot(east, north))) == pytest.approx(abs(angle), abs=0.2)
    assert np.abs(rows @ np.linalg.lstsq(rows, points[:, 2], rcond=None)[0] - points[:, 2]).max() < 2e-3
    for side, path in tilted.soles.items():
        heights = path.find_heights(level_sole(walk.biped, side))
        before = walk.soles[side].find_heights(level_sole(walk.biped, side))
        np.testing.assert_allclose(heights[path.level], 0.0, atol=1e-9)
        assert heights.min() > -1e-3 + before.min()


def test_hips_rise_with_the_slope(walk: Planned) -> None:
    tilted = walk.move(slope=7.0)
    travel = np.linalg.norm((walk.hips[-1] - walk.hips[0])[:2])
    raised = (tilted.hips - walk.hips)[:, 2]
    assert raised[-1] - raised[0] == pytest.approx(np.tan(np.radians(7.0)) * travel, rel=0.02)


def test_stairs_without_room_are_refused(walk: Planned) -> None:
    with pytest.raises(InputError, match="crosses itself"):
        walk.move(stairs=0.15, turn=360.0, stride=0.4)
    with pytest.raises(InputError, match="higher to clear the stairs"):
        walk.move(stairs=0.3, stride=0.45)


def test_the_ground_below_soles_that_deviate_follows_the_slope(walk: Planned) -> None:
    tilted = walk.move(slope=8.0)
    for side, path in tilted.soles.items():
        sole, first = level_sole(walk.biped, side), path.flat[0][0]
        ahead = np.append(path.slopes[first] / np.linalg.norm(path.slopes[first]), 0.0)
        ground = path.find_ground(sole, path.find_corners(sole) + 0.1 * ahead)
        np.testing.assert_allclose((ground - path.ground)[first], 0.1 * np.tan(np.radians(8.0)), atol=1e-9)


def test_soles_that_slide_along_a_slope_stay_on_it(walk: Planned) -> None:
    tilted = walk.move(slope=8.0)
    for side, path in tilted.soles.items():
        sole, ahead = level_sole(walk.biped, side), path.slopes / np.tan(np.radians(8.0))
        moved = path.slide(0.1 * ahead)
        np.testing.assert_allclose(moved.find_heights(sole), path.find_heights(sole), atol=1e-12)
        away = moved.places - path.places
        np.testing.assert_allclose(away[:, 2] / np.linalg.norm(away[:, :2], axis=1), np.tan(np.radians(8.0)))


def test_stride_scales_the_travel_and_steps(walk: Planned) -> None:
    for stride in (0.7, 1.25):
        longer = walk.move(stride=stride)
        travel = [np.linalg.norm((each.hips[-1] - each.hips[0])[:2]) for each in (walk, longer)]
        assert travel[1] == pytest.approx(stride * travel[0], rel=0.02)
        steps = [
            np.linalg.norm(np.diff([p.soles[side].places[a, :2] for side, a, _ in p.list_flat()], axis=0), axis=1)
            for p in (walk, longer)
        ]
        # The width of steps stays.
        np.testing.assert_allclose(steps[1][1:-1], stride * steps[0][1:-1], rtol=0.08)


def test_gaps_make_one_step_in_four_longer(walk: Planned) -> None:
    leapt = walk.move(gaps=0.2)
    steps = [
        np.linalg.norm(np.diff([p.soles[side].places[a, :2] for side, a, _ in p.list_flat()], axis=0), axis=1)
        for p in (walk, leapt)
    ]
    more = steps[1] - steps[0]
    longer = more > 0.1
    assert 1 <= longer.sum() <= 1 + len(more) // 4
    np.testing.assert_allclose(more[longer], 0.2, atol=0.01)
    np.testing.assert_allclose(more[~longer], 0.0, atol=0.01)


def test_turn_turns_the_heading_and_feet_with_it(walk: Planned) -> None:
    turned = walk.move(turn=60.0)
    before, after = (each.source.bodies.rotations["pelvis"] for each in (walk, turned))
    by = quat.log(quat.multiply(after, quat.conjugate(before)))
    np.testing.assert_allclose(np.degrees(by[[0, -1]]), [[0.0, 0.0, 0.0], [0.0, 0.0, 60.0]], atol=1e-6)
    for side, path in turned.soles.items():
        for first, last in path.flat:
            assert np.abs(path.places[first : last + 1] - path.places[first]).max() < 1e-9
            spin = quat.multiply(path.rotations[first], quat.conjugate(walk.soles[side].rotations[first]))
            assert np.degrees(quat.log(spin))[2] == pytest.approx(np.degrees(by[(first + last) // 2, 2]), abs=8.0)


def test_feet_stay_beside_the_hips_wherever_they_go(walk: Planned) -> None:
    """Seen from the hips, in their heading, a foot under them is where it was."""
    changed = walk.move(turn=-70.0, slope=6.0, stride=1.1)
    for side in walk.soles:
        seen = []
        for each in (walk, changed):
            heading = each.source.bodies.rotations["pelvis"]
            away = (each.soles[side].places - each.hips) * [1.0, 1.0, 0.0]
            seen.append(quat.rotate(quat.conjugate(heading), away)[:, :2])
        under = np.linalg.norm((walk.soles[side].places - walk.hips)[:, :2], axis=1) < 0.15
        assert under.any()
        assert np.abs(seen[1] - seen[0])[under].max() < 0.06


def test_stones_are_at_random_heights_within_the_range(walk: Planned) -> None:
    heights = measure_heights(walk.move(stones=0.08), walk)
    assert np.abs(heights).max() <= 0.08
    assert len(np.unique(np.round(heights, 6))) == len(heights)
    np.testing.assert_array_equal(heights, measure_heights(walk.move(stones=0.08), walk))
    assert np.abs(heights - measure_heights(walk.move(stones=0.08, seed=1), walk)).max() > 0.01


def test_a_clip_without_contacts_is_refused(walk: Planned) -> None:
    aloft = {side: replace(path, flat=(), touching=np.zeros_like(path.touching)) for side, path in walk.soles.items()}
    for name in ("stairs", "stones", "stride"):
        with pytest.raises(InputError, match="no foot rests"):
            Planned(walk.biped, walk.source, aloft, walk.scale).move(**{name: 0.3})


def test_a_clip_that_goes_nowhere_is_refused(walk: Planned) -> None:
    stand = track_person(gb.load("stand")[:60])
    soles = plan_robot_soles(walk.biped, stand, find_foot_contacts(stand.rig), walk.scale)
    for name in ("stairs", "slope", "gaps", "turn"):
        with pytest.raises(InputError, match=f"too little for '{name}'"):
            move_footholds(walk.biped, stand, soles, walk.scale, ReferenceVariation(**{name: 0.1}))

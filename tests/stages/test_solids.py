"""Solids: scatter of their points by definition, boxes, and least squares within a box by its optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton
from gambol.stages.fixed import find_fixed_points
from gambol.stages.rigid_contacts import ContactSearch, find_contact_intervals
from gambol.stages.sliding import fit_slide, refine_slide, slides_far_enough
from gambol.stages.solids import Solid, inside_box, make_solid, minimise_in_box

POINTS = np.array([[-0.1, 0.0, 0.05], [0.2, 0.1, 0.0], [0.0, -0.1, 0.1]])


def _solid(frames: int = 30, seed: int = 0, far: float = 100.0) -> Solid:
    random = np.random.default_rng(seed)
    turns = Rotation.from_rotvec(0.3 * random.normal(size=(frames, 3))).as_matrix()
    return Solid(turns, far + 0.2 * random.normal(size=(frames, 3)), POINTS)


@pytest.mark.parametrize(("first", "last"), [(0, 29), (0, 4), (7, 19), (25, 29)])
def test_scatter_and_spread_are_those_of_the_tracks(first, last):
    solid, point = _solid(), np.array([0.1, -0.05, 0.3])
    track = np.array([turn @ point + at for turn, at in zip(solid.rotations, solid.positions, strict=True)])
    track = track[first : last + 1]
    np.testing.assert_allclose(solid.tracks(point[None], first, last)[:, 0], track)
    off, one = track - track.mean(axis=0), np.append(point, 1.0)
    covariance = np.einsum("iajb,a,b->ij", solid.spread(first, last), one, one)
    np.testing.assert_allclose(covariance, off.T @ off / len(off), atol=1e-10)
    assert one @ solid.scatter(first, last) @ one == pytest.approx((off**2).sum(axis=1).mean())


def test_the_box_is_a_centimetre_wider_than_the_points():
    solid = _solid()
    np.testing.assert_allclose(solid.low, POINTS.min(axis=0) - 0.01)
    np.testing.assert_allclose(solid.high, POINTS.max(axis=0) + 0.01)
    np.testing.assert_allclose(solid.middle, 0.5 * (POINTS.min(axis=0) + POINTS.max(axis=0)))
    assert solid.reach == pytest.approx(np.linalg.norm(solid.high - solid.middle))
    assert inside_box(solid.low, solid.low, solid.high)
    assert not inside_box(solid.high + [0.0, 1e-6, 0.0], solid.low, solid.high)
    assert not inside_box(solid.low - [0.0, 0.0, 1e-6], solid.low, solid.high)


def test_a_bone_becomes_a_body_with_a_breadth_across_it():
    offsets = np.array([[0.0, 0.0, 0.0], [0.1, 0.2, -0.4]])
    skeleton = Skeleton(("thigh", "shank"), (-1, 0), offsets, (Dof(0, "slide", (1.0, 0.0, 0.0)),))
    motion = Motion(skeleton, np.zeros((4, 1)), 0.01)
    points, bone = make_solid(motion, "thigh").points, offsets[1]
    np.testing.assert_array_equal(points[:2], offsets)
    beside = points[2:] - 0.5 * bone
    np.testing.assert_allclose(beside[0], -beside[1], atol=1e-12)
    np.testing.assert_allclose(beside @ bone, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(beside, axis=1), 0.2 * np.linalg.norm(bone))
    np.testing.assert_array_equal(make_solid(motion, "thigh", POINTS).points, POINTS)
    end = make_solid(motion, "shank").points
    assert np.linalg.norm(end, axis=1).max() == pytest.approx(0.2 * 0.01)


@pytest.mark.parametrize("seed", range(8))
def test_the_least_in_a_box_has_no_slope_but_into_its_walls(seed):
    random = np.random.default_rng(seed)
    factor = random.normal(size=(3, 3))
    matrix, slope = factor @ factor.T + 0.1 * np.eye(3), random.normal(size=3)
    low, high = -random.uniform(0.05, 0.3, 3), random.uniform(0.05, 0.3, 3)
    free = np.linalg.solve(matrix, -slope)
    found = minimise_in_box(matrix, slope, free, low, high)
    assert inside_box(found, low, high)
    pull = -2.0 * (matrix @ found + slope)
    for at, force, least, most in zip(found, pull, low, high, strict=True):
        if at == least:
            assert force <= 1e-3
        elif at == most:
            assert force >= -1e-3
        else:
            assert force == pytest.approx(0.0, abs=1e-3)
    np.testing.assert_array_equal(minimise_in_box(matrix, slope, free, free - 1.0, free + 1.0), free)


TALL = np.array([[-0.1, -0.05, -0.1], [0.1, 0.05, 0.3], [0.1, -0.05, 0.0]])


def _turning(axis: np.ndarray, frames: int = 40, shake: float = 0.0) -> Solid:
    """A body that turns about a line through the world's (1, 2, 3), which is the point (0.05, 0, 0.05) of the body."""
    turns = Rotation.from_rotvec(np.outer(np.linspace(0.0, 1.0, frames), axis)).as_matrix()
    at = np.array([1.0, 2.0, 3.0]) + shake * np.sin(np.arange(frames))[:, None] * axis
    return Solid(turns, at - turns @ np.array([0.05, 0.0, 0.05]), TALL)


def test_the_line_about_which_a_body_turns_ends_at_its_box():
    for axis in (np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.0, 0.8])):
        solid = _turning(axis)
        ends = find_fixed_points(solid, "line", 0, 39, 0.005)
        assert ends is not None
        way = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        np.testing.assert_allclose(np.abs(way), np.abs(axis), atol=1e-3)
        for end in ends:
            assert inside_box(end, solid.low - 1e-9, solid.high + 1e-9)
            assert not inside_box(end, solid.low + 1e-6, solid.high - 1e-6)
        np.testing.assert_allclose(np.cross(ends - np.array([0.05, 0.0, 0.05]), axis), 0.0, atol=2e-3)


def test_of_a_line_of_fixed_points_the_nearest_to_the_middle_of_the_body_is_chosen():
    for axis in (np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.0, 0.8])):
        solid, on = _turning(axis), np.array([0.05, 0.0, 0.05])
        found = find_fixed_points(solid, "point", 0, 39, 0.005)
        assert found is not None
        np.testing.assert_allclose(found[0], on + axis * (axis @ (solid.middle - on)), atol=2e-3)


def test_a_fixed_point_strays_by_its_tolerance_and_no_more():
    axis = np.array([0.0, 0.0, 1.0])
    assert find_fixed_points(_turning(axis, shake=0.008), "point", 0, 39, 0.01) is not None
    assert find_fixed_points(_turning(axis, shake=0.03), "point", 0, 39, 0.01) is None
    still = Solid(np.tile(np.eye(3), (20, 1, 1)), 0.008 * np.sin(np.arange(20))[:, None] * axis, POINTS)
    assert find_fixed_points(still, "plane", 0, 19, 0.01) is POINTS
    assert find_fixed_points(still, "plane", 0, 19, 0.007) is None


def test_a_slide_has_the_least_squares_of_its_interval():
    """A point moved by a millimetre in any direction slides worse, on its best line and on its best plane."""
    time = np.arange(60) / 60.0
    turns = Rotation.from_euler("zyx", np.stack((np.sin(5 * time), np.cos(7 * time), np.sin(3 * time)), axis=1))
    toe, random = np.array([0.1, 0.02, 0.03]), np.random.default_rng(1)
    for kind, track in (
        ("slide_line", np.outer(time, [0.6, 0.8, 0.0])),
        ("slide_plane", np.stack((np.cos(3 * time), np.sin(3 * time), 0 * time), axis=1)),
    ):
        positions = track - turns.apply(toe) + 1e-3 * random.normal(size=(60, 3))
        solid = Solid(turns.as_matrix(), positions, POINTS)

        def squares(point: np.ndarray) -> float:
            found = solid.tracks(point[None], 5, 54)[:, 0]  # noqa: B023
            sizes = np.linalg.svd(found - found.mean(axis=0))[1] ** 2
            return float(sizes[1:].sum() if kind == "slide_line" else sizes[2])  # noqa: B023

        slide = fit_slide(solid, kind, 5, 54, 0.02, np.array([0.0, 0.0, 1.0]))
        assert slide is not None
        point, place, direction = refine_slide(solid, kind, slide, 5, 54, np.array([0.0, 0.0, 1.0]))
        best = squares(point)
        for way in np.vstack([np.eye(3), -np.eye(3)]):
            assert squares(point + 1e-3 * way) > best
        found = solid.tracks(point[None], 5, 54)[:, 0]
        np.testing.assert_allclose(place, found.mean(axis=0))
        axes = np.linalg.svd(found - place)[2]
        assert abs(axes[0 if kind == "slide_line" else 2] @ direction) == pytest.approx(1.0)


def test_a_slide_is_level_within_ten_degrees_and_five_tolerances_long():
    up, frames = np.array([0.0, 0.0, 1.0]), np.arange(11) / 10.0
    for degrees, length, far in ((9.0, 0.06, True), (11.0, 0.06, False), (9.0, 0.04, False)):
        tilt = np.radians(degrees)
        way = np.array([np.cos(tilt), 0.0, np.sin(tilt)])
        solid = Solid(np.tile(np.eye(3), (11, 1, 1)), length * np.outer(frames, way), POINTS)
        for kind, direction in (("slide_line", way), ("slide_plane", np.array([-np.sin(tilt), 0.0, np.cos(tilt)]))):
            slide = np.stack((POINTS[0], POINTS[0], direction))
            assert slides_far_enough(solid, kind, slide, 0, 10, 0.01, up) == far
            assert slides_far_enough(solid, kind, slide, 0, 10, 0.01, None) == (length > 0.05)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_explain_a_motion_at_the_least_cost(seed):
    """By trying all sequences: a free frame costs 2, one of a point 1, of a plane 0, an interval 5 x 3."""
    random, frames = np.random.default_rng(seed), 60
    turns, positions, at = [np.eye(3)], [np.zeros(3)], np.array([0.1, 0.05, 0.0])
    for n in range(1, frames):
        turn = Rotation.from_rotvec([0.0, 0.05 * (n // 12 % 3 == 1), 0.03 * (n // 12 % 3 == 1)]).as_matrix()
        shift = np.array([0.02, 0.0, 0.03]) * (n // 12 % 3 == 2) + 1e-4 * random.normal(size=3)
        turns.append(turn @ turns[-1])
        positions.append(positions[-1] + turns[-2] @ at - turns[-1] @ at + shift)
    solid = Solid(np.array(turns), np.array(positions), POINTS)
    search = ContactSearch(min_frames=3, kinds=("plane", "point"))

    def explains(first: int, last: int) -> int | None:
        fixed = (find_fixed_points(solid, kind, first, last, 0.01) is not None for kind in search.kinds)
        return next((n for n, one in enumerate(fixed) if one), None)

    fits = {(first, last): explains(first, last) for first in range(frames) for last in range(first + 2, frames)}
    least = [0.0]
    for end in range(1, frames + 1):
        ways = [least[end - 1] + 2.0]
        ways += [
            least[first] + 15.0 + kind * (end - first)
            for first in range(end - 2)
            if (kind := fits[first, end - 1]) is not None
        ]
        least.append(min(ways))
    found = find_contact_intervals(solid, search)
    held = sum(15.0 + search.kinds.index(one.kind) * (one.last - one.first + 1) for one in found)
    free = frames - sum(one.last - one.first + 1 for one in found)
    assert held + 2.0 * free == pytest.approx(least[-1])
    assert {one.kind for one in found} == {"plane", "point"}

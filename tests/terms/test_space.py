"""Unknowns and constraints of a motion at the start of the search: ties, limits, contacts, points and footholds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.kernels import Kernels, make_kernels
from gambol.contacts.contact import Contact
from gambol.contacts.foothold import Foothold
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.solve.assemble import assemble
from gambol.solve.problem import Problem
from gambol.terms.contacts import Clearance, FixedContacts
from gambol.terms.foothold import find_variables
from gambol.terms.momentum import NewtonEuler, group_frames
from gambol.terms.smoothness import AccelerationCost, second_difference
from gambol.terms.space import Space, Term, make_space
from gambol.terms.splines import stage_steps
from gambol.terms.torque import JointTorque
from tests.terms.bodies import SOLE, STEP, hopping, monopod, sole_of

MONOPOD, FRAMES = monopod(), 7
SLOPED = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(MONOPOD, ("foot", "trunk"))


@pytest.fixture
def q() -> np.ndarray:
    return hopping(FRAMES) + 0.2 * np.random.default_rng(0).normal(size=(FRAMES, 10))


def _space(made: Kernels, q: np.ndarray, *terms: Term) -> Space:
    space = make_space(Problem(), MONOPOD, made, q, STEP)
    for term in terms:
        term.add(space)
    return space


def _violations(space: Space, name: str) -> np.ndarray:
    """Values of the constraints with a name at the start, minus their lower bounds."""
    values = np.array(assemble(space.problem).constraints(space.problem.start)).ravel()
    return (values - space.problem.constraint_bounds[0])[space.problem.constraint_names == name]


def _inner(steps: np.ndarray) -> float:
    """Seconds that the inner frames stand for."""
    return float(np.sum(0.5 * (steps[1:] + steps[:-1])))


def _point(q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    joint, placed = MONOPOD.skeleton.index(body), place(MONOPOD.skeleton, q)
    return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)


def test_at_the_start_momentum_is_that_of_the_coordinates(made, q):
    space = _space(made, q)
    for name, count in (("centre of mass", FRAMES), ("velocity", FRAMES - 1), ("angular momentum", FRAMES - 1)):
        left = _violations(space, name)
        assert left.shape == (3 * count,)
        np.testing.assert_allclose(left, 0.0, atol=1e-9)


def test_with_uneven_steps_momentum_is_that_of_the_coordinates_and_a_flight_is_a_parabola(made, q):
    steps = STEP * np.array([1.0, 1.1, 1.2, 1.2, 1.1, 1.0])
    space = make_space(Problem(), MONOPOD, made, q, steps)
    for name in ("velocity", "angular momentum"):
        np.testing.assert_allclose(_violations(space, name), 0.0, atol=1e-9)
    times = np.concatenate(([0.0], np.cumsum(steps)))
    falling = np.tile(q[0], (FRAMES, 1))
    falling[:, 0] += 2.0 * times
    falling[:, 2] += 3.0 * times - 0.5 * GRAVITY * times**2
    for taken, error in ((steps, 0.0), (STEP, 1.0)):
        space = make_space(Problem(), MONOPOD, made, falling, taken)
        NewtonEuler(()).add(space)
        JointTorque(NewtonEuler(()), 0.0, 1.0).add(space)
        AccelerationCost(1.0).add(space)
        for name in ("flight parabola", "inverse dynamics"):
            worst = np.abs(_violations(space, name)).max()
            assert worst < 1e-8 if not error else worst > 0.05 * error
        if not error:  # the second derivative of a parabola is exact between uneven steps
            entries, targets, weights, names = space.problem.square_terms()
            bends = np.bincount(entries.rows, entries.values * space.problem.start[entries.columns], len(targets))
            assert (weights * bends**2)[names == "acceleration"].sum() == pytest.approx(GRAVITY**2 * _inner(steps))


def test_the_start_lies_inside_the_limits_of_the_joints(made, q):
    dofs = list(MONOPOD.skeleton.dofs)
    dofs[6] = replace(dofs[6], lower=0.3, upper=0.5)
    dofs[7] = replace(dofs[7], lower=0.1, upper=0.1004)
    limited = replace(MONOPOD, skeleton=replace(MONOPOD.skeleton, dofs=tuple(dofs)))
    space = make_space(Problem(), limited, make_kernels(limited, ("foot",)), q, STEP)
    assert (space.start[:, 6] >= 0.301).all()
    assert (space.start[:, 6] <= 0.499).all()
    np.testing.assert_allclose(space.start[:, 7], 0.1002, atol=1e-9)
    np.testing.assert_array_equal(space.start[:, :6], q[:, :6])
    low, high = (bound[space.q] for bound in space.problem.bounds)
    np.testing.assert_array_equal(low[:, 6:8], np.tile([0.3, 0.1], (FRAMES, 1)))
    np.testing.assert_array_equal(high[:, 6:8], np.tile([0.5, 0.1004], (FRAMES, 1)))


def test_points_are_constrained_where_they_are(made, q):
    tip, frames, height = SOLE[1], np.array([2, 5]), np.array([0.1, -0.2])
    space = _space(made, q, Clearance("foot", tip, frames, height))
    above = _violations(space, "foot above the ground")
    np.testing.assert_allclose(above, _point(q, "foot", tip)[frames, 2] - height, atol=1e-9)
    assert space.problem.constraint_bounds[1][space.problem.constraint_names == "foot above the ground"].tolist() == [
        np.inf,
        np.inf,
    ]


def test_a_clearance_is_measured_along_its_normals_also_in_some_of_its_frames(made, q):
    tip, frames, height = SOLE[1], np.array([1, 2, 5]), np.array([0.3, 0.1, -0.2])
    normals = np.array([[0.0, 0.0, 1.0], [0.0, 0.6, 0.8], [0.6, 0.0, 0.8]])
    chosen = Clearance("foot", tip, frames, height, normals).select(frames > 1)
    above = _violations(_space(made, q, chosen), "foot above the ground")
    np.testing.assert_allclose(
        above, np.sum(_point(q, "foot", tip)[[2, 5]] * normals[1:], axis=1) - height[1:], atol=1e-9
    )


@pytest.mark.parametrize("slide", [None, np.array([0.6, 0.8, 0.0])])
def test_contacts_are_constrained_from_their_first_to_their_last_frame(made, q, slide):
    hold = sole_of(q, first=2, last=4, slide=slide)
    assert [hold.is_active(frame) for frame in range(6)] == [False, False, True, True, True, False]
    left = _violations(_space(made, q, FixedContacts((hold,))), "contact of foot").reshape(-1, 3)
    pairs = [pair for pair in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] if slide is None or pair[1] > 0]
    assert sorted(hold.constrained_axes) == pairs
    off = [_point(q, "foot", point) - where for point, where in zip(hold.points, hold.places, strict=True)]
    for (point, axis), found in zip(hold.constrained_axes, left, strict=True):
        np.testing.assert_allclose(found, off[point][2:5] @ hold.axes[axis], atol=1e-9)


@pytest.mark.parametrize("normal", [np.array([0.0, 0.0, 1.0]), SLOPED, np.array([1.0, 0.0, 0.0])])
def test_the_axes_of_contacts_and_footholds_are_a_frame_of_their_plane(normal):
    """Along a line they follow it; a point has any two directions in its plane."""
    line = np.array([[0.0, 0.0, 0.0], [0.2, 0.3, -0.1]])
    flat = line[1] - (line[1] @ normal) * normal
    for places in (line, line[:1]):
        axes = Contact("x", places, places, 0, 1, normal=normal).axes
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(axes) == pytest.approx(1.0)
        np.testing.assert_allclose(axes[2], normal, atol=1e-12)
        if len(places) > 1:
            np.testing.assert_allclose(axes[0], flat / np.linalg.norm(flat), atol=1e-12)
    axes = np.vstack([Foothold(np.zeros(3), normal=normal).axes, normal])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    if normal[0] < 0.9:
        assert axes[0, 0] > 0.5  # near the world's x


def test_friction_bounds_the_force_across_a_slide_and_inside_a_cone():
    for friction in (0.3, 0.8):
        at = np.zeros((1, 3)), np.zeros((1, 3)), 0, 1
        slide, across = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
        edges = Contact("x", *at, friction=friction, slide=slide).edges_about(np.zeros(3))[:, :3]
        np.testing.assert_allclose(np.sort(edges @ across), [-friction, friction], atol=1e-12)
        np.testing.assert_allclose(edges[:, 2], 1.0)
        cone = Contact("x", *at, friction=friction).edges_about(np.zeros(3))[:, :3]
        assert len(cone) == 4
        np.testing.assert_allclose(np.linalg.norm(cone[:, :2], axis=1), friction * cone[:, 2])
        np.testing.assert_allclose(cone.sum(axis=0), [0.0, 0.0, 4.0], atol=1e-12)


def test_a_foothold_moves_and_turns_places_about_itself_in_its_plane():
    center = np.array([0.2, 0.1, 0.0])
    foothold = Foothold(center, yaw=1.0, normal=SLOPED)
    places = center + np.array([[0.1, 0.0, 0.05], [0.0, 0.2, 0.0]])
    turn = quat.to_matrix(quat.from_axis_angle(tuple(SLOPED), 0.4))
    moved = foothold.move(places, np.array([0.3, -0.2, 0.4]))
    expected = center + (places - center) @ turn.T + 0.3 * foothold.axes[0] - 0.2 * foothold.axes[1]
    np.testing.assert_allclose(moved, expected, atol=1e-12)
    np.testing.assert_allclose(Foothold(center).move(places, np.array([0.3, -0.2])), places + [0.3, -0.2, 0.0])


def test_the_start_of_a_foothold_is_its_place_or_the_nearest_allowed_and_its_goal_the_preferred():
    problem = Problem()
    foothold = Foothold(np.ones(3), np.array([0.1, -1.0]), np.ones(2), preferred=np.array([1.3, 0.8, 1.0]), weight=2.0)
    values = find_variables(foothold, problem)
    np.testing.assert_allclose(problem.start[values], [0.1, 0.0])
    assert find_variables(foothold, problem) is values
    cost = assemble(problem).gradient(np.array([0.5, 0.1]), [])[0]
    assert float(cost) == pytest.approx(2.0 * (0.2**2 + 0.3**2))
    turning = Foothold(np.ones(3), yaw=0.5, yaw_weight=3.0)
    added = find_variables(turning, problem)
    low, high = problem.bounds
    assert (low[added[2]], high[added[2]]) == (-0.5, 0.5)
    x = np.zeros(problem.size)
    x[values], x[added[2]] = [0.3, -0.2], 0.2
    assert float(assemble(problem).gradient(x, [])[0]) == pytest.approx(3.0 * 0.04)
    with pytest.raises(InputError, match="0 to 60 degrees"):
        Foothold(np.ones(3), yaw=1.06)
    assert Foothold(np.ones(3), yaw=1.04).yaw == 1.04


def test_frames_are_grouped_by_what_acts_in_them():
    one, two = (sole_of(hopping(9), first=first, last=last) for first, last in ((1, 4), (4, 6)))
    groups = {tuple(frames.tolist()): acting for frames, acting in group_frames((one, two), 9)}
    assert groups == {(0, 7, 8): (), (1, 2, 3): (one,), (4,): (one, two), (5, 6): (two,)}


def test_steps_of_a_stage_include_those_into_and_out_of_it():
    np.testing.assert_array_equal(stage_steps(3, 6, 12), [2, 3, 4, 5, 6])
    np.testing.assert_array_equal(stage_steps(0, 3, 12), [0, 1, 2, 3])
    np.testing.assert_array_equal(stage_steps(8, 11, 12), [7, 8, 9, 10])
    np.testing.assert_array_equal(stage_steps(0, 1, 12), [0, 1])
    np.testing.assert_array_equal(second_difference(np.arange(4)), [[2, 1, 0], [3, 2, 1]])

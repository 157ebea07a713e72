"""Costs are integrals over time: their value for simple motions, at any frame rate."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.body.kernels import Kernels, make_kernels
from gambol.contacts.foothold import Foothold
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.solve.assemble import assemble
from gambol.solve.problem import Problem
from gambol.terms.balance import BalanceCost, CenterReturnCost, CenterTarget, RestCost
from gambol.terms.contacts import Separation
from gambol.terms.deviation import MassDisplacement, PoseDeviation, PosesUpToTravel, PoseTarget, RepeatedChange
from gambol.terms.foothold import FootholdChange, find_variables
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import AccelerationCost, ForceFadeCost, ForceRateCost, VelocityCost
from gambol.terms.space import Space, Term, make_space
from gambol.terms.speed import SpeedTarget
from tests.terms.bodies import hopping, monopod, sole_of

MONOPOD = monopod()
DOFS = 10
SECONDS = 0.8
RATE = np.linspace(-1.0, 1.3, DOFS)
WEIGHTS = np.linspace(0.2, 2.0, DOFS)


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(MONOPOD, ("foot",))


@pytest.fixture(params=[8, 25], ids=lambda count: f"{count} steps")
def times(request: pytest.FixtureRequest) -> np.ndarray:
    """The frames of one duration at two rates."""
    return np.linspace(0.0, SECONDS, request.param + 1)


def _space(made: Kernels, q: np.ndarray, times: np.ndarray, *terms: Term) -> Space:
    space = make_space(Problem(), MONOPOD, made, q, times[1])
    for term in terms:
        term.add(space)
    return space


def _cost(space: Space, x: np.ndarray | None = None) -> float:
    return float(assemble(space.problem).gradient(space.problem.start if x is None else x, [])[0])


def _steady(times: np.ndarray) -> np.ndarray:
    return hopping(len(times)) + np.outer(times, RATE)


def test_a_steady_motion_costs_its_squared_velocity_times_its_duration(made, times):
    q = _steady(times)
    assert _cost(_space(made, q, times, VelocityCost(WEIGHTS))) == pytest.approx(SECONDS * WEIGHTS @ RATE**2)
    slower = q - np.outer(times, 0.25 * RATE)
    off = _cost(_space(made, q, times, VelocityCost(WEIGHTS, slower)))
    assert off == pytest.approx(SECONDS * WEIGHTS @ (0.25 * RATE) ** 2)


def test_a_constant_acceleration_costs_its_square_per_second_of_the_inner_frames(made, times):
    q, inner = hopping(len(times)) + 0.5 * np.outer(times**2, RATE), SECONDS - times[1]
    assert _cost(_space(made, q, times, AccelerationCost(WEIGHTS))) == pytest.approx(inner * WEIGHTS @ RATE**2)
    one = np.zeros((len(times) - 2, DOFS))
    one[3, 4] = 5.0
    assert _cost(_space(made, q, times, AccelerationCost(one))) == pytest.approx(5.0 * times[1] * RATE[4] ** 2)


def test_forces_that_grow_evenly_cost_the_square_of_their_rates(made, times):
    """Velocity and angular momentum grow with the square of time, so force and moment grow evenly."""
    force, moment = np.array([3.0, -2.0, 5.0]), np.array([0.5, 1.5, -1.0])
    supported = np.ones(len(times), dtype=bool)
    supported[3:6] = False
    middles = 0.5 * (times[1:] + times[:-1])
    for term, pairs in (
        (ForceRateCost(supported, 0.7, np.array([1.0, 2.0, 3.0])), np.sum(supported[1:-2] & supported[2:-1])),
        (ForceFadeCost(supported, 0.7, 2.0), 2),
    ):
        space = _space(made, hopping(len(times)), times, term)
        x = space.problem.start.copy()
        x[space.velocity], x[space.spin] = (0.5 * np.outer(middles**2, rate) for rate in (force, moment))
        expected = 0.7 * force @ force + np.sum(term.moment * moment**2)
        assert _cost(space, x) == pytest.approx(pairs * times[1] * expected)


def test_rest_costs_the_speed_of_the_centre_of_mass_and_a_little_of_the_coordinates(made, times):
    slide = np.append([0.6, -0.8, 0.5], np.zeros(DOFS - 3))
    q = hopping(len(times)) + np.outer(times, slide)
    assert _cost(_space(made, q, times, RestCost(5, 3.0))) == pytest.approx(3.0 * 1.02 * slide @ slide)
    q[7:] = q[7]
    assert _cost(_space(made, q, times, RestCost(7, 3.0))) == pytest.approx(0.0, abs=1e-12)


def test_targets_of_the_centre_of_mass_cost_its_squared_distance(made, times):
    q = _steady(times)
    centre = Dynamics(MONOPOD).center_of_mass(q)
    speed = np.diff(centre, axis=0) / times[1]
    aim = np.array([0.3, -0.2, 0.9])
    for term, off in (
        (BalanceCost(4, aim[:2], 2.0), centre[4, :2] - aim[:2]),
        (CenterTarget(3, aim, 2.0), centre[3] - aim),
        (CenterReturnCost(1, 6, 2.0), centre[6] - centre[1]),
        (SpeedTarget(2, aim[:2], 2.0), speed[2, :2] - aim[:2]),
    ):
        assert _cost(_space(made, q, times, term)) == pytest.approx(2.0 * off @ off), type(term)


def test_poses_cost_their_squared_deviation(made, times):
    q = _steady(times)
    off = np.outer(np.ones(len(times)), 0.3 * RATE)
    deviation = _cost(_space(made, q, times, PoseDeviation(q + off, WEIGHTS)))
    assert deviation == pytest.approx(len(times) * times[1] * WEIGHTS @ off[0] ** 2)
    some = np.where(np.arange(DOFS) % 2, WEIGHTS, 0.0)
    assert _cost(_space(made, q, times, PoseTarget(3, q[3] + off[0], some))) == pytest.approx(some @ off[0] ** 2)


def test_what_a_pose_changes_and_another_does_not_costs_its_square(made, times):
    q = _steady(times)
    reference = q + np.where(np.arange(len(q)) == 2, 1.0, 0.0)[:, None] * 0.3 * RATE
    assert _cost(_space(made, q, times, RepeatedChange(2, 5, reference, 3.0))) == pytest.approx(
        3.0 * 0.09 * RATE @ RATE
    )
    shifted = reference + 0.7  # both poses differ from the reference alike
    assert _cost(_space(made, q, times, RepeatedChange(3, 5, shifted, 3.0))) == pytest.approx(0.0, abs=1e-12)


def _mass_displacement(q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Mean squared displacement (frames,) of the mass, body by body: of its centre, and of a turn about it."""
    (here, there), total = (place(MONOPOD.skeleton, one) for one in (q, other)), np.zeros(len(q))
    for body, (mass, center) in enumerate(zip(MONOPOD.masses, MONOPOD.centers, strict=True)):
        moved = [p.positions[:, body] + quat.rotate(p.rotations[:, body], center) for p in (here, there)]
        turned = quat.to_matrix(there.rotations[:, body]) - quat.to_matrix(here.rotations[:, body])
        spread = 0.5 * np.trace(MONOPOD.inertias[body]) * np.eye(3) - MONOPOD.inertias[body]
        total += mass * np.sum((moved[1] - moved[0]) ** 2, axis=1)
        total += np.einsum("nij,jk,nik->n", turned, spread, turned)
    return total / MONOPOD.mass


@pytest.mark.parametrize("travel", [0.0, 0.3, 1.0])
def test_mass_displacement_counts_the_travel_of_the_centre_of_mass_by_its_share(made, times, travel):
    q = _steady(times)
    away = q + np.append([0.3, -0.2, 0.5], np.zeros(DOFS - 3))
    bent = q + 0.4 * np.sin(np.arange(DOFS))
    # The cost leaves out a constant: its value at the reference itself.
    still, moved, turned = (
        _cost(_space(made, one, times, MassDisplacement(q, 4.0, travel))) for one in (q, away, bent)
    )
    assert moved - still == pytest.approx(travel * 4.0 * len(times) * times[1] * 0.38, abs=1e-9)
    centres = [Dynamics(MONOPOD).center_of_mass(one) for one in (q, bent)]
    shift = np.sum((centres[1] - centres[0]) ** 2, axis=1)
    expected = 4.0 * times[1] * np.sum(_mass_displacement(q, bent) - (1.0 - travel) * shift)
    assert turned - still == pytest.approx(expected)


def test_contact_and_residual_forces_cost_their_squares_in_body_weights(made, times):
    q = hopping(len(times))
    hold = sole_of(q)
    space = _space(made, q, times, NewtonEuler((hold,), cost=0.5, residual_weight=20.0))
    x = space.problem.start.copy()
    forces = space.problem.shared((space, hold))[1:-1]
    x[forces] = 0.1
    for name, given in (("residual force", 0.2), ("residual moment", 0.3)):
        for _, columns in space.problem.marks[name]:
            x[columns] = given
    inner = (len(times) - 2) * times[1]
    assert _cost(space, x) == pytest.approx(inner * (0.5 * forces.shape[1] * 0.01 + 20.0 * 3.0 * (0.04 + 0.09)))


def test_accelerations_and_rates_of_force_can_count_from_a_reference(made, times):
    """Nothing at the reference itself; from a steady motion as much as without one."""
    q = _steady(times) + 0.3 * np.outer(times**3, RATE)
    every = np.ones(len(times), dtype=bool)
    relative = AccelerationCost(WEIGHTS, q), ForceRateCost(every, 2.0, 3.0, q)
    assert _cost(_space(made, q, times, *relative)) == pytest.approx(0.0, abs=1e-9)
    plain, off = (_cost(_space(made, q, times, AccelerationCost(WEIGHTS, one))) for one in (None, _steady(times)))
    assert off == pytest.approx(plain)
    still = np.tile(q[:1], (len(times), 1))
    plain, off = (_cost(_space(made, q, times, ForceRateCost(every, 2.0, 3.0, one))) for one in (None, still))
    assert off == pytest.approx(plain)


def test_successive_footholds_cost_the_square_of_what_their_shifts_differ_by(made, times):
    first, second = (Foothold(np.zeros(3), weight=0.0) for _ in range(2))
    space = _space(made, _steady(times), times, FootholdChange(None, first, 3.0), FootholdChange(first, second, 5.0))
    x = space.problem.start.copy()
    x[find_variables(first, space.problem)], x[find_variables(second, space.problem)] = (0.2, -0.1), (0.5, 0.3)
    assert _cost(space, x) == pytest.approx(3.0 * (0.04 + 0.01) + 5.0 * (0.09 + 0.16))
    known = _space(made, _steady(times), times, FootholdChange(np.array([0.5, 0.3]), first, 5.0))
    x = known.problem.start.copy()
    x[find_variables(first, known.problem)] = (0.2, -0.1)
    assert _cost(known, x) == pytest.approx(5.0 * (0.09 + 0.16))


def _violation(space: Space, name: str, x: np.ndarray) -> float:
    values = np.array(assemble(space.problem).constraints(x)).ravel()
    low, high = space.problem.constraint_bounds
    chosen = space.problem.constraint_names == name
    return float(np.maximum(low - values, values - high)[chosen].max())


def test_poses_up_to_travel_move_along_the_ground_with_their_footholds(made, times):
    q = _steady(times)
    normal = np.array([0.1, -0.2, 1.0]) / np.linalg.norm([0.1, -0.2, 1.0])
    foothold, last = Foothold(np.zeros(3), normal=normal), len(times) - 1
    term = PosesUpToTravel((last - 1, last), q, (foothold,), normal)
    space = _space(made, q, times, term)
    x = space.problem.start.copy()
    by = np.array([0.3, -0.4])
    x[space.problem.shared((space, term))] = by
    assert _violation(space, "poses up to travel", x) > 0.1
    columns = space.q[last - 1 : last + 1, :3]
    x[columns] = q[last - 1 : last + 1, :3] + by @ foothold.axes
    assert _violation(space, "poses up to travel", x) == pytest.approx(0.0, abs=1e-9)
    assert _violation(space, "footholds up to travel", x) > 0.1
    x[find_variables(foothold, space.problem)] = by
    assert _violation(space, "footholds up to travel", x) == pytest.approx(0.0, abs=1e-12)


def test_points_are_apart_along_the_direction_from_the_second_to_the_first(made, times):
    q = hopping(len(times))
    foot, trunk = (place(MONOPOD.skeleton, q[4:5]).positions[0, MONOPOD.skeleton.index(n)] for n in ("foot", "trunk"))
    way = (foot - trunk) / np.linalg.norm(foot - trunk)
    both = make_kernels(MONOPOD, ("foot", "trunk"))
    for bodies, asked, kept in (
        (("foot", "trunk"), -0.01, True),
        (("foot", "trunk"), 0.01, False),
        (("trunk", "foot"), -0.01, False),
    ):
        term = Separation(bodies, np.zeros((2, 3)), np.array([4]), way[None], np.linalg.norm(foot - trunk) + asked)
        space = _space(both, q, times, term)
        found = _violation(space, f"{bodies[0]} beside {bodies[1]}", space.problem.start)
        assert (found <= 1e-3) is kept

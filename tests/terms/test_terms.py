"""Terms on a body that is not human: conservation laws checked with Pinocchio, contacts, cones and curves."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.body.kernels import make_kernels
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.solve.ipopt import solve
from gambol.solve.problem import Problem
from gambol.terms.balance import CenterReturnCost, CenterTarget
from gambol.terms.contacts import FixedContacts
from gambol.terms.curve import MomentumCurve
from gambol.terms.deviation import MassDisplacement, PoseDeviation, PoseTarget
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import ForceFadeCost, VelocityCost
from gambol.terms.space import make_space
from gambol.terms.speed import SpeedTarget
from tests.terms.bodies import BODIES, BODY, STEP, feet, standing


@pytest.fixture(scope="module")
def made():
    return make_kernels(BODY, BODIES)


def _spins(q: np.ndarray) -> np.ndarray:
    return Dynamics(BODY).momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / STEP).angular


def test_a_body_thrown_with_spin_keeps_it_and_falls_freely(made):
    rng = np.random.default_rng(0)
    start = standing(12)
    start[:, 2] += 2.0
    start += np.outer(np.arange(12), 0.05 * rng.normal(size=start.shape[1]))
    like = start + 0.2 * rng.normal(size=start.shape)
    every = np.ones(start.shape[1])
    space = make_space(Problem(), BODY, made, start, STEP)
    terms = [
        NewtonEuler(()),
        PoseTarget(0, start[0], every, exact=True),
        PoseTarget(1, start[1], every, exact=True),
        PoseDeviation(like, every),
    ]
    for term in terms:
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    q = found.x[space.q]
    center = Dynamics(BODY).center_of_mass(q)
    np.testing.assert_allclose(np.diff(center, 2, axis=0) / STEP**2, np.tile([0, 0, -GRAVITY], (10, 1)), atol=1e-5)
    spins = _spins(q)
    assert np.linalg.norm(spins[0]) > 1.0
    np.testing.assert_allclose(spins, np.tile(spins[0], (11, 1)), atol=1e-5)
    assert np.abs(q[2:] - start[2:]).max() > 0.1


def test_the_pseudo_balance_draws_the_centre_of_mass_back(made):
    """Without contacts, the centre of mass moves by the ratio of the weights, in all three axes."""
    start, away = standing(5), np.array([0.3, -0.2, 0.1])
    start[4, :3] += away
    centre = Dynamics(BODY).center_of_mass(start)
    every = np.ones(start.shape[1])
    space = make_space(Problem(), BODY, made, start, STEP)
    poses = [PoseTarget(n, start[n], every, exact=True) for n in (0, 1, 3)]
    root = np.where(np.arange(len(every)) < 3, 1.0, 1e6)
    loose = [PoseTarget(n, start[n], root) for n in (2, 4)]
    for term in (*poses, *loose, CenterReturnCost(0, 4, 3.0), CenterTarget(2, centre[2] + away, 1.0)):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    moved = Dynamics(BODY).center_of_mass(found.x[space.q])
    np.testing.assert_allclose(moved[4] - moved[0], 0.25 * away, atol=1e-4)
    np.testing.assert_allclose(moved[2] - centre[2], 0.5 * away, atol=1e-4)
    assert found.costs["pseudo balance"] == pytest.approx((3.0 / 16.0 + 1.0 / 4.0) * away @ away, rel=1e-2)


def test_standing_is_carried_by_its_weight(made):
    space = make_space(Problem(), BODY, made, standing(8), STEP)
    holds = feet(8)
    for term in (FixedContacts(holds), NewtonEuler(holds), MassDisplacement(standing(8), 10.0), VelocityCost(0.1)):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    q = found.x[space.q]
    np.testing.assert_allclose(q, np.tile(q[0], (8, 1)), atol=1e-4)
    assert found.costs["contact force"] == pytest.approx(1e-3 * STEP * 6 * 3 * 4 * (1 / 12) ** 2, rel=0.05)


def test_momentum_from_nowhere_is_priced_and_told(made):
    """Hovering violates Newton's law: infeasible without residual force, one body weight of residual with it."""
    every = np.ones(len(BODY.skeleton.dofs))
    hover = [PoseTarget(frame, standing(6)[0], every, exact=True) for frame in range(6)]
    outcomes = []
    for soft in (None, 100.0):
        space = make_space(Problem(), BODY, made, standing(6), STEP)
        for term in (*hover, NewtonEuler((), residual_weight=soft)):
            term.add(space)
        outcomes.append(solve(space.problem, iterations=60))
    hard, soft_one = outcomes
    assert not hard.converged
    assert max(hard.residuals, key=hard.residuals.__getitem__) in ("flight parabola", "pose of frame 0", "velocity")
    assert soft_one.converged
    assert soft_one.costs["residual force"] == pytest.approx(100.0 * STEP * 4, rel=1e-3)


def test_ice_gives_nothing_along_the_slide(made):
    """A sliding creature keeps its speed along the line."""
    way = np.array([1.0, 0.0, 0.0])
    start = standing(10)
    start[:, 0] = 2.0 * STEP * np.arange(10)
    holds = feet(10, slide=way)[:1]
    space = make_space(Problem(), BODY, made, start, STEP)
    like = start + 0.2 * np.random.default_rng(3).normal(size=start.shape)
    for term in (
        FixedContacts(holds),
        NewtonEuler(holds, peak=20.0),
        PoseDeviation(like, np.ones(start.shape[1])),
        VelocityCost(0.1),
    ):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    velocity = np.diff(Dynamics(BODY).center_of_mass(found.x[space.q]), axis=0) / STEP
    np.testing.assert_allclose(velocity[:, 0], velocity[0, 0], atol=1e-5)
    assert np.ptp(velocity[:, 1]) > 1e-3


@pytest.mark.parametrize(("points", "rows"), [(1, 3), (2, 5), (4, 6)])
def test_constraints_of_a_contact_fix_its_body(points, rows):
    corners = np.array([[0.0, 0.05, 0.0], [0.2, 0.05, 0.0], [0.0, -0.05, 0.0], [0.2, -0.05, 0.0]])[:points]
    hold = Contact("x", corners, corners, 0, 1)
    assert len(hold.constrained_axes) == rows
    moves = []
    for point, axis in hold.constrained_axes:
        turns = np.cross(np.eye(3), corners[point])
        moves.append(np.concatenate([hold.axes[axis], turns @ hold.axes[axis]]))
    assert np.linalg.matrix_rank(np.array(moves), tol=1e-9) == rows


def test_pushes_stay_in_their_cones():
    hold = Contact("x", np.zeros((1, 3)), np.array([[1.0, 2.0, 0.0]]), 0, 1, friction=0.5)
    pushes = np.random.default_rng(0).exponential(size=(200, 4)) @ hold.edges_about(np.array([0.3, 0.0, -1.0]))
    assert (np.hypot(pushes[:, 0], pushes[:, 1]) <= 0.5 * pushes[:, 2] + 1e-12).all()
    np.testing.assert_allclose(np.cross([0.7, 2.0, 1.0], pushes[:, :3]), pushes[:, 3:], atol=1e-12)
    grip = Contact("x", np.zeros((1, 3)), np.zeros((1, 3)), 0, 1, grip=True).edges_about(np.zeros(3))[:, :3]
    assert np.linalg.matrix_rank(grip) == 3
    assert np.allclose(grip.sum(axis=0), 0.0)
    ice = Contact("x", np.zeros((1, 3)), np.zeros((1, 3)), 0, 1, slide=np.array([0.6, 0.8, 0.0]))
    np.testing.assert_allclose(ice.edges_about(np.ones(3))[:, :3] @ [0.6, 0.8, 0.0], 0.0, atol=1e-12)


def test_the_printed_curve_dips_and_overshoots(made):
    space = make_space(Problem(), BODY, made, standing(20), STEP)
    MomentumCurve(3, 16).add(space)
    first = space.problem.size - 24
    space.problem.add_squares("up", space.velocity[[2, 16]][:, 2, None], target=[-1.0, 2.0])
    space.problem.add_squares("small", (first + np.arange(24))[:, None], weight=1e-3)
    found = solve(space.problem)
    assert found.converged
    p1, p2, p3, p4 = found.x[first + 8 : first + 12]
    assert p2 <= p1 + 1e-6
    assert p3 >= p4 - 1e-6
    assert p4 - p2 >= p3 - p4 - 1e-6
    up = found.x[space.velocity[:, 2]]
    assert up[2] == pytest.approx(p1, abs=1e-6)
    assert up[16] == pytest.approx(p4, abs=1e-6)


def test_invalid_contacts_are_refused():
    with pytest.raises(InputError, match="for every point"):
        Contact("x", np.zeros((2, 3)), np.zeros((1, 3)), 0, 1)
    with pytest.raises(InputError, match="from frame 4 to frame 1"):
        Contact("x", np.zeros((1, 3)), np.zeros((1, 3)), 4, 1)


def test_only_where_the_ground_is_left_or_reached_does_force_fade(made):
    """Squares of the change of force from frame 3 to 4 and, with a factor, from 7 to 8, and of no other."""
    space = make_space(Problem(), BODY, made, standing(12), STEP)
    held = np.ones(12, dtype=bool)
    held[4:8] = False
    ForceFadeCost(held, 2.0, 0.0, landing=0.25).add(space)
    x = space.problem.start.copy()
    x[space.velocity] = np.random.default_rng(0).normal(size=(11, 3))
    entries, targets, weights, names = space.problem.square_terms()
    reached = np.bincount(entries.rows, weights=entries.values * x[entries.columns], minlength=len(targets))
    forces = np.diff(x[space.velocity], axis=0) / STEP
    takeoff, landing = (np.sum((forces[n] - forces[n - 1]) ** 2) / STEP**2 for n in (3, 7))
    wanted = 2.0 * STEP * (takeoff + 0.25 * landing)
    assert float((weights * reached**2)[names == "force rate"].sum()) == pytest.approx(wanted)


def test_a_body_that_goes_on_goes_at_the_speed_asked_for(made):
    start = standing(6)
    start[:, 2] += 1.0
    space = make_space(Problem(), BODY, made, start, STEP)
    for term in (NewtonEuler(()), SpeedTarget(0, np.array([1.5, -0.5]), 10.0), VelocityCost(1e-6)):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    np.testing.assert_allclose(found.x[space.velocity[:, :2]], np.tile([1.5, -0.5], (5, 1)), atol=1e-3)


@pytest.mark.parametrize("away", [np.array([50.0, -20.0, 3.0]), np.array([1e4, 1e4, 0.0])])
def test_help_follows_a_motion_that_is_moved_and_turned(made, away):
    """Feet cannot give the force that the sway needs: motion and residual do not depend on the position."""
    angle, frames = np.pi / 2, 10  # friction pyramids of single points follow quarter turns only
    turn = quat.to_matrix(quat.from_axis_angle((0.0, 0.0, 1.0), angle))
    here, like = feet(frames), standing(frames)
    like[:, 0] += 0.3 * np.sin(2.0 * np.arange(frames))
    there = tuple(Contact(h.body, h.points, h.places @ turn.T + away, h.first, h.last) for h in here)
    moved = like.copy()
    moved[:, :3], moved[:, 3] = like[:, :3] @ turn.T + away, like[:, 3] + angle
    found = []
    for holds, wanted in ((here, like), (there, moved)):
        space = make_space(Problem(), BODY, made, wanted, STEP)
        weight = np.where(np.arange(like.shape[1]) < 3, 2000.0, 100.0)
        for term in (
            FixedContacts(holds),
            NewtonEuler(holds, residual_weight=3.0),
            PoseDeviation(wanted, weight),
            VelocityCost(0.05),
        ):
            term.add(space)
        solution = solve(space.problem)
        assert solution.converged
        found.append((solution.x[space.q], solution))
    (q, one), (other, two) = found
    assert one.costs["residual force"] > 0.1
    back = other.copy()
    back[:, :3], back[:, 3] = (other[:, :3] - away) @ turn, other[:, 3] - angle
    np.testing.assert_allclose(back, q, atol=1e-9)
    for name in ("residual force", "residual moment"):
        assert two.costs[name] == pytest.approx(one.costs[name], rel=1e-5)
    assert one.iterations == two.iterations


def _sways(frames: int, seed: int) -> np.ndarray:
    way = np.random.default_rng(seed).normal(size=len(BODY.skeleton.dofs))
    return standing(frames) + 0.05 * np.outer(np.sin(np.arange(frames)), way)


def test_characters_that_share_a_problem_move_as_they_do_alone(made):
    frames, holds = 8, feet(8)
    wanted = {"anna": _sways(frames, 0), "ben": _sways(frames, 1)}

    def filled(problem: Problem, name: str):
        space = make_space(problem, BODY, made, wanted[name], STEP, name)
        for term in (
            FixedContacts(holds),
            NewtonEuler(holds, residual_weight=10.0),
            PoseDeviation(wanted[name], np.full(29, 1e3)),
            VelocityCost(0.1),
        ):
            term.add(space)
        return space

    alone, together = {}, Problem()
    for name in wanted:
        space = filled(Problem(), name)
        alone[name] = space, solve(space.problem)
    spaces = {name: filled(together, name) for name in wanted}
    both = solve(together)
    assert both.converged
    for name, (space, one) in alone.items():
        np.testing.assert_allclose(both.x[spaces[name].q], one.x[space.q], atol=1e-5)
        mine = {key: cost for key, cost in both.costs.items() if key.startswith(f"{name}: ")}
        assert mine == pytest.approx(one.costs, rel=1e-4, abs=1e-6)
        assert {key for key in both.residuals if key.startswith(name)} == set(one.residuals)
        assert f"{name}: residual force" in together.marks
    assert both.cost == pytest.approx(sum(one.cost for _, one in alone.values()), rel=1e-5)

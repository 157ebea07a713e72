"""Unknown footholds, external forces and grasps in small solved problems, judged by Pinocchio's momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.body.kernels import Kernels, make_kernels
from gambol.contacts.contact import Contact
from gambol.contacts.foothold import Foothold
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.solve.evaluate import evaluate_problem
from gambol.solve.ipopt import Solution, solve
from gambol.solve.problem import Problem
from gambol.spacetime.evaluate import evaluate_frames
from gambol.terms.balance import RestCost
from gambol.terms.contacts import FixedContacts
from gambol.terms.deviation import PoseDeviation, PoseTarget
from gambol.terms.foothold import find_variables
from gambol.terms.forces import ExternalForce, Grasp, Press, RubberBand
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import AccelerationCost, VelocityCost
from gambol.terms.space import Space, make_space
from tests.terms.bodies import STEP, hopping, monopod, sole_of

MONOPOD = monopod()
DOFS = len(MONOPOD.skeleton.dofs)
CHEST = np.array([0.0, 0.0, 0.5])


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(MONOPOD, ("foot", "trunk"))


def _point(q: np.ndarray, body: str, point: np.ndarray) -> np.ndarray:
    joint, placed = MONOPOD.skeleton.index(body), place(MONOPOD.skeleton, q)
    return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)


def _rates(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force (N) and moment (N m) about the centre of mass without weight in inner frames, from rates of momentum."""
    moving = Dynamics(MONOPOD).momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / STEP)
    speeds = np.diff(Dynamics(MONOPOD).center_of_mass(q), axis=0) / STEP
    force = MONOPOD.mass * (np.diff(speeds, axis=0) / STEP + [0.0, 0.0, GRAVITY])
    return force, np.diff(moving.angular, axis=0) / STEP


def _ground(space: Space, holds: Sequence[Contact], found: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the centre of mass of the contact forces in the inner frames, point by point.

    They act at the places of the holds, moved with their footholds, or along with their first points where they slide.
    """
    q = found.x[space.q]
    centers, force, moment = Dynamics(MONOPOD).center_of_mass(q), np.zeros((len(q), 3)), np.zeros((len(q), 3))
    for hold in holds:
        pushes = space.problem.shared((space, hold))
        places = hold.places
        if hold.foothold is not None:
            places = hold.foothold.move(places, found.x[find_variables(hold.foothold, space.problem)])
        edges = hold.edges_about(np.zeros(3))[:, :3].reshape(len(places), -1, 3)
        for frame in range(max(hold.first, 1), min(hold.last, len(q) - 2) + 1):
            sizes = found.x[pushes[frame]].reshape(len(places), -1)
            each = GRAVITY * MONOPOD.mass * np.einsum("pe,pex->px", sizes, edges)
            force[frame] += each.sum(axis=0)
            way = np.zeros(3)
            if hold.slide is not None:
                way = ((_point(q, hold.body, hold.points[0])[frame] - places[0]) @ hold.slide) * hold.slide
            moment[frame] += np.cross(places + way - centers[frame], each).sum(axis=0)
    return force[1:-1], moment[1:-1]


def _solved(space: Space, terms: Sequence) -> Solution:
    for term in terms:
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    return found


@pytest.mark.parametrize("grounded", [False, True])
def test_a_push_gives_its_impulse_and_its_moment(made: Kernels, grounded: bool) -> None:
    frames = 12
    forces = np.outer(np.sin(np.linspace(0.3, 2.8, 5)), [60.0, -40.0, 30.0])
    push = ExternalForce("trunk", CHEST + [0.1, 0.2, 0.0], 4, forces)
    start = hopping(frames) + np.outer(np.arange(frames), 0.01 * np.ones(DOFS))
    holds = (sole_of(start),) if grounded else ()
    space = make_space(Problem(), MONOPOD, made, start, STEP)
    like = PoseDeviation(start, np.full(DOFS, 10.0))
    found = _solved(space, [FixedContacts(holds), NewtonEuler(holds, forces=(push,)), like, VelocityCost(0.1)])
    q = found.x[space.q]
    force, moment = _rates(q)
    carried, turned = _ground(space, holds, found)
    given = np.zeros((frames, 3))
    given[4:9] = forces
    arms = _point(q, "trunk", push.point) - Dynamics(MONOPOD).center_of_mass(q)
    np.testing.assert_allclose(force - carried, given[1:-1], atol=1e-4)
    np.testing.assert_allclose(moment - turned, np.cross(arms, given)[1:-1], atol=1e-4)
    if not grounded:
        speeds = np.diff(Dynamics(MONOPOD).center_of_mass(q), axis=0) / STEP
        gained = MONOPOD.mass * (speeds[-1] - speeds[0] + [0.0, 0.0, GRAVITY * STEP * (frames - 2)])
        np.testing.assert_allclose(gained, STEP * forces.sum(axis=0), atol=1e-5)


def test_help_acts_at_the_centre_of_mass(made: Kernels) -> None:
    """On the ground and in flight, the residual force acts at the centre of mass, without a moment arm."""
    frames = 10
    start = hopping(frames)
    like = start + 0.1 * np.outer(np.sin(2.0 * np.arange(frames)), np.eye(DOFS)[0])
    holds = (sole_of(start, last=6),)
    space = make_space(Problem(), MONOPOD, made, start, STEP)
    found = _solved(
        space,
        [
            FixedContacts(holds),
            NewtonEuler(holds, residual_weight=0.1),
            PoseDeviation(like, np.full(DOFS, 100.0)),
            VelocityCost(0.1),
        ],
    )
    help_force, help_moment = np.zeros((frames, 3)), np.zeros((frames, 3))
    for name, into in (("residual force", help_force), ("residual moment", help_moment)):
        for where, columns in space.problem.marks[name]:
            into[where] = GRAVITY * MONOPOD.mass * found.x[columns]
    assert np.abs(help_force[1:6]).max() > 20.0
    (force, moment), (carried, turned) = _rates(found.x[space.q]), _ground(space, holds, found)
    np.testing.assert_allclose(force, carried + help_force[1:-1], atol=1e-4)
    np.testing.assert_allclose(moment, turned + help_moment[1:-1], atol=1e-4)


def test_a_skate_pushes_where_it_has_come_to(made: Kernels) -> None:
    frames, along = 10, np.array([1.0, 0.0, 0.0])
    start = hopping(frames)
    start[:, 0] = 2.0 * STEP * np.arange(frames)
    holds = (sole_of(start, slide=along),)
    like = start + 0.05 * np.outer(np.sin(np.arange(frames)), np.ones(DOFS))
    space = make_space(Problem(), MONOPOD, made, start, STEP)
    found = _solved(
        space,
        [
            FixedContacts(holds),
            NewtonEuler(holds, peak=20.0),
            PoseDeviation(like, np.full(DOFS, 10.0)),
            VelocityCost(0.1, start),
        ],
    )
    q = found.x[space.q]
    assert np.ptp(_point(q, "foot", np.zeros(3))[:, 0]) > 0.5
    (force, moment), (carried, turned) = _rates(q), _ground(space, holds, found)
    np.testing.assert_allclose(force, carried, atol=1e-4)
    np.testing.assert_allclose(moment, turned, atol=1e-4)


def _hop(made: Kernels, shove: ExternalForce, yaw: float = 0.0) -> tuple[Space, Contact, Contact, Solution]:
    """A push on one leg, a hop, and a landing that may be anywhere on the floor and ends at rest."""
    frames = 26
    start = hopping(frames)
    before = sole_of(start, last=7)
    foothold = Foothold(
        before.places.mean(axis=0), np.full(2, -1.5), np.full(2, 1.5), weight=0.01, yaw=yaw, yaw_weight=1e-3
    )
    after = replace(before, first=13, last=frames - 1, foothold=foothold)
    weight = np.where(np.arange(DOFS) < 3, 0.0, 1.0)
    weight[3] = 0.0 if yaw else 1.0
    terms = [
        FixedContacts((before, after)),
        NewtonEuler((before, after), forces=(shove,)),
        PoseTarget(0, start[0], np.ones(DOFS), exact=True),
        PoseTarget(1, start[0], np.ones(DOFS), exact=True),
        PoseDeviation(start, weight),
        VelocityCost(0.01),
        AccelerationCost(1e-4),
        RestCost(frames - 2, 100.0),
    ]
    space = make_space(Problem(), MONOPOD, made, start, STEP)
    return space, before, after, _solved(space, terms)


@pytest.mark.parametrize("push", [(90.0, 0.0, 0.0), (-90.0, 0.0, 0.0), (0.0, 60.0, 0.0)])
def test_a_foothold_goes_where_a_push_sends_the_body(made: Kernels, push: Sequence[float]) -> None:
    space, before, after, found = _hop(made, ExternalForce("trunk", CHEST, 2, np.tile(push, (4, 1))))
    assert after.foothold is not None
    values = found.x[find_variables(after.foothold, space.problem)]
    way = np.array(push) / np.linalg.norm(push)
    assert values @ way[:2] > 0.05
    assert abs(values @ [-way[1], way[0]]) < 0.05
    q = found.x[space.q]
    landed = replace(after, places=after.foothold.move(after.places, values), foothold=None)
    verdict = evaluate_frames(MONOPOD, Motion(MONOPOD.skeleton, q, STEP), [before, landed])
    assert verdict.contact < 1e-6
    force, moment = _rates(q[8:])
    carried, turned = _ground(space, (after,), found)
    np.testing.assert_allclose(force, carried[8:], atol=1e-4)
    np.testing.assert_allclose(moment, turned[8:], atol=1e-4)


def test_a_foothold_turns_with_a_body_that_spins(made: Kernels) -> None:
    """Pushed off-centre in flight: points of the sole and forces turn with the yaw."""
    shove = ExternalForce("trunk", CHEST + [0.0, -0.4, 0.0], 8, np.tile([40.0, 0.0, 0.0], (4, 1)))
    space, _, after, found = _hop(made, shove, yaw=1.0)
    assert after.foothold is not None
    values, q = found.x[find_variables(after.foothold, space.problem)], found.x[space.q]
    assert values[2] > 0.05
    places = after.foothold.move(after.places, values)
    sides = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (places, after.places)]
    np.testing.assert_allclose(*sides, atol=1e-12)
    for point, where in zip(after.points, places, strict=True):
        np.testing.assert_allclose(_point(q[13:], "foot", point), np.tile(where, (13, 1)), atol=1e-6)
    force, moment = _rates(q[12:])
    carried, turned = _ground(space, (after,), found)
    np.testing.assert_allclose(force, carried[12:], atol=1e-4)
    np.testing.assert_allclose(moment, turned[12:], atol=1e-4)


def test_a_grasp_conserves_the_momentum_of_two_characters(made: Kernels) -> None:
    """One of two is pushed in flight: together they gain the impulse, and the grasp forces are equal and opposite."""
    frames, beside = 10, np.array([0.7, 0.0, 0.0])
    start, problem = hopping(frames), Problem()
    grasp = Grasp(("trunk", "trunk"), np.array([[0.35, 0.0, 0.4], [-0.35, 0.0, 0.4]]), 0, frames - 1)
    shove = ExternalForce("trunk", CHEST, 3, np.tile([-50.0, 30.0, 10.0], (4, 1)))
    spaces, sides = [], (grasp.side(0), grasp.side(1))
    for number, (name, side) in enumerate(zip(("anna", "ben"), sides, strict=True)):
        there = start + np.append(number * beside, np.zeros(DOFS - 3))
        space = make_space(problem, MONOPOD, made, there, STEP, name)
        forces = (side, shove) if number == 0 else (side,)
        for term in (side, NewtonEuler((), forces=forces), PoseDeviation(there, np.full(DOFS, 1.0)), VelocityCost(0.1)):
            term.add(space)
        spaces.append(space)
    found = solve(problem)
    assert found.converged
    one, other = (found.x[space.q] for space in spaces)
    meeting = _point(one, "trunk", grasp.points[0])
    np.testing.assert_allclose(meeting, _point(other, "trunk", grasp.points[1]), atol=1e-6)
    held, given = sides[0].read_forces(spaces[0], found.x)[1:-1], np.zeros((frames, 3))
    given[3:7] = shove.forces
    (force, moment), (its_force, its_moment) = _rates(one), _rates(other)
    assert np.abs(held).max() > 5.0
    np.testing.assert_allclose(its_force, sides[1].read_forces(spaces[1], found.x)[1:-1], atol=1e-4)
    np.testing.assert_allclose(its_force, -held, atol=1e-4)
    np.testing.assert_allclose(force + its_force, given[1:-1], atol=1e-4)
    # the moment of all momentum about the world's origin is that of the shove
    total = np.zeros((frames - 2, 3))
    for q, (rate, turn) in ((one, (force, moment)), (other, (its_force, its_moment))):
        total += turn + np.cross(Dynamics(MONOPOD).center_of_mass(q)[1:-1], rate)
    np.testing.assert_allclose(total, np.cross(_point(one, "trunk", CHEST), given)[1:-1], atol=1e-4)
    assert {f"{name}: grasp of trunk" for name in ("anna", "ben")} <= set(found.residuals)


def test_a_grasp_exerts_forces_where_known_poses_keep_the_points_apart(made: Kernels) -> None:
    """Two in flight, with given poses in the first frames: the laws hold there, and the points meet only after them."""
    frames, problem, spaces = 7, Problem(), []
    points = np.array([[0.35, 0.0, 0.4], [-0.3, 0.0, 0.4]])
    grasp = Grasp(("trunk", "trunk"), points, 1, frames - 1, joined=(2, frames - 1))
    sides = (grasp.side(0), grasp.side(1))
    for number, (name, side) in enumerate(zip(("anna", "ben"), sides, strict=True)):
        start = hopping(frames) + np.append([0.7 * number, 0.0, 0.0], np.zeros(DOFS - 3))
        start[:, 0] += (0.01 - 0.02 * number) * np.arange(frames)
        space = make_space(problem, MONOPOD, made, start, STEP, name)
        kept = [PoseTarget(frame, start[frame], np.ones(DOFS), exact=True) for frame in range(2)]
        for term in (side, NewtonEuler((), forces=(side,)), PoseDeviation(start, np.ones(DOFS)), *kept):
            term.add(space)
        spaces.append(space)
    found = solve(problem)
    assert found.converged
    one, other = (found.x[space.q] for space in spaces)
    apart = np.linalg.norm(_point(one, "trunk", points[0]) - _point(other, "trunk", points[1]), axis=1)
    assert apart[1] > 0.001
    np.testing.assert_allclose(apart[2:], 0.0, atol=1e-6)
    held = sides[0].read_forces(spaces[0], found.x)[:-1]
    assert np.abs(held[0]).max() > 1.0
    np.testing.assert_allclose(_rates(one)[0], held, atol=1e-3)
    np.testing.assert_allclose(_rates(other)[0], -held, atol=1e-3)


def test_who_stands_carries_who_hangs_on(made: Kernels) -> None:
    frames, problem = 8, Problem()
    start = hopping(frames)
    grasp = Grasp(("trunk", "trunk"), np.array([[0.05, 0.0, 0.3], [0.0, 0.02, 0.8]]), 0, frames - 1)
    hold = sole_of(start)
    below = start + np.append([0.05, -0.02, -0.5], np.zeros(DOFS - 3))
    upper = make_space(problem, MONOPOD, made, start, STEP, "stands")
    lower = make_space(problem, MONOPOD, made, below, STEP, "hangs")
    sides = (grasp.side(0), grasp.side(1))
    for space, number, holds in ((upper, 0, (hold,)), (lower, 1, ())):
        side = sides[number]
        wanted = start if number == 0 else below
        for term in (
            side,
            FixedContacts(holds),
            NewtonEuler(holds, forces=(side,)),
            PoseDeviation(wanted, np.ones(DOFS)),
            VelocityCost(10.0),
        ):
            term.add(space)
    found = solve(problem)
    assert found.converged
    carried, _ = _ground(upper, (hold,), found)
    forces = sides[0].read_forces(upper, found.x)[1:-1]
    np.testing.assert_allclose(forces[:, 2], -MONOPOD.mass * GRAVITY, rtol=0.02)
    np.testing.assert_allclose(carried[:, 2], 2.0 * MONOPOD.mass * GRAVITY, rtol=0.02)
    force, _ = _rates(found.x[upper.q])
    np.testing.assert_allclose(force, carried + forces, atol=1e-4)


def test_bodies_that_press_push_each_other_apart(made: Kernels) -> None:
    """Two who fly into each other: forces that only push, as large as they are deep in each other, change no sum."""
    frames, stiffness, problem = 12, 4e3, Problem()
    start, toward = hopping(frames), np.linspace(0.5, 0.22, frames)[:, None] * [1.0, 0.0, 0.0]
    points = np.array([[0.1, 0.0, 0.4], [-0.1, 0.0, 0.4]])
    middle = _point(start, "trunk", points[0])
    press = Press(
        ("trunk", "trunk"), points, 2, np.tile([-1.0, 0.0, 0.0], (9, 1)), middle[2:11], 0.1, stiffness, cost=1e-3
    )
    spaces, sides = [], (press.side(0), press.side(1))
    for number, side in enumerate(sides):
        there = start + number * np.hstack([toward, np.zeros((frames, DOFS - 3))])
        space = make_space(problem, MONOPOD, made, there, STEP, f"{number}")
        for term in (side, NewtonEuler((), forces=(side,)), PoseDeviation(there, np.full(DOFS, 1e3))):
            term.add(space)
        spaces.append(space)
    found = solve(problem)
    assert found.converged
    one, other = (found.x[space.q] for space in spaces)
    pushes = [side.read_forces(space, found.x) for side, space in zip(sides, spaces, strict=True)]
    np.testing.assert_allclose(pushes[0], -pushes[1], atol=1e-9)
    assert pushes[1][:, 0].min() > -1e-3
    assert pushes[1][:, 0].max() > 20.0
    apart = (_point(other, "trunk", points[1]) - _point(one, "trunk", points[0]))[2:11, 0]
    yielded = 0.1 - apart
    assert (pushes[1][:, 0] / stiffness > yielded - 1e-5).all()
    forces = [_rates(q)[0] for q in (one, other)]
    np.testing.assert_allclose(forces[1][1:], pushes[1], atol=1e-3)
    np.testing.assert_allclose(forces[0] + forces[1], 0.0, atol=1e-3)


def test_invalid_forces_are_refused(made: Kernels) -> None:
    with pytest.raises(InputError, match="is 90 degrees"):
        Foothold(np.zeros(3), yaw=np.pi / 2)
    with pytest.raises(InputError, match="lower < upper"):
        Foothold(np.zeros(3), np.ones(2), np.zeros(2))
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        ExternalForce("trunk", CHEST, 0, np.zeros(3))
    with pytest.raises(InputError, match="a grasp of points"):
        Grasp(("a", "b"), np.zeros((1, 3)), 0, 4)
    with pytest.raises(InputError, match="both slide"):
        replace(sole_of(hopping(3)), slide=np.array([1.0, 0.0, 0.0]), foothold=Foothold(np.zeros(3)))
    space = make_space(Problem(), MONOPOD, made, hopping(5), STEP)
    with pytest.raises(InputError, match="do not include the body 'thigh'"):
        NewtonEuler((), forces=(ExternalForce("thigh", CHEST, 2, np.ones((1, 3))),)).add(space)
    side = Grasp(("trunk", "trunk"), np.zeros((2, 3)), 0, 4).side(0)
    with pytest.raises(LookupError, match="add the term"):
        NewtonEuler((), forces=(side,)).add(space)


def test_a_rubber_band_pulls_like_the_same_external_force_at_the_same_point(made: Kernels) -> None:
    q = hopping(6) + 0.05 * np.random.default_rng(1).normal(size=(6, DOFS))
    anchors = np.linspace(0.2, 1.0, 12).reshape(4, 3)
    band = RubberBand("trunk", CHEST, 1, anchors, 500.0)
    pulls = 500.0 * (anchors - _point(q, "trunk", CHEST)[1:5])
    pulled, pushed = (make_space(Problem(), MONOPOD, made, q, STEP) for _ in range(2))
    band.add(pulled)
    NewtonEuler((), forces=(band,)).add(pulled)
    NewtonEuler((), forces=(ExternalForce("trunk", CHEST, 1, pulls),)).add(pushed)
    x = pulled.problem.start.copy()
    x[pulled.problem.shared((pulled, band))] = pulls / 1e3  # kilonewtons
    np.testing.assert_allclose(band.read_forces(pulled, x), pulls)
    np.testing.assert_allclose(_left(pulled, x, "band of trunk"), 0.0, atol=1e-9)
    for law in ("Newton's law", "Euler's law"):
        expected = _left(pushed, pushed.problem.start, law)
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(_left(pulled, x, law), expected, atol=1e-8)


def test_a_press_pushes_like_the_same_external_force_at_the_same_place(made: Kernels) -> None:
    q = hopping(6) + 0.05 * np.random.default_rng(1).normal(size=(6, DOFS))
    places = _point(q, "trunk", CHEST)[1:5]
    along = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, -0.6, 0.8]])
    sizes = np.array([120.0, 40.0, 300.0, 75.0])
    for number, sign in ((0, 1.0), (1, -1.0)):
        side = Press(("trunk", "trunk"), np.array([CHEST, CHEST]), 1, along, places, 0.3, 1e4).side(number)
        pressed, pushed = (make_space(Problem(), MONOPOD, made, q, STEP) for _ in range(2))
        side.add(pressed)
        NewtonEuler((), forces=(side,)).add(pressed)
        pushes = sign * sizes[:, None] * along
        NewtonEuler((), forces=(ExternalForce("trunk", CHEST, 1, pushes),)).add(pushed)
        x = pressed.problem.start.copy()
        x[pressed.problem.shared((pressed, side))] = sizes / 1e3  # kilonewtons
        np.testing.assert_allclose(side.read_forces(pressed, x), pushes)
        for law in ("Newton's law", "Euler's law"):
            expected = _left(pushed, pushed.problem.start, law)
            assert np.abs(expected).max() > 0.1
            np.testing.assert_allclose(_left(pressed, x, law), expected, atol=1e-8)


def _left(space: Space, x: np.ndarray, name: str) -> np.ndarray:
    """By how much the constraints of a name are violated."""
    left = evaluate_problem(space.problem, x)[1] - space.problem.constraint_bounds[0]
    return left[space.problem.constraint_names == name]

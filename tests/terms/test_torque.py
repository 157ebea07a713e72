"""Joint torques: the kernel against expressions and Pinocchio, the term against Pinocchio and its own contacts."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.inverse_dynamics import TorqueKernel, make_torque_kernel
from gambol.body.kernels import make_kernels
from gambol.contacts.foothold import Foothold
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.solve.ipopt import solve
from gambol.solve.kernel import Kernel, make_kernel
from gambol.solve.problem import Problem
from gambol.terms.contacts import FixedContacts
from gambol.terms.deviation import KeptCoordinates, PoseDeviation
from gambol.terms.foothold import find_variables
from gambol.terms.forces import ExternalForce
from gambol.terms.momentum import NewtonEuler
from gambol.terms.separation import LinkSeparation
from gambol.terms.smoothness import VelocityCost
from gambol.terms.space import make_space
from gambol.terms.speed import JointSpeedLimit
from gambol.terms.torque import JointTorque, TorqueLimit
from tests.body.test_kernels import CHARACTERS, creature
from tests.terms.bodies import STEP, hopping, monopod, sole_of

ABOUT = np.array([0.3, -0.2, 0.5])
SMALL = {name: CHARACTERS[name] for name in ("arm on a wall", "only a root")} | {
    "two branches": (creature([-1, 0, 1, 0, 3], ["sst", "ts", "t", "tt", "t"], [], 1), ("j2", "j4"))
}
MONOPOD = monopod()
pytestmark = pytest.mark.usefixtures("interpreted")


def _other(character: Character, made: TorqueKernel) -> Kernel:
    """The same function by CasADi expressions and automatic differentiation."""
    expressions, count = Expressions(character), len(character.skeleton.dofs)
    x = ca.SX.sym("x", made.kernel.inputs)
    q, velocity, acceleration = x[:count], x[count : 2 * count], x[2 * count : 3 * count]
    places, wrenches = expressions.positions(q), ca.SX(6, len(character.skeleton.names))
    for number, body in enumerate(made.bodies):
        joint, wrench = character.skeleton.index(body), x[3 * count + 6 * number : 3 * count + 6 * number + 6]
        moment = wrench[:3] + ca.cross(ca.DM(ABOUT) - places[:, joint], wrench[3:])
        wrenches[:, joint] = ca.vertcat(wrench[3:], moment)
    rows = expressions.torques(q, velocity, acceleration) - expressions.generalised_forces(q, wrenches)
    return make_kernel("other", x, ca.SX(0, 1), rows)


@pytest.mark.parametrize("name", SMALL)
def test_the_kernel_and_its_derivatives_are_those_of_the_expressions(name: str) -> None:
    character, bodies = SMALL[name]
    made = make_torque_kernel(character, bodies)
    other, ours = _other(character, made), made.kernel
    rng = np.random.default_rng(0)
    x, multipliers = rng.normal(size=ours.inputs), rng.normal(size=ours.outputs)
    p = np.concatenate([made.constants, ABOUT, [GRAVITY]])
    for one, two in zip(ours.first(x, p)[::2], other.first(x, [])[::2], strict=True):
        np.testing.assert_allclose(np.array(one), np.array(two), atol=1e-11)
    bends = np.array(ours.second(x, p, 1.0, multipliers)), np.array(other.second(x, [], 1.0, multipliers))
    np.testing.assert_allclose(*bends, atol=1e-11)
    assert ours.second.sparsity_out(0).is_triu()


def test_without_wrenches_the_kernel_is_inverse_dynamics_of_pinocchio() -> None:
    character = creature([-1, 0, 1, 0], ["sssttt", "tt", "t", "t"], [], 5)
    made, count = make_torque_kernel(character, ()), len(character.skeleton.dofs)
    q, velocity, acceleration = np.random.default_rng(1).normal(size=(3, count))
    p = np.concatenate([made.constants, ABOUT, [GRAVITY]])
    torques = np.array(made.kernel.value(np.concatenate([q, velocity, acceleration]), p)[0]).ravel()
    np.testing.assert_allclose(torques, Dynamics(character).torques(q, velocity, acceleration), atol=1e-10)


def _given(q: np.ndarray, body: str, where: np.ndarray, force: np.ndarray) -> np.ndarray:
    """(dofs,) generalised force of a force at a place of the world on a body: its power by each velocity."""
    skeleton = MONOPOD.skeleton
    joint, placed = skeleton.index(body), place(skeleton, q[None])
    back = quat.conjugate(placed.rotations[0, joint])
    local = quat.rotate(back, where - placed.positions[0, joint])
    steps = 1e-6 * np.eye(len(q))
    ends = [place(skeleton, q + s * steps) for s in (1.0, -1.0)]
    points = [p.positions[:, joint] + quat.rotate(p.rotations[:, joint], local) for p in ends]
    return np.asarray((points[0] - points[1]) @ force / 2e-6)


def _sway():
    """Start, swaying poses and the contact of a monopod on its sole."""
    start = hopping(9)
    return start, start + 0.03 * np.outer(np.sin(np.arange(9)), np.ones(10)), sole_of(start)


def _stand(weight: float, root: float, *, foothold: bool = False):
    """A monopod that sways on its sole and is pushed; its torques have a cost."""
    start, like, hold = _sway()
    if foothold:
        hold = replace(
            hold, foothold=Foothold(hold.places.mean(axis=0), preferred=np.array([0.1, 0.1, 0.0]), weight=50.0, yaw=0.5)
        )
    push = ExternalForce("trunk", np.array([0.0, 0.1, 0.5]), 3, np.tile([15.0, -10.0, 5.0], (3, 1)))
    space = make_space(Problem(), MONOPOD, make_kernels(MONOPOD, ("foot", "trunk")), start, STEP)
    laws = NewtonEuler((hold,), forces=(push,))
    term = JointTorque(laws, weight, root)
    for one in (FixedContacts((hold,)), laws, term, PoseDeviation(like, np.full(10, 100.0)), VelocityCost(0.1)):
        one.add(space)
    found = solve(space.problem)
    assert found.converged
    return space, hold, push, term, found


@pytest.mark.parametrize("foothold", [False, True])
def test_torques_are_inverse_dynamics_minus_contact_forces(foothold: bool) -> None:
    space, hold, push, term, found = _stand(1e-4, 1e-4, foothold=foothold)
    q, torques = found.x[space.q], term.torques(space, found.x)
    places = hold.places
    if hold.foothold is not None:
        places = hold.foothold.move(places, found.x[find_variables(hold.foothold, space.problem)])
        assert np.abs(places - hold.places).max() > 0.01
    edges = hold.edges_about(np.zeros(3))[:, :3].reshape(4, -1, 3)
    expected = []
    for n in range(1, len(q) - 1):
        velocity, acceleration = (q[n + 1] - q[n - 1]) / (2 * STEP), (q[n + 1] - 2 * q[n] + q[n - 1]) / STEP**2
        torque = Dynamics(MONOPOD).torques(q[n], velocity, acceleration)
        sizes = found.x[space.problem.shared((space, hold))[n]].reshape(4, -1)
        for where, force in zip(places, np.einsum("pe,pex->px", sizes, edges), strict=True):
            torque = torque - _given(q[n], "foot", where, GRAVITY * MONOPOD.mass * force)
        if push.first <= n <= push.last:
            placed = place(MONOPOD.skeleton, q[n : n + 1])
            where = placed.positions[0, 0] + quat.rotate(placed.rotations[0, 0], push.point)
            torque = torque - _given(q[n], "trunk", where, push.forces[n - push.first])
        expected.append(torque)
    np.testing.assert_allclose(torques, expected, atol=1e-4)
    assert np.abs(torques[:, 6:]).max() > 10.0
    joints, root = (STEP * 1e-4 * np.sum(part**2) for part in (torques[:, 6:], torques[:, :6]))
    assert found.costs["joint torque"] == pytest.approx(joints, rel=1e-6)
    assert found.costs["root residual"] == pytest.approx(root, rel=1e-6)


def test_torque_that_costs_more_is_less_and_the_root_needs_little() -> None:
    sizes, missing = [], []
    for weight in (1e-6, 1e-3):
        space, _, _, term, found = _stand(weight, 1e-6)
        torques = term.torques(space, found.x)
        sizes.append(np.square(torques[:, 6:]).sum())
        missing.append(np.abs(torques[:, :6]).max())
    assert sizes[1] < 0.8 * sizes[0]
    assert max(missing) < 0.05 * GRAVITY * MONOPOD.mass


def _sway_within(strongest: np.ndarray, cost: float):
    """A monopod that sways with limited torques; its torques (inner frames, dofs) by inverse dynamics of the motion."""
    start, like, hold = _sway()
    space = make_space(Problem(), MONOPOD, make_kernels(MONOPOD, ("foot",)), start, STEP)
    laws = NewtonEuler((hold,))
    terms = (FixedContacts((hold,)), laws, PoseDeviation(like, np.full(10, 100.0)), VelocityCost(0.1))
    for term in (*terms, TorqueLimit((hold,), ("foot",), strongest, cost)):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    q, torques = found.x[space.q], []
    edges = hold.edges_about(np.zeros(3))[:, :3].reshape(4, -1, 3)
    for n in range(1, len(q) - 1):
        velocity, acceleration = (q[n + 1] - q[n - 1]) / (2 * STEP), (q[n + 1] - 2 * q[n] + q[n - 1]) / STEP**2
        torque = Dynamics(MONOPOD).torques(q[n], velocity, acceleration)
        sizes = found.x[space.problem.shared((space, hold))[n]].reshape(4, -1)
        for where, force in zip(hold.places, np.einsum("pe,pex->px", sizes, edges), strict=True):
            torque = torque - _given(q[n], "foot", where, GRAVITY * MONOPOD.mass * force)
        torques.append(torque)
    return np.array(torques), found


def test_torques_stay_within_limits_that_they_can_keep_and_others_stay_free() -> None:
    free, unlimited = _sway_within(np.full(10, np.inf), 1e3)
    assert "torque beyond limits" not in unlimited.costs or unlimited.costs["torque beyond limits"] == 0.0
    joint = 6 + int(np.abs(free[:, 6:]).max(axis=0).argmax())
    strongest = np.full(10, np.inf)
    strongest[joint] = 0.8 * np.abs(free[:, joint]).max()
    limited, _ = _sway_within(strongest, 1e4)
    assert np.abs(limited[:, joint]).max() < 1.02 * strongest[joint]
    assert np.abs(limited[:, joint]).max() > 0.9 * strongest[joint]


def test_torque_that_no_pose_can_do_without_costs_its_excess() -> None:
    """A limit of a tenth of what standing needs: the solver converges, the cost is the square beyond the limit."""
    free, _ = _sway_within(np.full(10, np.inf), 1.0)
    joint = 6 + int(np.abs(free[:, 6:]).max(axis=0).argmax())
    strongest = np.full(10, np.inf)
    strongest[joint] = 0.1 * np.abs(free[:, joint]).max()
    torques, found = _sway_within(strongest, 1e-2)
    beyond = np.maximum(np.abs(torques[:, joint]) / strongest[joint] - 1.0, 0.0)
    assert beyond.max() > 1.0
    assert found.costs["torque beyond limits"] == pytest.approx(1e-2 * STEP * np.sum(beyond**2), rel=1e-3)


def test_joints_that_rest_at_the_start_keep_their_largest_speeds_too() -> None:
    """Joints are drawn to and fro by 0.3 rad per step; one may move by 0.1, the others as they like."""
    rest = np.repeat(hopping(9)[:1], 9, axis=0)
    wanted = rest + 0.15 * np.outer((-1.0) ** np.arange(9), np.arange(10) >= 6)
    fastest = np.full(10, np.inf)
    fastest[7] = 0.1 / STEP
    space = make_space(Problem(), MONOPOD, make_kernels(MONOPOD, ("foot",)), rest, STEP)
    for term in (PoseDeviation(wanted, np.ones(10)), JointSpeedLimit(fastest)):
        term.add(space)
    found = solve(space.problem)
    steps = np.abs(np.diff(found.x[space.q], axis=0)).max(axis=0)
    assert found.converged
    assert steps[7] == pytest.approx(0.1, abs=1e-4)
    assert steps[8] == pytest.approx(0.3, abs=1e-3)


def test_links_keep_their_distance_where_that_costs_less_and_come_nearer_where_not() -> None:
    """In one frame, a distance of 0.05 at 0.3 rad, half as steep as the joint, which is drawn to 0."""
    rest = np.repeat(hopping(5)[:1], 5, axis=0)
    rest[:, 7] = 0.3
    wanted, slopes = rest.copy(), 0.5 * np.eye(10)[7:8]
    wanted[:, 7] = 0.0
    for cost in (1e6, 2.0):
        space = make_space(Problem(), MONOPOD, make_kernels(MONOPOD, ("foot",)), rest, STEP)
        apart = LinkSeparation(np.array([2]), rest[2:3], np.array([0.05]), slopes, 0.05, cost)
        for term in (PoseDeviation(wanted, np.ones(10)), apart):
            term.add(space)
        found = solve(space.problem)
        # (x - 0)² + cost (0.15 - x / 2)² is least at cost 0.15 / 2 / (1 + cost / 4).
        assert found.converged
        assert found.x[space.q][2, 7] == pytest.approx(0.075 * cost / (1.0 + 0.25 * cost), abs=1e-4)
        np.testing.assert_allclose(found.x[space.q][[0, 1, 3, 4], 7], 0.0, atol=1e-4)


def test_kept_coordinates_stay_as_they_are_from_a_frame_on() -> None:
    rest, wanted = np.repeat(hopping(6)[:1], 6, axis=0), hopping(6) + 0.1
    space = make_space(Problem(), MONOPOD, make_kernels(MONOPOD, ("foot",)), rest, STEP)
    for term in (PoseDeviation(wanted, np.ones(10)), KeptCoordinates(rest + 0.02, (7, 9), first=2)):
        term.add(space)
    found = solve(space.problem)
    assert found.converged
    expected = wanted.copy()
    expected[2:, [7, 9]] = rest[2:, [7, 9]] + 0.02
    np.testing.assert_allclose(found.x[space.q], expected, atol=1e-6)

"""Evaluation of motions with known errors."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.body.soles import find_soles
from gambol.body.tripod import make_tripod
from gambol.contacts.contact import Contact
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.spacetime.evaluate import evaluate_between, evaluate_frames
from gambol.terms.forces import ExternalForce

BODY = make_tripod(1.2, 60.0)
STEP = 1.0 / 60.0
DOFS = len(BODY.skeleton.dofs)


def _moved(way: np.ndarray) -> Motion:
    """The creature at rest, with offsets (frames, 3) added to the root."""
    q = np.zeros((len(way), DOFS))
    q[:, :3] = way
    q[:, 2] -= place(BODY.skeleton, np.zeros((1, DOFS))).positions[0, :, 2].min()
    return Motion(BODY.skeleton, q, STEP)


def _held(motion: Motion, first: int, last: int, beside: float = 0.0) -> list[Contact]:
    placed = motion.placement
    holds = []
    for sole in find_soles(BODY).values():
        joint = BODY.skeleton.index(sole.body)
        where = placed.positions[first, joint] + quat.rotate(placed.rotations[first, joint], sole.corners)
        holds.append(Contact(sole.body, sole.corners, where + (beside, 0.0, 0.0), first, last))
    return holds


def _thrown(frames: int, gravity: float) -> Motion:
    times = STEP * np.arange(frames)
    return _moved(np.stack([1.5 * times, 0.0 * times, 3.0 * times - 0.5 * gravity * times**2], axis=1))


def test_a_push_is_not_asked_of_the_ground():
    """A creature at rest that something pushes sideways through its centre of mass leans on the ground as at rest."""
    still = _moved(np.zeros((12, 3)))
    pulled = still.q.copy()
    pulled[:, 0] = 0.5 * 2.0 * (STEP * np.arange(12)) ** 2
    motion = Motion(BODY.skeleton, pulled, STEP)
    point = Dynamics(BODY).center_of_mass(motion.q[:1])[0] - motion.placement.positions[0, 0]
    name = BODY.skeleton.names[0]
    push = ExternalForce(name, point, 1, np.tile([2.0 * BODY.mass, 0.0, 0.0], (10, 1)))
    held = _held(still, 0, 11)
    without, pushed = (evaluate_frames(BODY, motion, [], held, pushes=some) for some in ((), (push,)))
    assert without.friction == pytest.approx(2.0 / GRAVITY, rel=1e-6)
    assert pushed.friction == pytest.approx(0.0, abs=1e-6)
    assert pushed.pressure == pytest.approx(0.0, abs=1e-6)
    aside = ExternalForce(name, point + [0.0, 0.0, 3.0], 1, push.forces)
    assert evaluate_frames(BODY, motion, [], held, pushes=(aside,)).pressure > 0.1


@pytest.mark.parametrize("gravity", [GRAVITY, 7.0])
def test_deviation_from_free_fall_of_a_throw(gravity):
    verdict = evaluate_frames(BODY, _thrown(30, gravity), [])
    assert verdict.fall == pytest.approx(abs(GRAVITY - gravity), abs=1e-8)
    assert verdict.spin == pytest.approx(0.0, abs=1e-8)
    assert np.isnan(verdict.peak)


def test_turning_faster_in_flight_is_a_drift():
    motion = _thrown(30, GRAVITY)
    q = motion.q.copy()
    q[:, 3] = 0.002 * np.arange(30) ** 2
    turned = Motion(BODY.skeleton, q, STEP)
    spins = Dynamics(BODY).momentum(q[[0, 28]] + [[0.0] * DOFS] * 2, np.diff(q, axis=0)[[0, 28]] / STEP).angular
    assert evaluate_frames(BODY, turned, []).spin == pytest.approx(float(np.ptp(spins[:, 2])), rel=0.05)


def test_standing_pushes_with_one_body_weight_inside_its_support():
    motion = _moved(np.zeros((20, 3)))
    verdict = evaluate_frames(BODY, motion, _held(motion, 0, 19))
    assert (verdict.least, verdict.peak) == (pytest.approx(1.0), pytest.approx(1.0))
    assert verdict.friction == pytest.approx(0.0, abs=1e-9)
    assert verdict.pressure == pytest.approx(0.0, abs=1e-6)
    assert verdict.contact == pytest.approx(0.0, abs=1e-12)
    assert evaluate_frames(BODY, motion, _held(motion, 0, 19, beside=0.02)).contact == pytest.approx(0.02)


def test_speeding_up_needs_friction_and_moves_the_pressure_back():
    times = STEP * np.arange(30)
    forward = 6.0
    motion = _moved(np.stack([0.5 * forward * times**2, 0.0 * times, 0.0 * times], axis=1))
    holds = _held(motion, 0, 29)
    verdict = evaluate_frames(BODY, motion, holds)
    assert verdict.friction == pytest.approx(forward / GRAVITY, rel=1e-6)
    centre = Dynamics(BODY).center_of_mass(motion.q)
    pressure = centre[1, 0] - centre[1, 2] * forward / GRAVITY
    back = min(hold.places[0, 0] for hold in holds)
    assert back - pressure > 0.1
    assert verdict.pressure == pytest.approx(back - pressure, abs=1e-3)
    assert verdict.power == pytest.approx(forward * forward * times[28], rel=0.01)


def test_pulling_is_reported():
    times = STEP * np.arange(20)
    motion = _moved(np.stack([0.0 * times, 0.0 * times, -6.0 * times**2], axis=1))
    assert evaluate_frames(BODY, motion, _held(motion, 0, 19)).least == pytest.approx(1.0 - 12.0 / GRAVITY, abs=1e-6)


def test_between_the_frames_a_throw_is_a_parabola_and_a_slide_is_a_slip():
    flown = _thrown(30, GRAVITY)
    ends = [hold for first, last in ((0, 1), (28, 29)) for hold in _held(flown, first, last)]
    ground = np.full(30, -10.0)
    found = evaluate_between(BODY, flown, ends, ground)
    assert found.parabola == pytest.approx(0.0, abs=1e-9)
    assert found.slip == pytest.approx(STEP * 3.0, rel=0.2)
    assert evaluate_between(BODY, _thrown(30, 5.0), ends, ground).parabola > 0.02
    assert found.penetration == 0.0
    assert evaluate_between(BODY, flown, ends, np.full(30, 0.1)).penetration > 0.09


def _on_plane(normal: np.ndarray, middle: np.ndarray, size: float = 0.2) -> tuple[Contact, np.ndarray]:
    """A square of contact points (4 x 2 rows: corners in the plane's axes) on a plane through a point."""
    along = np.cross((0.0, 1.0, 0.0), normal)
    axes = np.array([along / np.linalg.norm(along), np.cross(normal, along / np.linalg.norm(along)), normal])
    corners = 0.5 * size * np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    places = middle + corners @ axes[:2]
    return Contact("front_foot", np.zeros((4, 3)), places, 0, 29, normal=normal), axes


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.3, 0.0, 1.0), (-0.2, 0.5, 1.0)])
@pytest.mark.parametrize("beside", [(0.0, 0.0), (0.25, 0.0), (0.3, -0.2)])
def test_the_centre_of_pressure_is_found_on_any_plane(normal, beside):
    """A body that speeds up and turns faster: the moment about its centre of pressure is along the normal."""
    normal = np.array(normal) / np.linalg.norm(normal)
    times = STEP * np.arange(30)
    motion = _moved(np.stack([1.5 * times**2, -0.5 * times**2, 0.2 * times**2], axis=1))
    q = motion.q.copy()
    q[:, 3] = 2.0 * times**2
    motion = Motion(BODY.skeleton, q, STEP)
    dynamics, frame = Dynamics(BODY), 5
    rates = dynamics.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / STEP)
    force = (rates.linear[frame] - rates.linear[frame - 1]) / STEP + [0.0, 0.0, BODY.mass * GRAVITY]
    moment = (rates.angular[frame] - rates.angular[frame - 1]) / STEP
    centre = dynamics.center_of_mass(q[frame])
    _, axes = _on_plane(normal, np.zeros(3))
    # moment + (centre - point) x force = twist * normal, with the point in a plane 0.8 m below the centre
    below = centre - 0.8 * normal
    unknown = np.column_stack((*(np.cross(axis, force) for axis in axes[:2]), normal))
    first, second, _ = np.linalg.solve(unknown, moment + np.cross(centre - below, force))
    point = below + first * axes[0] + second * axes[1]
    hold, _ = _on_plane(normal, point + np.array(beside) @ axes[:2])
    only = Contact(hold.body, hold.points, hold.places, frame, frame, normal=normal)
    expected = np.linalg.norm(np.maximum(np.abs(beside) - 0.1, 0.0))
    assert evaluate_frames(BODY, motion, [only]).pressure == pytest.approx(expected, abs=1e-5)


def test_standing_on_a_ramp_takes_friction():
    normal = np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    motion = _moved(np.zeros((30, 3)))
    centre = Dynamics(BODY).center_of_mass(motion.q)[0]
    hold, _ = _on_plane(normal, centre - [0.0, 0.0, 0.6])
    verdict = evaluate_frames(BODY, motion, [hold])
    assert verdict.friction == pytest.approx(np.tan(0.3), rel=1e-6)
    assert verdict.pressure == pytest.approx(0.0, abs=1e-9)


def test_places_on_two_levels_have_no_centre_of_pressure():
    motion = _moved(np.zeros((30, 3)))
    low, high = _on_plane(np.array([0.0, 0.0, 1.0]), np.zeros(3))[0], np.array([0.4, 0.0, 0.3])
    step = Contact(low.body, low.points, low.places + high, 0, 29)
    assert np.isnan(evaluate_frames(BODY, motion, [low, step]).pressure)
    beside = Contact(low.body, low.points[:1], low.places[:1] + [5.0, 0.0, 0.0], 0, 29)
    centre = Dynamics(BODY).center_of_mass(motion.q)[0]
    off = np.linalg.norm((beside.places[0] - centre)[:2])
    assert evaluate_frames(BODY, motion, [beside]).pressure == pytest.approx(off, abs=1e-3)


def test_one_figure_that_is_not_a_number_makes_the_worst_not_a_number():
    gravity = np.full(30, GRAVITY)
    gravity[12] = np.nan
    assert np.isnan(evaluate_frames(BODY, _thrown(30, GRAVITY), [], gravity=gravity).fall)
    standing = _moved(np.zeros((30, 3)))
    verdict = evaluate_frames(BODY, standing, _held(standing, 0, 29), gravity=gravity)
    assert np.isnan([verdict.peak, verdict.power]).all()

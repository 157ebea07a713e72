"""A chain of jumps: it goes where it is steered, falls freely, keeps its feet, and nowhere jerks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import find_runs
from gambol.motion.kinematics import place
from gambol.spacetime.families.chain import ChainLink, FlightBlend
from gambol.spacetime.families.chain_to_rig import return_chain_to_rig
from gambol.spacetime.families.controller import Controller
from gambol.spacetime.families.two_jumps import build_two_jumps
from gambol.stages.feet import find_foot_points, track_point
from tests.spacetime.families.made import jump, two_jumps, unsolved

RATE = 60.0


@pytest.fixture(scope="module")
def family():
    return two_jumps()


@pytest.fixture(scope="module")
def steered(family):
    """Frames of a chain that is steered anew every now and then."""
    controller, random, frames = Controller(family, RATE), np.random.default_rng(1), []
    for _ in range(12):
        frames += controller.next(int(random.integers(25, 60)))
        controller.steer(random.uniform(-1.0, 1.0, 2))
    return frames


def _flights(frames):
    flies = np.array([frame.airborne for frame in frames])
    return [(a, b) for a, b in find_runs(flies) if a > 0 and b < len(frames) - 1]


def _poses(frames):
    return np.array([frame.q for frame in frames])


def _landings(family, frames):
    """(landings, 2) metres over the floor: where the feet are after each flight."""
    out = []
    for _, last in _flights(frames):
        held = next(frame.contacts for frame in frames[last + 1 :] if len({hold.body for hold in frame.contacts}) == 2)
        out.append(np.mean([hold.places[0] for hold in held], axis=0)[:2])
    return np.array(out)


def test_time_goes_on_evenly(steered):
    np.testing.assert_allclose([frame.time for frame in steered], np.arange(len(steered)) / RATE, atol=1e-9)
    assert len(_flights(steered)) >= 6


def test_every_flight_is_one_parabola(family, steered):
    centres = Dynamics(family.character).center_of_mass(_poses(steered))
    for first, last in _flights(steered):
        t = np.arange(last - first + 1) / RATE
        free = centres[first : last + 1] + np.outer(0.5 * GRAVITY * t**2, (0.0, 0.0, 1.0))
        line = np.stack([np.polyval(np.polyfit(t, way, 1), t) for way in free.T], axis=1)
        assert np.abs(free - line).max() < 1e-6


def test_spin_stays_in_flight(family, steered):
    q = _poses(steered)
    spin = Dynamics(family.character).momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) * RATE).angular
    for first, last in _flights(steered):
        assert np.ptp(spin[first:last], axis=0).max() < 0.3


def test_the_centre_of_mass_has_no_jump_in_velocity(family, steered):
    centres = Dynamics(family.character).center_of_mass(_poses(steered))
    push = np.diff(centres, 2, axis=0) * RATE**2 + (0.0, 0.0, GRAVITY)
    assert np.abs(push).max() < 6.0 * GRAVITY
    for first, last in _flights(steered):
        assert np.abs(np.diff(centres[first - 2 : last + 3], axis=0)).max() < 0.1


def test_feet_stay_where_they_are_planted(family, steered):
    placed = place(family.character.skeleton, _poses(steered))
    held = 0
    for n, frame in enumerate(steered):
        assert not (frame.airborne and frame.contacts)
        for hold in frame.contacts:
            joint = family.character.skeleton.index(hold.body)
            where = placed.positions[n, joint] + quat.rotate(placed.rotations[n, joint], hold.points)
            assert np.linalg.norm(where - hold.places, axis=1).max() < 1e-3
            held += 1
    assert held > len(steered) / 3
    for now, then in pairwise(steered):
        before = {(hold.body, *np.round(hold.points[0], 6)): hold.places[0] for hold in now.contacts}
        for hold in then.contacts:
            same = before.get((hold.body, *np.round(hold.points[0], 6)), hold.places[0])
            np.testing.assert_allclose(hold.places[0], same, atol=1e-9)


def test_on_the_rig_of_the_clip_feet_stay_too(family, steered):
    home = return_chain_to_rig(family, steered, RATE)
    assert home.skeleton.names == family.clip.fitted.source.skeleton.names
    assert len(home) == len(steered)
    assert home.frame_time == pytest.approx(1.0 / RATE)
    balls = [point for point in find_foot_points(home) if point.name.endswith("ball")]
    assert len(balls) == 2
    for point in balls:
        way = track_point(home, point)
        body = f"{point.name.removesuffix('ball')}foot"
        flat = np.array([any(h.body == body and len(h.points) == 2 for h in frame.contacts) for frame in steered])
        for first, last in find_runs(flat):
            assert np.abs(way[first : last + 1] - np.median(way[first : last + 1], axis=0)).max() < 0.005


def test_no_joint_jumps(family, steered):
    q = _poses(steered)
    turns = [n for n, dof in enumerate(family.character.skeleton.dofs) if dof.kind == "turn"]
    member = np.abs(np.diff(family.q[0, 0, 0, 0], axis=0)).max(axis=0) * family.plan.fps
    speeds = np.abs(np.diff(q, axis=0)) * RATE
    assert (speeds[:, turns] < 2.0 * member[turns] + 3.0).all()


def test_it_goes_where_it_is_steered(family):
    controller = Controller(family, RATE)
    steering = controller.steering
    asked = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 0.0)]
    frames = list(controller.jumps(asked))
    went = np.diff(_landings(family, frames), axis=0)
    np.testing.assert_allclose(went, [steering.jump(direction) for direction in asked[1:]], atol=0.08)
    assert not frames[-1].airborne
    assert frames[-1].contacts


def test_a_key_waits_for_the_jump_that_it_changes(family):
    usual, other = Controller(family, RATE), Controller(family, RATE)
    for controller in (usual, other):
        controller.next(70)
    lag, pressed = other.lag, other.time
    other.steer((0.0, -1.0))
    plain, steered = usual.next(200), other.next(200)
    lands = [np.round(_landings(family, frames), 6) for frames in (plain, steered)]
    takeoffs = [frames[first].time for frames in (steered,) for first, _ in _flights(frames)]
    ahead = [t for t in takeoffs if abs(t - pressed - lag) < 0.1]
    assert ahead
    changed = takeoffs.index(ahead[0])
    aside = [lands[1][n][1] - lands[0][n][1] for n in range(min(map(len, lands)))]
    assert abs(aside[changed]) > 0.1
    assert np.abs(aside[:changed]).max() < 0.06
    assert 0.5 < lag < 2.5


def test_a_family_of_other_things_is_refused():
    line = unsolved(jump(), [{"stage": "ground 2", "forward": [-0.3, 0.3], "count": 2}])
    with pytest.raises(InputError, match="two jumps and four axes"):
        Controller(line)


def test_a_flight_ends_as_the_next_motion_goes_on(family):
    steering, dynamics = Controller(family).steering, Dynamics(family.character)
    far, near, aside = (steering.jump(direction) for direction in ((1.0, 0.0), (-1.0, 0.0), (0.0, -1.0)))
    here, after = (build_two_jumps(family, steering.values(*jumps), dynamics) for jumps in ((near, far), (far, aside)))
    blend = FlightBlend(ChainLink(dynamics, here), here.second, after, turn=0.0)
    soon = 0.004 * np.arange(4)
    ending, going = blend.q(blend.duration - soon), blend.next_link.q(after.first.end + soon)
    assert np.abs(ending[0] - going[0]).max() < 2e-3
    speeds = [np.polyfit(soon, dynamics.center_of_mass(q), 3)[2] for q in (ending, going)]
    assert np.linalg.norm(blend.next_link.excess_velocity) > 0.04
    assert np.linalg.norm(speeds[0] + speeds[1]) < 0.01
    leaving, rising = ChainLink(dynamics, here).q(here.second.start - 1e-9 - soon), blend.q(soon)
    speeds = [np.polyfit(soon, dynamics.center_of_mass(q), 3)[2] for q in (leaving, rising)]
    assert np.linalg.norm(speeds[0] + speeds[1]) < 0.03
    start = blend.q(np.array([0.0]))[0]
    np.testing.assert_allclose(start, here.q(np.array([here.second.start]))[0], atol=2e-3)

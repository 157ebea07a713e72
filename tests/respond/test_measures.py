"""What is measured of a response, and what a model is made of: by definition, on made poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.pushes import Platform, Pull, Push
from gambol.respond.actuation import upper_body_columns
from gambol.respond.endless import make_endless
from gambol.respond.model import Gains, ResponseModel
from gambol.respond.near_unactuated import NearUnactuated, PacedState
from gambol.respond.objective import ObjectiveResidual
from gambol.respond.objectives import Box, Obstacle, keep_out, look_at
from gambol.respond.push import push
from gambol.respond.push_map import PushPlan, force_levels
from gambol.respond.push_response import PushResponse

HIT = Push("chest", (0.0, 50.0, 0.0), 0.5, 0.25)


def _response(walk: Fit, poses: np.ndarray, **more: object) -> PushResponse:
    return PushResponse(walk, poses, (HIT,), "made", **more)


def _column(walk: Fit, body: str) -> int:
    skeleton = walk.character.skeleton
    return next(c for c, dof in enumerate(skeleton.dofs) if dof.kind == "turn" and skeleton.names[dof.joint] == body)


def test_deviation_peak_and_recovery_are_those_of_the_made_poses(walk: Fit) -> None:
    h, poses = walk.motion.frame_time, walk.motion.q.copy()
    first, last = round(0.5 / h), round(1.5 / h)
    poses[first : last + 1, _column(walk, "head")] -= np.radians(3.0)
    poses[first + 7, _column(walk, "left_forearm")] += np.radians(8.0)
    poses[:, 0] += 5.0  # metres are no degrees
    found = _response(walk, poses)
    degrees, second = found.peak
    assert degrees == pytest.approx(8.0)
    assert second == pytest.approx((first + 7) * h)
    assert found.weakest == "left_forearm"
    assert found.deviation(["head"]).max() == pytest.approx(3.0)
    assert found.deviation(["right_hand"]).max() == 0.0
    assert found.recovery == pytest.approx((last + 1) * h - 0.75)
    poses[-1, _column(walk, "head")] += np.radians(2.1)
    assert _response(walk, poses).recovery is None
    poses[-1] = walk.motion.q[-1]
    poses[:, _column(walk, "head")] = walk.motion.q[:, _column(walk, "head")] + np.radians(1.9)
    poses[first + 7] = walk.motion.q[first + 7]
    assert _response(walk, poses).recovery == 0.0
    early = walk.motion.q.copy()
    early[:5, _column(walk, "head")] += 1.0
    assert _response(walk, early).recovery == 0.0
    assert replace(_response(walk, early), pushes=(replace(HIT, duration=99.0),)).recovery is None


def test_feet_slide_by_what_leaves_their_path_or_the_platform(walk: Fit) -> None:
    poses = walk.motion.q.copy()
    assert _response(walk, poses).slide == 0.0
    poses[30, :3] += [0.003, 0.0, 0.004]
    assert _response(walk, poses).slide == pytest.approx(0.005)
    platform, times = Platform((2.0, 1.0, 0.0), 0.5, 0.3), walk.motion.times
    moved = walk.motion.q.copy()
    moved[:, :3] += np.outer([platform.displacement_factor(time) for time in times], platform.acceleration)
    assert _response(walk, moved, platform=platform).slide == pytest.approx(0.0, abs=1e-9)
    assert _response(walk, moved).slide > 0.1


def test_springs_are_split_into_free_actuated_and_root(model: ResponseModel, walk: Fit) -> None:
    gains, matrices = model.gains, model.gain_matrices
    free = np.zeros((30, 10))
    free[6:] = model.statistics.actuation.free(10)
    root = np.eye(30)[:, :6]
    other = np.zeros((30, 14))
    other[6:] = model.statistics.actuation.directions[:, :14]
    stiff, damp = model.nominal_springs.stiffness[0], model.nominal_springs.damping[0]
    soft = gains.free_stiffness + model.statistics.destabilising_stiffness
    np.testing.assert_allclose(free.T @ stiff @ free, soft * np.eye(10), atol=1e-9)
    np.testing.assert_allclose(free.T @ damp @ free, gains.free_damping * np.eye(10), atol=1e-9)
    np.testing.assert_allclose(other.T @ stiff @ other, gains.actuated_stiffness * np.eye(14), atol=1e-9)
    np.testing.assert_allclose(other.T @ damp @ other, gains.actuated_damping * np.eye(14), atol=1e-9)
    np.testing.assert_allclose(other.T @ stiff @ free, 0.0, atol=1e-9)
    np.testing.assert_allclose(root.T @ stiff @ np.hstack([free, other]), 0.0, atol=1e-9)
    inertia = np.diag(Dynamics(walk.character).mass_matrix(np.median(walk.motion.q, axis=0)))[:6]
    rates = np.sqrt(np.diag(stiff)[:6] / inertia)
    np.testing.assert_allclose(rates, gains.root_rates)
    np.testing.assert_allclose(np.diag(damp)[:6] / (2.0 * np.sqrt(np.diag(stiff)[:6] * inertia)), 1.0)  # critical
    np.testing.assert_allclose(matrices.actuated @ free, 0.0, atol=1e-9)
    np.testing.assert_allclose(matrices.actuated @ np.hstack([root, other]), np.hstack([root, other]), atol=1e-9)
    with pytest.raises(InputError, match="along y"):
        Gains(root_limits=(0.2, 0.1, 0.12, 0.35, 0.35, 0.35))


def test_bounds_are_the_limits_of_joints_or_a_swing_beyond_the_clip(model: ResponseModel, walk: Fit) -> None:
    dofs = [walk.character.skeleton.dofs[column] for column in upper_body_columns(walk.character)]
    bounds, q = model.bounds, walk.motion.q[:, model.columns]
    for n, dof in enumerate(dofs[6:], start=6):
        low = dof.lower if np.isfinite(dof.lower) else q[:, n].min() - np.pi / 3.0
        high = dof.upper if np.isfinite(dof.upper) else q[:, n].max() + np.pi / 3.0
        assert (bounds.lower[n], bounds.upper[n]) == (pytest.approx(low), pytest.approx(high))
    np.testing.assert_array_equal(bounds.lower[:6], -np.inf)
    np.testing.assert_array_equal(bounds.upper[:6], np.inf)
    np.testing.assert_allclose(bounds.root_limits[:6], model.gains.root_limits)
    assert np.isinf(bounds.root_limits[6:]).all()
    np.testing.assert_allclose(bounds.margin, [*(0.6 * np.array(model.gains.root_limits)), *[0.25] * 24])


def test_a_residual_adds_the_forces_of_its_springs() -> None:
    """K d + D e - f is the gradient of the spring's energy and the drag of its damper at any deviation."""
    random = np.random.default_rng(0)
    rows, held = random.normal(size=(2, 5)), np.diag([1.0, 1.0, 1.0, 0.0, 0.0])
    error, off, moved = random.normal(size=2), random.normal(size=5), random.normal(size=5)
    for outside in (False, True):
        used = rows if outside else rows @ held
        stiffness, damping, force = np.zeros((5, 5)), np.zeros((5, 5)), np.zeros(5)
        ObjectiveResidual(rows, error, 7.0, 3.0, outside).into(held, off, stiffness, damping, force)
        there = error + used @ (moved - off)
        np.testing.assert_allclose(stiffness @ moved - force, 7.0 * used.T @ there)
        np.testing.assert_allclose(damping @ moved, 3.0 * used.T @ used @ moved)


def test_distances_from_obstacles_are_those_of_their_surfaces() -> None:
    random = np.random.default_rng(1)
    capsule, box = Obstacle((0.1, 0.2, 0.3), (0.9, 0.0, 0.5), 0.2), Box((0.0, -1.0, 0.5), (1.0, 0.5, 2.0))
    axis = np.linspace(capsule.start, capsule.end, 2001)
    for point in random.uniform(-1.0, 2.0, (50, 3)):
        assert capsule(point)[0] == pytest.approx(np.linalg.norm(axis - point, axis=1).min() - 0.2, abs=1e-4)
        low, high = np.array(box.low), np.array(box.high)
        beyond = np.maximum(np.maximum(low - point, point - high), 0.0)
        inside = np.minimum(point - low, high - point).min()
        assert box(point)[0] == pytest.approx(np.linalg.norm(beyond) if beyond.any() else -inside)


def test_a_wish_to_keep_out_grows_within_its_reach_and_a_wall_pushes_out(model: ResponseModel, walk: Fit) -> None:
    look = model.look(walk.motion.q[30])
    hand = look.place(walk.character.body("right_hand"), np.zeros(3))
    for gap, share in ((0.3, 0.0), (0.2, 0.0), (0.1, 0.25), (0.05, 0.5625), (0.0001, 1.0)):
        sphere = Obstacle(tuple(hand + [0.5 + gap, 0.0, 0.0]), tuple(hand + [0.5 + gap, 0.0, 0.0]), 0.5)
        found = keep_out("right_hand", sphere, (0.0, 0.0, 0.0), reach=0.2, wish=1000.0)(look)
        assert not found.outside
        assert found.stiffness == pytest.approx(1000.0 * share, rel=2e-3)
        assert found.damping == pytest.approx(50.0 * share, rel=2e-3)
        assert found.error == pytest.approx([gap - 0.2])
    inside = keep_out("right_hand", Obstacle(tuple(hand + 0.1), tuple(hand + 0.1), 0.5), (0.0, 0.0, 0.0), wall=5e4)(
        look
    )
    assert inside.outside
    assert inside.stiffness == 5e4
    assert inside.damping == pytest.approx(100.0)
    assert inside.error == pytest.approx([0.1 * np.sqrt(3.0) - 0.5])
    assert look_at((5.0, 1.0, 1.0), stiffness=80.0)(look).damping == pytest.approx(8.0)


def test_an_endless_clip_repeats_its_poses_and_goes_on_with_its_travel(walk: Fit) -> None:
    clip = make_endless(walk)
    count = len(clip)
    frames = np.array([[-1, 0, 5], [count, 2 * count + 5, -count]])
    world = clip.at(frames)
    for index in np.ndindex(frames.shape):
        frame = int(frames[index])
        np.testing.assert_allclose(world[index][3:], clip.target(frame)[3:])
        np.testing.assert_allclose(world[index][:3], clip.target(frame)[:3] + clip.place(frame))
        rounds = frame // count
        np.testing.assert_allclose(clip.place(frame), clip.places[frame % count] + rounds * clip.travel)
        np.testing.assert_allclose(clip.target(frame), clip.poses[frame % count] + rounds * clip.turned)
    q, cycle = walk.motion.q, clip.cycle
    assert cycle is not None
    assert count == cycle.stop - cycle.start
    np.testing.assert_allclose(clip.travel, (q[cycle.stop] - q[cycle.start])[:3] * [1.0, 1.0, 0.0])
    steps = np.diff([clip.place(frame) for frame in range(-3, count + 3)], axis=0)
    np.testing.assert_allclose(steps, np.tile(clip.travel / count, (len(steps), 1)), atol=1e-12)
    np.testing.assert_allclose(clip.poses[:, :2].mean(axis=0), 0.0, atol=1e-12)
    assert np.abs(clip.turned).max() == 0.0


def test_a_limit_is_reached_where_a_pushed_joint_or_the_root_is_at_it(responder: NearUnactuated) -> None:
    start = responder.start()
    body, model = start.body, responder.model
    assert not responder.limited(start)
    column = model.columns[8]
    at_limit, target = body.pose.copy(), body.target.copy()
    at_limit[0, column] = model.bounds.upper[8]
    for moved, counts in ((np.radians(1.1), True), (np.radians(0.9), False)):
        target[0, column] = at_limit[0, column] - moved
        assert responder.limited(PacedState(0, replace(body, pose=at_limit, target=target))) == counts
    at_limit[0, column] -= 1e-4
    assert not responder.limited(PacedState(0, replace(body, pose=at_limit, target=target - 0.5)))
    for n, size in ((2, 0.12), (4, 0.35)):
        for share, counts in ((1.0, True), (0.999, False)):
            off = np.zeros((1, 30))
            off[0, n] = -share * size
            assert responder.limited(PacedState(0, replace(body, deviation=off))) == counts
    ring = np.zeros((1, 30))
    ring[0, :2] = 0.6 * 0.2, 0.8 * 0.2
    assert responder.limited(PacedState(0, replace(body, deviation=ring)))
    assert not responder.limited(PacedState(0, replace(body, deviation=0.999 * ring)))


def test_a_hand_pulls_towards_itself_and_moves_with_the_clip(responder: NearUnactuated) -> None:
    """A hand at rest beside the walker keeps its distance while the clip travels."""
    body, point, state = "chest", (0.0, 0.0, 0.1), responder.start()
    chest = responder.character.body(body)

    def at(pose: np.ndarray) -> np.ndarray:
        placed = place(responder.character.skeleton, pose[None])
        return placed.positions[0, chest] + quat.rotate(placed.rotations[0, chest], np.array(point))

    goal = at(responder.path.at(0)) - responder.path.place(0) + [0.0, 0.15, 0.0]
    sides = []
    for _ in range(240):
        state, pose = responder.step(state, [Pull(body, point, tuple(goal), 60.0)])
        sides.append(at(pose)[1] - at(responder.target(state))[1])
    assert 0.01 < np.mean(sides[120:]) < 0.15
    assert np.std(sides[120:]) < 0.05


def test_a_plan_of_pushes_has_even_levels_of_force() -> None:
    plan = PushPlan(pushes=1000, strongest=0.8)
    bodies, ways, forces, phases = plan.shape
    assert (bodies, ways) == (8, 4)
    assert plan.total == bodies * ways * forces * phases
    assert abs(plan.total - 1000) < 100
    assert 1.5 < phases / forces < 2.6
    np.testing.assert_allclose(force_levels(plan), 0.8 * np.linspace(1.0 / forces, 1.0, forces))
    assert PushPlan(pushes=32).shape == (8, 4, 1, 1)
    assert PushPlan(pushes=1_000_000).pushes == 1_000_000
    for wrong in ({"pushes": 31}, {"pushes": 1_000_001}, {"strongest": 10.1}, {"duration": 0.0}, {"seed": -1}):
        with pytest.raises(InputError):
            PushPlan(**wrong)  # type: ignore[arg-type]


def test_a_looped_clip_lasts_as_long_as_asked_and_forces_may_be_per_kilogram(walk: Fit) -> None:
    clip = walk.source
    found = push(clip, [replace(HIT, force=(0.0, 0.5, 0.0))], loop=5.0, mass=50.0, per_kg=True)
    assert 5.0 <= found.response.fitted.motion.duration + clip.frame_time < 5.0 + 1.2
    assert found.response.pushes[0].force == pytest.approx((0.0, 25.0, 0.0))
    assert found.figures["peak_deg"] == pytest.approx(found.response.peak[0])
    assert found.figures["foot_slide_mm"] == pytest.approx(1000.0 * found.response.slide)
    for seconds in (0.0, 601.0):
        with pytest.raises(InputError, match="looped"):
            push(clip, [HIT], loop=seconds)

"""The form as printed does what its equations say, and that is why it is not the default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.body.dynamics import Dynamics
from gambol.body.lumped import add_loads
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.motion.cycles import select_cycle
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.pushes import Load, Platform, Push
from gambol.respond.actuation import Actuation, compute_actuation, upper_body_columns
from gambol.respond.objectives import Obstacle, keep_out, upright
from gambol_evidence.printed.near_unactuated import AsPrinted, respond_to_targets_as_printed

PUSH = Push("left_upper_arm", (0.0, 60.0, 0.0), 0.1, 0.1)
WEIGHTS = {"track": 200.0, "damp": 10.0, "spine": 30.0, "change": 1.0 / 30.0}
"""Equation 6, as printed."""


@pytest.fixture(scope="module")
def walk() -> Fit:
    clip = gb.load("walk")
    return fit(gb.Character.from_motion(clip, 70.0), clip)


@pytest.fixture(scope="module")
def basis(walk: Fit) -> Actuation:
    return compute_actuation(walk, centred=True)


def short(walk: Fit, frames: int = 24) -> Fit:
    """The first frames, in which the form has not run away."""
    return Fit(walk.character, walk.motion[:frames], walk.source[:frames], walk.errors[:frames])


def torques(walk: Fit, dynamics: Dynamics, poses: np.ndarray, n: int) -> np.ndarray:
    """Equation 1 at a frame, by the paper's differences."""
    h, character = walk.motion.frame_time, walk.character
    velocity, acceleration = (poses[n] - poses[n - 1]) / h, (poses[n + 1] - 2.0 * poses[n] + poses[n - 1]) / h**2
    total = dynamics.torques(poses[n], velocity, acceleration)
    if PUSH.start <= n * h < PUSH.end:
        body = character.body(PUSH.body)
        arm = point_jacobian(character.skeleton, poses[n][None], body, character.centers[body])[0]
        total = total - arm.T @ np.array(PUSH.force)
    return np.asarray(total[upper_body_columns(character)[6:]])


@pytest.mark.parametrize(
    "more", [{}, {"loads": [Load("right_hand", 3.0)]}, {"platform": Platform((4.0, 1.0, 0.0), 0.1, 0.1)}]
)
def test_no_torque_is_left_in_the_free_directions(walk: Fit, basis: Actuation, more: dict[str, Any]) -> None:
    """Equation 2, pushed, loaded and on a platform."""
    clip = short(walk)
    poses = respond_to_targets_as_printed(clip, basis, [PUSH], 3, **more)
    dynamics = Dynamics(add_loads(walk.character, more.get("loads", ())))
    for n in range(2, 20):
        left = torques(walk, dynamics, poses, n)
        assert np.abs(basis.free(3).T @ left).max() < 1e-6 * np.abs(left).max()


@pytest.mark.parametrize("squared", [True, False])
def test_each_frame_minimises_equation_6(walk: Fit, basis: Actuation, squared: bool) -> None:
    """No direction that keeps the constraint lowers the objective, whose weights are the printed ones."""
    clip, free, power = short(walk), 3, 2 if squared else 1
    poses = respond_to_targets_as_printed(clip, basis, [PUSH], free, squared=squared)
    h, targets, character = clip.motion.frame_time, clip.motion.q, walk.character
    upper = upper_body_columns(character)[6:]
    names = [character.skeleton.names[character.skeleton.dofs[c].joint] for c in upper]
    damping = np.array([WEIGHTS["spine" if name in ("spine", "chest") else "damp"] for name in names])
    dynamics, driven = Dynamics(character), basis.directions[:, : len(upper) - free]

    def cost(n: int, new: np.ndarray) -> float:
        shown = poses.copy()
        shown[n + 1, upper] = new
        change = driven.T @ (torques(walk, dynamics, shown, n) - torques(walk, dynamics, poses, n - 1)) / h
        since = n * h - PUSH.start
        fading = WEIGHTS["change"] * max(0.0, 1.0 - since / 0.2) if since >= 0.0 else 0.0
        parts = (
            WEIGHTS["track"] * (new - targets[n + 1, upper]),
            damping * (new - poses[n, upper]) / h,
            fading * change,
        )
        return float(sum(np.linalg.norm(part) ** power for part in parts))

    for n in (5, 8, 14):
        inertia = dynamics.mass_matrix(poses[n])[np.ix_(upper, upper)]
        allowed = np.linalg.svd(basis.free(free).T @ inertia)[2][free:]
        there, step = poses[n + 1, upper], 1e-4
        least = cost(n, there)
        slopes = [(cost(n, there + step * way) - cost(n, there - step * way)) / (2.0 * step) for way in allowed]
        curves = [
            (cost(n, there + step * way) + cost(n, there - step * way) - 2.0 * least) / step**2 for way in allowed
        ]
        assert min(curves) > 0.0
        # Distance (rad) to the minimum along each direction; reweighting of norms stops a little before it.
        assert np.abs(np.array(slopes) / curves).max() < (1e-6 if squared else 2e-3), n


def test_a_push_shifts_the_root_by_impulse_over_mass_for_good(walk: Fit, basis: Actuation) -> None:
    """Equation 7, and feet that stay."""
    clip = short(walk, 40)
    push = Push("pelvis", (30.0, 60.0, 0.0), 0.1, 0.2)
    poses = respond_to_targets_as_printed(clip, basis, [push], 0)
    frames = sum(push.start <= n * clip.motion.frame_time < push.end for n in range(1, len(poses) - 1))
    shift = frames * clip.motion.frame_time / walk.character.mass * np.array(push.force)
    np.testing.assert_allclose((poses - clip.motion.q)[-1, :2], shift[:2], atol=1e-9)
    np.testing.assert_array_equal((poses - clip.motion.q)[:6, :6], 0.0)
    turned = Push("pelvis", (0.0, 60.0, 0.0), 0.1, 0.2, (0.2, 0.0, 0.0))
    yawed = respond_to_targets_as_printed(clip, basis, [turned], 0) - respond_to_targets_as_printed(
        clip, basis, [Push("pelvis", (0.0, 60.0, 0.0), 0.1, 0.2, (0.0, 0.0, 0.0))], 0
    )
    arm = frames * clip.motion.frame_time / walk.character.mass * 0.2 * 60.0
    assert np.linalg.norm(yawed[-1, 3:6]) == pytest.approx(arm, rel=0.1)
    skeleton = walk.character.skeleton
    soles = [j for j, name in enumerate(skeleton.names) if name.endswith(("heel_tip", "ball_tip"))]
    there, here = (place(skeleton, q).positions[:, soles] for q in (clip.motion.q, poses))
    assert np.linalg.norm(here - there, axis=2).max() < 1e-3


def test_a_platform_carries_the_root_and_loads_change_the_answer(walk: Fit, basis: Actuation) -> None:
    clip, moving = short(walk), Platform((4.0, 0.0, 0.0), 0.1, 0.1)
    poses = respond_to_targets_as_printed(clip, basis, [], 0, platform=moving)
    factors = [moving.displacement_factor(time) for time in clip.motion.times]
    np.testing.assert_allclose((poses - clip.motion.q)[:-1, 0], 4.0 * np.array(factors[:-1]), atol=1e-9)
    plain, heavy = (
        respond_to_targets_as_printed(clip, basis, [PUSH], 3, loads=loads) for loads in ((), [Load("head", 5.0)])
    )
    assert np.abs(plain - heavy).max() > 1e-3


def test_objectives_are_further_norms_and_walls_are_forces(walk: Fit, basis: Actuation) -> None:
    clip, axis = short(walk, 60), np.array([1.0, 0.0, 0.0])
    hand = walk.character.body("right_hand")

    def tilt(poses: np.ndarray) -> float:
        turned = place(walk.character.skeleton, poses[-2:-1]).rotations[0, hand]
        return float(np.degrees(np.arccos(quat.rotate(turned, axis)[2])))

    without = respond_to_targets_as_printed(clip, basis, [], 0)
    wished = respond_to_targets_as_printed(clip, basis, [], 0, objectives=[upright("right_hand", (1.0, 0.0, 0.0))])
    assert tilt(wished) < 0.7 * tilt(without)
    centre = place(walk.character.skeleton, clip.motion.q[10:11]).positions[0, hand]
    ball = Obstacle(tuple(centre), tuple(centre), 0.1)  # type: ignore[arg-type]
    wall = keep_out("right_hand", ball, reach=1e-6)
    kept = respond_to_targets_as_printed(clip, basis, [], 1, objectives=[wall])
    assert np.abs(kept - respond_to_targets_as_printed(clip, basis, [], 1)).max() > 1e-3


def test_unpushed_it_runs_away_with_what_is_free(walk: Fit, basis: Actuation) -> None:
    """With no free coordinate it lags behind the clip, with ten it leaves it: nothing there restores the pose."""
    off = [
        np.degrees(np.abs(respond_to_targets_as_printed(walk, basis, [], free) - walk.motion.q).max())
        for free in (0, 10)
    ]
    assert off[0] < 30.0
    assert off[1] > 90.0


def test_a_chosen_cycle_is_what_is_learned_from() -> None:
    clip, hit, cycle = gb.load("walk")[:100], [Push("head", (0.0, 60.0, 0.0), 0.2, 0.2)], (0.5, 1.6)
    printed = gb.push(clip, hit, cycle=cycle, method=AsPrinted(free=2)).response
    frames = select_cycle(len(clip), slice(30, 96))
    basis = compute_actuation(printed.fitted, frames, centred=True)
    np.testing.assert_array_equal(printed.poses, respond_to_targets_as_printed(printed.fitted, basis, hit, 2))
    norms = gb.push(clip, hit, cycle=cycle, method=AsPrinted(free=2, norms=True)).response
    assert np.abs(norms.poses - printed.poses).max() > 1e-3


def test_the_printed_form_takes_loads_platforms_and_other_clips() -> None:
    clip, hit = gb.load("walk")[:60], [Push("head", (0.0, 60.0, 0.0), 0.2, 0.2)]
    plain = gb.push(clip, hit, method=AsPrinted(free=1)).response
    for more in ({"loads": [Load("head", 3.0)]}, {"platform": Platform((2.0, 0.0, 0.0), 0.3, 0.2)}):
        found = gb.push(clip, hit, method=AsPrinted(free=1), **more).response
        assert np.abs(found.poses - plain.poses).max() > 1e-3
        assert found.slide < 0.01
    like = gb.push(clip, hit, method=AsPrinted(free=1, like="run")).response
    assert np.abs(like.poses - plain.poses).max() > 1e-3


def test_the_command_line_has_the_printed_form(gambol, tmp_path: Path) -> None:
    words = ("push", "walk", "--body", "left_upper_arm", "--force", 0, 60, 0, "--method", "as-printed")
    code, _, said = gambol(*words, "-o", tmp_path / "printed.bvh")
    assert code == 0
    assert "not recovered when the clip ends" in said
    assert "--norms" in gambol("push", "--method", "as-printed", "--help")[1]

"""Ground forces that no plate measured: they must carry the body, stay in their cones, and vanish in flight."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit import forces as module
from gambol.fit.forces import (
    FRICTION,
    GroundForces,
    SolePoints,
    _measure_heights,
    _penalty,
    _Residual,
    _solve_edges,
    compute_joint_torques,
    estimate_ground_forces,
)
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.solve.qp import QpSolution, solve_bounded


def forces_of(clip: Motion, mass: float = 80.0) -> tuple[Fit, GroundForces]:
    fitted = fit(Character.from_motion(clip, mass), clip)
    return fitted, estimate_ground_forces(fitted.character, fitted.motion)


@pytest.fixture(scope="module")
def walk() -> tuple[Fit, GroundForces]:
    return forces_of(samples.walk())


def test_a_walk_carries_its_weight_over_whole_cycles(walk: tuple[Fit, GroundForces]) -> None:
    fitted, forces = walk
    weight = fitted.character.mass * GRAVITY
    cycles = slice(0, 3 * 64)
    assert forces.converged
    assert forces.forces[cycles, :, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.02)
    assert np.sqrt(np.mean(forces.missing_force**2)) < 0.02 * weight
    assert np.sqrt(np.mean(forces.missing_moment**2)) < 0.01 * weight


def test_both_humps_of_a_step_are_there(walk: tuple[Fit, GroundForces]) -> None:
    """Vertical force under one foot: two peaks above body weight with a valley below it between them."""
    fitted, forces = walk
    load_ = forces.force_on("left_foot")[:, 2] / (fitted.character.mass * GRAVITY)
    loaded = np.flatnonzero(np.diff((load_ > 0.5).astype(int)))
    steps = [load_[a:b] for a, b in pairwise(loaded) if load_[(a + b) // 2] > 0.5]
    whole = [s for s in steps if len(s) > 25]
    assert len(whole) >= 3
    for step in whole:
        third = len(step) // 3
        assert min(step[:third].max(), step[-third:].max()) > 1.0
        assert step[third:-third].min() < 0.9


def test_every_force_pushes_and_stays_in_its_friction_cone(walk: tuple[Fit, GroundForces]) -> None:
    _, forces = walk
    assert (forces.forces[..., 2] >= -1e-9).all()
    flat = np.linalg.norm(forces.forces[..., :2], axis=-1)
    assert (flat <= FRICTION * forces.forces[..., 2] + 1e-6).all()


def test_pressure_lies_under_the_loaded_foot(walk: tuple[Fit, GroundForces]) -> None:
    _, forces = walk
    for side in ("left", "right"):
        where = forces.center_of_pressure(f"{side}_foot")
        mine = [body == f"{side}_foot" for body in forces.bodies]
        low, high = forces.points[:, mine].min(axis=1), forces.points[:, mine].max(axis=1)
        loaded = np.isfinite(where[:, 0])
        assert (where >= low - 1e-9)[loaded].all()
        assert (where <= high + 1e-9)[loaded].all()


def test_the_pads_that_carry_lie_inside_the_foot(walk: tuple[Fit, GroundForces]) -> None:
    fitted, forces = walk
    skeleton = fitted.character.skeleton
    for side in ("left", "right"):
        heel, toe = (skeleton.offsets[skeleton.names.index(f"{side}_{tip}_tip")][0] for tip in ("heel", "toe"))
        along = forces.local_points[[body == f"{side}_foot" for body in forces.bodies], 0]
        assert 0.01 < along.min() - heel < 0.03
        assert 0.01 < toe - along.max() < 0.03


def test_both_feet_push_so_that_the_legs_strain_little(
    walk: tuple[Fit, GroundForces], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum of the forces says nothing of how hard two feet push against each other: the joints' torques do."""
    fitted, forces = walk
    monkeypatch.setattr("gambol.fit.forces._TORQUE", 0.0)
    free = estimate_ground_forces(fitted.character, fitted.motion)
    legs = [
        c for c, d in enumerate(fitted.character.skeleton.dofs) if "thigh" in fitted.character.skeleton.names[d.joint]
    ]
    strain = [
        np.sum(compute_joint_torques(fitted.character, fitted.motion, found)[:, legs] ** 2) for found in (forces, free)
    ]
    assert strain[0] < 0.8 * strain[1]
    weight = fitted.character.mass * GRAVITY
    off = forces.forces.sum(axis=1) - free.forces.sum(axis=1)
    assert np.sqrt(np.mean(off**2)) < 0.02 * weight
    both = (forces.force_on("left_foot")[:, 2] > 0.3 * weight) & (forces.force_on("right_foot")[:, 2] > 0.3 * weight)
    ahead = fitted.motion.placement.positions[:, fitted.character.body("left_foot"), :2]
    ahead = ahead - fitted.motion.placement.positions[:, fitted.character.body("right_foot"), :2]
    apart = np.sum((forces.force_on("left_foot") - forces.force_on("right_foot"))[:, :2] * ahead, axis=1)[both]
    assert (apart < 0.0).mean() > 0.9  # the foot in front brakes, the one behind drives


def test_feet_share_the_load_so_that_weak_joints_keep_their_limits(walk: tuple[Fit, GroundForces]) -> None:
    """Limits at 0.9 of what a joint of the leg needs while both feet stand: others take over, the sum stays."""
    fitted, forces = walk
    weight, skeleton = fitted.character.mass * GRAVITY, fitted.character.skeleton
    both = np.minimum(*(forces.force_on(f"{side}_foot")[:, 2] for side in ("left", "right"))) > 0.2 * weight
    used = np.abs(compute_joint_torques(fitted.character, fitted.motion, forces))
    weak = next(n for n, dof in enumerate(skeleton.dofs) if skeleton.names[dof.joint] == "left_shank")
    strongest = np.full(len(skeleton.dofs), np.inf)
    strongest[weak] = 0.5 * used[both, weak].max()
    eased = estimate_ground_forces(fitted.character, fitted.motion, strongest=strongest)
    torques = np.abs(compute_joint_torques(fitted.character, fitted.motion, eased))
    beyond = [np.maximum(each[both, weak] / strongest[weak] - 1.0, 0.0).sum() for each in (used, torques)]
    assert beyond[1] < 0.3 * beyond[0]
    off = (eased.forces.sum(axis=1) - forces.forces.sum(axis=1))[both]
    assert np.sqrt(np.mean(off**2)) < 0.03 * weight
    assert eased.converged


def test_limits_that_are_kept_anyway_change_no_force(walk: tuple[Fit, GroundForces]) -> None:
    fitted, forces = walk
    used = np.abs(compute_joint_torques(fitted.character, fitted.motion, forces)).max(axis=0)
    eased = estimate_ground_forces(fitted.character, fitted.motion, strongest=2.0 * used + 1.0)
    off = np.sqrt(np.mean((eased.forces - forces.forces) ** 2))
    assert off < 1e-3 * fitted.character.mass * GRAVITY


def test_what_motors_cannot_give_costs_its_square_in_both_directions() -> None:
    """The programme beside the cost that it stands for, minimised without further unknowns."""
    rng = np.random.default_rng(0)
    matrix, target = rng.normal(size=(6, 8)), np.array([3.0, -3.0, 0.2, -0.1, 2.0, -4.0])
    wanted, penalty = _Residual(sparse.csr_array(rng.normal(size=(8, 8))), rng.normal(size=8)), np.ones((2, 1))

    def measure(x: np.ndarray) -> float:
        beyond = np.maximum(np.abs(target - matrix @ x) - 1.0, 0.0)
        fitted = np.sum((wanted.matrix @ x - wanted.target) ** 2) + np.sum(beyond**2)
        return float(fitted + 1e-3 * np.sum(x**2) + 2e-3 * np.sum((x[4:] - x[:4]) ** 2))

    found = _solve_edges(
        [wanted], penalty, np.full((2, 1), np.inf), 0.01, _Residual(sparse.csr_array(matrix), target)
    ).x[:8]
    best = minimize(measure, np.ones(8), bounds=[(0.0, None)] * 8, method="L-BFGS-B", options={"ftol": 1e-14})
    assert np.maximum(np.abs(target - matrix @ best.x) - 1.0, 0.0).max() > 0.1
    assert measure(found) == pytest.approx(best.fun, rel=1e-3)


def test_motors_give_slightly_less_than_their_limits(
    walk: tuple[Fit, GroundForces], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, motion = walk[0], walk[0].motion[:12]
    given: list[_Residual | None] = []

    def watch(residuals: list[_Residual], *others: Any) -> QpSolution:
        given.append(others[-1])
        return _solve_edges(residuals, *others)

    monkeypatch.setattr(module, "_solve_edges", watch)
    strongest = 10.0 + np.arange(len(fitted.character.skeleton.dofs), dtype=float)
    found = estimate_ground_forces(fitted.character, motion, strongest=strongest)
    legs = module._leg_columns(fitted.character, found.bodies)
    aloft = replace(found, forces=0.0 * found.forces)
    needed = compute_joint_torques(fitted.character, motion, aloft)[:, legs] / strongest[legs]
    (motors,) = given
    assert motors is not None
    np.testing.assert_allclose(motors.target.reshape(needed.shape), needed / 0.98, rtol=1e-9, atol=1e-9)


def test_points_above_their_own_ground_are_unlikely_to_carry_load() -> None:
    points = np.zeros((3, 2, 3))
    points[:, :, 2] = 0.32, 0.1
    heights = _measure_heights(points, np.tile([0.3, 0.2], (3, 1)))
    np.testing.assert_allclose(_penalty(points, heights, 0.01), np.tile([4.0, 1.0], (3, 1)))


def test_a_foot_far_above_its_own_ground_carries_less(walk: tuple[Fit, GroundForces]) -> None:
    """What it carries is what the other cannot."""
    fitted, forces = walk
    most = int(np.argmax(np.minimum(*(forces.force_on(f"{side}_foot")[:, 2] for side in ("left", "right")))))
    some, floor, loads = slice(most - 4, most + 5), float(forces.points[..., 2].min()), []
    for lower in (0.0, 0.5):
        ground = np.tile([floor - lower * (body == "left_foot") for body in forces.bodies], (9, 1))
        soles = SolePoints(forces.bodies, forces.local_points, ground)
        found = estimate_ground_forces(fitted.character, fitted.motion[some], soles=soles)
        loads.append(found.force_on("left_foot")[:, 2].mean())
    assert loads[1] < 0.6 * loads[0]


def test_points_above_the_highest_carry_nothing_and_others_carry_it(walk: tuple[Fit, GroundForces]) -> None:
    fitted, forces = walk
    motion, floor = fitted.motion[:60], float(forces.points[..., 2].min())
    ground = np.full((60, len(forces.bodies)), floor)
    soft, hard = (
        estimate_ground_forces(
            fitted.character, motion, soles=SolePoints(forces.bodies, forces.local_points, ground, highest)
        )
        for highest in (np.inf, 0.03)
    )
    above = soft.points[..., 2] > floor + 0.03
    given = np.linalg.norm(soft.forces[above], axis=1).max() / (fitted.character.mass * GRAVITY)
    assert given > 0.01
    assert np.abs(hard.forces[above]).max() == 0.0
    assert np.linalg.norm(hard.forces[~above], axis=1).max() > 0.1 * fitted.character.mass * GRAVITY


def test_torques_and_ground_forces_balance_the_root(walk: tuple[Fit, GroundForces]) -> None:
    """The remaining force at the root's translations is exactly the missing force."""
    fitted, forces = walk
    torques = compute_joint_torques(fitted.character, fitted.motion, forces)
    np.testing.assert_allclose(torques[:, :3], forces.missing_force, atol=1e-6 * fitted.character.mass * GRAVITY)


def test_windows_give_the_forces_of_one_programme(
    walk: tuple[Fit, GroundForces], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a strict tolerance of the solver, so that only the windows can differ."""
    monkeypatch.setattr("gambol.solve.qp._TOLERANCE", 1e-8)
    character, clip = walk[0].character, walk[0].motion[:150]
    whole = estimate_ground_forces(character, clip)
    monkeypatch.setattr("gambol.fit.forces._WINDOW", 50)
    sizes, reached = [], []

    def solve(hessian: object, gradient: np.ndarray, *bounds: np.ndarray) -> QpSolution:
        sizes.append(len(gradient) // 40)
        return solve_bounded(hessian, gradient, *bounds)

    monkeypatch.setattr("gambol.fit.forces.solve_bounded", solve)
    parts = estimate_ground_forces(character, clip, progress=lambda _, done, total: reached.append((done, total)))
    assert len(sizes) >= 4
    assert max(sizes) <= 75  # memory does not grow with the clip
    assert [done for done, _ in reached] == sorted(done for done, _ in reached)
    assert reached[-1] == (len(clip), len(clip))
    weight = character.mass * GRAVITY
    for name, tolerance in (("forces", 1e-4), ("missing_force", 1e-6), ("missing_moment", 1e-6)):
        apart = np.abs(getattr(parts, name) - getattr(whole, name)).max()
        assert apart < tolerance * weight, name
    assert parts.converged


def test_nothing_carries_a_body_in_flight() -> None:
    clip = samples.jump()
    fitted, forces = forces_of(clip)
    air = slice(int(1.18 * 60), int(1.47 * 60))
    assert forces.forces[air, :, 2].sum(axis=1).max() < 0.1 * fitted.character.mass * GRAVITY
    before = forces.forces[:9, :, 2].sum(axis=1).mean()
    assert before == pytest.approx(fitted.character.mass * GRAVITY, rel=0.05)


def test_a_heavier_body_needs_more_in_proportion() -> None:
    clip = samples.stand()
    light, heavy = (forces_of(clip, mass)[1].forces[..., 2].sum(axis=1).mean() for mass in (50.0, 100.0))
    assert heavy / light == pytest.approx(2.0, rel=0.01)


def test_a_real_walk_is_explained(data: Path) -> None:
    fitted, forces = forces_of(load(data / "cmu_bvh" / "walk" / "07_01.bvh"))
    weight = fitted.character.mass * GRAVITY
    assert np.sqrt(np.mean(forces.missing_force[:, 2] ** 2)) < 0.05 * weight
    assert forces.forces[..., 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)


def test_bodies_without_ground_force_are_named(walk: tuple[Fit, GroundForces]) -> None:
    with pytest.raises(InputError, match="left_foot"):
        walk[1].force_on("head")

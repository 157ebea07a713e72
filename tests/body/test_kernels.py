"""Kernels of a body against CasADi's own derivatives of another formulation, finite differences and Pinocchio."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.human import make_human
from gambol.body.kernels import Kernels, compute_references, make_kernels
from gambol.body.screws import reduce_character
from gambol.errors import InputError
from gambol.fit.rig import choose_safe_axes
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Dof, Skeleton
from gambol.solve.compiled import wait_for_builds
from gambol.solve.kernel import Kernel, make_kernel

WEIGHT = 3.0
PATH = os.environ.get("PATH", "")


def unit(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector / np.linalg.norm(vector)
    return float(x), float(y), float(z)


def creature(parents: list[int], kinds: list[str], tips: list[int], seed: int) -> Character:
    """A tree with rests, slanted axes and full inertias; `kinds` has a letter a degree of freedom of each joint."""
    rng = np.random.default_rng(seed)
    count = len(parents)
    names = {"s": "slide", "t": "turn"}
    dofs = [Dof(j, names[k], unit(rng.normal(size=3))) for j, kind in enumerate(kinds) for k in kind]  # type: ignore[arg-type]
    rests = rng.normal(size=(count, 4))
    rests /= np.linalg.norm(rests, axis=1, keepdims=True)
    skeleton = Skeleton(
        tuple(f"j{n}" for n in range(count)), tuple(parents), 0.5 * rng.normal(size=(count, 3)), tuple(dofs), rests
    )
    roots = rng.normal(size=(count, 3, 3))
    spread = roots @ np.swapaxes(roots, 1, 2)
    inertias = 0.05 * (np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread)
    masses = rng.uniform(0.5, 3.0, count)
    masses[tips] = 0.0
    return Character(skeleton, masses, 0.2 * rng.normal(size=(count, 3)), inertias)


THREE_LEGS = [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8]
CHARACTERS: dict[str, tuple[Character, tuple[str, ...]]] = {
    "human": (make_human(make_average_build(1.75), 80.0), ("left_foot", "right_hand", "left_toe_tip")),
    # Three legs with tips; a root with slides, as in a file.
    "three legs": (
        creature(THREE_LEGS, ["sssttt", "tt", "t", "", "tt", "t", "", "tt", "st", ""], [3, 6], 1),
        ("j3", "j9"),
    ),
    # Carried by a body that does not move, through a joint with mass and no degree of freedom, slides after turns.
    "arm on a wall": (creature([-1, 0, 1, 2, 1], ["", "ts", "", "tst", "s"], [], 2), ("j0", "j2", "j4")),
    "only a root": (creature([-1], ["ssttt"], [], 3), ()),
}


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test finds what another compiled; those that want a compiler bring it back."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")


@pytest.fixture(params=CHARACTERS, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[Character, tuple[str, ...], Kernels]:
    character, bodies = CHARACTERS[request.param]
    made = make_once(character, bodies)
    assert set(made.bodies) == set(bodies)
    return character, made.bodies, made


@cache
def make_once(character: Character, bodies: tuple[str, ...]) -> Kernels:
    """Kernels without machine code."""
    return make_kernels(character, bodies)


def other_frame(character: Character, bodies: tuple[str, ...], reference: np.ndarray) -> Kernel:
    """From expressions, differentiated by CasADi, with six points for the mass of every body."""
    expressions = Expressions(character)
    q = expressions.q
    frames = expressions.frames(q)
    columns = [frames[:, character.skeleton.index(name)] for name in bodies]
    rows = ca.vertcat(expressions.center_of_mass(q), *(ca.vertcat(c[9:], c[:9]) for c in columns))
    placed = place(character.skeleton, reference[None])
    cost = ca.SX(0)
    for joint in np.flatnonzero(character.masses):
        mass, points = character.masses[joint], cloud(character, joint)
        turn, where = ca.reshape(frames[:9, joint], 3, 3), frames[9:, joint]
        goals = placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], points)
        for point, goal in zip(points, goals, strict=True):
            cost += mass / len(points) * ca.sumsqr(where + turn @ ca.DM(point) - ca.DM(goal))
    return make_kernel("other", q, ca.SX(0, 1), rows, WEIGHT / character.mass * cost)


def cloud(character: Character, joint: int) -> np.ndarray:
    """Six equal points with the mass, centre and inertia of a segment."""
    inertia = character.inertias[joint]
    values, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    arms = (axes * np.sqrt(3.0 * values / character.masses[joint])).T
    return character.centers[joint] + np.concatenate((arms, -arms))


def other_step(character: Character) -> Kernel:
    expressions = Expressions(character)
    x = ca.vertcat(expressions.q, expressions.velocity)
    rows = expressions.momentum(expressions.q, expressions.velocity)[3:]
    return make_kernel("other", x, ca.SX(0, 1), rows)


def parameters(made: Kernels, character: Character, reference: np.ndarray) -> np.ndarray:
    return np.concatenate((made.constants, [WEIGHT], compute_references(character, reference[None])[0]))


def assert_same(ours: Kernel, other: Kernel, x: np.ndarray, p: np.ndarray, cost_apart: float = 0.0) -> None:
    rng = np.random.default_rng(8)
    lam, sigma = rng.normal(size=ours.outputs), 0.7
    none: list[float] = []
    for one, two in ((ours.value(x, p), other.value(x, none)), (ours.first(x, p), other.first(x, none))):
        for number, (a, b) in enumerate(zip(one, two, strict=True)):
            expected = np.array(b) - (cost_apart if number == 1 else 0.0)
            assert a.shape == b.shape
            np.testing.assert_allclose(np.array(a), expected, atol=1e-11 * max(1.0, np.abs(expected).max()))
    curvature, expected = np.array(ours.second(x, p, sigma, lam)), np.array(other.second(x, none, sigma, lam))
    np.testing.assert_allclose(curvature, expected, atol=1e-11 * max(1.0, np.abs(expected).max()))
    assert ours.second.sparsity_out(0).is_triu()


def test_frame_is_that_of_the_expressions_and_of_points_of_mass(case) -> None:
    character, bodies, made = case
    q, reference = np.random.default_rng(4).normal(size=(2, made.frame.inputs))
    p = parameters(made, character, reference)
    other = other_frame(character, bodies, reference)
    # What our cost leaves out: twice the second moments, whatever the pose.
    spread = sum(np.trace(character.inertias[joint]) for joint in np.flatnonzero(character.masses))
    assert_same(made.frame, other, q, p, WEIGHT / character.mass * spread)


def test_step_is_the_angular_momentum_of_the_expressions_and_of_pinocchio(case) -> None:
    character, _, made = case
    x = np.random.default_rng(5).normal(size=made.step.inputs)
    assert_same(made.step, other_step(character), x, made.step_constants)
    if character is CHARACTERS["arm on a wall"][0]:
        return  # Its columns are in an order that Pinocchio's model does not have.
    angular = Dynamics(character).momentum(*np.split(x, 2)).angular
    np.testing.assert_allclose(np.array(made.step.value(x, made.step_constants)[0])[:, 0], angular, atol=1e-9)


def test_derivatives_by_finite_differences(case) -> None:
    character, _, made = case
    rng = np.random.default_rng(6)
    for one in (made.frame, made.step):
        x, lam, h = rng.normal(size=one.inputs), rng.normal(size=one.outputs), 1e-6
        p = (
            parameters(made, character, rng.normal(size=made.frame.inputs))
            if one is made.frame
            else made.step_constants
        )

        def lagrangian(at: np.ndarray, one: Kernel = one, p: np.ndarray = p, lam: np.ndarray = lam) -> np.ndarray:
            _, _, jacobian, gradient = one.first(at, p)
            return np.array(0.7 * gradient + jacobian.T @ lam)[:, 0]

        curvature = np.array(one.second(x, p, 0.7, lam))
        curvature += np.triu(curvature, 1).T
        numeric = np.array([(lagrangian(x + h * e) - lagrangian(x - h * e)) / (2 * h) for e in np.eye(len(x))])
        np.testing.assert_allclose(curvature, numeric, atol=1e-7 * max(1.0, np.abs(numeric).max()))


def test_the_mass_displacement_of_a_pose_from_itself_is_least(case) -> None:
    character, _, made = case
    reference = np.random.default_rng(7).normal(size=made.frame.inputs)
    p = parameters(made, character, reference)
    _, _, _, gradient = made.frame.first(reference, p)
    curvature = np.array(made.frame.second(reference, p, 1.0, np.zeros(made.frame.outputs)))
    np.testing.assert_allclose(np.array(gradient), 0.0, atol=1e-10)
    assert np.linalg.eigvalsh(curvature + np.triu(curvature, 1).T)[0] > -1e-10


def test_references_of_many_poses_are_those_of_each() -> None:
    character, _ = CHARACTERS["three legs"]
    q = np.random.default_rng(9).normal(size=(4, len(character.skeleton.dofs)))
    each = np.concatenate([compute_references(character, pose[None]) for pose in q])
    np.testing.assert_allclose(compute_references(character, q), each, rtol=1e-14)


def test_where_a_body_is_in_the_world_does_not_change_its_angular_momentum() -> None:
    character, _ = CHARACTERS["human"]
    made = make_once(character, ())
    x = np.random.default_rng(10).normal(size=84)
    away = x.copy()
    away[:3], away[42:45] = 1000.0, 50.0
    here, there = (np.array(made.step.value(at, made.step_constants)[0]) for at in (x, away))
    np.testing.assert_allclose(here, there, atol=1e-8)
    assert {0, 1, 2, 42, 43, 44}.isdisjoint(made.step.first.sparsity_out(2).get_col())


def test_tips_leave_no_trace() -> None:
    character, bodies = CHARACTERS["three legs"]
    skeleton = character.skeleton
    keep = [j for j in range(len(skeleton.names)) if j != 6]
    index = {old: new for new, old in enumerate(keep)} | {-1: -1}
    bare = Character(
        replace(
            skeleton,
            names=tuple(skeleton.names[j] for j in keep),
            parents=tuple(index[skeleton.parents[j]] for j in keep),
            offsets=skeleton.offsets[keep],
            rests=skeleton.rests[keep],
            dofs=tuple(replace(dof, joint=index[dof.joint]) for dof in skeleton.dofs),
        ),
        character.masses[keep],
        character.centers[keep],
        character.inertias[keep],
    )
    with_tips, without = make_kernels(character, bodies), make_kernels(bare, bodies)
    np.testing.assert_array_equal(with_tips.constants, without.constants)
    assert with_tips.frame.second.n_instructions() == without.frame.second.n_instructions()


def test_bodies_of_one_tree_share_machine_code_and_others_do_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", PATH)
    shape = [-1, 0, 1, 0], ["sttt", "t", "", "t"], [2]
    one, two = creature(*shape, seed=20), creature(*shape, seed=21)
    two = replace(two, skeleton=replace(two.skeleton, names=("base", "arm", "hand", "other")))
    lines: list[str] = []
    made = [
        make_kernels(one, ["j2"], lambda text, *_: lines.append(text)),
        make_kernels(two, ["hand"], lambda text, *_: lines.append(text)),
    ]
    assert len(lines) == 1
    assert "once" in lines[0]
    wait_for_builds()
    made = [make_kernels(one, ["j2"]), make_kernels(two, ["hand"])]
    assert len([*(tmp_path / "gambol").iterdir()]) == 2
    another = creature([-1, 0, 1, 1], ["sttt", "t", "", "t"], [2], seed=22)
    make_kernels(another, ["j2"], lambda text, *_: lines.append(text))
    wait_for_builds()
    made.append(make_kernels(another, ["j2"]))
    assert len([*(tmp_path / "gambol").iterdir()]) == 4
    for bodies in (["j1", "j2"], ["j2", "j1"]):
        assert make_kernels(one, bodies, lambda text, *_: lines.append(text)).bodies == ("j1", "j2")
        wait_for_builds()
    assert "while compiling frame, once" in lines[-1]
    assert len([*(tmp_path / "gambol").iterdir()]) == 5
    x = np.random.default_rng(23).normal(size=12)
    for character, one_made in zip((one, two, another), made, strict=True):
        assert one_made.compiled
        assert_same(one_made.step, other_step(character), x, one_made.step_constants)
        spread = sum(np.trace(character.inertias[joint]) for joint in np.flatnonzero(character.masses))
        p = parameters(one_made, character, x[6:])
        name = character.skeleton.names[2]
        assert_same(one_made.frame, other_frame(character, (name,), x[6:]), x[:6], p, WEIGHT / character.mass * spread)


def test_other_axes_and_rests_are_the_same_tree() -> None:
    character, _ = CHARACTERS["human"]
    middle = [dof.axis for dof in character.skeleton.dofs if dof.joint == 0 and dof.kind == "turn"][1]
    locked = np.tile(quat.from_axis_angle(middle, np.pi / 2), (5, 1))
    safe = choose_safe_axes(character, {"pelvis": locked})
    assert not np.array_equal(safe.skeleton.rests, character.skeleton.rests)
    (tree, constants), (same, others) = reduce_character(character, [3]), reduce_character(safe, [3])
    assert tree == same
    assert not np.allclose(constants, others)
    made = make_once(character, ())
    x = np.random.default_rng(24).normal(size=84)
    angular = Dynamics(safe).momentum(x[:42], x[42:]).angular
    values = made.step.value(x, reduce_character(safe, [])[1])[0]
    np.testing.assert_allclose(np.array(values)[:, 0], angular, atol=1e-9)


def test_a_body_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no joint 'tail'"):
        make_kernels(CHARACTERS["human"][0], ["tail"])

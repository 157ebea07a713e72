"""Judgements of reference motions: each fault that is put into a good one is found, and named; files of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.body.robot_description import JOINTS
from gambol.errors import InputError
from gambol.fit.forces import GroundForces
from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import UP
from gambol.metrics.figures import Check
from gambol.motion.kinematics import place
from gambol.robots.biped import Biped
from gambol.robots.capsules import find_self_contacts
from gambol.robots.references import reference as reference_module
from gambol.robots.references.files import read_reference
from gambol.robots.references.judgement import (
    LOADS,
    _find_excess,
    _judge_soles,
    _list_base_steps,
    judge_base,
    judge_reference,
)
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.verb import make_reference
from gambol.robots.sole_shapes import locate_soles
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


@pytest.fixture(scope="module")
def good(biped: Biped) -> ReferenceMotion:
    return make_reference(gb.load("walk")[:100], biped, fast=True).reference


def judge_changed(reference: ReferenceMotion, q: np.ndarray) -> Check:
    return judge_reference(replace(reference, motion=replace(reference.motion, q=q)))


def find_column(biped: Biped, joint: str) -> int:
    return next(n for n, dof in enumerate(biped.skeleton.dofs) if biped.skeleton.names[dof.joint] == joint)


def measure_soles(reference: ReferenceMotion, q: np.ndarray) -> dict[str, float]:
    """Figures of the soles; the others take long."""
    changed = replace(reference, motion=replace(reference.motion, q=q))
    return {figure.name: figure.value for figure in _judge_soles(changed)}


def test_slides_floats_and_sinking_are_measured_in_millimetres(good: ReferenceMotion) -> None:
    q = good.motion.q.copy()
    before = measure_soles(good, q)
    q[:, 2] += 0.007
    assert measure_soles(good, q)["float"] == pytest.approx(before["float"] + 7.0, abs=0.2)
    q[:, 2] -= 0.015
    assert measure_soles(good, q)["penetration"] == pytest.approx(before["penetration"] + 8.0, abs=0.01)
    slid = good.motion.q.copy()
    slid[:, 0] += 0.1 * good.motion.times
    stance = max(last - first + 1 for side in range(2) for first, last in find_flat(good, side))
    assert measure_soles(good, slid)["largest slips"] > 0.4 * 100.0 * stance * good.motion.frame_time
    tilted = good.motion.q.copy()
    tilted[:, 4] += np.radians(5.0)
    assert measure_soles(good, tilted)["sole tilt"] == pytest.approx(5.0, abs=0.5)
    corners = locate_soles(good.biped, replace(good.motion, q=tilted).placement)
    deepest = float((good.ground - corners[..., 2]).max())
    assert deepest > 0.01
    assert measure_soles(good, tilted)["penetration"] == pytest.approx(1000.0 * deepest), "of the lowest corner"
    assert measure_soles(replace(good, ground=corners[..., 2]), tilted)["sole tilt"] < 1e-6, "from the slope below it"


def find_flat(reference: ReferenceMotion, side: int) -> list[tuple[int, int]]:
    from gambol.geometry.arrays import find_runs

    return find_runs(reference.flat[:, side])


def test_limits_are_named_with_joint_and_frame(biped: Biped, good: ReferenceMotion) -> None:
    column = find_column(biped, "R_KNEE")
    low = good.motion.q.copy()
    low[20, column] = biped.skeleton.dofs[column].lower - np.radians(2.0)
    assert _find_excess(replace(good, motion=replace(good.motion, q=low))).max() == pytest.approx(np.radians(2.0))
    q = good.motion.q.copy()
    q[20, column] = biped.skeleton.dofs[column].upper + np.radians(3.0)
    found = judge_changed(good, q)
    assert found.figures["beyond_joint_limits_deg"] == pytest.approx(3.0)
    assert any(note.startswith("joint limit: R_KNEE in frame 20 3 degrees beyond it") for note in found.notes)
    assert found.figures["one_frame_jumps_count"] > 0
    assert found.figures["joint_speed_ratio"] > 1.0
    assert any(note.startswith("joint speed: R_KNEE in frame") for note in found.notes)
    assert not found.passes
    assert "beyond joint limits" in found.verdict


@pytest.mark.parametrize("far", [0.005, 0.03])
def test_a_step_of_the_base_is_found_and_one_of_its_velocity_is_none(good: ReferenceMotion, far: float) -> None:
    """The whole robot is moved from frame 40 on; a landing changes the velocity."""
    before = judge_base(good).value
    assert before < 0.2
    moved, landing = good.motion.q.copy(), good.motion.q.copy()
    moved[40:, 1] += far
    landing[:, 2] -= 0.02 * np.maximum(40 - np.arange(len(landing)), 0)
    stepped, landed = (judge_base(replace(good, motion=replace(good.motion, q=q))) for q in (moved, landing))
    assert stepped.value == pytest.approx(far / good.motion.frame_time, abs=before)
    assert stepped.passes == (far < 0.01)
    assert landed.value < 2.0 * before
    notes = list(_list_base_steps(replace(good, motion=replace(good.motion, q=moved))))
    assert len(notes) == (far > 0.01)
    assert all("in frame 40," in note for note in notes)


def test_a_body_that_is_carried_has_a_residual_and_a_hand_in_the_trunk_is_found(
    biped: Biped, good: ReferenceMotion
) -> None:
    floating = replace(good, ground=good.ground - 0.5)
    assert judge_reference(floating).figures["root_residual_body_weights"] > 0.9
    q = good.motion.q.copy()
    q[:, 4] += 0.2 * np.sin(2.0 * np.pi * 3.0 * good.motion.times)
    assert judge_changed(good, q).figures["root_moment_body_weights"] > 0.05, (
        "no ground gives what a body that shakes needs"
    )
    q = good.motion.q.copy()
    for joint, angle in (("L_SHOULDER_R", -0.4), ("L_SHOULDER_Y", -0.8), ("L_ELBOW_P", -1.6)):
        q[:, find_column(biped, joint)] = angle
    assert judge_changed(good, q).figures["self_collision_percent"] > 50.0


def test_a_robot_that_bows_into_the_ground_has_links_below_it(good: ReferenceMotion) -> None:
    assert good.motion.q[:, 2].min() > 0.5
    assert judge_changed(good, good.motion.q).figures["links_below_the_ground_percent"] == 0.0
    q = good.motion.q.copy()
    q[:25, 2] -= 0.7  # a quarter of the frames: hands are below, and so are knees
    assert judge_changed(good, q).figures["links_below_the_ground_percent"] == pytest.approx(100.0 * 25 / len(q))


def test_links_are_below_the_ground_with_their_surface_and_feet_do_not_count(good: ReferenceMotion) -> None:
    """The lowest point of the shanks is 9 or 11 mm below the ground, and the feet far more."""
    biped, capsules = good.biped, find_self_contacts(good.biped)
    feet = [biped.places[f"{side}_foot"].joint for side in ("left", "right")]
    bottom = capsules.locate_ends(good.motion.placement)[..., 2].min(axis=2) - capsules.radii
    lowest = bottom[:, ~np.isin(capsules.joints, feet)].min()
    for depth, any_below in ((0.009, False), (0.011, True)):
        raised = replace(good, ground=np.full_like(good.ground, lowest + depth))
        assert (judge_reference(raised).figures["links_below_the_ground_percent"] > 0.0) == any_below


def test_torque_beyond_a_limit_is_measured_as_its_share(biped: Biped, good: ReferenceMotion) -> None:
    """An arm that is held out: what gravity needs at the shoulder, by the weights of the links below it."""
    column = find_column(biped, "L_SHOULDER_R")
    q = np.repeat(good.motion.q[:1], 12, axis=0)
    q[:, column] = np.radians(80.0)
    still = replace(good, motion=replace(good.motion, q=q), **{k: v[:12] for k, v in find_fields(good).items()})
    character, skeleton = biped.description.character, biped.skeleton
    joint = skeleton.dofs[column].joint
    below = [n for n in range(len(skeleton.names)) if joint in skeleton.path_to_root(n)]
    placed = place(skeleton, q[:1])
    centres = placed.positions[0, below] + quat.rotate(placed.rotations[0, below], character.centers[below])
    arms = centres - placed.positions[0, joint]
    moment = np.cross(arms, GRAVITY * character.masses[below, None] * UP).sum(axis=0)
    axis = quat.rotate(placed.rotations[0, joint], skeleton.dofs[column].axis)
    needed = abs(float(moment @ axis))
    weak = biped.description.torques.copy()
    weak[column] = 0.5 * needed
    weaker = replace(still, biped=replace(biped, description=replace(biped.description, torques=weak)))
    found = judge_reference(weaker)
    assert found.figures["joint_torque_ratio"] == pytest.approx(2.0, rel=1e-3)
    assert any(note.startswith("joint torque: L_SHOULDER_R in frame") for note in found.notes)


def make_still(good: ReferenceMotion, given: Callable[[int], dict[str, object]], count: int = 12) -> ReferenceMotion:
    """The first pose of a motion, again and again, with results of estimations that are given for (points,)."""
    held = {name: np.repeat(values[:1], count, axis=0) for name, values in find_fields(good).items()}
    still = replace(good, motion=replace(good.motion, q=np.repeat(good.motion.q[:1], count, axis=0)), **held)
    still.__dict__.update(given(count))
    return still


def test_what_is_missing_at_the_root_is_force_and_moment_that_no_sole_gives(good: ReferenceMotion) -> None:
    sideways, moment = np.array([-40.0, 0.0, 0.0]), np.array([10.0, 20.0, 30.0])

    def give(count: int) -> dict[str, object]:
        missing = np.tile(sideways, (count, 1)), np.tile(moment, (count, 1))
        missing[0][[0, -1]] = 1e6  # ends do not count
        seen = {name: getattr(good.forces, name)[:count] for name in ("points", "forces", "center_of_mass")}
        return {"forces": replace(good.forces, missing_force=missing[0], missing_moment=missing[1], **seen)}

    found, weight = judge_reference(make_still(good, give)).figures, GRAVITY * good.biped.description.character.mass
    assert found["root_residual_body_weights"] == pytest.approx(40.0 / weight)
    assert found["root_moment_body_weights"] == pytest.approx(np.linalg.norm(moment) / good.biped.leg_length / weight)


def test_a_corner_that_is_2_cm_above_the_ground_gives_nothing_and_one_that_is_1_cm_above_it_does(
    good: ReferenceMotion,
) -> None:
    still = make_still(good, lambda _: {})
    still.ground[:] = locate_soles(good.biped, still.motion.placement)[..., 2] - 0.01
    still.ground[:, :, 0] -= 0.01
    forces = still.forces.forces.reshape(-1, 2, 4, 3)
    assert np.abs(forces[:, :, 0]).max() == 0.0
    assert (forces[:, :, 1:, 2].max(axis=(0, 1)) > 1.0).all()


def test_loads_are_shares_of_limits_and_notes_name_all_joints_beyond(biped: Biped, good: ReferenceMotion) -> None:
    description, names = biped.description, biped.description.joint_names

    def give(count: int) -> dict[str, object]:
        torques, speeds = (np.zeros((count, len(names))) for _ in range(2))
        torques[1:-1] = -0.5 * description.torques[JOINTS]
        torques[[0, -1]] = 1e6  # ends do not count
        speeds[3:6, 4], speeds[5, 7] = -1.5 * description.speeds[JOINTS][4], 2.0 * description.speeds[JOINTS][7]
        return {"forces": replace(good.forces, **{
            name: np.repeat(getattr(good.forces, name)[:1], count, axis=0)
            for name in ("points", "forces", "center_of_mass", "missing_force", "missing_moment")
        }), "torques": torques, "speeds": speeds}  # fmt: skip

    still = make_still(good, give)
    found = judge_reference(still)
    assert found.figures["joint_torque_ratio"] == pytest.approx(0.5)
    assert found.figures["joint_speed_ratio"] == pytest.approx(2.0)
    assert found.notes == (f"joint speed: {names[7]} in frame 5 2 times the limit, 25 % of frames; also {names[4]}",)
    free = replace(description, speeds=np.full_like(description.speeds, np.inf), torques=0.0 * description.torques)
    unlimited = make_still(replace(good, biped=replace(biped, description=free)), give)
    figures = {figure.name: figure for figure in judge_reference(unlimited).measures}
    assert np.isnan([figures[name].value for name in LOADS]).all()
    assert figures["joint torque"].passes


def test_a_fall_is_measured_in_flights_that_are_long_enough(good: ReferenceMotion) -> None:
    """One of 0.12 s on a parabola; the other, of 0.08 s, is too short to tell."""
    touching = np.ones((20, 2), dtype=bool)
    touching[3:10], touching[13:18] = False, False

    def give(count: int) -> dict[str, object]:
        times = good.motion.frame_time * np.arange(count)
        centre = np.zeros((count, 3))
        centre[:13, 2] = 0.8 - 0.5 * GRAVITY * times[:13] ** 2
        nothing = np.zeros((count, 3))
        points = np.zeros((count, 8, 3))
        return {"forces": GroundForces(good.forces.bodies, good.forces.local_points, points, points, centre, nothing,
                                       nothing, converged=True)}  # fmt: skip

    falling = make_still(good, give, 20)
    falling.touching[:] = touching
    assert judge_reference(falling).figures["fall_in_flight_m_s2"] == pytest.approx(-GRAVITY)


def find_fields(reference: ReferenceMotion) -> dict[str, np.ndarray]:
    return {name: getattr(reference, name) for name in ("touching", "flat", "ground")}


def test_ground_forces_are_sought_that_motors_can_do(good: ReferenceMotion, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(reference_module, "estimate_ground_forces", lambda *_, **named: given.update(named))
    _ = replace(good).forces
    np.testing.assert_array_equal(given["strongest"], good.biped.description.strongest)
    np.testing.assert_array_equal(given["soles"].ground, good.ground.reshape(len(good.motion), 8))


def test_files_come_back_and_tables_of_others_are_judged(biped: Biped, good: ReferenceMotion, tmp_path: Path) -> None:
    good.save(tmp_path / "walk.npz")
    again = read_reference(tmp_path / "walk.npz", biped)
    np.testing.assert_allclose(again.motion.q[:, JOINTS], good.motion.q[:, JOINTS])
    np.testing.assert_allclose(again.motion.placement.positions, good.motion.placement.positions, atol=1e-9)
    np.testing.assert_array_equal(again.flat, good.flat)
    assert judge_reference(again).figures["slip_mm"] == pytest.approx(
        judge_reference(good).figures["slip_mm"], abs=1e-6
    )
    good.save_table(tmp_path / "walk.csv")
    table = read_reference(tmp_path / "walk.csv", biped, 50.0)
    assert table.motion.frame_time == 0.02
    np.testing.assert_allclose(table.motion.placement.positions, good.motion.placement.positions, atol=1e-6)
    agree = (table.touching == good.touching).mean()
    assert agree > 0.8, "contacts that a table does not have are found"


def test_joints_are_matched_by_name(biped: Biped, good: ReferenceMotion, tmp_path: Path) -> None:
    values = good.arrays()
    order = np.random.default_rng(3).permutation(len(values["joint_names"]))
    kept = {"fps": values["fps"], "root_pos": values["root_pos"], "root_rot": np.roll(values["root_rot"], -1, axis=1)}
    shuffled = {"joint_names": values["joint_names"][order], "dof_pos": values["joint_pos"][:, order]}
    np.savez(tmp_path / "other.npz", **kept, **shuffled)
    again = read_reference(tmp_path / "other.npz", biped)
    np.testing.assert_allclose(again.motion.q, good.motion.q, atol=1e-9)
    np.savez(tmp_path / "short.npz", **kept, dof_pos=values["joint_pos"][:, 1:])
    with pytest.raises(InputError, match="not a reference motion of this robot"):
        read_reference(tmp_path / "short.npz", biped)
    ground = values["ground"].copy()
    ground[3, 1, 2] = np.nan
    for wrong, message in (
        ({"ground": ground}, "a height of the ground that is not finite"),
        ({"ground": ground.astype(str)}, "not a reference motion of this robot"),
        ({"root_rot": 0.0 * values["root_rot"]}, "a quaternion of the base is zero"),
    ):
        np.savez(tmp_path / "wrong.npz", **(values | wrong))
        with pytest.raises(InputError, match=message):
            read_reference(tmp_path / "wrong.npz", biped)
    (tmp_path / "text.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="not a reference motion"):
        read_reference(tmp_path / "text.csv", biped)


def test_the_command_says_which_limit_is_exceeded(gambol, good: ReferenceMotion, tmp_path: Path) -> None:
    good.save(tmp_path / "walk.npz")
    code, out, _ = gambol("check", tmp_path / "walk.npz", "--robot", "jvrc1", "--json", tmp_path / "facts.json")
    assert code == 1, "a motion without physics needs forces that nobody has"
    assert "OUTSIDE root residual" in out
    assert "joint torque: " in out
    assert '"root residual"' in (tmp_path / "facts.json").read_text()
    code, _, err = gambol("check", tmp_path / "walk.npz", "--robot", "jvrc1", "--mass", "60")
    assert (code, "are for clips of people" in err) == (2, True)

"""Robots walk with what their descriptions alone say; what they lack is said in a line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.body.jacobians import Jacobians
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import place
from gambol.robots.base_axes import _turn_description, align_base
from gambol.robots.biped import Biped, find_biped
from gambol.robots.biped_file import load_biped
from gambol.robots.biped_template import format_robot_file
from gambol.robots.descriptions import list_robots, read_description
from gambol.robots.sole_shapes import note_estimates
from gambol.robots.walker import Walker
from gambol.robots.walking_settings import WalkingSettings, check_walking
from tests.packages import make_package
from tests.robots.made import make_biped
from tests.robots.mjcf import HUMANOID
from tests.robots.test_body_parts import without


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write(tmp_path, HUMANOID)


def write(folder: Path, text: str) -> Path:
    path = folder / "made.xml"
    path.write_text(text)
    return path


def find_alone(name: str) -> Biped:
    """A robot as its description has it, without what is known about its walking."""
    return find_biped(read_description(Path(name)))


@pytest.mark.parametrize("robot", ["made", "jvrc1"])
def test_the_posture_has_level_soles_below_the_hips_and_bent_knees(made: Path, robot: str) -> None:
    biped = load_biped(made) if robot == "made" else find_alone("jvrc1")
    jacobians = Jacobians(biped.dynamics)
    jacobians.take(biped.posture)
    left, right = (foot.place(jacobians) for foot in biped.feet)
    for sole in (left, right):
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=0.02)
        assert sole.position[2] == pytest.approx(0.0, abs=1e-3)
    assert 0.2 < (left.position - right.position)[1] / biped.height < 0.35
    for leg in biped.parts.legs:
        assert abs(biped.posture[leg.hinge]) == pytest.approx(0.85, abs=0.1)
    lower, upper = (np.array([getattr(dof, end) for dof in biped.skeleton.dofs]) for end in ("lower", "upper"))
    assert ((biped.posture >= lower) & (biped.posture <= upper)).all()


def test_what_is_derived_for_jvrc_is_near_what_is_known() -> None:
    known, alone = load_biped(), find_alone("jvrc1")
    assert alone.step_seconds == known.step_seconds
    assert alone.longest_step == pytest.approx(known.longest_step, rel=0.1)
    assert alone.height == pytest.approx(known.height, rel=0.05)
    legs = [column for leg in alone.parts.legs for column in leg.columns]
    assert (alone.stiffness / np.where(known.stiffness > 0.0, known.stiffness, 1.0))[legs].min() > 0.5
    assert (alone.stiffness / np.where(known.stiffness > 0.0, known.stiffness, 1.0))[legs].max() < 2.0
    for one, other in zip(alone.hands, known.hands, strict=True):
        assert one.joint == other.joint
        assert np.linalg.norm(one.point - other.point) < 0.1


def test_gains_are_proportional_to_weight_times_height(tmp_path: Path) -> None:
    one, two = (replace(make_biped(tmp_path, size), settings=WalkingSettings()) for size in (1.0, 0.5))
    np.testing.assert_allclose(two.stiffness[6:] / one.stiffness[6:], 0.5**4, rtol=1e-3)
    assert two.armature / one.armature == pytest.approx(0.5**5, rel=1e-3)
    assert two.longest_step / one.longest_step == pytest.approx(0.5, rel=1e-3)


def test_weak_knees_are_bent_less(made: Path) -> None:
    biped = load_biped(made)
    knees = [leg.hinge for leg in biped.parts.legs]
    weight, shank = GRAVITY * biped.character.mass, 0.5 * biped.leg_length

    def weaken(most: float) -> Biped:
        torques = biped.description.torques.copy()
        torques[knees] = most
        return replace(biped, description=replace(biped.description, torques=torques))

    weak = weaken(weight * shank * np.sin(0.25) / 0.7)
    np.testing.assert_allclose(weak.posture[knees], 0.5, atol=0.1)
    check_walking(weak)
    with pytest.raises(InputError, match="cannot walk: its knees are too weak to carry it bent by 17 degrees"):
        Walker(weaken(0.05 * weight * shank))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HUMANOID.replace('_ankle_roll" axis="1 0 0"', '_ankle_roll" axis="0 1 0"'),
            "'made' cannot walk: no joint lets its ankles roll; give a robot with legs of six joints",
        ),
        (
            HUMANOID.replace('_hip_yaw" axis="0 0 1"', '_hip_yaw" axis="0 1 0"'),
            "'made' cannot walk: no joint lets its legs turn about the vertical; give a robot",
        ),
    ],
)
def test_what_a_robot_lacks_is_said(gambol, tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    code, _, err = gambol("humanoid", "walk", "--to", 0.2, 0, "--robot", path)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert f"# {message.split(';')[0]}" in format_robot_file(path, "made.xml")


@pytest.mark.slow
def test_a_robot_without_shapes_walks_on_the_soles_of_an_average_foot(tmp_path: Path) -> None:
    make_biped(tmp_path, 1.0)
    walked = gb.walk_humanoid((0.1, 0.0), robot=tmp_path / "biped.urdf")
    assert walked.figures["falls"] == 0.0
    assert walked.figures["missed_cm"] < 2.0
    assert "no shapes below the left and right ankles: soles of an average foot are used, 0.22 x 0.09 m" in walked.notes


def test_soles_of_a_robot_file_are_not_estimated(tmp_path: Path) -> None:
    biped = make_biped(tmp_path, 1.0)
    assert note_estimates(biped) == ()
    half = replace(biped, soles={"left": biped.soles["left"]})
    (note,) = note_estimates(half)
    assert note.startswith("no shapes below the right ankle: ")


def test_a_robot_without_arms_walks_and_opens_no_drawer(tmp_path: Path) -> None:
    path = write(tmp_path, without("arm"))
    assert load_biped(path).hands == ()
    assert gb.walk_humanoid((0.15, 0.0), robot=path).figures["falls"] == 0.0
    with pytest.raises(InputError, match="'made' has no two arms of 3 joints or more"):
        gb.walk_humanoid((1.0, 0.0), 0.9, robot=path)


@pytest.mark.slow
def test_a_robot_walks_from_its_description_alone(tmp_path: Path) -> None:
    """Its base may have any axes: the chest of some points backward."""
    path = write(tmp_path, HUMANOID)
    biped = turn_base(load_biped(path), quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.5))
    walked = gb.walk_humanoid((0.25, 0.06), robot=biped)
    assert walked.figures["falls"] == 0.0
    assert walked.figures["missed_cm"] < 2.0
    assert 1.0 < walked.figures["peak_force_body_weights"] < 1.3
    assert walked.judgement.judged
    raised = walked.motion.q.copy()
    raised[len(raised) // 2 :, 2] += 0.1
    jumping = replace(walked, motions=as_ensemble(replace(walked.motion, q=raised)))
    assert not jumping.judgement.accepted


def turn_base(biped: Biped, turn: Array) -> Biped:
    """The same robot with a base of other axes."""
    return find_biped(_turn_description(biped.description, turn))


def test_an_aligned_base_points_ahead_and_all_else_stays(made: Path) -> None:
    turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.0)
    turned = turn_base(load_biped(made), turn)
    aligned = align_base(turned)
    np.testing.assert_allclose(turned.frame, turn, atol=1e-9)
    np.testing.assert_array_equal(aligned.frame, quat.IDENTITY)
    assert align_base(aligned) is aligned
    for part in turned.places:
        np.testing.assert_allclose(aligned.locate(part), turned.locate(part), atol=1e-9)
    np.testing.assert_allclose(
        place(aligned.skeleton, aligned.bent[None]).positions,
        place(turned.skeleton, turned.bent[None]).positions,
        atol=1e-9,
    )
    np.testing.assert_allclose(
        aligned.dynamics.center_of_mass(aligned.bent), turned.dynamics.center_of_mass(turned.bent), atol=1e-9
    )
    for one, other in zip(aligned.description.collisions, turned.description.collisions, strict=True):
        if one.joint == 0:
            rotated = quat.rotate(turn, one.sample())
            np.testing.assert_allclose(rotated, other.sample(), atol=1e-9)


def test_a_robot_of_another_package_has_a_name(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"path = {str(made)!r}\ndef find():\n    return path\ndef fail():\n    raise OSError('no disk')\n"
    entries = {"gambol.robots": {"mine": "path", "ours": "find", "broken": "fail", "jvrc1": "path"}}
    make_package(tmp_path, monkeypatch, "some-robots", entries, code)
    assert list_robots() == ["broken", "g1", "jvrc1", "mine", "ours", "talos"]
    for name in ("mine", "ours"):
        assert load_biped(name).character.mass == pytest.approx(42.0)
    assert load_biped("jvrc1").character.mass == pytest.approx(62.4)  # that of gambol
    with pytest.raises(InputError, match="'broken' of some-robots cannot be loaded: OSError: no disk"):
        load_biped("broken")
    file = tmp_path / "mine.yaml"
    file.write_text(format_robot_file(Path("mine"), "mine"))
    assert load_biped(file).leg_length == pytest.approx(0.8)


@pytest.mark.parametrize("robot", ["made", "jvrc1"])
def test_a_file_that_is_written_has_the_settings_of_its_robot(made: Path, robot: str) -> None:
    given = made if robot == "made" else Path("jvrc1")
    file = made.with_suffix(".yaml")
    file.write_text(format_robot_file(given, given.name))
    found, mapped = load_biped(given), load_biped(file)
    np.testing.assert_allclose(mapped.posture, found.posture, atol=1e-3)
    np.testing.assert_allclose(mapped.stiffness, found.stiffness, rtol=1e-3)
    assert mapped.armature == pytest.approx(found.armature, rel=1e-3)
    assert mapped.fastest == pytest.approx(found.fastest, rel=1e-3)
    for one, other in zip((*mapped.feet, *mapped.hands), (*found.feet, *found.hands), strict=True):
        assert one.joint == other.joint
        np.testing.assert_allclose(one[1], other[1], atol=1e-5)
    np.testing.assert_allclose(mapped.feet[0].half, found.feet[0].half, atol=1e-5)


def test_stiffness_that_is_not_given_is_derived(made: Path) -> None:
    file = made.with_suffix(".yaml")
    file.write_text("robot: made.xml\nwalking: {stiffness: {left_hip_yaw: 7, knee: 9}}\n")
    alone, given = load_biped(made), load_biped(file)
    changed = np.flatnonzero(alone.stiffness != given.stiffness)
    names = given.description.joint_names
    assert {names[column - 6]: given.stiffness[column] for column in changed} == {
        "left_hip_yaw": 7.0,
        "left_knee": 9.0,
        "right_knee": 9.0,
    }

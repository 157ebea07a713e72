"""Mapping files of robots: what is written is what was found, what is read is used, and errors name the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.io.yamls import read_yaml
from gambol.robots.biped_file import load_biped
from gambol.robots.biped_template import format_robot_file
from gambol.robots.descriptions import find_robot
from gambol.robots.sole_shapes import find_sole
from tests.robots.mjcf import HUMANOID
from tests.robots.test_body_parts import without


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    """The mapping of the small humanoid."""
    return write(tmp_path, HUMANOID)


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "made.xml").write_text(text)
    path = tmp_path / "made.yaml"
    path.write_text(format_robot_file(tmp_path / "made.xml", "made.xml"))
    return path


def edit(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize("robot", ["made", "jvrc1"])
def test_a_mapping_that_is_not_changed_is_what_was_found(tmp_path: Path, mapping: Path, robot: str) -> None:
    given = Path("jvrc1") if robot == "jvrc1" else tmp_path / "made.xml"
    found = load_biped(given)
    if robot == "jvrc1":
        mapping.write_text(format_robot_file(given, "jvrc1"))
    mapped = load_biped(mapping)
    assert mapped.places.keys() == found.places.keys()
    for part, place in found.places.items():
        assert mapped.places[part].joint == place.joint
        np.testing.assert_allclose(mapped.places[part].point, place.point, atol=1e-9)
    np.testing.assert_allclose(mapped.bent, found.bent)
    np.testing.assert_allclose(mapped.frame, found.frame, atol=1e-6)
    for side in ("left", "right"):
        np.testing.assert_allclose(find_sole(mapped, side), find_sole(found, side), atol=1e-6)


def test_facing_and_soles_are_those_of_the_file(mapping: Path) -> None:
    edit(mapping, "facing: [1, 0, 0]", "facing: [0, 2, 0]")
    corners = read_yaml(mapping)["left_sole"]
    corners[0] = [-0.2, 0.1, -0.3]
    lines = [line for line in mapping.read_text().splitlines() if not line.startswith("left_sole")]
    mapping.write_text("\n".join([*lines, f"left_sole: {corners}"]))
    biped = load_biped(mapping)
    np.testing.assert_allclose(find_sole(biped, "left"), corners)
    np.testing.assert_allclose(quat.rotate(biped.frame, np.array([1.0, 0.0, 0.0])), [0.0, 1.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("axis", [[0, 0, -1], [0, 1, 0], [1, 0, 0]])
def test_the_axis_that_is_up_stands_upright(mapping: Path, axis: list[int]) -> None:
    edit(mapping, "up: [0, 0, 1]", f"up: {axis}")
    edit(mapping, "facing: [1, 0, 0]", f"facing: {[axis[2], axis[0], axis[1]]}")
    biped = load_biped(mapping)
    standing, facing = biped.standing.rotations[0, 0], [axis[2], axis[0], axis[1]]
    ahead = quat.rotate(biped.frame, np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(ahead, facing, atol=1e-9)
    np.testing.assert_allclose(quat.rotate(standing, np.array(axis, dtype=float)), [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(
        quat.rotate(quat.multiply(standing, biped.frame), np.array([0.0, 0.0, 1.0])), [0.0, 0.0, 1.0], atol=1e-9
    )


def test_what_shape_does_not_find_is_guessed_by_name_or_marked(tmp_path: Path) -> None:
    text = write(tmp_path, without("arm")).read_text()
    assert 'left_shank: "left_shank"' in text
    assert "left_upper_arm:\n" in text
    renamed = without("leg").replace('name="left_forearm"', 'name="l_elbow_link"')
    text = write(tmp_path, renamed).read_text()
    assert 'left_forearm: "l_elbow_link"' in text
    assert "left_thigh:  # needed" in text
    assert "left_sole:\n" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('robot: "made.xml"', "", "names no robot|lacks robot"),
        ('robot: "made.xml"', "robot: other.xml", "other.xml: no such file"),
        ('robot: "made.xml"', "robot: made.yaml", "not the description of a robot; give .urdf, .xml"),
        ('left_shank: "left_shank"', "left_shank:", "lacks left_shank; fill them in"),
        ('left_shank: "left_shank"', "left_shank: knee", "line 1.: no joint 'knee'; joints: trunk"),
        ('left_shank: "left_shank"', "left_shank: right_shank", "not joints of one limb, in this order"),
        ('left_shank: "left_shank"', "left_shank: left_foot\nleft_shin: x", "no key 'left_shin'; did you mean"),
        ("up: [0, 0, 1]", "up: [0, 0, 0]", "'up' must be a direction"),
        ("facing: [1, 0, 0]", "facing: [0, 0, 1]", "'facing' is vertical"),
        ("facing: [1, 0, 0]", "facing: [1, x, 0]", "must be a number"),
        ("facing: [1, 0, 0]", "facing: [-1, 0, 0]", "line .: the left leg is on the right; reverse 'facing', or swap"),
        ("right_sole: [[", "right_sole: [[0], [", "must be four corners of three numbers"),
    ],
)
def test_bad_mappings(mapping: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_biped(edit(mapping, old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("walking:", "left_foot: ANKLE\nwalking:", "no joint 'ANKLE'; joints: base_link"),
        ("L_KNEE:", "KNEE:", "line 13: posture has no key 'KNEE'; did you mean"),
        ("left_sole:", "left_foot:", "walking has no key 'left_foot'"),
        ("left_sole: [", "left_sole: [[0, 0], ", "'left_sole' must be four corners of three numbers"),
        ("left_grasp: [0.0, ", "left_grasp: [", "line 8: 'left_grasp' must be three numbers"),
        ("package: jvrc-description", "package: nothing-here", "line 3: .*'nothing-here' is not installed"),
        ("urdf/jvrc1.urdf", "urdf/none.urdf", "none.urdf"),
    ],
)
def test_mistakes_in_robot_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "robot.yaml"
    path.write_text(find_robot(Path("jvrc1")).read_text())
    with pytest.raises(InputError, match=message):
        load_biped(edit(path, old, new))


def test_unknown_robot() -> None:
    with pytest.raises(InputError, match="robots: g1, jvrc1, talos"):
        load_biped("r2d2")

"""Which files are robots, and what is said of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.errors import InputError
from gambol.robots.descriptions import is_robot, read_description
from tests.body.test_urdf import ROBOT
from tests.robots.mjcf import HUMANOID


@pytest.mark.parametrize("name", ["a.urdf", "a.XML", "a.mjcf", "map.yaml", "jvrc1"])
def test_robots_are_known_by_suffix_or_name(name: str) -> None:
    assert is_robot(Path(name))


@pytest.mark.parametrize("name", ["walk", "a.bvh", "a.sdf", "jvrc2"])
def test_others_are_not(name: str) -> None:
    assert not is_robot(Path(name))


def test_the_content_tells_urdf_from_mjcf(tmp_path: Path) -> None:
    for text, name in ((ROBOT, "two"), (HUMANOID, "robot")):
        (tmp_path / "robot.xml").write_text(text)
        assert read_description(tmp_path / "robot.xml").character.name == name


@pytest.mark.parametrize("suffix", ["xml", "urdf"])
@pytest.mark.parametrize(
    "content",
    [
        f"<!-- {100 * 'a licence of many lines and words '}{100 * 'and more '}-->\n{ROBOT}".encode(),
        f'<?xml version="1.0" encoding="UTF-16"?>{ROBOT}'.encode("utf-16"),
        ROBOT.encode("utf-8-sig"),
        f'<?xml version="1.0" encoding="latin-1"?><!-- é -->{ROBOT}'.encode("latin-1"),
    ],
    ids=["licence", "utf-16", "utf-8 with BOM", "latin-1"],
)
def test_a_urdf_is_known_by_its_outermost_element(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"robot.{suffix}"
    path.write_bytes(content)
    assert read_description(path).character.name == "two"


def test_mujoco_reads_comments_that_are_not_xml(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(f"<!-- <robot> -- -->{HUMANOID}")
    assert read_description(path).character.name == "robot"


@pytest.mark.parametrize("suffix", ["sdf", "usd", "zip", "npz"])
def test_an_unknown_format_is_told_which_are_known(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(InputError, match=r"give .urdf, .xml, .mjcf, .yaml \(from 'gambol rig'\), g1, jvrc1, talos"):
        read_description(tmp_path / f"robot.{suffix}")


def test_macros_are_to_be_expanded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expand it: 'xacro robot"):
        read_description(tmp_path / "robot.urdf.xacro")


def test_a_mapping_is_read_as_the_robot_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "robot.xml").write_text(HUMANOID)
    mapping = tmp_path / "map.yml"
    mapping.write_text("robot: robot.xml\n")
    assert read_description(mapping).character.mass == pytest.approx(20.0 + 2 * (4 + 3 + 1 + 2 + 1))

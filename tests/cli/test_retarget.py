"""`gambol retarget` onto robots that are none: one line, exit code 2, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robots.mjcf import HUMANOID
from tests.robots.test_body_parts import four_legs, without

WORLD = """<robot name="arm"><link name="world"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="fixed"><parent link="world"/><child link="arm"/></joint></robot>"""


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.xml", without("leg"), "lowest limbs of 'a' have 3 joints"),
        ("a.xml", four_legs(), "stands on 4 legs"),
        ("a.xml", HUMANOID.replace("<freejoint/>", ""), "the base is fixed"),
        ("a.xml", HUMANOID[:500], "cannot be read by MuJoCo"),
        ("a.xml", '<mujoco><include file="none.xml"/></mujoco>', "cannot be read by MuJoCo"),
        ("a.xml", "", "cannot be read by MuJoCo"),
        ("a.urdf", WORLD, "the base is fixed to 'world'"),
        ("a.urdf", '<robot name="a"><link name="b"/></robot>', "their sum must be positive"),
        (
            "a.urdf",
            WORLD.replace('"world"', '"base"').replace('mass value="1"', 'mass value="1e99"'),
            "masses of up to",
        ),
        ("a.sdf", "<sdf/>", "give .urdf, .xml, .mjcf"),
        ("a.yaml", "robot: none.xml", "none.xml: no such file"),
        ("a.yaml", "robot: jvrc1\nhead: NECK_P", "lacks left_thigh"),
        ("none.urdf", None, "no such file"),
    ],
)
def test_a_bad_robot(gambol, tmp_path: Path, name: str, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    code, _, said = gambol("retarget", "walk", "--to", tmp_path / name, "-o", tmp_path / "walk.npz")
    assert code == 2
    assert says in said
    assert len(said.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before

"""`gambol rig` for robots."""

from __future__ import annotations

from pathlib import Path

from gambol.robots.biped_file import load_biped
from tests.robots.mjcf import HUMANOID


def test_a_mapping_names_its_robot_from_where_it_is_written(gambol, tmp_path: Path) -> None:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "made.xml").write_text(HUMANOID)
    made = tmp_path / "map.yaml"
    code, said, _ = gambol("rig", tmp_path / "robots" / "made.xml", "-o", made)
    assert code == 0
    assert said.strip().endswith(f"then give it in place of the robot: --to {made}, --robot {made}")
    assert 'robot: "robots/made.xml"' in made.read_text()
    assert load_biped(made).leg_length > 0.7
    assert gambol("rig", tmp_path / "robots" / "made.xml", "-o", made)[0] == 2  # it is not replaced


def test_without_an_output_a_mapping_is_printed(gambol) -> None:
    code, said, _ = gambol("rig", "jvrc1")
    assert code == 0
    assert 'robot: "jvrc1"' in said
    assert 'left_shank: "L_KNEE"' in said

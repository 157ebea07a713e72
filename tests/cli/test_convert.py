"""`gambol convert --physics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.assumptions import GRAVITY
from gambol.io import load_recording
from gambol.motion.recording import Table


def test_physics_is_written_as_columns_that_come_back(gambol, tmp_path: Path) -> None:
    out = tmp_path / "walk.mot"
    code, said, _ = gambol("convert", "walk", out, "--physics", "--mass", 70)
    assert (code, said.strip()) == (0, str(out))
    table = load_recording(out)
    assert isinstance(table, Table)
    assert (table.header["up"], table.header["mass"]) == ("y", "70")
    load = table["ground_force_left_foot_vy"] + table["ground_force_right_foot_vy"]
    assert 0.97 < load[64:193].mean() / (70.0 * GRAVITY) < 1.03


@pytest.mark.parametrize(
    ("output", "options", "says"),
    [
        ("x.glb", ["--physics"], "choose .csv, .mot or .sto"),
        ("x.csv", ["--mass", "70"], "add --physics"),
        ("x.csv", ["--physics", "--mass", "-3"], "kilograms"),
        ("x.csv", ["--physics", "--mass", "0"], "kilograms"),
    ],
)
def test_what_cannot_be_written_is_said_in_one_line(
    gambol, tmp_path: Path, output: str, options: list[str], says: str
) -> None:
    code, _, said = gambol("convert", "walk", tmp_path / output, *options)
    assert code == 2
    assert says in said.splitlines()[-1]
    assert not list(tmp_path.iterdir())

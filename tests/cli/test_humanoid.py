"""`gambol humanoid`: a short walk with all its files, and bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.geometry.arrays import Array


def test_walk(gambol, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("facts.json", "walk.glb", "run.npz", "joints.csv", "steps.csv")]
    names = ("--json", "-o", "--log", "--joints", "--footsteps")
    options = [word for pair in zip(names, files, strict=True) for word in pair]
    code, _, err = gambol("humanoid", "walk", "--to", 0.2, 0, *options)
    assert code == 0, err
    figures = json.loads((tmp_path / "facts.json").read_text())["figures"]
    assert figures["fell"] == 0.0
    assert figures["missed_cm"] < 3.0
    motion = gb.load(tmp_path / "walk.glb")
    run = np.load(tmp_path / "run.npz")
    assert motion.placement.positions[-1, 0, 0] == pytest.approx(run["q"][-1, 0], abs=0.01)
    assert run["touchdowns"].shape == (figures["steps"], 5)
    assert len(run["joints"]) == run["q"].shape[1]
    assert "L_KNEE" in (tmp_path / "joints.csv").read_text()
    check_footsteps(tmp_path / "steps.csv", run)


def check_footsteps(file: Path, run: Mapping[str, Array]) -> None:
    """The table has the touchdowns of the log, and the feet are in the air in between."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert lines[0] == "lift_off (s),touchdown (s),side,x (m),y (m),z (m),heading (rad)"
    sides = {"left": 0, "right": 1}
    columns = ("touchdown (s)", "x (m)", "y (m)", "heading (rad)")
    found = [[float(row[column]) for column in columns] for row in rows]
    np.testing.assert_allclose(found, run["touchdowns"][:, [0, 2, 3, 4]], atol=1e-9)
    for row in rows:
        side, first, last = sides[row["side"]], float(row["lift_off (s)"]), float(row["touchdown (s)"])
        force = run["wrenches"][:, side, 2]
        swinging = (run["times"] > first + 0.1) & (run["times"] < last - 0.1)
        assert swinging.sum() > 20
        assert force[swinging].max() == 0.0
        assert force[np.searchsorted(run["times"], [first, last + 0.15])].min() > 20.0
        assert float(row["z (m)"]) == 0.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "1", "0", "--robot", "nobody"], "robots: jvrc1"),
        (["--to", "900", "0"], "up to 20 m"),
        (["--to", "1", "0", "--log", "run.csv"], "name it .npz"),
        (["--to", "1", "0", "-o", "walk.xyz"], "cannot be written"),
    ],
)
def test_bad_input(gambol, words: list[str], message: str) -> None:
    code, _, err = gambol("humanoid", "walk", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1

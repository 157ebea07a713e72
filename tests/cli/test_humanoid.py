"""`gambol humanoid`: a short walk with all its files, and bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.fit.forces import compute_joint_torques
from gambol.fit.physics import estimate_physics
from gambol.geometry.arrays import Array


def test_walk(gambol, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("facts.json", "walk.glb", "run.npz", "joints.csv", "steps.csv")]
    names = ("--json", "-o", "--log", "--joints", "--footsteps")
    options = [word for pair in zip(names, files, strict=True) for word in pair]
    code, _, err = gambol("humanoid", "walk", "--to", 0.2, 0, *options)
    assert code == 0, err
    figures = json.loads((tmp_path / "facts.json").read_text())["figures"]
    assert figures["falls"] == 0.0
    assert figures["missed_cm"] < 2.0
    motion = gb.load(tmp_path / "walk.glb")
    run = np.load(tmp_path / "run.npz")
    assert motion.placement.positions[-1, 0, 0] == pytest.approx(run["q"][-1, 0], abs=0.01)
    assert run["touchdowns"].shape == (figures["steps"], 5)
    assert len(run["joints"]) == run["q"].shape[1]
    assert "L_KNEE" in (tmp_path / "joints.csv").read_text()
    check_footsteps(tmp_path / "steps.csv", run)
    check_replay(tmp_path / "run.npz", run)
    code, out, err = gambol("info", tmp_path / "run.npz")
    assert code == 0, err
    assert "robot: jvrc1" in out
    code, _, err = gambol("render", tmp_path / "run.npz", "-o", tmp_path / "run.png", "--physics", "--poses", 2)
    assert code == 0, err


def check_replay(file: Path, run: Mapping[str, Array]) -> None:
    """The log is a clip with the recorded poses and forces: with them inverse dynamics gives the motors' torques."""
    motion = gb.load(file)
    assert motion.skin is not None
    np.testing.assert_array_equal(motion.q, run["q"][::4])
    physics = estimate_physics(motion)
    assert {"both feet", "left foot", "right foot"} == {stage.name for stage in physics.supports}
    moments = compute_joint_torques(physics.fitted.character, physics.fitted.motion, physics.forces)
    names = [motion.skeleton.names[dof.joint] for dof in motion.skeleton.dofs]
    for joint in ("L_HIP_R", "R_HIP_R", "L_ANKLE_P", "R_ANKLE_P", "L_KNEE", "R_KNEE"):
        found, true = moments[20:-20, names.index(joint)], run["torques"][80:-80:4, names.index(joint) - 6]
        assert np.abs(found - true[: len(found)]).mean() < 0.25 * np.abs(true).mean()
    with pytest.raises(InputError, match="changed after it was recorded"):
        estimate_physics(motion[10:])


def test_other_archives_are_no_runs(gambol, tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", q=np.zeros((3, 3)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "other.npz").read_bytes()[:100])
    for name in ("other.npz", "cut.npz"):
        code, _, err = gambol("info", tmp_path / name)
        assert code == 2
        assert "not a recorded run" in err
        assert "--log" in err
        assert "those of others with --robot" in err
        assert err.count("\n") == 1
    with pytest.raises(InputError, match="no such file"):
        gb.load(tmp_path / "none.npz")


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
        (["--to", "1", "0", "--robot", "nobody"], "robots: g1, jvrc1, talos"),
        (["--to", "900", "0"], "up to 20 m"),
        (["--to", "1", "0", "--log", "run.csv"], "name it .npz"),
        (["--to", "1", "0", "-o", "walk.xyz"], "cannot be written"),
        (["--to", "1", "0", "-o", "walk.glb", "--view"], "--view writes no file"),
        (["--to", "900", "0", "--view"], "up to 20 m"),
    ],
)
def test_bad_input(gambol, words: list[str], message: str) -> None:
    code, _, err = gambol("humanoid", "walk", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1

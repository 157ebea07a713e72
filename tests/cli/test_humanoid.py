"""`gambol humanoid`: a short walk with all its files, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gambol as gb


def test_walk(gambol, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("facts.json", "walk.glb", "run.npz", "joints.csv")]
    options = [word for pair in zip(("--json", "-o", "--log", "--joints"), files, strict=True) for word in pair]
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

"""Every example runs as the docs show it, is short, and leaves what it says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
NEEDS = {"02_force_plates.py": "gait_grf/btk_c3d/FunctionalWalk.c3d"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_example(
    example: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [str(request.getfixturevalue("data") / NEEDS[example.name])] if example.name in NEEDS else []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), *words])
    runpy.run_path(str(example), run_name="__main__")
    wrote = [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines() if line.startswith("wrote ")]
    assert wrote
    assert all((tmp_path / name).stat().st_size > 0 for name in wrote)
    assert len(example.read_text().splitlines()) <= 60

"""Every example runs as the docs show it, is short, and leaves what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
NEEDS = {"02_force_plates.py": "gait_grf/btk_c3d/FunctionalWalk.c3d"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_example(example: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    words = [str(request.getfixturevalue("data") / NEEDS[example.name])] if example.name in NEEDS else []
    done = subprocess.run([sys.executable, example, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wrote = [line.split(" ", 1)[1] for line in done.stdout.splitlines() if line.startswith("wrote ")]
    assert wrote
    assert all((tmp_path / name).stat().st_size > 0 for name in wrote)
    assert len(example.read_text().splitlines()) <= 60

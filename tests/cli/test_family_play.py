"""`gambol family play`, `reach` and `drive` at the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gambol import load
from gambol.io.models import save_model
from gambol.spacetime.families.inverse import find_point, reach
from tests.spacetime.families.made import jump, steering, twice, unsolved

GRID = [
    {"stage": "ground 2", "forward": [-0.4, 0.4], "count": 3},
    {"stage": "ground 2", "left": [-0.3, 0.3], "count": 2},
]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    path = tmp_path_factory.mktemp("family") / "grid.npz"
    family = unsolved(jump(), GRID)
    save_model(family, path)
    return path, family


def test_play_writes_the_motion_on_the_rig_of_the_clip(gambol, grid, tmp_path):
    path, family = grid
    source, ends = family.clip.fitted.source, []
    for values in ((-0.3, 0.2), (0.3, -0.1)):
        out = tmp_path / f"played{values[0]}.bvh"
        code, printed, told = gambol("family", "play", path, "--at", *values, "-o", out)
        assert (code, printed.strip()) == (0, str(out)), told
        played = load(out)
        assert played.skeleton.names == source.skeleton.names
        assert played.frame_time == pytest.approx(source.frame_time, abs=1e-6)
        ends.append(played.placement.positions[-1, 0])
    np.testing.assert_allclose((ends[1] - ends[0])[:2], [0.6, -0.3], atol=0.05)


def test_play_tells_what_varies_and_refuses_in_one_line(gambol, grid, tmp_path):
    path, _ = grid
    code, printed, _ = gambol("family", "play", path)
    assert code == 0
    assert "ground 2: forward -0.4 to 0.4 (3 members)" in printed
    for words, problem in (
        (("--at", "0.1", "-o", tmp_path / "x.bvh"), "has 2 axes, and 1 values"),
        (("--at", "9", "0", "-o", tmp_path / "x.bvh"), "forward of 'ground 2' must be -0.4 to 0.4, not 9"),
        (("-o", tmp_path / "x.bvh"), "no values"),
        (("--at", "0.1", "0.1"), "no output"),
    ):
        code, _, told = gambol("family", "play", path, *words)
        assert code == 2
        assert problem in told
    assert not (tmp_path / "x.bvh").exists()


def test_reach_finds_and_writes(gambol, grid, tmp_path):
    path, family = grid
    body, point = find_point(family.character, "right hand")
    wide = reach(family, body, point, (0.7, -0.2, 1.0), 0.6)
    place, out = wide.position, tmp_path / "reached.bvh"
    words = ("--part", "right hand", "--place", *place, "--time", 0.6)
    code, printed, told = gambol("family", "reach", path, *words, "--json", "-")
    assert code == 0, told
    facts = json.loads(printed)
    assert facts["figures"]["miss_m"] < 0.01
    np.testing.assert_allclose(
        [facts["figures"][f"ground_2_{name}_m"] for name in ("forward", "left")], wide.values, atol=0.02
    )
    code, printed, told = gambol("family", "reach", path, *words, "-o", out)
    assert code == 0
    assert "misses by 0.0 cm" in printed
    assert out.exists()
    assert "out of reach" not in told
    code, _, told = gambol("family", "reach", path, "--part", "head", "--place", 0, 0, 9, "--time", 0.6)
    assert code == 0
    assert "out of reach" in told


def test_drive_writes_a_chain(gambol, tmp_path):
    path, out = tmp_path / "twice.npz", tmp_path / "driven.bvh"
    save_model(unsolved(twice(), steering(-0.3, 0.3)), path)
    code, printed, told = gambol("family", "drive", path, "--steer", "forward 2, 0.5 -1 x 2", "-o", out)
    assert (code, printed.strip()) == (0, str(out)), told
    assert "4 jumps" in told
    driven = load(out)
    assert driven.placement.positions[-1, 0, 0] > 3.0
    assert driven.skeleton.names == twice().fitted.source.skeleton.names
    code, _, told = gambol("family", "drive", path, "--steer", "upward 2", "-o", tmp_path / "no.bvh")
    assert code == 2
    assert "'upward 2' is not a direction" in told
    code, _, told = gambol("family", "drive", path)
    assert code == 2
    assert "no output" in told

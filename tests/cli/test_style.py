"""`gambol style`: learn from a built-in walk, apply to tasks, compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.motion.cycles import repeat_cycle
from gambol.styles import learning

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def style(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One step of learning from a cycle of the built-in walk."""
    path = tmp_path_factory.mktemp("styles") / "walk.json"
    result = gb.learn_style("walk", start=1.0, end=2.2, steps=1)
    assert result.figures["body_error_deg"] < result.figures["uniform_body_error_deg"]
    assert list(result.preferences.values()) == sorted(result.preferences.values())
    assert set(result.preferences) <= set(result.model.joints)
    result.save(path)
    assert json.loads(path.read_text())["clip"] == "walk"  # not a path of this machine
    return path


def test_a_style_is_applied_to_a_slope_with_a_load(style: Path, gambol, tmp_path: Path) -> None:
    task = tmp_path / "task.yaml"
    task.write_text("slope: 5\nload: {right_hand: 3}\n")
    code, _, _ = gambol("style", "apply", style, task, "-o", tmp_path / "up.bvh")
    assert code == 0
    up, level = gb.load(tmp_path / "up.bvh"), gb.load("walk")
    assert up.skeleton.names == level.skeleton.names
    heights = up.placement.positions[[0, -1], 0, 2]
    assert heights[1] - heights[0] > 0.05


def test_a_cycle_is_followed_by_itself(style: Path) -> None:
    """Where it begins again, joints go on as smoothly as elsewhere, a stride ahead and at the same height."""
    once = gb.apply_style(style, {"cycle": True, "load": {"right_hand": 2.0}}).motion
    twice, frames = repeat_cycle(once, 2), len(once)
    places = twice.placement.positions
    bends = np.linalg.norm(np.diff(places, 2, axis=0), axis=2)
    seam = bends[frames - 2 : frames].max()
    assert seam < 1.5 * np.percentile(np.delete(bends, (frames - 2, frames - 1), axis=0).max(axis=1), 95)
    assert np.linalg.norm((places[frames] - places[0])[0, :2]) > 0.8  # a stride farther
    np.testing.assert_allclose(places[frames, :, 2], places[0, :, 2], atol=1e-6)


def test_styles_are_compared(style: Path, gambol, tmp_path: Path) -> None:
    other = json.loads(style.read_text())
    for joint in other["joints"].values():
        joint["uncertainty"] = dict.fromkeys(joint["uncertainty"], 0.01)
    same = tmp_path / "same.json"
    same.write_text(json.dumps(other))
    other["joints"]["left_shank flexion"]["cost"] *= 2.0
    (tmp_path / "other.json").write_text(json.dumps(other))
    gambol("style", "compare", same, tmp_path / "other.json", "--json", tmp_path / "out.json")
    figures = json.loads((tmp_path / "out.json").read_text())["figures"]
    assert figures["left_shank_flexion_cost_ratio"] == pytest.approx(2.0, rel=1e-4)
    assert figures["right_shank_flexion_cost_ratio"] == pytest.approx(1.0)
    assert np.allclose([value for name, value in figures.items() if name.endswith("deg")], 0.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("learn", "walk", "-o", "style.npz"), "a style is written as .json, not '.npz'"),
        (("learn", "walk", "--start", "1", "--end", "1.2", "-o", "style.json"), "too short"),
        (("learn", "nowhere.bvh", "-o", "style.json"), "no such file"),
        (("apply", "nowhere.json", "-o", "out.bvh"), "no such file"),
        (("compare", "nowhere.json", "nowhere.json"), "no such file"),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], message: str, gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, error = gambol("style", *words)
    assert code == 2
    assert message in error
    assert error.strip().splitlines()[-1].startswith("gambol: ")


def test_a_task_without_a_clip_says_so(style: Path, gambol, tmp_path: Path) -> None:
    content = json.loads(style.read_text())
    content["clip"] = ""
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps(content))
    code, _, error = gambol("style", "apply", bare, "-o", tmp_path / "out.bvh")
    assert code == 2
    assert "which clip" in error


def test_ctrl_c_saves_the_best_style_so_far(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, the stages of the search are in the log."""
    improve, calls = learning._Search._improve, iter(range(2))

    def stop_later(self: learning._Search, *given: Any) -> Any:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return improve(self, *given)

    monkeypatch.setattr(learning._Search, "_improve", stop_later)
    path = tmp_path / "style.json"
    code, _, err = gambol("style", "learn", "walk", "--start", 1, "--end", 2, "-o", path)
    assert code == 130
    assert gb.compare_styles(path, path).figures
    assert "stopped after 1 steps: this is the best so far" in err
    for stage in ("fitting clips to physics 0 of 1", "motion of uniform preferences", "step 0 of 25"):
        assert stage in err

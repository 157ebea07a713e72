"""Styles as files, and between styles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.styles.style import PhysicalStyle, find_style_rows, load_style, name_joints, save_style
from tests.terms.bodies import monopod

NAMES = name_joints(monopod().skeleton)


def make(seed: int = 0) -> PhysicalStyle:
    rng = np.random.default_rng(seed)
    return PhysicalStyle(
        f"style {seed}", NAMES, rng.uniform(0.1, 2.0, (4, 7)), np.full((4, 7), 0.1), "walk", (0.5, 2.0)
    )


def test_joints_have_names() -> None:
    assert NAMES == ("thigh tilt", "thigh flexion", "shank flexion", "foot flexion")


def test_a_style_is_the_same_after_saving(tmp_path: Path) -> None:
    save_style(make(), tmp_path / "style.json")
    again = load_style(str(tmp_path / "style.json"))
    np.testing.assert_allclose(again.values, make().values, rtol=1e-5)
    np.testing.assert_allclose(again.uncertainty, make().uncertainty, rtol=1e-2)
    assert (again.name, again.joints, again.clip, again.part) == ("style 0", NAMES, "walk", (0.5, 2.0))
    content = json.loads((tmp_path / "style.json").read_text())
    assert content["units"]["damping"] == "N m s/rad/kg"


def test_a_style_finds_its_clip_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("clips", "styles", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "clips" / "walk.bvh").write_text("HIERARCHY")
    monkeypatch.chdir(tmp_path / "clips")
    save_style(replace(make(), clip="walk.bvh"), Path("../styles/style.json"))
    assert json.loads((tmp_path / "styles" / "style.json").read_text())["clip"] == "../clips/walk.bvh"
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert Path(load_style("../styles/style.json").clip).read_text() == "HIERARCHY"


def test_rows_follow_the_skeleton() -> None:
    style = make()
    shuffled = PhysicalStyle("other", NAMES[::-1], style.values[::-1], style.uncertainty, "walk")
    np.testing.assert_array_equal(find_style_rows(shuffled, monopod().skeleton), style.values)
    with pytest.raises(InputError, match="no joint 'foot flexion'"):
        find_style_rows(PhysicalStyle("part", NAMES[:3], style.values[:3], style.uncertainty[:3]), monopod().skeleton)


def test_blends_are_between() -> None:
    one, two = make(1), make(2)
    np.testing.assert_allclose(one.blend(two, 0.0).values, one.values)
    np.testing.assert_allclose(one.blend(two, 1.0).values, two.values)
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="must be 0 to 1"):
            one.blend(two, share)
    middle = one.blend(two, 0.5).values
    np.testing.assert_allclose(middle[:, 0], np.sqrt(one.values[:, 0] * two.values[:, 0]))
    np.testing.assert_allclose(middle[:, 6], 0.5 * (one.values[:, 6] + two.values[:, 6]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "a style"),
        ("{}", "not a style"),
        ('{"gambol_style": 1, "joints": {"a": {"cost": 1}}}', "has no stiffness_above"),
        ('{"gambol_style": 1, "joints": {"a": {"speed": 1}}}', "speed"),
        (
            '{"gambol_style": 1, "joints": {"a": {"cost": -1, "stiffness_above": 1, "stiffness_below": 1, '
            '"damping": 1, "rest": 0, "posture": 1, "smoothness": 1}}}',
            "must be positive",
        ),
        (
            '{"gambol_style": 1, "joints": {"a": {"cost": NaN, "stiffness_above": 1, "stiffness_below": 1, '
            '"damping": 1, "rest": 0, "posture": 1, "smoothness": 1}}}',
            "must be a number",
        ),
    ],
)
def test_bad_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "style.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_style(path)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_style(tmp_path / "style.json")

"""Styles as files, and between styles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io.archive import is_changed
from gambol.io.models import as_model, save_model
from gambol.styles.style import PhysicalStyle, find_style_rows, name_joints
from gambol.styles.verb import apply_style
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
    save_model(make(), tmp_path / "style.json")
    again = as_model(str(tmp_path / "style.json"), PhysicalStyle)
    np.testing.assert_allclose(again.values, make().values, rtol=1e-5)
    np.testing.assert_allclose(again.uncertainty, make().uncertainty, rtol=1e-2)
    assert (again.name, again.joints, again.clip, again.part) == ("style 0", NAMES, "walk", (0.5, 2.0))
    content = json.loads((tmp_path / "style.json").read_text())
    assert content["units"]["damping"] == "N m s/rad/kg"


def test_a_style_knows_its_clip_by_name_and_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("clips", "styles"):
        (tmp_path / folder).mkdir()
    clip, file = tmp_path / "clips" / "walk.bvh", tmp_path / "styles" / "style.json"
    clip.write_text("HIERARCHY")
    save_model(replace(make(), clip=str(clip)), file)
    assert str(tmp_path) not in file.read_text(), "folders are those of one machine"
    assert as_model(file, PhysicalStyle).clip == "walk.bvh"
    with pytest.raises(InputError, match=r"'walk.bvh', from which .* is not beside it; .* give --clip FILE"):
        apply_style(as_model(file, PhysicalStyle))
    clip.rename(file.with_name("walk.bvh"))
    monkeypatch.chdir(tmp_path)
    found = as_model("styles/style.json", PhysicalStyle)
    assert Path(found.clip).read_text() == "HIERARCHY"
    assert not is_changed(found.clip, found.digest)
    Path(found.clip).write_text("other")
    assert is_changed(found.clip, found.digest)
    save_model(found, Path("again.json"))
    assert as_model("again.json", PhysicalStyle).digest == found.digest, "it is still learned from the first"


def test_the_clip_of_an_older_file_is_where_it_says(tmp_path: Path) -> None:
    for folder in ("clips", "styles"):
        (tmp_path / folder).mkdir()
    (tmp_path / "clips" / "run.bvh").write_text("HIERARCHY")
    file = tmp_path / "styles" / "style.json"
    save_model(make(), file)
    content = json.loads(file.read_text()) | {"clip": "../clips/run.bvh"}
    file.write_text(json.dumps(content))
    assert Path(as_model(file, PhysicalStyle).clip).read_text() == "HIERARCHY"


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
        as_model(path, PhysicalStyle)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        as_model(tmp_path / "style.json", PhysicalStyle)

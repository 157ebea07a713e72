"""Folders of reference motions of JVRC-1: resumed, judged, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.clips.result import FolderResult
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.io.manifest import MANIFEST
from gambol.metrics.figures import Band, Check, Figure, list_values
from gambol.motion.ensemble import as_ensemble
from gambol.robots.biped import Biped
from gambol.robots.references import augment as module
from gambol.robots.references.augment import KEPT, OUTSIDE, augment
from gambol.robots.references.augment_plan import AugmentPlan
from gambol.robots.references.verb import ReferenceResult, make_reference
from tests.robots.test_whole_body import jvrc

pytestmark = pytest.mark.slow
RANGES = {"slope": (4.0, 8.0), "pace": (1.0, 1.5)}


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


def make(biped: Biped, folder: Path, members: int = 3, **given: object) -> FolderResult:
    clips = [gb.load("walk")[:40], gb.load("stand")[:30]]
    return augment(clips, biped, folder, AugmentPlan(RANGES, members=members, seed=1), fast=True, **given)


def read(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / MANIFEST).read_text().splitlines()]


def take(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def whole(biped: Biped, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("family") / "made"
    make(biped, folder)
    return folder


def test_every_member_has_a_row_with_its_values_and_figures(whole: Path) -> None:
    rows = read(whole)
    assert [row["member"] for row in rows] == [0, 1, 2]
    walks, stands = ([row for row in rows if row["clip"] == clip] for clip in ("walk", "stand"))
    assert len(walks) + len(stands) == 3
    assert walks
    assert stands
    for row in walks:
        assert row["file"] == f"{OUTSIDE}/walk_{row['member']:05d}.npz"
        assert "root residual" in row["status"]
        assert row["slip_mm"] < 2.0
        assert row["sole_tilt_deg"] < 2.0, "measured from the slope"
        assert row["float_mm"] < 2.0
        with np.load(whole / row["file"]) as content:
            assert content["axis_slope"] == row["slope"]
            frames = len(content["joint_pos"])
        scale = row["scale_ratio"] ** 0.5
        assert frames / 50.0 == pytest.approx(39 / 60 * scale / row["pace"], abs=0.03)
        assert gb.load(whole / row["file"]).made["variation"]["slope"] == row["slope"]
    for row in stands:
        assert row["file"] is None
        assert "too little for 'slope'" in row["status"]


def test_a_folder_is_checked_with_the_same_figures(gambol, whole: Path) -> None:
    code, out, err = gambol("check", whole, "--robot", "jvrc1", "--json", "-")
    assert code == 1, err
    found = {one["name"]: {each["key"]: each["value"] for each in one["figures"]} for one in json.loads(out)}
    rows = [row for row in read(whole) if row["file"]]
    assert found.keys() == {Path(row["file"]).stem for row in rows}
    for row in rows:
        for name in ("slip_mm", "sole_tilt_deg", "float_mm", "root_residual_body_weights"):
            assert found[Path(row["file"]).stem][name] == pytest.approx(row[name], rel=1e-3, abs=1e-3)


def test_a_stopped_run_goes_on_and_gives_the_same_bytes(
    biped: Biped, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, solve, solved = tmp_path / "made", module._solve_member, []

    def stop_at_last(settings: object, member: module._Member) -> object:
        if member.number == 2:
            raise KeyboardInterrupt
        solved.append(member.number)
        return solve(settings, member)

    monkeypatch.setattr(module, "_solve_member", stop_at_last)
    with pytest.raises(KeyboardInterrupt):
        make(biped, folder)
    assert solved == [0, 1]
    with (folder / MANIFEST).open("a") as file:
        file.write('{"member": 2, "fi')  # a kill in the middle of a line
    monkeypatch.setattr(
        module, "_solve_member", lambda settings, one: solved.append(one.number) or solve(settings, one)
    )
    assert make(biped, folder).refused.keys() == {"0", "1", "2"}
    assert solved == [0, 1, 2]
    assert take(folder) == take(whole)
    make(biped, folder)
    assert solved == [0, 1, 2]


def test_what_is_lost_is_made_again_and_further_members_are_added(
    biped: Biped, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved: list[int] = []
    monkeypatch.setattr(module, "_solve_member", lambda _, one: solved.append(one.number) or "not now")
    before = take(whole)
    make(biped, whole, members=5)
    assert solved == [3, 4]
    lost = next(row for row in read(whole) if row["file"])
    (whole / lost["file"]).unlink()
    make(biped, whole, members=5)
    assert solved == [3, 4, lost["member"]]
    assert [row["status"] for row in read(whole)][3:] == ["not now"] * 2
    for name, content in before.items():
        (whole / name).write_bytes(content)


def test_members_of_another_plan_are_replaced_only_on_request(
    biped: Biped, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = take(whole)
    with pytest.raises(InputError, match="member 0 is of another plan"):
        make(biped, whole, output_fps=60.0)
    assert take(whole) == before
    monkeypatch.setattr(module, "_solve_member", lambda _, one: "not now")
    make(biped, whole, output_fps=60.0, overwrite=True)
    assert list(take(whole)) == [MANIFEST], "files of replaced members are gone"
    for name, content in before.items():
        (whole / name).write_bytes(content)


def test_members_with_every_figure_in_its_band_are_kept(
    biped: Biped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_reference(gb.load("stand")[:20], biped, fast=True)
    good, bad = (replace(made, figures={"slip_mm": value}) for value in (1.0, 3.0))

    def judge(one: ReferenceResult) -> Check:
        measures = (Figure("slip", one.figures["slip_mm"], "mm", "", Band(high=2.0)),)
        return Check(motions=one.motions, figures=list_values(measures), measures=measures)

    monkeypatch.setattr(ReferenceResult, "checked", property(judge))
    monkeypatch.setattr(module, "_solve_member", lambda _, one: good if one.number == 1 else bad)
    found = make(biped, tmp_path / "made")
    rows = read(tmp_path / "made")
    assert found.files == {"1": tmp_path / "made" / rows[1]["file"]}
    assert Path(rows[1]["file"]).name == rows[1]["file"]
    assert found.files["1"].is_file()
    assert [row["status"] == KEPT for row in rows] == [False, True, False]
    assert found.refused == dict.fromkeys("02", "outside their bands: slip")


def test_a_folder_of_something_else_is_refused(biped: Biped, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"my": "table"}\n')
    with pytest.raises(InputError, match="not a table of results that gambol wrote"):
        make(biped, tmp_path)
    assert (tmp_path / MANIFEST).read_text() == '{"my": "table"}\n'
    (tmp_path / MANIFEST).write_text('{"member": 0, "status": "kept", "key": "", "file": "../mine.npz"}\n')
    with pytest.raises(InputError, match="not a table of results that gambol wrote"):
        make(biped, tmp_path, overwrite=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be a folder"):
        make(biped, tmp_path / "file")
    with pytest.raises(InputError, match="frames per second"):
        make(biped, tmp_path, output_fps=1.0)
    with pytest.raises(InputError, match="no clip"):
        augment([], biped, tmp_path, AugmentPlan(RANGES))


def test_the_command_says_what_is_wrong_in_one_line(gambol, tmp_path: Path) -> None:
    for words, why in (
        (("--stairs", "high"), "--stairs must be a range"),
        (("--hand-load", "1:2:3"), "--hand-load must be a range"),
        (("--slope", "8:-8"), "give the smaller one first"),
        ((), "nothing varies"),
        (("--load", "0:8", "--members", "0"), "1 to 1,000,000 members"),
    ):
        code, _, err = gambol("augment", "walk", "--to", "jvrc1", "-o", tmp_path / "made", *words)
        assert code == 2
        assert why in err
        assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "made").exists()


def test_the_command_says_how_many_it_makes(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "gambol.robots.references.augment.augment"
    made = FolderResult(motions=as_ensemble(gb.load("walk")), files={}, refused={})
    monkeypatch.setattr(module, lambda *_, **__: made)
    words = ("augment", "walk", "run", "--to", "jvrc1", "-o", tmp_path / "made", "--mirror")
    assert "making 100 references of 2 clips (the default; --members N makes more or fewer)\n" in gambol(*words)[2]
    assert "making 7 references of 2 clips\n" in gambol(*words, "--members", "7")[2]


def test_given_contacts_are_those_of_every_member_of_one_clip(
    biped: Biped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def look(*_: object, contacts: Contacts, **__: object) -> None:
        seen.append({one.part for one in contacts.items})
        raise InputError("not now")

    monkeypatch.setattr(module, "make_reference", look)
    clips, plan = [gb.load("stand")[:30]], AugmentPlan(RANGES, members=2)
    given = {"contacts": [{"part": "left_ball", "start": 0, "end": 0.4}]}
    found = augment(clips, biped, tmp_path / "given", plan, contacts=given)
    assert found.refused == dict.fromkeys("01", "not now")
    assert seen == [{"left_ball"}] * 2
    with pytest.raises(InputError, match="of another plan"):
        augment(clips, biped, tmp_path / "given", plan)
    for many, varying, why in (
        (2, plan, "one clip for 2"),
        (1, AugmentPlan(RANGES, mirror=True), "mirrored or pushed"),
    ):
        with pytest.raises(InputError, match=why):
            augment(many * clips, biped, tmp_path / "other", varying, contacts=given)

"""`gambol push` as a person meets it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples, save


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two cycles of the built-in walk."""
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    save(samples.walk()[:140], path)
    return path


HIT = ("--body", "left_upper_arm", "--force", "0", "60", "0", "--start", "1.0", "--duration", "0.2")


def test_a_pushed_walk_is_written_on_its_rig_and_told_in_a_line(gambol, tmp_path: Path) -> None:
    code, out, said = gambol("push", "walk", *HIT, "-o", tmp_path / "pushed.bvh", "--report", tmp_path / "pushed.html")
    assert code == 0
    assert out.split() == [str(tmp_path / "pushed.bvh"), str(tmp_path / "pushed.html")]
    assert "degrees (left" in said
    pushed, clip = load(tmp_path / "pushed.bvh"), samples.walk()
    assert pushed.skeleton.names == clip.skeleton.names
    np.testing.assert_array_equal(pushed.q[:60], clip.q[:60])
    assert np.degrees(np.abs(pushed.q - clip.q)[61:]).max() > 3.0
    page = (tmp_path / "pushed.html").read_text()
    assert "left_upper_arm" in page
    assert "<svg" in page
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_pushes_from_a_file_and_the_line_are_the_same(gambol, walk: Path, tmp_path: Path) -> None:
    given = [("--push", "head 0 60 0 at 1.0 for 0.2")]
    for name, times in (("pushes", "start: 1.0, duration: 0.2"), ("others", "at: 1.0, for: 0.2")):
        (tmp_path / f"{name}.yaml").write_text(f"- {{body: head, force: [0, 60, 0], {times}}}\n")
        given.append(("--pushes", str(tmp_path / f"{name}.yaml")))
    written = []
    for words in given:
        assert gambol("push", walk, *words, "-o", tmp_path / "out.bvh", "--overwrite")[0] == 0
        written.append(load(tmp_path / "out.bvh").q)
    assert np.abs(written[0] - load(walk).q).max() > 0.01
    for other in written[1:]:
        np.testing.assert_array_equal(other, written[0])


def test_forces_by_mass_make_the_same_answer_of_every_mass(gambol, walk: Path, tmp_path: Path) -> None:
    peaks = []
    for mass in (40, 80):
        words = ("--body", "chest", "--force", "-2", "0", "0", "--per-kg", "--mass", mass, "--free", "0")
        _, _, said = gambol("push", walk, *words, "-o", tmp_path / f"{mass}.bvh")
        peaks.append(float(re.search(r"largest deviation ([\d.]+) degrees", said)[1]))
    assert min(peaks) > 1.0, "2 N alone would hardly be seen"
    assert 0.5 < peaks[0] / peaks[1] < 2.0


def test_a_looped_clip_is_as_long_as_asked(gambol, walk: Path, tmp_path: Path) -> None:
    assert gambol("push", walk, *HIT, "--loop", "3.5", "-o", tmp_path / "long.bvh")[0] == 0
    assert 3.5 <= load(tmp_path / "long.bvh").duration < 5.0


def test_the_cycle_can_be_chosen(gambol, walk: Path, tmp_path: Path) -> None:
    words = ("push", walk, *HIT, "--cycle", "0.5", "1.6", "--loop", "3", "-o", tmp_path / "cycle.bvh")
    assert gambol(*words)[0] == 0
    assert len(load(tmp_path / "cycle.bvh")) == 3 * 66


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("walk", *HIT), "no output"),
        (("walk", "-o", "{out}"), "nothing pushes"),
        (("walk", "--body", "head", "-o", "{out}"), "a body and a force"),
        (
            ("walk", "--body", "arm", "--force", "0", "1", "0", "-o", "{out}"),
            "did you mean left_upper_arm or right_upper_arm?",
        ),
        (("walk", "--body", "head", "--force", "nan", "1", "0", "-o", "{out}"), "three finite numbers"),
        (("walk", "--body", "head", "--force", "inf", "1", "0", "-o", "{out}"), "three finite numbers"),
        (("walk", "--body", "head", "--force", "0", "1e300", "0", "-o", "{out}"), "a force of 1e+300 N would act"),
        (("walk", "--load", "right_hand=1e300", "-o", "{out}"), "give at most 1e+06 N"),
        (("walk", "--platform", "0 1e300 0 at 1 for 0.2", "-o", "{out}"), "give at most 1e+06 N"),
        (("walk", "--body", "head", "--force", "0", "5e4", "0", "--per-kg", "-o", "{out}"), "N would act"),
        (("walk", *HIT[:-4], "--start", "99", "-o", "{out}"), "after the clip"),
        (("walk", *HIT, "--free", "25", "-o", "{out}"), "0 to 24"),
        (("walk", "--live", "--method", "replan"), "Replan does not answer frame by frame"),
        (("walk", "--live", "--method", "learned"), "Missing option '--model'"),
        (("walk", *HIT, "--method", "magic", "-o", "{out}"), "no method 'magic'; choose one of"),
        (("walk", *HIT, "--model", "w.npz", "-o", "{out}"), "--model is an option of --method learned, not of near-"),
        (("walk", *HIT, "--method=replan", "--like", "run", "-o", "{out}"), "--like is an option of --method"),
        (("walk", *HIT, "--method", "learned", "--free", "3", "-o", "{out}"), "not of learned; leave it out"),
        (("walk", "--push", "head 0 60 at 1", "-o", "{out}"), "three numbers"),
        (("walk", "--push", "head 0 60 0", "-o", "{out}"), "write it as"),
        (("walk", "--load", "right_hand", "-o", "{out}"), "right_hand=3"),
        (("walk", "--load", "right_hand=-3", "-o", "{out}"), "a mass of -3"),
        (("walk", "--platform", "4 0 at 1", "-o", "{out}"), "three numbers"),
        (("walk", *HIT, "--loop", "-5", "-o", "{out}"), "looped"),
        (("walk", *HIT, "-o", "{out}", "--json", "{out}"), "two outputs have this name"),
        (("walk", *HIT, "--report", "{out}"), "name it .html"),
        (("walk", *HIT, "-o", "{out}.xyz"), "cannot be written"),
        (("walk", *HIT, "-o", "{out}.fbx"), "write .glb, open it in Blender"),
        (("wlak", *HIT, "-o", "{out}"), "did you mean 'walk'?"),
        (("walk", *HIT, "--live", "-o", "{out}"), "--live"),
        (("walk", *HIT, "--cycle", "5", "9", "-o", "{out}"), "no cycle from 5 to 9 s; the clip lasts 4.27 s"),
        (("walk", *HIT, "--cycle", "1.2", "1", "-o", "{out}"), "no cycle from 1.2 to 1 s"),
        (("walk", *HIT, "--cycle", "nan", "1", "-o", "{out}"), "no cycle from nan to 1 s"),
        (("walk", *HIT, "--cycle", "1", "1.02", "-o", "{out}"), "give at least 0.067 s"),
        (("walk", *HIT, "--cycle", "1", "2", "--like", "walk", "-o", "{out}"), "choose one of them"),
        (("walk", "--platform", "4 0 0 at 100 for 0.5", "-o", "{out}"), "after the clip"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(gambol, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    code, out, said = gambol("push", *(word.format(out=tmp_path / "out.bvh") for word in words))
    assert (code, out) == (2, "")
    assert says in said.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_a_clip_that_ends_before_the_recovery_is_to_be_looped(gambol, walk: Path) -> None:
    hit = ("--body", "head", "--force", "0", "60", "0", "--json", "-")
    said = gambol("push", walk, *hit, "--start", "1.7")[2]
    assert "not recovered when the clip ends; try --loop 5; feet" in said
    assert ", recovered " in gambol("push", walk, *hit, "--start", "1.7", "--loop", "5")[2]


def test_a_clip_too_short_to_loop(gambol, tmp_path: Path) -> None:
    save(samples.walk()[:20], tmp_path / "short.bvh")
    code, _, said = gambol("push", tmp_path / "short.bvh", *HIT, "--loop", "5", "-o", tmp_path / "out.bvh")
    assert code == 2
    assert "too short for a cycle" in said.splitlines()[-1]
    pushed = ("--body", "head", "--force", "0", "60", "0", "--start", "0.1")
    code, _, said = gambol("push", tmp_path / "short.bvh", *pushed, "-o", tmp_path / "out.bvh")
    assert code == 0
    assert "learned from the whole clip" in said
    assert "not recovered when the clip ends; feet" in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- {body: head", "not YAML"),
        ("body: head", "not a list"),
        ("- {body: head, force: [1, 2, 3], when: 1}", "no 'when'"),
        ("- {body: head, force: [1, 2, 3]}", "without 'start'"),
        ("- {body: head, force: 3, start: 1}", "not a push"),
        ("- {body: head, force: [1, 2, .nan], start: 1}", "three finite numbers"),
    ],
)
def test_a_broken_file_of_pushes(gambol, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "pushes.yaml").write_text(text)
    code, _, said = gambol("push", "walk", "--pushes", tmp_path / "pushes.yaml", "-o", tmp_path / "out.bvh")
    assert code == 2
    assert says in said.splitlines()[-1]


def test_a_push_that_the_clip_cuts_off_is_not_called_back(gambol, walk: Path, tmp_path: Path) -> None:
    code, _, said = gambol("push", walk, "--push", "chest 0 60 0 at 2.3 for 0.2", "-o", tmp_path / "out.bvh")
    assert code == 0
    assert "not recovered when the clip ends" in said


def test_a_map_and_its_numbers_need_files_of_their_own(gambol, tmp_path: Path) -> None:
    page = tmp_path / "map.html"
    code, _, said = gambol("push-map", "walk", "-o", page, "--json", page)
    assert code == 2
    assert "two outputs have this name" in said

"""`gambol edit` as a person meets it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples
from gambol.spacetime.edits import library
from gambol.spacetime.edits.edit import read_edit

COARSE = ("--solve-fps", "20")


def test_stages_are_listed_by_name_and_time(gambol) -> None:
    code, out, _ = gambol("edit", "jump", "--list-stages")
    assert code == 0
    names = [line[:16].strip() for line in out.splitlines()]
    assert names == ["ground 1", "left step 1", "right step 1", "flight 1", "ground 2", "left step 2", "right step 2"]
    flight = next(line for line in out.splitlines() if line.startswith("flight 1"))
    first, last = (float(word) for word in flight.split()[2:5:2])
    assert 1.0 < first < last < 1.7


def test_contacts_are_saved_corrected_and_read_back(gambol, tmp_path: Path) -> None:
    file = tmp_path / "contacts.yaml"
    code, out, _ = gambol("contacts", "jump", "-o", file)
    assert code == 0
    assert "flight              1.15    1.55" in out
    text = file.read_text()
    assert "{start: 1.1500, end: 1.5500}" in text
    assert gambol("contacts", "jump", "-o", file)[0] == 2  # not replaced
    file.write_text(text.replace("{start: 1.1500,", "{start: 1.1,"))
    code, out, _ = gambol("edit", "jump", "--list-stages", "--contacts", file)
    assert code == 0
    assert "flight 1           1.10 -  1.55 s" in out
    words = ("--change", "ground 2: {forward: 0.1}", "--contacts", file, "-o", tmp_path / "out.bvh", *COARSE)
    assert gambol("edit", "jump", *words)[0] == 0
    for content, told in (
        ("contacts: [", "not YAML"),
        ("flights: [{start: 1, end: 9}]", "between 0 and 2.917 s"),
        ("contacts: [{part: tail, start: 0, end: 1}]", "no part 'tail'"),
    ):
        file.write_text(content)
        code, _, said = gambol("edit", "jump", "spin", "--contacts", file, "-o", tmp_path / "other.bvh")
        lines = [line for line in said.strip().splitlines() if "centimetres" not in line]
        assert (code, len(lines)) == (2, 1)
        assert told in lines[0]
    code, _, said = gambol("edit", "jump", "spin", "--contacts", tmp_path / "none.yaml", "-o", tmp_path / "other.bvh")
    assert code == 2
    assert "none.yaml" in said


def test_an_edit_moves_the_landing_and_keeps_the_rig_and_rate(gambol, tmp_path: Path) -> None:
    words = ("--change", "ground 2: {forward: 0.5, turn: 90}", "--draft", tmp_path / "draft.bvh", *COARSE)
    code, out, said = gambol("edit", "jump", "-o", tmp_path / "far.bvh", *words)
    assert (code, out.split()) == (0, [str(tmp_path / "far.bvh"), str(tmp_path / "draft.bvh")])
    assert "ground 2: forward 0.5, turn 90" in said
    assert "iterations" in said
    far, draft, clip = load(tmp_path / "far.bvh"), load(tmp_path / "draft.bvh"), samples.jump()
    assert far.skeleton.names == clip.skeleton.names
    assert (len(far), far.frame_time) == (len(clip), pytest.approx(clip.frame_time))
    for motion in (far, draft):
        feet = [
            motion.skeleton.index(clip.skeleton.names[clip.rig.parts[f"{side}_foot"]]) for side in ("left", "right")
        ]
        middle = motion.placement.positions[-1, feet].mean(axis=0)
        was = clip.placement.positions[-1, feet].mean(axis=0)
        assert middle[0] - was[0] == pytest.approx(0.5, abs=0.1)
        across = motion.placement.positions[-1, feet[0]] - motion.placement.positions[-1, feet[1]]
        assert across[0] == pytest.approx(-0.2, abs=0.05)
    assert np.abs(far.placement.positions - draft.placement.positions).max() > 0.01


def test_edits_that_come_with_gambol_are_read_and_printed(gambol) -> None:
    code, out, _ = gambol("edit", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(library.names())
    for name in library.names():
        assert str(read_edit(library.find(name))) != "nothing changed"
    code, out, _ = gambol("edit", "spin", "--print")
    assert (code, out) == (0, library.find("spin").read_text())


def test_a_part_of_a_clip_is_cut_out(gambol, tmp_path: Path) -> None:
    code, _, _ = gambol(
        "edit", "walk", "step_aside", "--start", "0.5", "--end", "2.5", "-o", tmp_path / "a.bvh", *COARSE
    )
    assert code == 0
    assert load(tmp_path / "a.bvh").duration == pytest.approx(2.0, abs=0.02)


def test_too_far_says_how_far_it_can_go_and_writes_nothing(gambol, tmp_path: Path) -> None:
    words = ("--change", "ground 2: {forward: 9}", "--start", "0.75", "--end", "1.9", "--solve-fps", "10")
    code, out, said = gambol("edit", "jump", *words, "-o", tmp_path / "x.bvh")
    assert (code, out) == (2, "")
    far = float(said.rpartition("ground 2: forward ")[2].split(";")[0])
    assert 1.0 < far < 6.0
    assert not (tmp_path / "x.bvh").exists()


def test_mistakes_are_one_line_and_nothing_is_replaced(gambol, tmp_path: Path) -> None:
    (tmp_path / "there.bvh").write_text("mine")
    (tmp_path / "bad.yaml").write_text("changes: [{stage: ground 2, forwards: 1}]")
    for words, told in (
        ((), "no clip"),
        (("jump",), "no edit"),
        (("jump", "spin"), "no output"),
        (("jump", "spin", "-o", tmp_path / "there.bvh"), "--overwrite"),
        (("jump", "spin", "-o", tmp_path / "a.xyz"), "a.xyz"),
        (("jump", "spinn", "-o", tmp_path / "a.bvh"), "did you mean 'spin'?"),
        (("jump", tmp_path / "bad.yaml", "-o", tmp_path / "a.bvh"), "forwards"),
        (("jump", tmp_path / "none.yaml", "-o", tmp_path / "a.bvh"), "none.yaml"),
        (("jump", "--change", "forward", "-o", tmp_path / "a.bvh"), "--change"),
        (("jump", "spin", "--solve-fps", "1", "-o", tmp_path / "a.bvh"), "10 to 240"),
        (("jump", "spin", "--start", "5", "-o", tmp_path / "a.bvh"), "no frames from 5"),
        (("stand", "spin", "-o", tmp_path / "a.bvh"), "there is no stage 'ground 2'"),
        (("jump", "moon", "--start", "1.0", "--end", "1.02", "-o", tmp_path / "a.bvh"), "less than 4 frames"),
        (("jump", "--gravity", "-3", "-o", tmp_path / "a.bvh"), "gravity must be 0.1 to 100"),
    ):
        code, _, said = gambol("edit", *words)
        lines = [line for line in said.strip().splitlines() if "centimetres" not in line]
        assert (code, len(lines)) == (2, 1), words
        assert told in lines[0]
    assert (tmp_path / "there.bvh").read_text() == "mine"


def test_the_other_foot_stays_when_a_step_that_began_with_it_is_moved(gambol, tmp_path: Path) -> None:
    words = ("--change", "left step 1: {up: 0.2}", "--end", "0.4", *COARSE)
    code, _, _ = gambol("edit", "stand", *words, "-o", tmp_path / "up.bvh")
    assert code == 0
    moved, clip = load(tmp_path / "up.bvh"), samples.stand()
    feet = [clip.rig.parts[f"{side}_foot"] for side in ("left", "right")]
    risen = moved.placement.positions[5, feet, 2] - clip.placement.positions[5, feet, 2]
    assert risen == pytest.approx([0.2, 0.0], abs=0.03)

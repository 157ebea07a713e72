"""`gambol fix` as a person meets it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import samples, save
from gambol.stages.flight import compute_centre_heights


@pytest.fixture
def jump(tmp_path: Path) -> Path:
    """A jump that is played a third too fast, a frame lost here and there."""
    clip = samples.jump()[30:110]
    q = clip.q.copy()
    q[40] = q[39]
    file = tmp_path / "jump.bvh"
    save(replace(clip, q=q, frame_time=0.75 * clip.frame_time), file)
    return file


def test_a_clip_comes_back_on_its_rig_with_a_table_and_a_page(gambol, jump: Path, tmp_path: Path) -> None:
    words = ("-o", tmp_path / "fixed.bvh", "--report", tmp_path / "fixed.html", "--retime")
    code, out, said = gambol("fix", jump, *words)
    assert code == 0
    assert out.split() == [str(tmp_path / "fixed.bvh"), str(tmp_path / "fixed.html")]
    assert "lost frames, filled in: 1" in said
    assert "frame rate corrected from 80 to" in said
    assert "degrees" in said
    lines = [line.split() for line in said.splitlines() if line.lstrip().startswith("strongest fall")]
    before, after = (float(word) for word in lines[0][2:4])
    assert before < -13.0 < after < -8.0
    fixed, clip = load(tmp_path / "fixed.bvh"), load(jump)
    assert fixed.skeleton.names == clip.skeleton.names
    assert len(fixed) == len(clip)
    assert fixed.frame_time == pytest.approx(samples.jump().frame_time, rel=0.06)
    assert np.abs(fixed.placement.positions - clip.placement.positions).max() < 0.15
    assert not (tmp_path / "fixed.bvh.part").exists()
    page = (tmp_path / "fixed.html").read_text()
    assert "before" in page
    assert "after" in page


def test_a_slowed_jump_falls_at_g_again_and_rises_as_high(gambol, tmp_path: Path) -> None:
    clip = samples.jump()[30:110]
    save(replace(clip, frame_time=1.6 * clip.frame_time), tmp_path / "slow.bvh")
    code, _, said = gambol("fix", tmp_path / "slow.bvh", "-o", tmp_path / "fixed.bvh", "--retime")
    assert code == 0
    assert "frame rate corrected from 37.5 to" in said
    (fall,) = [line.split() for line in said.splitlines() if line.lstrip().startswith("fall in flight")]
    before, after = (float(word) for word in fall[3:5])
    assert before == pytest.approx(-9.81 / 1.6**2, abs=0.4)
    assert after == pytest.approx(-9.81, abs=0.5)
    fixed = load(tmp_path / "fixed.bvh")
    assert fixed.frame_time == pytest.approx(clip.frame_time, rel=0.03)
    assert compute_centre_heights(fixed).max() == pytest.approx(compute_centre_heights(clip).max(), abs=0.02)


def test_nothing_is_replaced_and_mistakes_are_one_line(gambol, jump: Path, tmp_path: Path) -> None:
    (tmp_path / "there.bvh").write_text("mine")
    for words, told in (
        ((jump, "-o", tmp_path / "there.bvh"), "--overwrite"),
        ((jump, "-o", jump), "same file"),
        ((jump, "-o", tmp_path / "a.xyz"), "a.xyz"),
        ((jump, "-o", tmp_path / "a.bvh", "--report", tmp_path / "a.txt"), "html"),
        ((tmp_path / "none.bvh", "-o", tmp_path / "a.bvh"), "none.bvh"),
    ):
        code, _, said = gambol("fix", *words)
        assert code == 2
        assert told in said
        assert len(said.strip().splitlines()) == 1
    assert (tmp_path / "there.bvh").read_text() == "mine"
    assert not (tmp_path / "a.bvh").exists()


def test_a_long_clip_says_how_long_and_a_stopped_one_what_is_kept(
    gambol, jump: Path, tmp_path: Path, monkeypatch
) -> None:
    def stop(fitted, contacts, *, store, **_):
        store.write_bytes(b"solved")
        raise KeyboardInterrupt

    monkeypatch.setattr("gambol.spacetime.fix.LONG", 0.5)
    monkeypatch.setattr("gambol.spacetime.fix.make_physical", stop)
    code, out, said = gambol("fix", jump, "-o", tmp_path / "fixed.bvh")
    assert (code, out) == (130, "")
    assert "1 s of motion, in windows: about " in said
    assert f"kept in {tmp_path / 'fixed.bvh.part'}" in said
    assert not (tmp_path / "fixed.bvh").exists()


def test_a_clip_with_a_wrong_rate_is_told_before_it_is_bent(gambol, jump: Path, tmp_path: Path) -> None:
    """Played at twice its speed it falls four times as fast; bending it to gravity is not what its owner wants."""
    motion = load(jump)
    save(replace(motion, frame_time=0.5 * motion.frame_time), tmp_path / "fast.bvh")
    code, _, err = gambol("fix", tmp_path / "fast.bvh", "-o", tmp_path / "fixed.bvh")
    assert code == 0
    assert "falls at 7" in err
    assert "--fps" in err


def test_a_folder_of_clips_becomes_another(gambol, tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    save(samples.walk()[:40], clips / "walk.bvh")
    (clips / "broken.bvh").write_text("HIERARCHY\nROOT")
    words = ("fix", clips, "-o", tmp_path / "out", "--only", "jitter")
    code, out, said = gambol(*words)
    assert code == 1
    assert "1 of 2 clips repaired; a viewer would accept 1 of them" in out
    assert "broken.bvh: not repaired" in said
    assert len(load(tmp_path / "out" / "walk.bvh")) == 40
    assert gambol(*words, "--report", tmp_path / "page.html")[0] == 2


def test_what_is_for_a_folder_or_unknown_is_refused(gambol, jump: Path, tmp_path: Path) -> None:
    code, _, said = gambol("fix", jump, "-o", tmp_path / "out.bvh", "--workers", "2")
    assert code == 2
    assert "for a folder of clips" in said
    code, _, said = gambol("fix", jump, "-o", tmp_path / "out.bvh", "--only", "legs")
    assert code == 2
    assert "jitter, rate, feet, flight" in said

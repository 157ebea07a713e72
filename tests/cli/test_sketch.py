"""`gambol sketch`: files out, one clear line for what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.fit.rig import as_clip
from gambol.io import save
from gambol.spacetime import open_poses, read_sketch, sketches
from gambol.spacetime.rough import make_rough_motion

HOP = """seconds: 1.6
fps: 15
keys:
  - {time: 0.6, x: 0.0, z: 0.0}
  - {time: 0.8, x: 0.2, z: 0.2}
  - {time: 1.0, x: 0.4, z: 0.0}
"""


@pytest.fixture
def hop(tmp_path):
    path = tmp_path / "hop.yaml"
    path.write_text(HOP)
    return path


def test_a_sketch_becomes_a_clip_that_jumps(gambol, hop, tmp_path):
    code, out, err = gambol("sketch", hop, "-o", tmp_path / "hop.bvh", "--rough", tmp_path / "rough.bvh")
    assert (code, out.split()) == (0, [str(tmp_path / "hop.bvh"), str(tmp_path / "rough.bvh")])
    assert "both feet to 0.60 s, air to 1.00 s, both feet to 1.60 s: 25 frames in " in err
    motion, rough = load(tmp_path / "hop.bvh"), load(tmp_path / "rough.bvh")
    assert len(motion) == len(rough) == 25
    hips = motion.placement.positions[:, 0]
    assert hips[-1, 0] - hips[0, 0] == pytest.approx(0.4, abs=0.05)
    assert hips[5:10, 2].min() < hips[0, 2] - 0.03
    assert np.ptp(rough.placement.positions[:9, 0, 2]) == pytest.approx(0.0, abs=1e-6)


def test_printed_forms_can_be_chosen(gambol, hop, tmp_path):
    for words in (("--transitions", "exact"), ("--velocity", "plain")):
        code, *_ = gambol("sketch", hop, "-o", tmp_path / f"{words[1]}.bvh", *words)
        assert code == 0
        assert len(load(tmp_path / f"{words[1]}.bvh")) == 25
    assert gambol("sketch", hop, "-o", tmp_path / "x.bvh", "--transitions", "hard")[0] == 2


def test_the_sketches_that_come_along_are_listed_and_printed(gambol):
    code, out, _ = gambol("sketch", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(sketches.names())
    assert all(len(line.split()) > 3 for line in out.splitlines())
    assert gambol("sketch", "broad_jump", "--print")[1] == sketches.find("broad_jump").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no sketch; give a YAML file"),
        (("hop.yaml",), "no output"),
        (("hop.yaml", "-o", "hop.txt"), "hop.txt"),
        (("none.yaml", "-o", "x.bvh"), "none.yaml: no such file"),
        (("hop.yaml", "-o", "x.bvh", "--soft", "--printed"), "the printed form has no contact forces"),
        (("hop.yaml", "-o", "x.bvh", "--rough", "x.bvh"), "x.bvh"),
        (("hop.yaml", "-o", "x.bvh", "--fps", "1"), "'fps' is 1; 10 to 240 frames per second"),
        (("hop.yaml", "-o", "x.bvh", "--poses", "none.json"), "none.json"),
    ],
)
def test_bad_words_get_one_line(gambol, hop, monkeypatch, words, told):
    monkeypatch.chdir(hop.parent)
    code, out, err = gambol("sketch", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_nothing_is_overwritten(gambol, hop, tmp_path):
    (tmp_path / "hop.bvh").write_text("mine")
    code, _, err = gambol("sketch", hop, "-o", tmp_path / "hop.bvh")
    assert code == 2
    assert "--overwrite" in err
    assert (tmp_path / "hop.bvh").read_text() == "mine"


def test_what_nobody_can_do_is_not_written(gambol, tmp_path):
    """Feet four metres apart."""
    path = tmp_path / "apart.yaml"
    path.write_text(
        "seconds: 1.0\nfps: 15\nkeys: [{time: 0.2, x: 0}, {time: 0.7, x: 4}]\n"
        "stages: [{touch: left foot, until: 0.6}, {touch: feet, until: 1.0}]\n"
    )
    code, out, err = gambol("sketch", path, "-o", tmp_path / "apart.bvh")
    assert (code, out) == (2, "")
    assert "no motion satisfies this sketch: the " in err.splitlines()[-1]
    assert " m from its contact at " in err
    assert not (tmp_path / "apart.bvh").exists()


def _rough(tmp_path, rate: int):
    """A stiff figure that glides through the air, on a rig of its own."""
    path = tmp_path / "glide.yaml"
    path.write_text(HOP.replace("fps: 15", f"fps: {rate}"))
    sketch = read_sketch(path)
    clip = as_clip(make_rough_motion(sketch).motion)
    save(clip, tmp_path / "rough.bvh")
    return load(tmp_path / "rough.bvh")


@pytest.mark.parametrize(("rate", "solved"), [(30, 49), (80, 65)])
def test_a_rough_clip_comes_back_on_its_rig_and_at_its_rate(gambol, tmp_path, rate, solved):
    """Faster clips are thinned out to be solved and filled up again."""
    rough = _rough(tmp_path, rate)
    code, _, err = gambol("sketch", tmp_path / "rough.bvh", "-o", tmp_path / "better.bvh")
    assert code == 0
    assert f"{solved} frames in " in err
    better = load(tmp_path / "better.bvh")
    assert (len(better), better.frame_time) == (len(rough), rough.frame_time)
    assert better.skeleton.names == rough.skeleton.names
    np.testing.assert_allclose(better.skeleton.offsets, rough.skeleton.offsets, atol=1e-9)
    hips = better.placement.positions[:, 0]
    assert hips[: int(0.5 * rate), 2].min() < hips[0, 2] - 0.03
    assert hips[-1, 0] - hips[0, 0] == pytest.approx(0.4, abs=0.06)


def test_a_clip_keeps_its_own_rate(gambol, tmp_path):
    _rough(tmp_path, 30)
    code, _, err = gambol("sketch", tmp_path / "rough.bvh", "-o", tmp_path / "x.bvh", "--fps", "60")
    assert code == 2
    assert "the frame rate of a clip cannot be changed" in err


def test_what_is_remembered_is_suggested_the_next_time(gambol, hop, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    before = len(open_poses())
    code, _, err = gambol("sketch", hop, "-o", tmp_path / "hop.bvh", "--remember")
    assert code == 0
    assert "1 take-offs and landings kept in poses.json" in err
    kept = open_poses()
    assert len(kept) == before + 1
    assert "hop" in kept.examples[-1].name
    gambol("sketch", hop, "-o", tmp_path / "again.bvh", "--remember")
    assert len(open_poses()) <= before + 2


def test_a_somersault_is_read_again_as_it_was_written(gambol, tmp_path):
    """Its rest pose in a BVH is upside down: names tell which joint is which, not the shape."""
    code, *_ = gambol("sketch", "high_bar", "-o", tmp_path / "bar.bvh", "--fps", "15")
    assert code == 0
    read = load(tmp_path / "bar.bvh")
    assert read.rig is not None
    assert read.rig.kind == "gambol"
    assert read.skeleton.names[read.rig.parts["left_toes"]] == "left_toes"
    hands = read.placement.positions[0, [read.rig.parts["left_hand"], read.rig.parts["right_hand"]]]
    np.testing.assert_allclose(hands[:, 2], 2.6, atol=0.2)
    assert read.placement.positions[-1, read.rig.parts["head"], 2] == pytest.approx(1.5, abs=0.2)

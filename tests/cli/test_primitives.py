"""`gambol primitives` at the command line."""

from __future__ import annotations

import pytest

from gambol import load
from gambol.io import samples
from gambol.io.models import as_model, save_model
from gambol.primitives.model import Primitives
from tests.primitives.learned import moving


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("primitives") / "model.npz"
    save_model(moving(), path)
    return path


def test_learn_names_styles_by_files_or_as_told(gambol, tmp_path):
    out = tmp_path / "model.npz"
    code, printed, told = gambol(
        "primitives", "learn", "walk", f"{samples.file('run')}=fast", "--sources", 1, "-o", out
    )
    assert (code, printed.strip()) == (0, str(out)), told
    assert "walk: 2 strides of 1.07 s" in told
    assert "1 source with tied delays" in told
    assert "% of the variance" in told
    found = as_model(out, Primitives)
    assert found.styles == ("walk", "fast")
    code, _, told = gambol("primitives", "learn", "walk", "-o", out)
    assert code == 2
    assert "exists already" in told


def test_play_writes_a_morph_on_the_rig(gambol, model, tmp_path):
    out = tmp_path / "morph.bvh"
    words = ("--style", "walk", "--to", "run", "--seconds", "2", "--fps", "30")
    code, printed, told = gambol("primitives", "play", model, "-o", out, *words)
    assert (code, printed.strip()) == (0, str(out)), told
    motion, walk = load(out), samples.walk()
    assert motion.skeleton.names == walk.skeleton.names
    assert len(motion) == 61
    assert motion.placement.positions[-1, 0, 0] - motion.placement.positions[0, 0, 0] > 2.5


def test_play_tells_the_styles(gambol, model):
    code, printed, _ = gambol("primitives", "play", model)
    assert code == 0
    assert printed.splitlines() == ["walk: 2 strides of 1.07 s", "run: 3 strides of 0.70 s"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("learn", "walk", "-o", "model.txt"), "a model is written as .npz"),
        (("learn", "nobody.bvh", "-o", "model.npz"), "nobody.bvh"),
        (("learn", "stand", "-o", "model.npz"), "no whole stride"),
        (("learn", "walk=", "-o", "model.npz"), "is not a clip and a style"),
        (("learn", "walk", "--sources", "999", "-o", "model.npz"), "999 sources for"),
        (("play", "nobody.npz", "-o", "x.bvh"), "no such file"),
        (("play", "MODEL", "--style", "sad", "-o", "x.bvh"), "choose from walk, run"),
        (("play", "MODEL", "--style", "walk"), "add -o FILE"),
        (("play", "MODEL", "--seconds", "0", "-o", "x.bvh"), "both above 0"),
        (("play", "MODEL", "--speed", "0", "-o", "x.bvh"), "speed 0"),
        (("play", "MODEL", "-o", "x.xyz"), ".xyz"),
    ],
)
def test_bad_input_is_one_line(gambol, model, tmp_path, monkeypatch, words, problem):
    monkeypatch.chdir(tmp_path)
    code, _, told = gambol("primitives", *(model if word == "MODEL" else word for word in words))
    assert code == 2
    assert problem in told
    assert [line.startswith("gambol: ") for line in told.splitlines()].count(True) == 1
    assert not list(tmp_path.iterdir())

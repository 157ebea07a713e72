"""`gambol interaction`: learn from clips, generate both people, react to a hand, and answer a stream."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.geometry.arrays import Array
from gambol.interaction import verb
from gambol.interaction.trials import Trial
from gambol.io.models import save_model
from tests.interaction.meetings import CONTACT, make_model, make_people, make_trial

WAIT = 20


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("clips")
    files = [folder / "one.bvh", folder / "two.bvh", folder / "short.bvh"]
    one, two = make_people()
    for motion, file in zip((one, two, two[:40]), files, strict=True):
        gb.save(motion, file)
    return files


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.npz"
    save_model(make_model(), path)
    return path


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    path = tmp_path / "hand.csv"
    write_path(path, find_path())
    return path


def find_path() -> Array:
    path = make_trial().paths[1]
    return np.vstack([np.tile(path[0], (WAIT, 1)), path])


def write_path(file: Path, path: Array) -> None:
    file.write_text("x,y,z\n" + "".join(f"{x},{y},{z}\n" for x, y, z in path.tolist()))


def test_a_model_is_learned_from_clips(gambol, clips: list[Path], tmp_path: Path) -> None:
    out, again, facts = tmp_path / "model.npz", tmp_path / "again.npz", tmp_path / "facts.json"
    code, printed, err = gambol("interaction", "learn", *clips[:2], "-o", out, "--vary", 0.0, "--json", facts)
    assert code == 0, err
    assert str(out) in printed
    assert "right and right hand touch at 0.43 s" in err
    assert json.loads(facts.read_text())["figures"]["trials"] == 1
    gb.learn_interaction([tuple(clips[:2])], vary=0.0).save(again)
    assert out.read_bytes() == again.read_bytes()


def test_each_pair_has_its_style(gambol, clips: list[Path], tmp_path: Path, monkeypatch) -> None:
    seen = []

    def stop(trials: list[Trial]) -> None:
        seen.append([(trial.people[0].name, trial.people[1].name, dict(trial.style)) for trial in trials])
        raise gb.InputError("learning has begun")

    monkeypatch.setattr(verb, "learn_interaction_model", stop)
    one, two, _ = clips
    words = (one, two, two, one, "--style", "happy", "--style", "happy=0.5,sad=0.5", "--vary", 0)
    code, _, err = gambol("interaction", "learn", *words, "-o", tmp_path / "model.npz")
    assert code == 2
    assert "learning has begun" in err
    assert seen == [[("one", "two", {"happy": 1.0}), ("two", "one", {"happy": 0.5, "sad": 0.5})]]


def test_both_people_are_generated(gambol, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "pair.bvh"
    words = ("--style", "gentle=0.5", "--until", "gentle", "--contact", 0.5, -0.05, 1.2, "--pace", 0.8, "--seed", 4)
    code, printed, err = gambol("interaction", "generate", model, "-o", out, *words)
    assert code == 0, err
    files = printed.split()
    assert len(files) == 2
    expected = gb.generate_interaction(model, "gentle=0.5", until="gentle", contact=[0.5, -0.05, 1.2], pace=0.8, seed=4)
    for written, same in zip(files, expected.save(tmp_path / "python.bvh"), strict=True):
        assert Path(written).read_bytes() == same.read_bytes()


def test_a_contact_outside_of_those_learned_is_noted(gambol, model: Path, tmp_path: Path) -> None:
    code, _, err = gambol("interaction", "generate", model, "-o", tmp_path / "o.bvh", "--contact", 0.5, 2.0, 1.2)
    assert code == 0
    assert "cm outside of those learned" in err


def test_a_hand_is_answered(gambol, model: Path, hand: Path, tmp_path: Path) -> None:
    out, same = tmp_path / "partner.bvh", tmp_path / "python.bvh"
    code, printed, err = gambol("interaction", "react", model, "--hand", hand, "-o", out, "--json", "-")
    assert code == 0, err
    facts = json.loads(printed[printed.index("{") :])
    assert facts["figures"]["nearest_hands_mm"] < 2.0
    gb.react(model, find_path()).save(same)
    assert len(gb.load(out)) == WAIT + len(make_trial())
    np.testing.assert_allclose(gb.load(out).q, gb.load(same).q, atol=1e-6)


def test_missing_and_far_samples_are_noted(gambol, model: Path, hand: Path, tmp_path: Path) -> None:
    path = find_path()
    path[WAIT + 5 : WAIT + 8] = np.nan
    path[WAIT + CONTACT :] += [0.0, 3.0, 0.0]
    write_path(hand, path)
    out = tmp_path / "partner.bvh"
    code, _, err = gambol("interaction", "react", model, "--hand", hand, "-o", out, "--fps", 60, "--place", 1, 2, 90)
    assert code == 0, err
    assert f"3 of {len(path)} samples are missing" in err
    assert "m from where a meeting that was learned would have it" in err
    np.testing.assert_allclose(gb.load(out).placement.positions[0, 0, :2], [1.0, 2.0], atol=0.6)


def test_a_stream_is_answered(gambol, model: Path, monkeypatch) -> None:
    lines = [json.dumps({"hand": place}) for place in find_path().tolist()] + ['{"hand": null}', "oops"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    code, out, err = gambol("interaction", "stream", model, "--style", "gentle=0.5")
    assert code == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(lines) + 2
    assert answers.pop()["judgement"]["judged"]
    assert answers[0]["styles"] == ["neutral", "gentle"]
    assert list(answers[-1]) == ["error"]
    assert all(len(answer["rotations"]) == len(answers[0]["joints"]) for answer in answers[1:-1])


def test_what_cannot_be_done_is_said_in_one_line(
    gambol, clips: list[Path], model: Path, hand: Path, tmp_path: Path
) -> None:
    one, two, short = clips
    out, bvh = tmp_path / "out.npz", tmp_path / "out.bvh"
    bad, foreign = tmp_path / "bad.csv", tmp_path / "foreign.npz"
    bad.write_text("x,y,z\n1,2,three\n")
    foreign.write_bytes(model.read_bytes()[:1000])
    learn, generate, react = ("interaction", "learn", "--quiet"), ("interaction", "generate"), ("interaction", "react")
    for words, message in (
        ((*learn, one, two, "-o", bvh), "a model is written as .npz, not '.bvh'"),
        ((*learn, one, "-o", out), "1 clips are not pairs"),
        ((*learn, one, two, one, "-o", out), "3 clips are not pairs"),
        ((*learn, one, short, "-o", out), "40"),
        ((*learn, one, two, "-o", out, "--vary", 2), "moved by 2 m"),
        ((*learn, one, tmp_path / "none.bvh", "-o", out), "none.bvh"),
        ((*learn, one, two, "-o", out, "--style", "happy", "--style", "sad"), "2 styles for 1 pairs"),
        ((*learn, one, two, "-o", out, "--style", "happy=nan"), "happy=nan"),
        ((*generate, model, "-o", bvh, "--style", "angry"), "this model has neutral, gentle"),
        ((*generate, model, "-o", bvh, "--until", "angry"), "unknown style 'angry'"),
        ((*generate, model, "-o", bvh, "--style", "gentle=1000"), "use 0 to 2"),
        ((*generate, model, "-o", bvh, "--pace", 0), "pace of 0"),
        ((*generate, model, "-o", bvh, "--contact", "nan", 0, 1), "finite"),
        ((*generate, foreign, "-o", bvh), "not an interaction, or truncated"),
        ((*generate, tmp_path / "none.npz", "-o", bvh), "gambol interaction learn"),
        ((*react, model, "--hand", bad, "-o", bvh), "sample 1: 'three' is not a number"),
        ((*react, model, "--hand", tmp_path / "none.csv", "-o", bvh), "no such file"),
        ((*react, model, "--hand", hand, "-o", bvh, "--fps", 0), "0 samples per second"),
        ((*react, model, "--hand", hand, "-o", bvh, "--place", "nan", 0, 0), "finite"),
        ((*react, model, "--hand", hand, "-o", bvh, "--style", "angry"), "unknown style"),
        ((*react, model, "--hand", hand, "-o", hand), "hand.csv"),
        (("interaction", "stream", model, "--style", "angry"), "unknown style"),
        (("interaction", "stream", foreign), "truncated"),
    ):
        code, printed, err = gambol(*words)
        assert code == 2, (words, err)
        assert message in err, words
        assert len(err.strip().splitlines()) == 1, err
        assert printed == ""
    assert not out.exists()
    assert not bvh.exists()

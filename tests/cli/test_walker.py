"""`gambol walker learn` from a walk and a recorded example, and pushes with its model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gambol as gb
from gambol.respond.latent import verb


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "pushed.bvh"
    gb.save(gb.push("walk", [gb.Push("chest", (0.0, 250.0, 0.0), 0.6)]).motion, path)
    return path


def test_a_walker_is_learned_from_a_recording_and_pushed(gambol, pushed: Path, tmp_path: Path) -> None:
    model, again, picture = tmp_path / "walker.npz", tmp_path / "python.npz", tmp_path / "walker.png"
    code, out, err = gambol("walker", "learn", "walk", pushed, "-o", model, "--dimensions", 2, "--picture", picture)
    assert code == 0, err
    assert out.split() == [str(model), str(picture)]
    assert err.count("begins") == 1
    assert "record a push towards" in err
    found = gb.learn_walker("walk", [pushed], dimensions=2)
    assert found.save(again) == [again]
    assert model.read_bytes() == again.read_bytes()
    shown = tmp_path / "shown.png"
    code, out, _ = gambol("walker", "draw", model, "-o", shown, "--json", "-")
    assert code == 0
    assert json.loads(out) == dict(found.model.settings)
    assert shown.read_bytes() == picture.read_bytes()
    out = tmp_path / "out.bvh"
    words = ("push", "walk", "--body", "chest", "--force", 0, 60, 0, "--method", "learned", "--model", model)
    assert gambol(*words, "-o", out)[0] == 0
    assert len(gb.load(out)) == len(gb.load("walk"))


def test_what_was_found_is_printed_before_training(gambol, pushed: Path, tmp_path: Path, monkeypatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise gb.InputError("training has begun")

    monkeypatch.setattr(verb, "fit_walker", stop)
    words = ("walker", "learn", "walk", pushed, "-o", tmp_path / "walker.npz")
    code, out, err = gambol(*words)
    assert (code, out) == (2, "")
    found, last = err.split("training has begun")
    assert "closes with a gap" in found
    assert "'pushed' begins" in found
    assert "record a push towards" in found
    assert not last.strip()
    _, out, err = gambol(*words, "--quiet", "--json", "-")
    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_given_contacts_are_those_of_the_walk(gambol, pushed: Path, tmp_path: Path, monkeypatch) -> None:
    seen: list[object] = []

    def stop(motion: object, mass: float | None, contacts: object) -> None:
        seen.append(contacts)
        raise gb.InputError("a walk was made")

    monkeypatch.setattr(verb, "make_normal_walk", stop)
    words = ("-o", tmp_path / "walker.npz", "--contacts", tmp_path / "contacts.yaml")
    assert "a walk was made" in gambol("walker", "learn", "walk", *words)[2]
    assert seen == [tmp_path / "contacts.yaml"]
    code, _, said = gambol("walker", "learn", "walk", pushed, *words)
    assert code == 2
    assert "contacts are for examples that are made" in said


def test_what_cannot_be_learned_is_said_in_one_line(gambol, tmp_path: Path) -> None:
    for words, message in (
        (("walker", "learn", "walk", "-o", tmp_path / "walker.bvh"), "npz"),
        (("walker", "learn", "walk", "-o", tmp_path / "walker.npz", "--picture", tmp_path / "w.bvh"), "picture"),
        (("walker", "draw", tmp_path / "none.npz", "-o", tmp_path / "w.png"), "walker learn"),
        (("walker", "draw", tmp_path / "none.npz", "-o", tmp_path / "w.gif"), "picture"),
        (("walker", "learn", tmp_path / "none.bvh", "-o", tmp_path / "walker.npz"), "none.bvh"),
        (
            ("push", "walk", "--body", "head", "--force", 0, 9, 0, "--method", "learned", "-o", tmp_path / "o.bvh"),
            "'--model'",
        ),
    ):
        code, _, err = gambol(*words)
        assert code == 2
        assert message in err

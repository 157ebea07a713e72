"""`gambol responder learn` from a walk and a recorded example, and pushes with its model."""

from __future__ import annotations

from pathlib import Path

import gambol as gb


def test_a_walker_is_learned_from_a_recording_and_pushed(gambol, tmp_path: Path) -> None:
    pushed = tmp_path / "pushed.bvh"
    gb.save(gb.push("walk", [gb.Push("chest", (0.0, 250.0, 0.0), 0.6)]).motion, pushed)
    model, again = tmp_path / "walker.npz", tmp_path / "python.npz"
    code, _, err = gambol("responder", "learn", "walk", pushed, "-o", model, "--dimensions", 2)
    assert code == 0, err
    assert "begins" in err
    assert "record a push towards" in err
    found = gb.learn_responder("walk", [pushed], dimensions=2)
    assert found.save(again) == [again]
    assert model.read_bytes() == again.read_bytes()
    out = tmp_path / "out.bvh"
    words = ("push", "walk", "--body", "chest", "--force", 0, 60, 0, "--method", "gp", "--model", model)
    assert gambol(*words, "-o", out)[0] == 0
    assert len(gb.load(out)) == len(gb.load("walk"))


def test_what_cannot_be_learned_is_said_in_one_line(gambol, tmp_path: Path) -> None:
    for words, message in (
        (("responder", "learn", "walk", "-o", tmp_path / "walker.bvh"), "npz"),
        (("responder", "learn", tmp_path / "none.bvh", "-o", tmp_path / "walker.npz"), "none.bvh"),
        (
            ("push", "walk", "--body", "head", "--force", 0, 9, 0, "--method", "gp", "-o", tmp_path / "o.bvh"),
            "together",
        ),
    ):
        code, _, err = gambol(*words)
        assert code == 2
        assert message in err

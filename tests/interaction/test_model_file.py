"""A saved model gives the same numbers; foreign, truncated and inconsistent files are told in one line."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction import model as learned
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.model import InteractionModel
from gambol.interaction.partner import Partner
from gambol.interaction.trials import GroundFrame
from gambol.io.models import as_model, save_model
from tests.interaction.meetings import make_model, make_trial


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.npz"
    save_model(make_model(), path)
    return path


def test_a_saved_model_gives_the_same_numbers(saved: Path) -> None:
    again = as_model(saved, InteractionModel)
    here = GroundFrame(np.zeros(3), 0.0)
    for plan in (MeetingPlan(), MeetingPlan({"gentle": 0.5}, {}, seed=3)):
        ours, theirs = (generate_meeting(model, plan, here) for model in (make_model(), again))
        for one, other in zip(ours.people, theirs.people, strict=True):
            np.testing.assert_array_equal(one.q, other.q)
            assert (one.skeleton.names, one.frame_time) == (other.skeleton.names, other.frame_time)
            assert one.rig == other.rig
    states = [Partner(model).start({"gentle": 1.0}) for model in (make_model(), again)]
    for hand in make_trial("gentle").paths[1][:40]:
        found = [
            Partner(model).step(state, hand, {"gentle": 1.0})
            for model, state in zip((make_model(), again), states, strict=True)
        ]
        states = [state for state, _ in found]
        np.testing.assert_array_equal(found[0][1].local.rotations, found[1][1].local.rotations)


def test_all_of_a_model_is_saved(saved: Path) -> None:
    again = as_model(str(saved), InteractionModel)
    for field in fields(InteractionModel):
        if field.name not in ("people", "course"):
            np.testing.assert_array_equal(getattr(again, field.name), getattr(make_model(), field.name))
    assert again.emotions == make_model().emotions
    assert again.course.process.evidence_ == make_model().course.process.evidence_


def test_a_file_is_written_again_to_the_last_byte(saved: Path, tmp_path: Path) -> None:
    save_model(as_model(saved, InteractionModel), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == saved.read_bytes()


def test_files_without_paces_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "_ADDED", {})
    save_model(make_model(), tmp_path / "old.npz")
    monkeypatch.undo()
    again = as_model(tmp_path / "old.npz", InteractionModel)
    assert again.log_rate_walk == 0.3
    trials = [generate_meeting(again, MeetingPlan(seed=seed), GroundFrame(np.zeros(3), 0.0)) for seed in (None, 1)]
    assert len(trials[0]) == len(trials[1])


def test_files_that_are_not_models_are_told(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    for name, written in (
        ("empty.npz", b""),
        ("text.npz", b"hello"),
        ("half.npz", content[: len(content) // 2]),
        ("cut.npz", content[:-20]),
        ("flipped.npz", content[:5000] + bytes([content[5000] ^ 255]) + content[5001:]),
        ("other.npz", None),
    ):
        path = tmp_path / name
        if written is not None:
            path.write_bytes(written)
        with pytest.raises(InputError, match="interaction, or truncated") as error:
            as_model(path, InteractionModel)
        assert "gambol interaction learn" in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="no such file"):
        as_model(tmp_path / "none.npz", InteractionModel)


def test_a_model_whose_columns_do_not_fit_its_people_is_not_made() -> None:
    model = make_model()
    one = replace(model.people[0], joints=model.people[0].joints[:-1])
    with pytest.raises(InputError, match="of InteractionModel must be finite and of shape"):
        replace(model, people=(one, model.people[1]))


def test_a_model_without_people_is_told(tmp_path: Path) -> None:
    model = replace(make_model())
    object.__setattr__(model, "people", (1, 2))
    save_model(model, tmp_path / "model.npz")
    with pytest.raises(InputError, match="inconsistent: people of InteractionModel"):
        as_model(tmp_path / "model.npz", InteractionModel)

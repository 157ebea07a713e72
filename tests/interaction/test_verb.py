"""`learn_interaction`, `generate_interaction` and `react` from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction import verb
from gambol.interaction.trials import GroundFrame
from tests.interaction.meetings import CONTACT, MEETING, make_model, make_people, make_trial, move_person

PATH = np.vstack([np.tile(make_trial().paths[1][0], (20, 1)), make_trial().paths[1]])


@pytest.fixture(scope="module")
def learned() -> verb.InteractionResult:
    return gb.learn_interaction([make_people()], vary=0.05)


def test_contacts_of_few_pairs_are_varied(learned: verb.InteractionResult) -> None:
    assert learned.model.trials == 9
    assert learned.figures["trials"] == 9
    assert learned.figures["frames"] == 9 * 61
    assert learned.figures["gap_cm"] < 0.5
    assert "'one' and 'two': right and right hand touch at 0.43 s" in learned.notes[0]
    assert "moved by 5 cm across and up: 9 trials, made by editing" in learned.notes[1]
    spread = np.sqrt(np.diagonal(learned.model.course.goal_space.covariance))
    np.testing.assert_allclose(spread, [0.0, 0.05 * np.sqrt(2.0 / 3.0), 0.05 * np.sqrt(2.0 / 3.0)], atol=1e-3)
    assert [motion.name for motion in learned.motions] == ["one", "two"]


def test_how_far_contacts_are_varied_depends_on_the_number_of_pairs(monkeypatch) -> None:
    seen: list[int] = []

    def count(trials):
        seen.append(len(trials))
        return make_model()

    monkeypatch.setattr(verb, "learn_interaction_model", count)
    pair = make_people()
    gb.learn_interaction([pair] * 4)
    gb.learn_interaction([pair] * 5)
    found = gb.learn_interaction([pair], vary=0.0)
    assert seen == [36, 5, 1]
    assert not any("editing" in note for note in found.notes)


def test_styles_are_given_to_pairs(monkeypatch) -> None:
    seen: list[list[dict[str, float]]] = []

    def note(trials):
        seen.append([dict(trial.style) for trial in trials])
        return make_model()

    monkeypatch.setattr(verb, "learn_interaction_model", note)
    pairs = [make_people(), make_people(0.06, 85, 38)]
    gb.learn_interaction(pairs, vary=0.0)
    gb.learn_interaction(pairs, ["sad"], vary=0.0)
    gb.learn_interaction(pairs, ["sad=0.5", {"happy": 0.2}], vary=0.0)
    assert seen == [[{}, {}], [{"sad": 1.0}] * 2, [{"sad": 0.5}, {"happy": 0.2}]]


def test_files_are_pairs_too(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(verb, "learn_interaction_model", lambda trials: trials)
    files = [tmp_path / "a.bvh", tmp_path / "b.bvh"]
    for person, file in zip(make_people(), files, strict=True):
        gb.save(person, file)
    (trial,) = gb.learn_interaction([(files[0], str(files[1]))], vary=0.0).model
    np.testing.assert_allclose(trial.place, make_trial().place, atol=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"pairs": []}, "no pairs of clips"),
        ({"styles": ["happy", "sad"]}, "2 styles for 1 pairs.*one for every pair"),
        ({"vary": -0.1}, "moved by -0.1 m.*choose 0 to 0.5"),
        ({"vary": float("nan")}, "moved by nan m"),
        ({"vary": 0.6}, "moved by 0.6 m"),
        ({"styles": ["happy=much"]}, "happy=much"),
        ({"styles": [{"happy": float("nan")}]}, "nan"),
    ],
)
def test_what_cannot_be_learned_is_told(words: dict, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        gb.learn_interaction(**{"pairs": [make_people()], **words})
    assert "\n" not in str(error.value)


def test_unequal_pairs_are_told() -> None:
    one, two = make_people()
    with pytest.raises(InputError, match="'one' has 61 frames"):
        gb.learn_interaction([(one, two[:50])])
    with pytest.raises(InputError, match="never touch"):
        gb.learn_interaction([(one, move_person(two, 0.0, np.array([4.0, 0.0, 0.0])))])


def test_a_result_is_saved_as_a_model_or_as_motions(learned: verb.InteractionResult, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    assert learned.save(path) == [path]
    ours, theirs = gb.generate_interaction(learned.model), gb.generate_interaction(path)
    np.testing.assert_array_equal(ours.motions[0].q, theirs.motions[0].q)
    with pytest.raises(InputError, match="exists"):
        learned.save(path, overwrite=False)
    assert [file.suffix for file in learned.save(tmp_path / "pair.bvh")] == [".bvh", ".bvh"]


def test_both_people_are_generated() -> None:
    result = gb.generate_interaction(make_model(), "gentle=0.5", until={"gentle": 1.0}, contact=MEETING + [0, 0.05, 0])
    assert len(result.motions) == 2
    assert result.figures["hands_apart_mm"] < 2.0
    assert 0.4 < result.figures["contact_s"] < 0.7
    assert result.notes == ()
    slow = gb.generate_interaction(make_model(), pace=0.5)
    assert slow.figures["contact_s"] == pytest.approx(2 * CONTACT / 60.0, abs=0.02)


def test_a_contact_outside_of_those_learned_is_told() -> None:
    space = make_model().course.goal_space
    far = MEETING + [0.0, 0.0, 0.9]
    away = 100.0 * np.linalg.norm(far - space.clamp(far))
    (note,) = gb.generate_interaction(make_model(), contact=far).notes
    assert f"{away:.0f} cm outside of those learned" in note


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"style": "angry"}, "unknown style 'angry'.*neutral, gentle"),
        ({"until": "angry"}, "unknown style 'angry'"),
        ({"style": "gentle=1000"}, "a share of 1000"),
        ({"style": {"gentle": float("nan")}}, "a share of nan"),
        ({"pace": 0.0}, "pace of 0.*choose 0.1 to 10"),
        ({"pace": float("nan")}, "pace of nan"),
        ({"contact": [1.0, 2.0]}, "a contact is not three finite numbers"),
        ({"contact": [1.0, 2.0, np.inf]}, "a contact is not three finite numbers"),
    ],
)
def test_what_cannot_be_generated_is_told(words: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        gb.generate_interaction(make_model(), **words)


def touch(result: gb.Result, hands: Array) -> Array:
    """Distances (frames,) of the hand of a reaction from samples of another one in the world."""
    arm = make_model().people[0].arm
    placed = result.motion.placement
    wrist = placed.positions[:, arm.path[-1]]
    return np.linalg.norm(wrist + quat.rotate(placed.rotations[:, arm.path[-1]], arm.hand.point) - hands, axis=1)


def test_a_hand_is_answered() -> None:
    result = gb.react(make_model(), PATH)
    assert len(result.motion) == len(PATH)
    assert touch(result, PATH)[20 + CONTACT] < 2e-3
    assert result.figures["nearest_hands_mm"] == pytest.approx(1e3 * touch(result, PATH).min(), abs=1e-3)
    assert result.notes == ()


def test_a_reaction_is_the_same_wherever_it_takes_place() -> None:
    frame = GroundFrame(np.array([3.0, -2.0, 0.0]), np.radians(50.0))
    here = gb.react(make_model(), PATH)
    there = gb.react(make_model(), frame.to_world(PATH), place=(3.0, -2.0, 50.0))
    np.testing.assert_allclose(
        frame.to_world(here.motion.placement.positions), there.motion.placement.positions, atol=1e-6
    )


def test_only_past_samples_count() -> None:
    whole, half = gb.react(make_model(), PATH), gb.react(make_model(), PATH[:40])
    np.testing.assert_array_equal(half.motion.q, whole.motion.q[:40])


def test_samples_at_another_rate_are_answered_at_that_rate() -> None:
    result = gb.react(make_model(), PATH[::2], fps=30.0)
    assert result.motion.frame_time == 1.0 / 30.0
    assert touch(result, PATH[::2])[(20 + CONTACT) // 2] < 0.01


def test_missing_samples_are_counted() -> None:
    missing = PATH.copy()
    missing[30:34, 1] = np.nan
    result = gb.react(make_model(), missing)
    assert result.notes == ("4 of 81 samples are missing",)
    assert touch(result, PATH)[20 + CONTACT] < 0.01
    none = gb.react(make_model(), np.full((5, 3), np.nan))
    assert np.isnan(none.figures["nearest_hands_mm"])
    assert len(none.motion) == 5


def test_a_hand_outside_of_what_was_learned_is_answered_and_told() -> None:
    result = gb.react(make_model(), PATH + [0.0, 4.0, 0.0])
    (note,) = result.notes
    assert "the hand is up to 4." in note
    assert np.isfinite(result.motion.q).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"hand": np.zeros(3)}, r"a path of shape \(3,\)"),
        ({"hand": np.zeros((0, 3))}, "a path of shape"),
        ({"hand": np.zeros((4, 2))}, "give samples"),
        ({"fps": 0.0}, "0 samples per second"),
        ({"fps": float("nan")}, "nan samples"),
        ({"style": "angry"}, "unknown style"),
        ({"place": (0.0, float("nan"), 0.0)}, "not three finite numbers"),
        ({"place": (0.0, 0.0)}, "not three finite numbers"),
    ],
)
def test_what_cannot_be_answered_is_told(words: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        gb.react(make_model(), **{"hand": PATH, **words})


def test_models_of_other_frame_times_move_at_their_own() -> None:
    model = replace(make_model(), frame_time=1.0 / 30.0)
    result = gb.generate_interaction(model)
    assert result.motions[0].frame_time == 1.0 / 30.0
    assert result.figures["contact_s"] == pytest.approx(CONTACT / 60.0, abs=0.04)

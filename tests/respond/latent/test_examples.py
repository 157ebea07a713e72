"""Pushed examples made from one walk."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.io import samples
from gambol.motion.cycles import find_cycle
from gambol.respond.latent import examples
from gambol.respond.latent.examples import (
    ExamplePush,
    NormalWalk,
    SolvedExample,
    make_example,
    make_examples,
    make_normal_walk,
)
from gambol.respond.latent.features import FRAME_TIME
from gambol.spacetime.recovery.recover import recover

PUSH = ExamplePush(0.3, 90.0, 0.4)


@pytest.fixture(scope="module")
def walk() -> NormalWalk:
    return make_normal_walk(samples.walk(), 70.0)


@pytest.fixture(scope="module")
def example(walk: NormalWalk) -> SolvedExample:
    """An answer that meets the walk again early."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examples, "HORIZON", 1.5)
        patch.setattr(examples, "recover", partial(recover, horizon=1.5))
        found = make_example(walk, PUSH)
    assert found is not None
    return found


def test_the_loop_repeats_the_clip(walk: NormalWalk) -> None:
    period = walk.period * walk.fitted.motion.frame_time
    assert len(walk.loop) * FRAME_TIME == pytest.approx(period, abs=0.5 * FRAME_TIME)
    shown = walk.loop.at(np.arange(3 * len(walk.loop)))
    assert np.abs(np.diff(shown, axis=0)[:, 6:]).max() < np.radians(25.0)


@pytest.mark.parametrize(("direction", "expected"), [(0.0, (1.0, 0.0)), (90.0, (0.0, 1.0)), (180.0, (-1.0, 0.0))])
def test_pushes_are_relative_to_the_travel_and_have_their_impulse(
    walk: NormalWalk, direction: float, expected: tuple[float, float]
) -> None:
    push = walk.convert_push(ExamplePush(0.5, direction, 0.6))
    ahead = walk.forward[:2]
    along = np.array([ahead, [-ahead[1], ahead[0]]]) @ push.force[:2]
    np.testing.assert_allclose(along * push.duration / walk.character.mass, 0.6 * np.array(expected), atol=1e-9)
    assert push.start == pytest.approx(1.5 * walk.period * walk.fitted.motion.frame_time)


def test_an_example_begins_and_ends_on_the_loop(walk: NormalWalk, example: SolvedExample) -> None:
    frames = np.arange(example.start, example.start + len(example.poses))
    away = np.abs(example.poses - walk.loop.at(frames))
    assert away[: example.onset].max() < 2e-3
    assert away[example.onset :, 6:].max() > np.radians(3.0)
    joints = example.poses[-3:, 3:]
    nearest = min(np.abs(joints - walk.loop.at(np.arange(n, n + 3))[:, 3:]).max() for n in range(len(walk.loop)))
    assert nearest < np.radians(8.0)  # the phase need not be that of a frame


def test_solved_examples_are_kept(
    walk: NormalWalk, example: SolvedExample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(_: NormalWalk, push: ExamplePush) -> SolvedExample | None:
        asked.append(push)
        return example if push == PUSH else None

    monkeypatch.setattr(examples, "make_example", answer)
    lost = ExamplePush(0.1, 0.0, 5.0)
    first = make_examples(walk, [PUSH, lost], store=tmp_path / "kept")
    again = make_examples(walk, [PUSH, lost], store=tmp_path / "kept")
    assert asked == [PUSH, lost, lost]
    assert len(first) == len(again) == 1
    np.testing.assert_array_equal(first[0].poses, again[0].poses)
    assert (again[0].onset, again[0].start) == (example.onset, example.start)
    next((tmp_path / "kept").glob("*.npz")).write_bytes(b"broken")
    make_examples(walk, [PUSH], store=tmp_path / "kept")
    assert asked[-1] == PUSH


def test_a_file_in_place_of_the_folder_is_refused(walk: NormalWalk, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    with pytest.raises(InputError, match="name of the folder"):
        make_examples(walk, [PUSH], store=tmp_path / "kept")


def test_given_contacts_are_those_of_every_round_of_the_loop(walk: NormalWalk, tmp_path: Path) -> None:
    clip = samples.walk()
    seen = make_normal_walk(clip, 70.0, gb.find_contacts(clip))
    for part in ("left_heel", "left_ball", "right_heel", "right_ball"):
        found, given = (one.grounded.contacts.touching(part) for one in (walk, seen))
        assert np.mean(found == given) > 0.98
    assert examples._find_file(walk, PUSH, tmp_path) != examples._find_file(seen, PUSH, tmp_path)


def test_a_contact_goes_on_from_round_to_round() -> None:
    clip, step = samples.walk(), samples.walk().frame_time
    start = find_cycle(clip).start
    whole = {"part": "left_ball", "start": 0.0, "end": clip.duration, "kind": "rolling"}
    brief = {"part": "right_ball", "start": (start + 10) * step, "end": (start + 30) * step}
    walk = make_normal_walk(clip, 70.0, {"contacts": [whole, brief]})
    rounds = len(walk.fitted.motion) // walk.period
    rows = sorted((one.part, one.kind, one.first, one.last) for one in walk.grounded.contacts.items)
    assert rows[0] == ("left_ball", "rolling", 0, rounds * walk.period - 1)
    assert rows[1:] == [("right_ball", "fixed", n * walk.period + 10, n * walk.period + 29) for n in range(rounds)]

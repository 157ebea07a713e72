"""The data gate on good and bad training data."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.respond.latent.features import compute_features
from gambol.respond.latent.gate import (
    PushedExample,
    find_direction_gap,
    judge_training_data,
    measure_gap,
    measure_loop_gap,
)
from tests.respond.latent.conftest import Looped


def make_example(looped: Looped, name: str, direction: float, rise: float = 0.0, first: int = 0) -> PushedExample:
    """The walk itself with the whole body raised by a bump (m) in its middle, from a frame of the loop on."""
    poses = looped.loop.at(np.arange(first, first + len(looped.loop) + 20))
    phase = np.arange(len(poses)) / (len(poses) - 1)
    poses[:, 2] += rise * np.sin(np.pi * phase) ** 2
    return PushedExample(name, compute_features(looped.layout, poses), direction)


def around(looped: Looped) -> list[PushedExample]:
    return [make_example(looped, f"push {n}", 90.0 * n, 0.3) for n in range(4)]


def failures(normal: Array, examples: list[PushedExample]) -> dict[str, str]:
    gate = judge_training_data(normal, examples)
    assert gate.passes == all(finding.passes for finding in gate.findings)
    assert all(bool(finding.advice) != finding.passes for finding in gate.findings)
    return {finding.name: finding.advice for finding in gate.findings if not finding.passes}


def test_a_loop_with_examples_all_around_passes(person: Looped) -> None:
    assert failures(person.features, around(person)) == {}
    gate = judge_training_data(person.features, around(person))
    assert gate.passes
    assert gate.value("loop_gap") < 1.8
    assert gate.value("lead_in_gap push 2") < 0.1
    assert gate.value("return_gap") < 0.2
    assert gate.value("direction_gap") == 90.0
    assert gate.value("frames") == len(person.features) * 5 + 4 * 19


def test_the_gap_of_a_loop_does_not_depend_on_where_it_begins(person: Looped) -> None:
    for first in range(0, len(person.features), 4):
        gate = judge_training_data(np.roll(person.features, first, axis=0), around(person))
        assert gate.value("loop_gap") < 1.8


def test_the_gap_of_a_circle_is_that_of_its_chords() -> None:
    """Chords turn by 2 pi / n: the mean of two neighbours is shorter than the chord between them by 1 - cos."""
    count = 40
    angles = 2.0 * np.pi * np.arange(count) / count
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    chord = 2.0 * np.sin(np.pi / count)
    assert measure_loop_gap(circle, chord) == pytest.approx(1.0 - np.cos(2.0 * np.pi / count))
    assert measure_loop_gap(circle[:-4], chord) == pytest.approx(4.0, rel=0.05)
    assert measure_gap(circle, np.array([[1.0, 0.0], [3.0, 0.0], [1.5, 0.0]]), 0.25) == pytest.approx(2.0)


def test_an_open_loop_is_refused(person: Looped) -> None:
    """With a tenth of the cycle missing, and half of it."""
    for share in (0.88, 0.5):
        cut = person.features[: int(share * len(person.features))]
        found = failures(np.concatenate((cut, cut))[: len(cut)], around(person))
        assert "loop_gap" in found
        assert "loop" in found["loop_gap"]
        assert judge_training_data(cut, around(person)).value("loop_gap") > 2.5


def test_an_example_that_starts_elsewhere_is_refused(person: Looped) -> None:
    """One that begins in the middle of its push, and one that stands still."""
    examples = around(person)
    examples[1] = examples[1]._replace(features=examples[1].features[18:])
    assert set(failures(person.features, examples)) == {"lead_in_gap push 1"}
    still = compute_features(person.layout, np.repeat(person.poses[:1], 30, axis=0))
    found = failures(person.features, [*around(person), PushedExample("still", still, 45.0)])
    assert set(found) == {"lead_in_gap still"}
    assert "'still'" in found["lead_in_gap still"]


def test_one_example_must_return(person: Looped) -> None:
    cut = [example._replace(features=example.features[:22]) for example in around(person)]
    assert set(failures(person.features, cut)) == {"return_gap"}
    assert failures(person.features, [*cut[:3], around(person)[3]]) == {}


def test_short_clips_are_refused(looped: Looped) -> None:
    examples = around(looped)
    examples[2] = make_example(looped, "short", 180.0)
    examples[2] = examples[2]._replace(features=examples[2].features[:19])
    found = failures(looped.features, examples)
    assert set(found) == {"frames"}
    assert "'short'" in found["frames"]


def test_directions_without_a_push_are_named(looped: Looped) -> None:
    assert find_direction_gap([]) == (360.0, 0.0)
    assert find_direction_gap([30.0]) == (360.0, 210.0)
    assert find_direction_gap([0.0, -90.0, 90.0]) == (180.0, 180.0)
    assert find_direction_gap([350.0, 10.0, 120.0, 240.0]) == (120.0, 180.0)
    found = failures(looped.features, [make_example(looped, str(n), 90.0 * n) for n in (0, 1, 3)])
    assert set(found) == {"direction_gap"}
    assert "180 degrees" in found["direction_gap"]
    assert set(failures(looped.features, [])) == {"direction_gap"}


def test_features_of_another_layout_or_no_walk_are_refused(looped: Looped) -> None:
    with pytest.raises(InputError, match="123"):
        judge_training_data(looped.features, [PushedExample("other", np.zeros((30, 81)), 0.0)])
    with pytest.raises(InputError, match="'empty'"):
        judge_training_data(looped.features, [PushedExample("empty", np.zeros((0, 123)), 0.0)])
    with pytest.raises(InputError, match="does not move"):
        judge_training_data(np.zeros((30, 123)), [])
    with pytest.raises(InputError, match="four feature vectors"):
        judge_training_data(np.zeros((3, 123)), [])

"""Pushes of recordings: estimated from where the walk goes, and what the data gate says of recorded clips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.respond.latent.examples import ExamplePush, make_normal_walk
from gambol.respond.latent.features import FRAME_TIME, FeatureLayout, compute_features, compute_loop_features
from gambol.respond.latent.learn import judge_examples
from gambol.respond.latent.phases import match_phases
from gambol.respond.latent.recorded import estimate_push, read_example
from gambol.respond.latent.verb import describe_gate, learn_walker
from gambol_evidence.reproduce.recordings import load_cmu_clip
from tests.respond.latent.conftest import turn_poses
from tests.respond.latent.walkers import LEAD, make_test_example, make_test_walk


def estimate(poses: Array) -> tuple[ExamplePush, int]:
    walk = make_test_walk()
    layout = FeatureLayout(walk.character)
    phases = match_phases(compute_loop_features(layout, walk.loop), compute_features(layout, poses))
    return estimate_push(walk, poses, phases.astype(int))


@pytest.mark.parametrize("direction", [45.0, 90.0, 270.0])
def test_a_push_is_found_wherever_the_clip_stands_and_faces(direction: float) -> None:
    example = make_test_example(0.25, direction)
    push, onset = estimate(example.poses)
    assert push.direction == pytest.approx(direction, abs=15.0)
    assert push.speed == pytest.approx(0.5, rel=0.25)
    assert push.phase == pytest.approx(0.25, abs=0.1)
    assert abs(onset - LEAD) <= 3
    turned, same = estimate(turn_poses(example.poses, 2.0, (3.0, -1.0)))
    assert same == onset
    np.testing.assert_allclose([turned.direction, turned.speed], [push.direction, push.speed], rtol=1e-6)


def test_a_clip_may_be_slower_than_the_normal_walk() -> None:
    example = make_test_example(0.25, 90.0)
    poses = example.poses - 0.2 * FRAME_TIME * np.outer(
        np.arange(len(example.poses)), np.eye(example.poses.shape[1])[0]
    )
    push, onset = estimate(poses)
    assert push.direction == pytest.approx(90.0, abs=15.0)
    assert abs(onset - LEAD) <= 3


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_who_walks_on_in_another_direction_was_pushed_towards_it(side: float) -> None:
    """A walk that turns by 60 degrees within half a second, whose pelvis turns with it."""
    walk = make_test_walk()
    poses = walk.loop.at(np.arange(70))
    _, centres = FeatureLayout(walk.character).points.locate(poses)
    steps, place = np.diff(centres[:, :2], axis=0, prepend=centres[:1, :2]), np.zeros(2)
    for n, angle in enumerate(side * np.radians(60.0) * np.clip((np.arange(70) - 25) / 15.0, 0.0, 1.0)):
        c, s = np.cos(angle), np.sin(angle)
        place = place + np.array([[c, -s], [s, c]]) @ steps[n]
        centred = poses[n : n + 1] - np.append(centres[n, :2], np.zeros(poses.shape[1] - 2))
        poses[n] = turn_poses(centred, angle, (place[0], place[1]))[0]
    push, onset = estimate(poses)
    speed = np.linalg.norm(walk.loop.travel) / len(walk.loop) * 30.0
    assert push.speed == pytest.approx(speed, rel=0.15)  # 2 sin(60 degrees / 2) = 1
    assert push.direction == pytest.approx(180.0 - side * 60.0, abs=10.0)
    assert 25 <= onset <= 32


def test_veers_are_pushes_to_their_side(data: Path) -> None:
    """CMU 16: two veers to the left, two to the right, and another normal walk."""
    walk = make_normal_walk(load_cmu_clip(data, "16_15"))
    found = [read_example(walk, load_cmu_clip(data, name)) for name in ("16_11", "16_12", "16_13", "16_14", "16_16")]
    *veers, normal = found
    assert all(90.0 < one.push.direction < 130.0 for one in veers[:2])
    assert all(230.0 < one.push.direction < 270.0 for one in veers[2:])
    assert min(one.push.speed for one in veers) > 0.6 > 0.3 > normal.push.speed
    assert all(15 < one.onset < 60 for one in veers)
    gate = judge_examples(walk, veers)
    assert [one.name for one in gate.findings if not one.passes] == ["direction_gap"]
    assert "'16_14' begins" in " ".join(one.verdict for one in gate.findings)


def test_a_stumble_without_a_normal_walk_is_refused(data: Path) -> None:
    """CMU 104_13 beside the walk of the same person that is nearest to it."""
    lines: list[str] = []
    with pytest.raises(InputError, match=r"'104_13' .* the normal walk"):
        learn_walker(
            load_cmu_clip(data, "104_11"),
            [load_cmu_clip(data, "104_13")],
            progress=lambda what, *_: lines.append(what),
        )
    assert lines[0].startswith("'104_13': pushed towards")
    assert any("'104_13' returns to within" in line and "until the person walks normally" in line for line in lines)
    assert any("closes with a gap" in line for line in lines)


def test_many_examples_on_the_walk_have_one_line_and_others_their_own() -> None:
    examples = [make_test_example(phase, direction) for phase in (0.0, 0.5) for direction in (0.0, 90.0, 270.0)]
    late = replace(examples[0], poses=examples[0].poses[LEAD + 4 :], name="late")
    few, many = (describe_gate(judge_examples(make_test_walk(), [*some, late])) for some in (examples[:2], examples))
    assert sum("begins" in line for line in few) == 3
    assert [line for line in many if "begins" in line] == [line for line in few if line.startswith("'late' begins")]
    assert sum("6 examples begin within" in line for line in many) == 1


def test_a_walk_in_place_is_refused() -> None:
    with pytest.raises(InputError, match=r"travels at 0\.00 m/s"):
        learn_walker(gb.loop("walk", times=3, in_place=True).motion)

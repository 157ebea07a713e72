"""What a family varies, as a person writes it down."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.spacetime.families.plan import parse_plan, read_plan

GOOD = """
fps: 20
gravity: 3.7
keep: height
changes: [{stage: ground 2, up: 0.1, left: 0.25}]
axes:
  - {stage: ground 2, left: [-0.5, 0.5], forward: [1, 3], count: 5}
  - {stage: flight 1, longer: [0.5, 2]}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grid.yaml"
    path.write_text(text)
    return path


def test_a_plan_as_it_is_written(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, GOOD))
    assert (plan.name, plan.shape, plan.fps) == ("grid", (5, 3), 20.0)
    edit = plan.edit((4, 0))
    ground, flight = edit.changes
    assert (edit.gravity, edit.keep) == (3.7, "height")
    assert (ground.stage, ground.up, ground.left, ground.forward) == ("ground 2", 0.1, 0.75, 3.0)
    assert (flight.stage, flight.longer) == ("flight 1", 0.5)
    between = plan.edit_at([0.125, 1.25]).changes
    assert between[0].left == pytest.approx(0.375)
    assert between[0].forward == pytest.approx(2.25)
    assert between[1].longer == pytest.approx(1.25)


def test_axes_have_names_with_units(tmp_path: Path) -> None:
    turned = GOOD + "  - {stage: ground 1, turn: [0, 90]}\n"
    keys = [axis.key for axis in read_plan(written(tmp_path, turned)).axes]
    assert keys == ["ground_2_left_m", "flight_1_longer_ratio", "ground_1_turn_deg"]


def test_a_circle_goes_about_another_stage(tmp_path: Path) -> None:
    text = "axes: [{stage: ground 2, turn: [-90, 90], about: ground 1, alone: true, count: 7}]"
    plan = read_plan(written(tmp_path, text))
    change = plan.edit((6,)).changes[0]
    assert (change.turn, change.about, change.alone) == (90.0, "ground 1", True)
    assert np.array_equal(plan.axes[0].values, np.linspace(-90.0, 90.0, 7))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("axes: []", "has no axes"),
        ("axes: 3", "'axes' must be a list"),
        ("[1]", "mapping"),
        ("axes: [{forward: [0, 1]}]", "without 'stage'"),
        ("axes: [{stage: ground 2}]", "nothing varies"),
        ("axes: [{stage: ground 2, forward: [1, 1]}]", "nothing varies"),
        ("axes: [{stage: ground 2, forward: 1}]", "a range of two numbers"),
        ("axes: [{stage: ground 2, forward: [0, .nan]}]", "must be a number"),
        ("axes: [{stage: ground 2, forward: [0, 1], count: 1}]", "2 to 1000"),
        ("axes: [{stage: ground 2, forward: [0, 1], count: 2.5}]", "whole number"),
        ("axes: [{stage: ground 2, forward: [0, 1], count: 1000000}]", "2 to 1000"),
        ("axes: [{stage: ground 2, sideways: [0, 1]}]", "no key 'sideways'"),
        ("axes: [{stage: flight 1, longer: [0.01, 1]}]", "0.1 to 10"),
        ("{fps: 1, axes: [{stage: ground 2, forward: [0, 1]}]}", "10 to 240"),
        ("{axes: [{stage: ground 2, forward: [0, 1]}], colour: red}", "no key 'colour'"),
        ("axes: [", "not YAML"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=f"grid.yaml: .*{told}"):
        read_plan(written(tmp_path, text))


def test_one_number_of_a_stage_varies_along_one_axis() -> None:
    axis = {"stage": "ground 2", "forward": [-0.1, 0.1]}
    with pytest.raises(InputError, match="forward of 'ground 2' varies along two axes"):
        parse_plan({"axes": [axis, axis]}, "twice")


def test_a_circle_may_pass_through_no_turn_at_all() -> None:
    circle = {"stage": "ground 2", "turn": [-90, 0], "about": "ground 1", "count": 3}
    plan = parse_plan({"axes": [circle]}, "circle")
    assert [plan.edit((n,)).changes[0].turn for n in range(3)] == [-90.0, -45.0, 0.0]
    assert plan.edit((2,)).changes[0].about == "ground 1"

"""Two styles are compared where their clips determine them, and shown at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.body.build import make_average_build
from gambol.body.human import make_human
from gambol.errors import InputError
from gambol.styles.style import PhysicalStyle, name_joints

NAMES = name_joints(make_human(make_average_build(1.75), 75.0).skeleton)
KNEE = NAMES.index("left_shank flexion")


def make(name: str) -> PhysicalStyle:
    values = np.ones((len(NAMES), 7))
    values[:, -1] = 0.0
    return PhysicalStyle(name, NAMES, values, np.full((len(NAMES), 7), 0.05))


def change(style: PhysicalStyle, field: str, column: int, value: float) -> PhysicalStyle:
    numbers = getattr(style, field).copy()
    numbers[KNEE, column] = value
    return replace(style, **{field: numbers})


def test_figures_are_ratios_of_costs_and_changes_of_rest_angles() -> None:
    bent = change(change(make("bent"), "values", 0, 2.0), "values", -1, 0.5)
    result = gb.compare_styles(make("straight"), bent)
    assert result.figures["left_shank_flexion_cost_ratio"] == 2.0
    assert result.figures["left_shank_flexion_rest_change_deg"] == pytest.approx(np.degrees(0.5))
    assert result.figures["right_shank_flexion_cost_ratio"] == 1.0
    assert result.notes == ()


def test_what_a_clip_does_not_determine_is_not_compared() -> None:
    vague = change(make("vague"), "uncertainty", 0, 0.6)
    assert "left_shank_flexion_cost_ratio" not in gb.compare_styles(make("clear"), vague).figures
    unknown = replace(vague, uncertainty=np.full((len(NAMES), 7), 9.0))
    result = gb.compare_styles(make("clear"), unknown)
    assert result.figures == {}
    assert result.notes == ("the clips do not determine the numbers of both well enough to compare them",)


def test_motions_are_both_at_rest_on_the_ground() -> None:
    straight, bent = gb.compare_styles(make("straight"), change(make("bent"), "values", -1, 0.5)).motions
    assert (straight.name, bent.name) == ("straight", "bent")
    for pose in (straight, bent):
        assert len(pose) == 1
        assert pose.placement.positions[..., 2].min() == pytest.approx(0.0, abs=1e-12)
    turned = bent.q - straight.q
    assert turned[0, 6 + KNEE] == 0.5
    assert turned[0, 1] == 1.0
    assert np.count_nonzero(np.abs(turned) > 1e-12) <= 3


def test_styles_of_other_bodies_are_not_compared() -> None:
    other = replace(make("other"), joints=tuple(f"x {name}" for name in NAMES))
    with pytest.raises(InputError, match="'one' and 'other' have different joints; compare styles of people"):
        gb.compare_styles(make("one"), other)

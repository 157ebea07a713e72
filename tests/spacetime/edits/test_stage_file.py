"""Stages that are written, corrected by hand and read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.body.character import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.io import samples
from gambol.spacetime.contact_plan import FrameMask
from gambol.spacetime.edits.editing import prepare_clip
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.edits.stage_file import StageEnd, mark_flights, parse_stages, read_stages, write_stages

JUMP = [("ground", 69), ("flight", 93), ("ground", 175)]
"""Stages of the built-in jump and the frames after their last ones."""


def entries(stages: list[tuple[str, int]], step: float) -> list[dict[str, Any]]:
    return [{"stage": kind, "until": end * step} for kind, end in stages]


def touched(clip: EditableClip) -> FrameMask:
    mask = np.zeros(len(clip.fitted.motion), dtype=bool)
    for contact in clip.contact_plan.foot_contacts:
        mask[contact.frames] = True
    return mask


@pytest.mark.parametrize("name", ["jump", "walk"])
def test_detected_stages_come_back_as_they_were(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    clip: EditableClip = request.getfixturevalue(name)
    stages = read_stages(write_stages(clip, tmp_path / "stages.yaml"))
    assert [stage.kind for stage in stages] == [part.kind for part in clip.stages]
    flight = mark_flights(stages, len(clip.fitted.motion), clip.frame_time)
    np.testing.assert_array_equal(flight, clip.contact_plan.flight)
    again = divide_clip(clip.fitted, flight=flight)
    assert [(p.name, p.first, p.last, p.about) for p in again.parts] == [
        (p.name, p.first, p.last, p.about) for p in clip.parts
    ]
    found, own = ([(c.point.name, c.first, c.last, *c.place, c.fixed) for c in made.contact_plan.foot_contacts]
                  for made in (again, clip))  # fmt: skip
    assert found == own


def test_a_corrected_flight_is_solved_as_one(jump: EditableClip) -> None:
    assert [(part.kind, part.last + 1) for part in jump.stages] == JUMP
    step = jump.frame_time
    corrected = entries([("ground", 66), ("flight", 94), ("ground", 175)], step)
    result = gb.edit(samples.jump(), changes=[{"stage": "ground 2", "forward": 0.1}], rate=30.0, stages=corrected)
    solved = result.edited
    flight = solved.draft.contact_plan.flight
    np.testing.assert_array_equal(np.flatnonzero(flight), np.arange(33, 47))
    centre = Dynamics(solved.draft.character).center_of_mass(solved.outcome.motion.q)
    falls = np.diff(centre, 2, axis=0)[flight[1:-1]] / (2.0 * step) ** 2
    np.testing.assert_allclose(falls, np.tile([0.0, 0.0, -GRAVITY], (len(falls), 1)), atol=1e-5)
    np.testing.assert_array_equal(np.flatnonzero(~touched(solved.draft.clip)), np.arange(66, 94))


def test_a_flight_that_is_none_stands_on_its_lowest_points(jump: EditableClip) -> None:
    ground = divide_clip(jump.fitted, flight=np.zeros(len(jump.fitted.motion), dtype=bool))
    assert [part.name for part in ground.stages] == ["ground 1"]
    assert touched(ground).all()
    assert not ground.contact_plan.unseen_support.any()
    new = [c for c in ground.contact_plan.foot_contacts if c.first >= 69 and c.last < 93]
    assert {contact.point.body for contact in new} == {"left_foot", "right_foot"}


def test_a_flight_in_the_middle_of_a_contact_divides_it(jump: EditableClip) -> None:
    stages = parse_stages({"stages": entries([("ground", 20), ("flight", 30), *JUMP], jump.frame_time)})
    clip, _ = prepare_clip(samples.jump(), stages=stages)
    assert [(part.name, part.first, part.last + 1) for part in clip.stages] == [
        ("ground 1", 0, 20), ("flight 1", 20, 30), ("ground 2", 30, 69), ("flight 2", 69, 93), ("ground 3", 93, 175)
    ]  # fmt: skip
    np.testing.assert_array_equal(touched(clip), ~clip.contact_plan.flight)
    assert "left step 3" in [part.name for part in clip.parts]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "mapping"),
        ([], "mapping"),
        ({"stage": []}, "no key 'stage'"),
        ({}, "no ground stage"),
        ({"stages": {}}, "list"),
        ({"stages": ["ground"]}, "mapping"),
        ({"stages": [{"stage": "ground 1", "until": 1.0}]}, "no stage 'ground 1'"),
        ({"stages": [{"until": 1.0}]}, "no stage None"),
        ({"stages": [{"stage": "ground"}]}, "'until' must be a number"),
        ({"stages": [{"stage": "ground", "until": float("nan")}]}, "'until' must be a number"),
        ({"stages": [{"stage": "ground", "until": 0}]}, "not after its start"),
        ({"stages": [{"stage": "ground", "until": 2}, {"stage": "flight", "until": 1}]}, "not after its start"),
        ({"stages": [{"stage": "ground", "until": 1}, {"stage": "ground", "until": 2}]}, "follow each other"),
        ({"stages": [{"stage": "flight", "until": 1}]}, "no ground stage"),
        ({"stages": [{"stage": "ground", "until": 1, "from": 0}]}, "no key 'from'"),
    ],
)
def test_what_makes_no_stages_is_told(content: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_stages(content)


def test_stages_cover_the_clip_and_have_frames() -> None:
    assert (
        mark_flights((StageEnd("ground", 0.5), StageEnd("flight", 0.99)), 10, 0.1).tolist() == [False] * 5 + [True] * 5
    )
    for until in (0.8, 1.2):
        with pytest.raises(InputError, match=rf"end at {until} s, and the clip at 1 s"):
            mark_flights((StageEnd("ground", until),), 10, 0.1)
    with pytest.raises(InputError, match=r"flight stage until 0.52 s has no frame"):
        mark_flights((StageEnd("ground", 0.5), StageEnd("flight", 0.52), StageEnd("ground", 1.0)), 10, 0.1)

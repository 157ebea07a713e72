"""`compose`: results, interruption, and scenes that go on."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.composition.blocks import Block, Cast, Take
from gambol.composition.schedules import Alternating, SolveBlocks
from gambol.errors import InputError
from tests.composition.scenes import PAIR


class Interrupted:
    """Two people in turn, and Ctrl-C after the first."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        solve(take, Block(("anna",), 0, cast.frames - 1), label="anna")
        raise KeyboardInterrupt


class Refused:
    """Somebody interrupts at once."""

    def run(self, cast: Cast, take: Take, solve: SolveBlocks) -> Take:
        raise KeyboardInterrupt


def test_an_interrupted_scene_is_the_best_so_far(tmp_path: Path) -> None:
    store = tmp_path / "state.part"
    result = gb.compose(PAIR, schedule=Interrupted(), store=store)
    assert result.stopped
    assert len(result.rows) == 1
    assert "stopped after 1 blocks" in result.notes[-1]
    assert len(result.motions) == 2
    assert store.exists()
    moved = result.take.tracks["anna"].q - result.cast.roles["anna"].draft.motion.q
    assert np.abs(moved).max() > 1e-4
    with pytest.raises(KeyboardInterrupt):
        gb.compose(PAIR, schedule=Refused())


def test_a_schedule_of_ones_own_and_its_report() -> None:
    told: list[str] = []
    result = gb.compose(PAIR, schedule=Alternating(cycles=1), progress=lambda what, *_: told.append(what))
    assert [row.label.split(",")[1].strip() for row in result.rows] == ["anna", "ben"]
    assert any(re.match(r"cycle 1, anna, .* N/m: solving \(cost", what) for what in told)
    assert result.figures["blocks"] == 2
    assert [motion.name for motion in result.motions] == ["anna", "ben"]
    assert result.motions[0].made["verb"] == "compose"
    arms = {"anna": "right_arm", "ben": "left_arm"}
    for motion, original in zip(result.motions, result.originals, strict=True):
        assert original.motion is motion
        assert len(original.clip) == len(motion)
        assert original.busy == {arms[motion.name]}


def test_a_condition_after_the_end_is_refused() -> None:
    people = {"anna": {"clip": "walk", "steps": 2}, "ben": {"clip": "walk", "steps": 2, "at": [0, -0.8]}}
    for condition in (
        {"hold": ["anna right_hand", "ben left_hand"], "start": 5},
        {"reach": "anna", "place": [1, 0], "at": 5},
    ):
        with pytest.raises(InputError, match=r"begins at 5 s, and the scene ends at 1\.\d\d s"):
            gb.compose({"people": people, "conditions": [condition]})


def test_people_who_begin_inside_each_other_are_refused() -> None:
    scene = {"people": {name: {"clip": "walk", "steps": 2} for name in ("anna", "ben")}}
    with pytest.raises(InputError, match="begins inside"):
        gb.compose(scene)

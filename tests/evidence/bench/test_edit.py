"""The clips that `gambol bench edit` times are those that its rows name."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.families.inverse import reach
from gambol_evidence.bench import edit
from tests.spacetime.families.made import unsolved
from tests.spacetime.families.test_inverse import SPACE


def test_a_jump_of_sixty_frames() -> None:
    clip = edit.make_one_jump()
    assert [part.kind for part in clip.stages] == ["ground", "flight", "ground"]
    assert len(draft_edit(clip, Edit("none"), 30.0).reference) == 60
    assert len(draft_edit(clip, Edit("none"), 60.0).reference) in (119, 120)


def test_reaching_is_timed_where_blends_have_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "_GOALS", 3)
    found = []
    monkeypatch.setattr(edit, "reach", lambda *words: found.append(reach(*words)))
    row = edit._time_reaching(unsolved(edit.make_one_jump(), SPACE), np.random.default_rng(0))
    assert (row.id, row.unit) == ("reach", "ms")
    assert len(found) == 9
    assert all(one.miss < 1e-3 for one in found)


def test_two_jumps_and_their_families() -> None:
    kinds = [part.kind for part in edit.make_two_jumps().stages]
    assert kinds == ["ground", "flight", "ground", "flight", "ground"]
    assert prod(edit.plan_grid().shape) == prod(edit.plan_steering().shape) == 81

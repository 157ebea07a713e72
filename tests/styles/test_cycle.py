"""Cycles: the contacts of one round repeat, and it ends as it starts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gambol.contacts.contact import Contact
from gambol.contacts.views import list_loads
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.styles.cycle import DraftedCycle, draft_cycle
from gambol.styles.scene import StyleScene
from gambol.styles.task import parse_task

pytestmark = pytest.mark.slow


@cache
def cycle(**task: float) -> tuple[DraftedCycle, StyleScene]:
    drafted, _ = draft_cycle(load("walk"), parse_task({**task, "cycle": True}), None)
    return drafted, drafted.make_scene()


def list_forces(scene: StyleScene, frame: int) -> list[tuple[str, np.ndarray]]:
    def order(one: Contact) -> tuple[str, float]:
        return one.body, float(one.places[0, 0])

    active = [one for one in list_loads(scene.contacts, scene.character) if one.is_active(frame)]
    return [(one.body, one.places) for one in sorted(active, key=order)]


def test_contacts_at_both_ends_are_the_same_a_stride_apart() -> None:
    drafted, scene = cycle()
    assert len(scene.reference) == drafted.frames + 2
    ahead = drafted.travel[:3]
    assert 0.8 < np.linalg.norm(ahead) < 2.0
    for frame in (0, 1):
        first, last = list_forces(scene, frame), list_forces(scene, frame + drafted.frames)
        assert [body for body, _ in first] == [body for body, _ in last]
        assert first
        for (_, one), (_, two) in zip(first, last, strict=True):
            np.testing.assert_allclose(two - one, np.broadcast_to(ahead, one.shape), atol=1e-9)


def test_longer_strides_take_the_cycle_farther() -> None:
    ratio = np.linalg.norm(cycle(stride=1.2)[0].travel) / np.linalg.norm(cycle()[0].travel)
    assert 1.1 < ratio < 1.25


def test_a_part_of_the_clip_is_searched_if_the_task_says_which() -> None:
    with pytest.raises(InputError, match="too short for a cycle"):
        draft_cycle(load("walk"), parse_task({"cycle": True, "start": 1.0, "end": 1.2}), None)


def test_poses_outside_of_the_window_are_those_of_another_round() -> None:
    """The reference, which repeats itself, comes back as one round of the clip's own length."""
    drafted, scene = cycle()
    once = drafted.return_to_rig(scene.reference)
    assert len(once) == drafted.clip_frames
    assert once.skeleton.names == load("walk").skeleton.names

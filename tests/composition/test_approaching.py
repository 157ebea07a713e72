"""People reach for what a condition asks of them in the time that it takes, and go back."""

from __future__ import annotations

import numpy as np

from gambol.composition.approaching import draft_approaches
from gambol.composition.blocks import Block, Cast, solve_block, track_part
from gambol.composition.cast import make_cast
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import BodyPart, Meet, Reach

STANDING = (Action("stand"),)
BOXER = Person("boxer", STANDING, heading=0.0)
RIVAL = Person("rival", STANDING, at=(0.8, 0.1), heading=180.0)
HAND, HEAD = BodyPart("boxer", "right_hand"), BodyPart("rival", "head")
PUNCH = Meet(HAND, HEAD, 0.6, 0.13, goal_of="boxer")


def _cast(*conditions: Meet | Reach, duration: float = 2.0) -> Cast:
    return make_cast(Composition("test", (BOXER, RIVAL), conditions, duration=duration))[0]


def test_a_hand_takes_time_to_meet_a_head() -> None:
    cast = _cast(PUNCH, duration=1.0)
    block = Block(("boxer",), 0, cast.frames - 1)
    drafted = draft_approaches(cast, cast.draft(), block)
    assert list(drafted.references) == ["boxer"]
    heights = []
    for take in (cast.draft(), drafted):
        found = solve_block(cast, take, block)
        assert found.solution.converged
        hand = track_part(cast, found.take, HAND)
        away = hand[18] - track_part(cast, found.take, HEAD)[18]
        np.testing.assert_allclose(np.linalg.norm(away), 0.13, atol=1e-6)
        heights.append(hand[:, 2])
    speeds = [np.abs(np.diff(one)).max() / cast.frame_time for one in heights]
    assert speeds[1] < 0.6 * speeds[0]
    lasting = [(one > 0.5 * (one[0] + one[18])).sum() * cast.frame_time for one in heights]
    assert lasting[1] > 2.0 * lasting[0]


def test_only_the_arm_that_reaches_changes_and_only_around_the_time() -> None:
    cast = _cast(Reach(HAND, (0.45, -0.1, 1.2), 1.0))
    take = cast.draft()
    (reference,) = draft_approaches(cast, take, cast.whole).references.values()
    change = np.abs(reference - take.tracks["boxer"].q)
    skeleton = cast.roles["boxer"].draft.character.skeleton
    moved = {skeleton.names[dof.joint] for dof, some in zip(skeleton.dofs, change.any(axis=0), strict=True) if some}
    assert moved
    assert moved <= {"right_collar", "right_upper_arm", "right_forearm", "right_hand"}
    frames = np.flatnonzero(change.any(axis=1))
    assert 17 <= frames[0] <= 20
    assert 40 <= frames[-1] <= 43
    assert change[30].max() == change.max() > 0.3


def test_drafts_stay_where_nothing_is_asked_of_hands_or_heads() -> None:
    chests = Meet(BodyPart("boxer", "chest"), BodyPart("rival", "chest"), 1.0, 0.6)
    cast = _cast(chests)
    assert not draft_approaches(cast, cast.draft(), cast.whole).references
    cast = _cast(PUNCH)
    others = draft_approaches(cast, cast.draft(), Block(("rival",), 0, cast.frames - 1))
    assert not others.references
    early = draft_approaches(cast, cast.draft(), Block(("boxer",), 0, 8))
    assert not early.references

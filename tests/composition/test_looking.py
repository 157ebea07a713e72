"""Heads turn to whom conditions are about, in sight, within their limits and speed, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gambol.composition.blocks import Block, Cast, track_part
from gambol.composition.cast import make_cast
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import Avoid, BodyPart, Hold, Meet, Tackle
from gambol.composition.looking import turn_heads
from gambol.composition.runner import ScheduleRunner
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place

STANDING = (Action("stand"),)
ANNA = Person("anna", STANDING, heading=0.0)
HANDS = (BodyPart("anna", "right_hand"), BodyPart("ben", "left_hand"))
HEADS = (BodyPart("anna", "head"), BodyPart("ben", "head"))
CHESTS = (BodyPart("anna", "chest"), BodyPart("ben", "chest"))


def _cast(*others: Person, meets: Sequence[Avoid | Hold | Meet | Tackle], duration: float = 4.0) -> Cast:
    return make_cast(Composition("test", (ANNA, *others), tuple(meets), duration=duration))[0]


def _stand(degrees: float, *, away: float = 2.0, height: float | None = None) -> Person:
    """Return somebody who stands some metres from anna, to her left by an angle, and faces as she does."""
    way = np.radians(degrees)
    return Person("ben", STANDING, at=(away * np.cos(way), away * np.sin(way)), heading=0.0, height=height)


def _find_turns(cast: Cast, block: Block | None = None, name: str = "anna") -> Array:
    """Return by how much (degrees) the draft of somebody's head turns left and up (frames, 2), and nothing else."""
    draft = cast.roles[name].draft
    change = turn_heads(cast, cast.draft(), block or cast.whole).references[name] - draft.motion.q
    left, down = draft.character.skeleton.columns(draft.character.skeleton.index("head"), "turn")[:2]
    assert not np.delete(change, [left, down], axis=1).any()
    return np.degrees(np.stack((change[:, left], -change[:, down]), axis=1))


@pytest.mark.parametrize("degrees", [40.0, -40.0])
def test_the_face_points_at_whom_somebody_meets_and_turns_back(degrees: float) -> None:
    cast = _cast(_stand(degrees), meets=[Meet(*HANDS, 2.0)])
    turned = turn_heads(cast, cast.draft(), cast.whole).references["anna"]
    skeleton = cast.roles["anna"].draft.character.skeleton
    face = quat.rotate(place(skeleton, turned).rotations[:, skeleton.index("head")], np.array([1.0, 0.0, 0.0]))
    away = track_part(cast, cast.draft(), HEADS[1]) - track_part(cast, cast.draft(), HEADS[0])
    apart = np.degrees(np.arccos(np.sum(face * away, axis=1) / np.linalg.norm(away, axis=1)))
    assert apart[45:76].max() < 1.0
    assert abs(apart[0] - 40.0) < 4.0
    turns = _find_turns(cast)[:, 0]
    assert not turns[:10].any()
    assert not turns[-10:].any()
    assert np.abs(np.diff(turns)).max() / cast.frame_time < 1.1 * 1.875 * abs(degrees)


def test_heads_turn_as_far_as_they_do() -> None:
    beside = _find_turns(_cast(_stand(90.0), meets=[Meet(*HANDS, 2.0)]))[60]
    assert beside[0] == pytest.approx(60.0, abs=4.0)
    child = _find_turns(_cast(_stand(70.0, height=1.2), meets=[Meet(*HANDS, 2.0)]))[60]
    assert child[1] < -5.0
    assert np.hypot(child[0] / 60.0, child[1] / 30.0) < 1.1


@pytest.mark.parametrize(("degrees", "away"), [(120.0, 2.0), (40.0, 0.35)])
def test_nobody_looks_at_whom_they_do_not_see(degrees: float, away: float) -> None:
    assert not _find_turns(_cast(_stand(degrees, away=away), meets=[Meet(*HANDS, 2.0)])).any()


def test_who_holds_hands_glances_once_and_who_passes_looks_until_then() -> None:
    hold = _find_turns(_cast(_stand(40.0), meets=[Hold(*HANDS)]))[:, 0]
    assert hold[0] > 30.0
    assert not hold[46:].any()
    walker = Person("ben", (Action("walk", steps=8),), at=(3.0, 1.0), heading=180.0)
    passing = _cast(walker, meets=[Avoid(*CHESTS, 0.0, 3.5, 0.7)], duration=3.5)
    turns = _find_turns(passing)[:, 0]
    distance = np.linalg.norm(
        track_part(passing, passing.draft(), HEADS[1]) - track_part(passing, passing.draft(), HEADS[0]), axis=1
    )
    assert 40.0 < turns.max() < 62.0
    assert abs(int(turns.argmax()) - int(distance.argmin())) < 12
    assert abs(turns[-1]) < 1.0


def test_nobody_looks_for_the_goal_of_another() -> None:
    cast = _cast(_stand(40.0), meets=[Tackle(Meet(*CHESTS, 2.0, goal_of="ben"))])
    assert not _find_turns(cast).any()
    cast = replace(cast, conditions=(Meet(*CHESTS, 2.0, goal_of="anna"),))
    assert _find_turns(cast).any()
    assert not _find_turns(cast, Block(("anna",), 0, cast.frames - 1, goals=False)).any()
    assert not _find_turns(cast, name="ben").any()


def test_of_several_the_nearest_is_looked_at() -> None:
    carl = replace(_stand(-40.0, away=1.5), name="carl")
    meets = [Meet(HEADS[0], BodyPart(name, "head"), 2.0) for name in ("ben", "carl")]
    cast = _cast(_stand(40.0), carl, meets=meets)
    for one in (cast, replace(cast, conditions=tuple(meets[::-1]))):
        assert _find_turns(one)[60, 0] == pytest.approx(-40.0, abs=4.0)


def test_solutions_look_as_drafted() -> None:
    cast = _cast(_stand(40.0), meets=[Hold(*HANDS)], duration=1.0)
    solved = ScheduleRunner(cast)(cast.draft(), Block(("anna",), 0, cast.frames - 1)).tracks["anna"].q
    skeleton = cast.roles["anna"].draft.character.skeleton
    left = np.degrees(solved[:, skeleton.columns(skeleton.index("head"), "turn")[0]])
    np.testing.assert_allclose(left[[0, 15]], 40.0, atol=5.0)

"""Where an edit puts the parts of a clip, and when, before it is solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import gimbal_margin
from gambol.geometry.vectors import UP
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.moves import Move, move_from_change, plan_moves
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.time_map import map_times
from tests.spacetime.edits.conftest import clip_from

NOTHING = Edit("nothing")


def _matrix(move: Move) -> np.ndarray:
    out = np.eye(4)
    c, s = np.cos(move.turn), np.sin(move.turn)
    out[:3] = [[c, -s, 0.0, move.shift[0]], [s, c, 0.0, move.shift[1]], [0.0, 0.0, 1.0, move.shift[2]]]
    return out


def _headings(motion: Motion) -> np.ndarray:
    """(frames,) radians where the root faces, without jumps of a full turn."""
    ahead = quat.rotate(motion.placement.rotations[:, 0], (1.0, 0.0, 0.0))
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))


def test_moves_after_each_other_are_products_of_matrices() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, two = (Move(rng.uniform(-7.0, 7.0), rng.normal(size=3)) for _ in range(2))
        both, places = two.after(one), rng.normal(size=(5, 3))
        product = _matrix(two) @ _matrix(one)
        np.testing.assert_allclose(_matrix(both), product, atol=1e-12)
        np.testing.assert_allclose(both(places), places @ product[:3, :3].T + product[:3, 3], atol=1e-12)
        np.testing.assert_allclose(both.rotate(places), places @ product[:3, :3].T, atol=1e-12)
        assert both.turn == one.turn + two.turn


def test_ground_moves_and_what_comes_after_goes_along(walk: EditableClip) -> None:
    step = next(part for part in walk.parts if part.name == "left step 2")
    for alone in (False, True):
        moves = plan_moves(walk, [Change(step.name, forward=0.3, left=0.1, turn=20.0, alone=alone)])
        of = {id(contact): move for contact, move in zip(walk.contacts.items, moves, strict=True)}
        for part in (part for part in walk.parts if part.kind == "step"):
            along = part is step or (part.first >= step.first and not alone)
            for contact in part.contacts:
                assert (of[id(contact)].turn != 0.0) == along, (part.name, contact.first)
                assert along or np.array_equal(of[id(contact)].shift, np.zeros(3))


def test_a_foot_that_still_pushes_off_stays_with_its_own_step(walk: EditableClip) -> None:
    """A contact of the right foot that begins after the left has landed, as recordings have them."""
    before, after = walk.part("right step 2"), walk.part("left step 2")
    tail = replace(before.contacts[-1], first=after.first + 3, last=before.last, fixed=False)
    rests = (*walk.contacts.items, tail)
    parts = tuple(replace(p, contacts=(*p.contacts, tail)) if p is before else p for p in walk.parts)
    clip = replace(walk, contacts=replace(walk.contacts, items=rests), parts=parts)
    moves = plan_moves(clip, [Change("left step 2", forward=0.3)])
    assert not moves[-1].shift.any()
    assert sum(bool(move.shift.any()) for move in moves) > len(after.contacts)


def test_forward_left_and_up_are_as_the_body_faces(jump: EditableClip) -> None:
    ground = jump.part("ground 2")
    ahead = _headings(jump.fitted.motion)[ground.first]
    move = move_from_change(jump, Change("ground 2", forward=0.3, left=0.2, up=0.1))
    c, s = np.cos(ahead), np.sin(ahead)
    np.testing.assert_allclose(move.shift, [0.3 * c - 0.2 * s, 0.3 * s + 0.2 * c, 0.1], atol=1e-12)
    turned = move_from_change(jump, Change("ground 2", turn=50.0))
    np.testing.assert_allclose(turned(jump.position(ground)), jump.position(ground), atol=1e-12)


def test_an_arc_about_another_stage_keeps_its_radius(jump: EditableClip) -> None:
    pivot, place = jump.position(jump.part("ground 1")), jump.position(jump.part("ground 2"))
    move = move_from_change(jump, Change("ground 2", turn=70.0, about="ground 1"))
    before, after = (place - pivot)[:2], (move(place) - pivot)[:2]
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), abs=1e-12)
    angle = np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after)
    assert np.degrees(angle) == pytest.approx(70.0)
    draft = draft_edit(jump, Edit("arc", (Change("ground 2", turn=70.0, about="ground 1"),)), 30.0)
    recorded = draft_edit(jump, NOTHING, 30.0)
    more = _headings(draft.reference) - _headings(recorded.reference)
    assert np.degrees(more[[0, -1]]) == pytest.approx([0.0, 70.0], abs=1e-6)
    farther = move_from_change(jump, Change("ground 2", turn=70.0, about="ground 1", forward=0.4))
    assert np.linalg.norm((farther(place) - pivot)[:2]) > np.linalg.norm(before) + 0.35


@pytest.mark.parametrize("longer", [1.0, 1.5])
@pytest.mark.parametrize(
    ("gravity", "keep", "time", "height"),
    [(1.62, "speed", GRAVITY / 1.62, GRAVITY / 1.62), (1.62, "height", np.sqrt(GRAVITY / 1.62), 1.0),
     (1.62, "time", 1.0, 1.62 / GRAVITY), (GRAVITY, "speed", 1.0, 1.0)],
)  # fmt: skip
def test_flights_fall_as_far_as_their_time_says(
    jump: EditableClip, gravity: float, keep: str, time: float, height: float, longer: float
) -> None:
    n = [stage.name for stage in jump.stages].index("flight 1")
    before = map_times(jump, NOTHING)
    seconds, was = np.diff(before.times)[n], GRAVITY * np.diff(before.times)[n] ** 2 / 8.0
    for by, higher in (("time", 0.0), ("time", 0.2), ("gravity", 0.2)):
        change = Change("flight 1", higher=higher, by=by, longer=longer)  # type: ignore[arg-type]
        time_map = map_times(jump, Edit("edit", (change,), gravity, keep))  # type: ignore[arg-type]
        found, pull = np.diff(time_map.times)[n], time_map.gravity[n]
        wanted = height * was + higher
        if by == "gravity":
            assert found == pytest.approx(seconds * time * longer)
        else:
            assert pull == gravity
            wanted *= longer**2
        assert pull * found**2 / 8.0 == pytest.approx(wanted)
        assert time_map.extra_rise[n] == pytest.approx(wanted - was)
        np.testing.assert_allclose(np.delete(np.diff(time_map.times), n), np.delete(np.diff(before.times), n))
        np.testing.assert_array_equal(np.delete(time_map.gravity, n), gravity)
        middle = 0.5 * (time_map.times[n] + time_map.times[n + 1])
        np.testing.assert_allclose(
            time_map.extra_height(np.array([*time_map.times, middle])), [*np.zeros(4), wanted - was], atol=1e-9
        )


def test_the_time_map_is_monotonic(jump: EditableClip) -> None:
    changes = (Change("ground 1", longer=0.3), Change("flight 1", longer=2.0), Change("ground 2", longer=3.0))
    time_map = map_times(jump, Edit("edit", changes))
    np.testing.assert_allclose(np.diff(time_map.times), np.diff(time_map.source_times) * [0.3, 2.0, 3.0])
    back = time_map.to_source(np.linspace(0.0, time_map.times[-1], 997))
    assert (np.diff(back) > 0.0).all()
    assert back[[0, -1]] == pytest.approx(time_map.source_times[[0, -1]])
    assert not time_map.is_recorded
    assert map_times(jump, NOTHING).is_recorded


@pytest.mark.parametrize("name", ["jump", "walk"])
def test_an_edit_of_nothing_is_the_clip(name: str, request: pytest.FixtureRequest) -> None:
    clip: EditableClip = request.getfixturevalue(name)
    draft = draft_edit(clip, NOTHING, 1.0 / clip.frame_time)
    assert len(draft.reference) == len(clip.fitted.motion)
    np.testing.assert_allclose(draft.reference.q, clip.fitted.motion.q, atol=1e-9)
    np.testing.assert_array_equal(draft.contacts.flight, clip.contacts.flight)
    np.testing.assert_array_equal(draft.gravity, GRAVITY)
    slow = draft_edit(clip, NOTHING, 0.5 / clip.frame_time)
    np.testing.assert_allclose(slow.reference.q, clip.fitted.motion.q[::2][: len(slow.reference)], atol=1e-9)
    assert [(r.part, *r.place) for r in draft.contacts.items] == [(r.part, *r.place) for r in clip.contacts.items]


@pytest.mark.parametrize("turn", [360.0, -360.0, 720.0])
def test_full_turns_are_turned(jump: EditableClip, turn: float) -> None:
    draft = draft_edit(jump, Edit("turn", (Change("ground 2", turn=turn),)), 60.0)
    more = np.degrees(_headings(draft.reference) - _headings(draft_edit(jump, NOTHING, 60.0).reference))
    assert more[[0, -1]] == pytest.approx([0.0, turn], abs=1e-6)
    assert np.abs(np.diff(draft.reference.q, axis=0)).max() < 0.8
    place = draft.clip.part("ground 2").contacts[0].place
    assert any(np.allclose(contact.place, place) for contact in draft.contacts.items)


def _pitched(motion: Motion, angle: float) -> Motion:
    """The motion in a world that is turned about the vertical, and its root pitched forward in the flight."""
    turns = list(motion.skeleton.columns(0, "turn"))
    local = motion.placement.rotations[:, 0]
    part = np.sin(np.pi * np.linspace(0.0, 1.0, len(motion))) ** 2
    pitch = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle * part)
    from gambol.geometry.angles import angles_about

    axes = np.array([motion.skeleton.dofs[c].axis for c in turns])
    wanted = quat.multiply(quat.conjugate(motion.skeleton.rests[0]), quat.multiply(local, pitch))
    q = motion.q.copy()
    q[:, turns] = angles_about(axes, wanted)
    return replace(motion, q=q)


@pytest.mark.parametrize("angle", [1.2, 1.7, 3.0])
def test_drafts_stay_away_from_gimbal_lock(angle: float) -> None:
    clip = clip_from(_pitched(samples.jump(), angle))
    name = next(stage.name for stage in reversed(clip.stages) if stage.contacts)
    draft: Draft = draft_edit(clip, Edit("turn", (Change(name, turn=180.0),)), 60.0)
    angles = draft.reference.q[:, list(draft.reference.skeleton.columns(0, "turn"))]
    assert gimbal_margin(angles) > 0.25
    assert np.abs(np.diff(angles, axis=0)).max() < 0.6
    up = quat.rotate(draft.reference.placement.rotations[:, 0], UP)
    recorded = quat.rotate(draft_edit(clip, NOTHING, 60.0).reference.placement.rotations[:, 0], UP)
    np.testing.assert_allclose(up[:, 2], recorded[:, 2], atol=1e-9)

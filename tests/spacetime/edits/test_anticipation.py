"""Jumps are prepared for their new heights: measured on the centre of mass, the arms and the feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.edits.anticipation import BACK_SLOPE, DIP_SLOPE, LANDING_SLOPE, anticipate
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solve_edit import solve_edit
from gambol.spacetime.evaluate import evaluate_frames
from tests.spacetime.edits.conftest import clip_from

RATE = 60.0
HIGHER = Edit("higher", (Change("flight 1", higher=0.15),))


def _draft(clip: EditableClip, **changes: float) -> Draft:
    return draft_edit(clip, Edit("edit", (Change("flight 1", **changes),)), RATE)  # type: ignore[arg-type]


def _lowest(draft: Draft, q: Array) -> float:
    """Height of the centre of mass at its lowest before the take-off (m)."""
    leave = int(np.flatnonzero(draft.contacts.flight)[0])
    return float(Dynamics(draft.character).center_of_mass(q)[:leave, 2].min())


def _land(draft: Draft) -> int:
    return int(np.flatnonzero(draft.contacts.flight)[-1]) + 1


def _sink(draft: Draft, q: Array) -> Array:
    """How much lower the centre of mass is than in the draft, from the landing on (m)."""
    was, now = (Dynamics(draft.character).center_of_mass(each)[_land(draft) :, 2] for each in (draft.reference.q, q))
    return np.asarray(was - now)


def _rise(seconds: float, climb: float = 0.0) -> float:
    """Metres that a throw rises which climbs so far in so many seconds."""
    return float((climb / seconds + 0.5 * 9.81 * seconds) ** 2 / (2.0 * 9.81))


def _seconds(clip: EditableClip, higher: float = 0.0) -> float:
    """Duration (s) of a flight that rises higher by some metres."""
    return float(np.sqrt((len(clip.part("flight 1")) * clip.frame_time) ** 2 + 8.0 * higher / 9.81))


def _arm_angle(draft: Draft, q: Array, frame: int) -> float:
    """Angle of the left upper arm to the trunk, forward (degrees)."""
    placed, skeleton = Motion(draft.character.skeleton, q, 1.0 / RATE).placement, draft.character.skeleton
    shoulder, elbow = (placed.positions[frame, skeleton.index(f"left_{part}")] for part in ("upper_arm", "forearm"))
    arm = quat.rotate(quat.conjugate(placed.rotations[frame, skeleton.index("chest")]), elbow - shoulder)
    return float(np.degrees(np.arctan2(arm[0], -arm[2])))


@pytest.mark.parametrize("higher", [0.15, -0.1])
def test_the_crouch_follows_the_height(jump: EditableClip, higher: float) -> None:
    """The line of the recordings, with take-off speeds worked out by hand from times and heights."""
    draft = _draft(jump, higher=higher)
    more = _rise(_seconds(jump, higher)) - _rise(_seconds(jump))
    deeper = _lowest(draft, draft.reference.q) - _lowest(draft, anticipate(draft))
    assert deeper == pytest.approx(DIP_SLOPE * more, abs=0.004)
    assert abs(deeper) > 0.04


def test_the_crouch_ends_where_legs_end(jump: EditableClip) -> None:
    """A jump of two metres is prepared like one of 0.7 m, to which the lines are followed."""
    draft = _draft(jump, higher=2.0)
    deeper = _lowest(draft, draft.reference.q) - _lowest(draft, anticipate(draft))
    assert deeper == pytest.approx(DIP_SLOPE * (0.7 - _rise(_seconds(jump))), abs=0.01)


def test_feet_stay_and_nothing_changes_once_the_body_stands_again(jump: EditableClip) -> None:
    draft = _draft(jump, higher=0.15)
    q = anticipate(draft)
    held = list_constraints(draft.contacts), list_loads(draft.contacts, draft.character)
    motion = replace(draft.reference, q=q)
    stood = evaluate_frames(draft.character, draft.reference, *held).contact
    assert evaluate_frames(draft.character, motion, *held).contact < stood + 1e-3
    erect = _land(draft) + round(0.7 * RATE)
    np.testing.assert_allclose(q[erect:], draft.reference.q[erect:], atol=1e-12)
    np.testing.assert_allclose(q[0], draft.reference.q[0], atol=0.01)
    steps = [np.abs(np.diff(one, axis=0)).max() for one in (q, draft.reference.q)]
    assert steps[0] < 1.5 * steps[1]


def test_landings_sink_deeper_after_higher_falls(jump: EditableClip) -> None:
    """The line of the recordings; the deepening begins with the speed by which the fall is faster, and ends softly."""
    draft = _draft(jump, higher=0.15)
    deeper = _sink(draft, anticipate(draft))
    more = _rise(_seconds(jump, 0.15)) - _rise(_seconds(jump))
    assert deeper.max() == pytest.approx(LANDING_SLOPE * more, abs=0.003)
    assert deeper[0] == pytest.approx(0.0, abs=1e-4)
    assert 0.1 <= deeper.argmax() / RATE <= 0.3
    steps = np.diff(deeper)
    assert steps[0] == steps.max()
    assert np.abs(steps[-round(0.1 * RATE) :]).max() < 0.2 * steps.max()


def test_landings_after_lower_falls_and_on_a_box_of_the_same_height_stay(jump: EditableClip) -> None:
    """A box takes away the height of the fall that it adds to the rise."""
    for draft in (_draft(jump, higher=-0.1), draft_edit(jump, Edit("box", (Change("ground 2", up=0.2),)), RATE)):
        np.testing.assert_allclose(_sink(draft, anticipate(draft))[1:], 0.0, atol=1e-9)


def test_landings_on_one_foot_or_left_at_once_stay(jump: EditableClip) -> None:
    draft = _draft(jump, higher=0.15)
    ground = jump.part("ground 2")
    one = replace(ground, contacts=tuple(c for c in ground.contacts if c.body == "left_foot"))
    hop = replace(draft, clip=replace(jump, parts=tuple(one if part is ground else part for part in jump.parts)))
    short = draft_edit(jump, Edit("short", (Change("flight 1", higher=0.15), Change("ground 2", longer=0.1))), RATE)
    for unchanged in (hop, short):
        np.testing.assert_allclose(_sink(unchanged, anticipate(unchanged)), 0.0, atol=1e-9)


def test_feet_that_the_recording_lets_slide_do_not_jump_to_their_contacts(jump: EditableClip) -> None:
    """Feet that a recording lets rise by 4 cm on the ground are restored where the body is lowered, and by degrees."""
    draft = _draft(jump, higher=0.15)
    raised = draft.reference.q.copy()
    raised[_land(draft) :, draft.character.skeleton.columns(0, "slide")[2]] += 0.04
    draft = replace(draft, reference=replace(draft.reference, q=raised))
    added = anticipate(draft) - raised
    turns = [n for n, dof in enumerate(draft.character.skeleton.dofs) if dof.kind == "turn"]
    assert np.degrees(np.abs(np.diff(added[_land(draft) + 1 :, turns], axis=0)).max()) < 8.0


def test_arms_swing_farther_back(jump: EditableClip) -> None:
    draft = _draft(jump, higher=0.15)
    back = int(np.flatnonzero(draft.contacts.flight)[0]) - round(0.45 * RATE)
    turned = _arm_angle(draft, anticipate(draft), back) - _arm_angle(draft, draft.reference.q, back)
    more = _rise(_seconds(jump, 0.15)) - _rise(_seconds(jump))
    leg = sum(np.linalg.norm(jump.fitted.character.skeleton.offsets[n]) for n in _leg(jump))
    assert turned == pytest.approx(BACK_SLOPE * more / leg, rel=0.15)


def test_the_trunk_leans_farther_but_not_beyond_what_people_do(jump: EditableClip) -> None:
    """The built-in jump leans by 58 degrees at its lowest, where nothing is added, and less before."""
    draft = _draft(jump, higher=0.15)
    own, new = (_lean(draft, q) for q in (draft.reference.q, anticipate(draft)))
    leave = int(np.flatnonzero(draft.contacts.flight)[0])
    steep = own[:leave] > 55.0
    assert steep.any()
    np.testing.assert_allclose(new[:leave][steep], own[:leave][steep], atol=0.5)
    added = (new - own)[:leave][own[:leave] < 50.0]
    assert 1.0 < added.max() < 20.0
    assert added.min() > -1.0


def _lean(draft: Draft, q: Array) -> Array:
    """Angle of the line from hips to neck to the vertical (degrees)."""
    placed = Motion(draft.character.skeleton, q, 1.0 / RATE).placement.positions
    trunk = placed[:, draft.character.skeleton.index("head")] - placed[:, 0]
    return np.degrees(np.arctan2(np.hypot(trunk[:, 0], trunk[:, 1]), trunk[:, 2]))


def _leg(clip: EditableClip) -> list[int]:
    return [clip.fitted.character.skeleton.index(f"left_{part}") for part in ("shank", "foot")]


def test_a_box_takes_as_much_preparation_as_the_take_off_is_faster(jump: EditableClip) -> None:
    draft = draft_edit(jump, Edit("box", (Change("ground 2", up=0.2),)), RATE)
    more = _rise(_seconds(jump), 0.2) - _rise(_seconds(jump))
    deeper = _lowest(draft, draft.reference.q) - _lowest(draft, anticipate(draft))
    assert deeper == pytest.approx(DIP_SLOPE * more, abs=0.004)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("none"),
        Edit("far", (Change("ground 2", forward=0.5, turn=90.0),)),
        Edit("moon", gravity=1.62),
        Edit("slow", (Change("ground 1", longer=1.5),)),
    ],
    ids=lambda edit: edit.name,
)
def test_what_does_not_change_the_take_off_speed_is_not_prepared(jump: EditableClip, edit: Edit) -> None:
    draft = draft_edit(jump, edit, RATE)
    np.testing.assert_array_equal(anticipate(draft), draft.reference.q)


def test_a_take_off_from_one_foot_is_not_prepared() -> None:
    draft = draft_edit(clip_from(samples.run()), HIGHER, RATE)
    assert draft.contacts.flight.any()
    np.testing.assert_array_equal(anticipate(draft), draft.reference.q)


def test_a_take_off_after_a_long_stand_on_one_foot_is_not_prepared(jump: EditableClip) -> None:
    draft = _draft(jump, higher=0.15)
    ground = jump.part("ground 1")
    one = replace(ground, contacts=tuple(c for c in ground.contacts if c.body == "left_foot"))
    hop = replace(draft, clip=replace(jump, parts=tuple(one if part is ground else part for part in jump.parts)))
    leave = int(np.flatnonzero(draft.contacts.flight)[0])
    np.testing.assert_allclose(anticipate(hop)[:leave], draft.reference.q[:leave], atol=1e-12)


def test_a_lower_jump_keeps_a_crouch_that_was_shallow() -> None:
    """Cut where it is nearly down: of the little dip that is left, half the height keeps about half."""
    clip = clip_from(samples.jump()[44:])
    draft = _draft(clip, higher=-0.1)
    leave = int(np.flatnonzero(draft.contacts.flight)[0])
    dip = float(Dynamics(draft.character).center_of_mass(draft.reference.q)[0, 2]) - _lowest(draft, draft.reference.q)
    assert leave > 0.3 * RATE
    assert dip < 0.3 * DIP_SLOPE * _rise(_seconds(clip))
    assert 0.0 < _lowest(draft, anticipate(draft)) - _lowest(draft, draft.reference.q) < 0.6 * dip


@pytest.mark.slow
def test_physics_keeps_the_crouch(jump: EditableClip) -> None:
    """Nearness to the recording alone kept its crouch to 0.3 cm."""
    plain, found = (solve_edit(jump, edit, fps=20.0) for edit in (Edit("none"), HIGHER))
    assert found.outcome.solution.converged
    deeper = _lowest(plain.draft, plain.outcome.motion.q) - _lowest(found.draft, found.outcome.motion.q)
    more = _rise(_seconds(jump, 0.15)) - _rise(_seconds(jump))
    assert deeper == pytest.approx(DIP_SLOPE * more, rel=0.25)

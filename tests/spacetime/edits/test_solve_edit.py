"""Edits that are solved, judged by Pinocchio and by where the joints are; and their way home."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.contacts.views import list_constraints
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import find_runs
from gambol.io import samples
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.solve_edit import SolvedEdit, find_feasible_share, solve_draft, solve_edit
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol.stages.feet import find_foot_points, track_point
from tests.spacetime.edits.conftest import clip_from

RATE = 30.0
FAR = Edit("far", (Change("ground 2", forward=0.3, up=0.15, turn=60.0), Change("flight 1", higher=0.1)))


@pytest.fixture(scope="module")
def jump() -> EditableClip:
    return clip_from(samples.jump()[35:130])


@pytest.fixture(scope="module")
def far(jump: EditableClip) -> SolvedEdit:
    return solve_edit(jump, FAR, fps=RATE)


@pytest.fixture(scope="module")
def same(jump: EditableClip) -> SolvedEdit:
    return solve_edit(jump, Edit("nothing"), fps=RATE)


def _falls(found: SolvedEdit) -> np.ndarray:
    """(flight frames, 3) acceleration of the centre of mass."""
    motion = found.outcome.motion
    center = Dynamics(found.draft.character).center_of_mass(motion.q)
    return np.diff(center, 2, axis=0)[found.draft.contacts.flight[1:-1]] / motion.frame_time**2


def _drift(found: SolvedEdit) -> float:
    """kg m²/s by which angular momentum changes over flights."""
    q, step = found.outcome.motion.q, found.outcome.motion.frame_time
    spins = np.asarray(
        Dynamics(found.draft.character).momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular
    )
    return max(float(np.ptp(spins[a - 1 : b + 1], axis=0).max()) for a, b in find_runs(found.draft.contacts.flight))


def _held(found: SolvedEdit) -> float:
    """Metres that points which are held are from where the edit puts them, at most."""
    placed, joints, worst = found.outcome.motion.placement, found.draft.character.skeleton, 0.0
    for hold in list_constraints(found.draft.contacts):
        joint, frames = joints.index(hold.body), slice(hold.first, hold.last + 1)
        turned = quat.rotate(placed.rotations[frames, joint, None], hold.points)
        away = placed.positions[frames, joint, None] + turned - hold.places
        worst = max(worst, float(np.linalg.norm(away, axis=-1).max()))
    return worst


def _turned(way: np.ndarray, degrees: float) -> np.ndarray:
    return quat.rotate(quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(degrees)), way)


def test_an_edit_keeps_to_the_laws_and_to_its_places(far: SolvedEdit) -> None:
    assert far.outcome.solution.converged
    falls = _falls(far)
    assert len(falls) > 8
    np.testing.assert_allclose(falls, np.tile([0.0, 0.0, -GRAVITY], (len(falls), 1)), atol=1e-6)
    assert _drift(far) < 1e-5
    assert _held(far) < 1e-6
    assert 0.1 < far.change_deg < 10.0
    assert "ground 2: forward 0.3, up 0.15, turn 60; flight 1: higher 0.1" in far.summary


def test_feet_stand_where_the_edit_puts_them(jump: EditableClip, far: SolvedEdit) -> None:
    """Every held point of the second stage, told from the recording alone."""
    ground, skeleton = jump.part("ground 2"), far.draft.character.skeleton
    ahead = quat.rotate(jump.fitted.motion.placement.rotations[ground.first, 0], (1.0, 0.0, 0.0)) * (1.0, 1.0, 0.0)
    way = 0.3 * ahead / np.linalg.norm(ahead) + (0.0, 0.0, 0.15)
    pivot, placed = jump.position(ground), far.outcome.motion.placement
    late = [contact for contact in ground.contacts if contact.fixed and contact.last == ground.last]
    assert {contact.part for contact in late} >= {"left_ball", "right_ball"}
    for contact in late:
        joint = skeleton.index(contact.body)
        shown = placed.positions[-1, joint] + quat.rotate(placed.rotations[-1, joint], contact.points[0])
        np.testing.assert_allclose(shown, pivot + _turned(contact.place - pivot, 60.0) + way, atol=1e-6)
    places = [tuple(contact.place) for contact in far.draft.contacts.items]
    assert all(tuple(contact.place) in places for contact in jump.part("ground 1").contacts if contact.fixed)


def test_a_flight_on_the_moon_falls_as_there(jump: EditableClip) -> None:
    found = solve_edit(jump, Edit("moon", gravity=1.62, keep="height"), fps=RATE)
    assert found.outcome.solution.converged
    falls = _falls(found)
    assert len(falls) > 20
    np.testing.assert_allclose(falls, np.tile([0.0, 0.0, -1.62], (len(falls), 1)), atol=1e-6)
    assert _drift(found) < 1e-5
    home = return_to_rig(found.draft, found.outcome.motion.q)
    seconds = (np.sqrt(GRAVITY / 1.62) - 1.0) * len(jump.part("flight 1")) * jump.frame_time
    more = len(home) - len(jump.fitted.source)
    assert more * home.frame_time == pytest.approx(seconds, abs=2.0 * home.frame_time)


def test_an_edit_of_nothing_comes_home_as_it_was(jump: EditableClip, same: SolvedEdit) -> None:
    home, source = return_to_rig(same.draft, same.outcome.motion.q), jump.fitted.source
    assert same.outcome.solution.converged
    assert same.change_deg < 2.0
    assert home.frame_time == source.frame_time
    assert home.skeleton is source.skeleton
    assert home.rig == source.rig
    assert len(home) == len(source)
    back = quat.multiply(quat.conjugate(source.placement.rotations), home.placement.rotations)
    angle = 2.0 * np.arccos(np.clip(np.abs(back[..., 0]), 0.0, 1.0))
    assert np.degrees(np.sqrt(np.mean(angle**2))) < 2.0


def test_an_edit_comes_home_with_its_feet_in_place(jump: EditableClip, far: SolvedEdit) -> None:
    home, source = return_to_rig(far.draft, far.outcome.motion.q), jump.fitted.source
    assert home.frame_time == source.frame_time
    assert home.skeleton is source.skeleton
    for point in find_foot_points(source):
        if point.name.endswith(("heel", "ball")):
            before, after = track_point(source, point), track_point(home, point)
            assert np.linalg.norm(after[0] - before[0]) < 0.02
            assert after[-1, 2] - before[-1, 2] == pytest.approx(0.15, abs=0.02)
            assert np.linalg.norm(np.ptp(after[-20:], axis=0)) < 0.01


def test_the_printed_form_is_lawful_in_flight_and_knows_no_forces(same: SolvedEdit) -> None:
    found = solve_draft(same.draft, printed=True)
    assert found.outcome.solution.converged
    np.testing.assert_allclose(_falls(found), _falls(same), atol=1e-4)
    assert _drift(found) < 1e-3
    assert _held(found) < 1e-6
    assert "momentum spline" in found.outcome.solution.residuals
    assert "push" not in found.outcome.solution.costs
    assert found.outcome.solution.costs["pseudo balance"] > 0.0


def test_how_far_an_edit_can_go() -> None:
    jump = clip_from(samples.jump()[58:104])
    hopeless = Edit("hopeless", (Change("ground 2", forward=12.0),))
    share = find_feasible_share(jump, hopeless)
    assert 0.0 < share < 0.5
    assert solve_edit(jump, hopeless.scale(share), fps=20.0).outcome.solution.converged


def test_how_far_an_edit_can_go_does_not_depend_on_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a clip that can jump 2.4 m, 8 sizes from one to its double are tried: less than a tenth is lost."""

    def solve(clip: EditableClip, edit: Edit, fps: float, terms: tuple = ()) -> SimpleNamespace:
        return SimpleNamespace(outcome=SimpleNamespace(solution=SimpleNamespace(converged=edit.size <= 2.4)))

    monkeypatch.setattr("gambol.spacetime.edits.solve_edit.solve_edit", solve)
    clip = clip_from(samples.jump()[58:104])
    edits = [Edit("far", (Change("ground 2", forward=asked),)) for asked in (2.5, 3.0, 4.0, 12.0, 30.0)]
    found = [find_feasible_share(clip, edit) * edit.size for edit in edits]
    assert found == pytest.approx(len(found) * [found[0]])
    assert 2.2 < found[0] <= 2.4
    nothing = (Edit("nothing"), Edit("nothing", (Change("ground 2"),)), Edit("nothing", gravity=9.81))
    assert [find_feasible_share(clip, edit) for edit in nothing] == [0.0, 0.0, 0.0]
    assert find_feasible_share(clip, Edit("far", (Change("ground 2", forward=100.0),))) == 0.0
    assert Edit("slow", (Change("flight 1", longer=2.0),), gravity=9.81).scale(0.5).size == pytest.approx(
        0.5 * np.log(2)
    )


def test_a_step_aside_in_a_walk_moves_that_step_alone(walk: EditableClip) -> None:
    edit = Edit("aside", (Change("left step 2", left=0.15, alone=True),))
    found = solve_draft(draft_edit(walk, edit, RATE))
    assert found.outcome.solution.converged
    assert _held(found) < 1e-6
    assert found.change_deg < 6.0

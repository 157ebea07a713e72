"""The claims of `gambol reproduce edit`: motion warping is a fair comparison, and what is broken does not hold."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.metrics.check import check
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft, draft_edit
from gambol.spacetime.edits.edit import Edit
from gambol.spacetime.edits.moves import plan_moves
from gambol.spacetime.edits.solve_edit import SolvedEdit, solve_edit
from gambol.spacetime.evaluate import evaluate_frames
from gambol.spacetime.families.controller import ControlFrame
from gambol.spacetime.families.family import Family
from gambol_evidence.cli import bench, reproduce
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.edit import bars, controller, families, physics, preparation, style, table, walks
from gambol_evidence.reproduce.edit.clips import Jump, cut_around, find_jump, make_editable, measure_joint_difference
from gambol_evidence.reproduce.edit.warp import displace_clip, warp_clip
from tests.spacetime.families.made import steering, twice, unsolved


@pytest.fixture(scope="module")
def leap() -> Jump:
    motion = samples.jump()
    flights = [part for part in make_editable(motion).parts if part.kind == "flight"]
    return find_jump(cut_around(motion, flights, 0.4))


@pytest.fixture(scope="module")
def drafts(leap: Jump) -> dict[str, Draft]:
    edits = {
        "farther": {"forward": 0.5},
        "turn": {"turn": 90.0},
        "higher": {"higher": 0.2},
        "spin": {"turn": 360.0},
    }
    return {name: draft_edit(leap.clip, leap.edit(name, **numbers), 60.0) for name, numbers in edits.items()}


@pytest.fixture(scope="module")
def farther(leap: Jump) -> SolvedEdit:
    return solve_edit(leap.clip, leap.edit("farther", forward=0.2), fps=20.0)


@pytest.fixture(scope="module")
def none(leap: Jump) -> SolvedEdit:
    return solve_edit(leap.clip, Edit("none"), fps=20.0)


def _with(found: SolvedEdit, q: Array) -> SolvedEdit:
    """The same edit with other coordinates."""
    return SolvedEdit(found.draft, replace(found.outcome, motion=replace(found.outcome.motion, q=q)))


def _missed(rows: list[Claim]) -> set[str]:
    return {row.id.rpartition("-")[2] for row in rows if not row.holds}


def _root(draft: Draft, q: Array) -> Array:
    return Motion(draft.character.skeleton, q, draft.reference.frame_time).placement.positions[:, 0]


def test_names_are_known() -> None:
    assert "edit" in get_args(get_args(reproduce.Name)[0])
    assert "edit" in get_args(bench.Suite)


@pytest.mark.parametrize("name", ["farther", "turn", "higher", "spin"])
def test_a_warped_clip_begins_and_ends_where_the_edit_says(drafts: dict[str, Draft], name: str) -> None:
    draft = drafts[name]
    q = displace_clip(draft)
    np.testing.assert_allclose(q[0], draft.reference.q[0], atol=1e-6)
    np.testing.assert_allclose(q[-1], draft.reference.q[-1], atol=1e-6)
    last = plan_moves(draft.clip, draft.edit.changes)[-1]
    recorded = draft.clip.fitted.motion.placement.positions[-1, 0]
    if draft.time_map.is_recorded:
        np.testing.assert_allclose(_root(draft, q)[-1], last(recorded), atol=0.01)


@pytest.mark.parametrize("name", ["farther", "turn", "spin"])
def test_a_warped_clip_has_no_kink_where_lines_have(drafts: dict[str, Draft], name: str) -> None:
    draft = drafts[name]
    recorded = draft_edit(draft.clip, Edit("none"), 1.0 / draft.reference.frame_time, draft.character).reference.q
    root = draft.character.skeleton.columns(0)
    ways = [(q - recorded)[:, root] for q in (draft.reference.q, displace_clip(draft))]
    kinks = [float(np.abs(np.diff(way, 2, axis=0)).max()) for way in ways]
    assert kinks[1] < 0.5 * kinks[0]


def test_feet_of_a_warped_clip_are_in_their_places(drafts: dict[str, Draft]) -> None:
    draft = drafts["farther"]
    motion = Motion(draft.character.skeleton, warp_clip(draft), draft.reference.frame_time)
    feet = [hold for hold in list_constraints(draft.contacts) if hold.body.endswith("foot")]
    assert evaluate_frames(draft.character, motion, feet, list_loads(draft.contacts, draft.character)).contact < 0.002


def test_a_jump_goes_backward(leap: Jump) -> None:
    clip = leap.clip
    start, landing = clip.part("ground 1"), clip.part(leap.landing)
    change = leap.backward.changes[0]
    forward = np.array([np.cos(clip.heading(landing)), np.sin(clip.heading(landing)), 0.0])
    way = clip.position(landing) - clip.position(start)
    assert way @ forward + change.forward == pytest.approx(-2.0, abs=1e-6)


def test_a_solved_edit_is_physical_and_a_draft_is_not(farther: SolvedEdit, none: SolvedEdit) -> None:
    solved = _missed(list(physics.physics_claims("jump", farther, none, "")))
    assert not solved & {"fall", "contact", "least", "friction", "peak"}
    rows = list(physics.physics_claims("jump", _with(farther, farther.draft.reference.q), none, ""))
    assert {"fall", "contact"} <= _missed(rows)


def test_a_sunken_motion_is_below_the_floor(farther: SolvedEdit) -> None:
    level = physics.evaluate_between_frames(farther).penetration
    q = farther.outcome.motion.q.copy()
    up = farther.draft.character.skeleton.columns(0, "slide")[2]
    q[:, up] -= 0.05
    assert physics.evaluate_between_frames(_with(farther, q)).penetration == pytest.approx(level + 0.05, abs=0.001)


def test_rows_count_what_does_not_converge() -> None:
    rows = {row.id: row for row in bars.bar_claims(["13_11 up: none"], [10, 20, 60], [1.0, 1.0, 4.0])}
    assert not rows["converges"].holds
    assert "13_11 up" in rows["converges"].data
    assert rows["converges"].measured == pytest.approx(66.7, abs=0.1)
    assert not rows["iterations"].holds
    assert rows["iterations"].measured == 30.0
    assert not rows["iterations-most"].holds  # an edit that reaches the solver's limit of 60


def test_a_solver_that_does_not_converge_fails_its_claim(farther: SolvedEdit, none: SolvedEdit) -> None:
    solution = replace(farther.outcome.solution, converged=False)
    stopped = SolvedEdit(farther.draft, replace(farther.outcome, solution=solution))
    assert "iterations" in _missed(list(physics.physics_claims("jump", stopped, none, "")))


def test_times_of_another_machine_are_not_counted(leap: Jump) -> None:
    assert not table._claim("forward jump", 46, 120.0, 60, 1.0, leap.clip).counted


def test_lost_figures_are_counted_and_compared(leap: Jump) -> None:
    good = leap.clip.fitted.source
    slides = good.skeleton.columns(0, "slide")
    q = good.q.copy()
    q[:, slides] += 0.1 * np.sin(20.0 * good.times)[:, None]
    before, bad = check(good), check(replace(good, q=q))
    worse = {row.id: row for row in style.style_claims("x", [1.0, 1.0], before, bad, before, before)}
    assert worse["x-lost"].measured > 0.0
    assert not worse["x-lost"].holds
    assert not worse["x-against-warp"].holds
    better = {row.id: row for row in style.style_claims("x", [1.0, 1.0], before, before, bad, bad)}
    assert all(row.holds for row in better.values())


def test_steps_of_a_walk_are_edited() -> None:
    clip = make_editable(samples.walk())
    aside, corner = walks.make_step_edits(clip)
    assert aside.changes[0].alone
    assert abs(sum(change.turn for change in corner.changes)) == pytest.approx(40.0)
    assert all(clip.part(change.stage).kind == "step" for edit in (aside, corner) for change in edit.changes)


def test_a_blend_of_equal_members_is_the_member_and_a_bad_one_shows(leap: Jump, none: SolvedEdit) -> None:
    plan, motion, draft = table.plan_landing_grid(leap.landing, 20.0), none.outcome.motion, none.draft
    shown = draft.time_map.to_source(draft.reference.times)
    times, q = (np.broadcast_to(x, (*plan.shape, *x.shape)) for x in (motion.times, motion.q))
    family = Family(plan, leap.clip, draft.character, shown, times, q, np.ones(plan.shape, dtype=bool))
    assert len(families.cell_centres(family)) == 4
    fall, spin, feet, joints = families.measure_blend(family, (0.0, 0.0), none)
    assert fall < 1e-4
    assert spin < 1e-3
    assert feet < 0.1
    assert joints == pytest.approx(0.0, abs=1e-9)
    shaken = replace(family, q=q + 0.05 * np.sin(np.arange(len(motion)))[:, None])
    assert not any(row.holds for row in families.blend_claims("x", shaken, {(0.0, 0.0): none}, ""))
    assert measure_joint_difference(draft.character, motion.q, motion.q + 0.1) == pytest.approx(np.degrees(0.1))


def test_glide_and_flights_of_a_chain_are_measured(none: SolvedEdit) -> None:
    draft, motion = none.draft, none.outcome.motion
    feet = [hold for hold in list_constraints(draft.contacts) if hold.body.endswith("foot")]

    def chain(q: Array) -> list[ControlFrame]:
        held = [tuple(hold for hold in feet if hold.is_active(n)) for n in range(len(q))]
        each = zip(q, motion.times, held, draft.contacts.flight, strict=True)
        return [ControlFrame(pose, float(t), planted, bool(flies), np.zeros(3)) for pose, t, planted, flies in each]

    assert all(row.holds for row in controller.controller_claims(draft.character, chain(motion.q), ""))
    q = motion.q.copy()
    up = draft.character.skeleton.columns(0, "slide")[2]
    q[:, up] += 0.03 * np.sin(3.0 * np.arange(len(q)))
    assert not any(row.holds for row in controller.controller_claims(draft.character, chain(q), ""))
    flying = draft.contacts.flight
    left = draft.character.skeleton.columns(0, "slide")[1]
    q = motion.q.copy()
    q[flying, left] += 0.02  # still parabolas, but not those of the take-offs
    assert _missed(list(controller.controller_claims(draft.character, chain(q), ""))) == {"parabola"}
    ground = [frame for frame in chain(motion.q) if not frame.airborne]
    assert np.isnan(controller.measure_parabola_error(draft.character, ground))
    assert np.isnan(controller.measure_glide(draft.character, [frame._replace(contacts=()) for frame in ground]))


def test_the_lag_of_a_controller_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    family = unsolved(twice(), steering(-0.3, 0.3))
    assert controller.find_steered_takeoff(family, 45) == 2.0
    monkeypatch.setattr(controller.Controller, "steer", lambda self, direction: None)
    assert np.isinf(controller.find_steered_takeoff(family, 45))


def test_preparation_is_measured_on_the_jump(leap: Jump, none: SolvedEdit) -> None:
    """A body that is lowered in mid-crouch, and arms that are raised in flight, by known amounts."""
    before = preparation.measure_edit(none, leap)
    q, skeleton = none.outcome.motion.q.copy(), none.draft.character.skeleton
    leave = int(np.flatnonzero(none.draft.contacts.flight)[0])
    q[:leave, 2] -= 0.05 * np.sin(np.linspace(0.0, np.pi, leave))
    low = preparation.measure_edit(_with(none, q), leap)
    assert 0.02 < low.dip - before.dip < 0.06
    assert low.rise == before.rise
    assert low.swing == pytest.approx(before.swing)
    raised = none.outcome.motion.q.copy()
    raised[leave - 1 :, [skeleton.columns(skeleton.index(f"{side}_upper_arm"))[0] for side in ("left", "right")]] += 0.3
    leg = sum(np.linalg.norm(skeleton.offsets[skeleton.index(f"left_{part}")]) for part in ("shank", "foot"))
    more = preparation.measure_edit(_with(none, raised), leap).swing - before.swing
    assert more == pytest.approx(np.degrees(0.3) * leg, rel=0.2)


def test_lines_are_fitted_and_growth_compared() -> None:
    line = [preparation.Preparation(h, 0.1 + 0.62 * h, 50.0 + 73.0 * h) for h in (0.2, 0.3, 0.5)]
    assert all(row.holds for row in preparation.trend_claims([*line, line[0]]))
    flat = [one._replace(dip=0.2 + 0.01 * n, swing=90.0) for n, one in enumerate([*line, line[0]])]
    assert not any(row.holds for row in preparation.trend_claims(flat))
    assert preparation.compare_growth(line[0], line[2]) == pytest.approx((1.0, 1.0))
    rows = {row.id: row for row in preparation.growth_claims("twice", {"a": (1.0, 0.1), "b": (0.9, 1.0)})}
    assert {name for name, row in rows.items() if not row.holds} == {"prepared-twice-swing-least"}

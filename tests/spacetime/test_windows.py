"""Repairs of clips: known damage is removed, and correct motion is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import fit as fit_to
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import find_runs
from gambol.geometry.filters import low_pass
from gambol.io import samples
from gambol.legs.rig_feet import plant_feet
from gambol.motion.motion import Motion
from gambol.spacetime import windows
from gambol.spacetime.artefacts import is_noisy, remove_artefacts
from gambol.spacetime.solved_windows import SolvedWindow, read_windows, write_windows
from gambol.spacetime.windows import Repair, make_physical
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import track_point
from tests.legs.harm import measure_sinking, measure_slide, translate

WALK, JUMP = samples.walk()[40:132], samples.jump()[40:110]
STEP = WALK[:62]


def _fixed(motion: Motion, **settings: int) -> Repair:
    return make_physical(fit_to(Character.from_motion(motion), motion), **settings)


@pytest.fixture(scope="module")
def swaying() -> tuple[Motion, Repair]:
    sway = 0.03 * np.sin(2.0 * np.pi * STEP.times / 0.7)
    harmed = translate(STEP, np.stack((0.0 * sway, sway, 0.0 * sway), axis=1))
    return harmed, _fixed(harmed)


@pytest.fixture(scope="module")
def light_jump() -> Repair:
    """A jump under 70 % of gravity."""
    lift = np.zeros(len(JUMP))
    for first, last in find_runs(~find_foot_contacts(JUMP).touching()):
        time = JUMP.frame_time * np.arange(last - first + 1)
        lift[first : last + 1] = -0.15 * GRAVITY * time * (time[-1] - time)
    return _fixed(translate(JUMP, np.stack((0.0 * lift, 0.0 * lift, lift), axis=1)))


def test_a_walk_that_is_right_hardly_changes() -> None:
    found = _fixed(STEP)
    assert all(window.converged for window in found.windows)
    assert found.change < 0.6
    assert found.notes == ()
    assert found.motion.frame_time == STEP.frame_time
    assert found.motion.skeleton is STEP.skeleton
    apart = np.linalg.norm(found.motion.placement.positions - STEP.placement.positions, axis=2)
    assert 1e-5 < apart.max() < 0.05


def test_feet_that_slide_are_planted_on_the_rig_and_the_body_comes_back(swaying: tuple[Motion, Repair]) -> None:
    harmed, found = swaying
    assert measure_slide(harmed, STEP) > 25.0
    assert measure_slide(found.motion, STEP) < 4.0
    root = [
        np.abs(m.placement.positions[:, 0, 1] - STEP.placement.positions[:, 0, 1]).mean()
        for m in (harmed, found.motion)
    ]
    assert root[1] < root[0]


def test_contact_points_stay_in_place(swaying: tuple[Motion, Repair]) -> None:
    _, found = swaying
    after = Motion(found.fitted.motion.skeleton, found.q, WALK.frame_time)
    held = [rest for rest in found.contacts.items if rest.fixed]
    points = {point.name: point for point in found.contacts.points}
    assert held
    for rest in held:
        assert np.abs(track_point(after, points[rest.part])[rest.frames] - rest.place).max() < 1e-5


def test_flight_falls_with_gravity_and_keeps_its_spin(light_jump: Repair) -> None:
    found, step = light_jump, JUMP.frame_time
    dynamics = Dynamics(found.fitted.character)
    centre = dynamics.center_of_mass(found.q)
    before = dynamics.center_of_mass(found.fitted.motion.q)
    middle, rates = 0.5 * (found.q[1:] + found.q[:-1]), np.diff(found.q, axis=0) / step
    spin = dynamics.momentum(middle, rates).angular
    flights = [(a, b) for a, b in find_runs(found.contacts.flight) if a > 0 and b < len(centre) - 1]
    ((first, last),) = flights
    assert np.diff(before[first + 2 : last - 1, 2], n=2).mean() / step**2 == pytest.approx(-0.7 * GRAVITY, abs=0.5)
    falls = np.diff(centre[first - 1 : last + 2], n=2, axis=0) / step**2
    np.testing.assert_allclose(falls, np.tile([0.0, 0.0, -GRAVITY], (len(falls), 1)), atol=1e-4)
    assert np.ptp(spin[first - 1 : last + 1], axis=0).max() < 1e-3


@pytest.fixture(scope="module")
def parts(swaying: tuple[Motion, Repair]) -> Repair:
    """The same in three windows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_OVERLAP", 0.25)
        return make_physical(swaying[1].fitted, window=36)


def test_windows_join_without_a_seam_and_agree_with_the_whole(swaying: tuple[Motion, Repair], parts: Repair) -> None:
    _, whole = swaying
    assert len(parts.windows) == 3
    assert parts.windows[1].first < parts.windows[0].last
    assert np.degrees(np.abs(parts.q - whole.q)[:, 3:].max()) < 2.0
    apart = np.abs(np.diff(parts.q - whole.q, axis=0))[:, 3:].max(axis=1)
    seams = [window.first for window in parts.windows[1:]]
    assert np.degrees(apart[[seam + k for seam in seams for k in (-1, 0, 1)]].max()) < 0.1


def test_a_stopped_repair_goes_on_after_its_solved_windows(
    swaying: tuple[Motion, Repair], parts: Repair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_OVERLAP", 0.25)
    fitted, store = swaying[1].fitted, tmp_path / "walk.part"

    def stop(what: str, done: int, total: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_physical(fitted, window=36, store=store, progress=stop)
    told: list[tuple[str, int, int | None]] = []
    resumed = make_physical(fitted, window=36, store=store, progress=lambda *report: told.append(report))
    ends = [("solving frames", window.last + 1, parts.windows[-1].last + 1) for window in parts.windows]
    assert [report for report in told if report[1]] == ends  # the first was solved before
    assert [window.status for window in resumed.windows] == [window.status for window in parts.windows]
    np.testing.assert_array_equal(resumed.q, parts.q)
    np.testing.assert_array_equal(resumed.residual, parts.residual)


def test_windows_of_another_clip_are_not_used(tmp_path: Path) -> None:
    window = SolvedWindow(0, 2, True, "converged", 7, np.arange(3.0), np.ones((3, 4)))
    write_windows(tmp_path / "a.part", "mine", [window])
    (found,) = read_windows(tmp_path / "a.part", "mine")
    assert (found.first, found.last, found.converged, found.status, found.iterations) == (0, 2, True, "converged", 7)
    np.testing.assert_array_equal(found.q, window.q)
    assert read_windows(tmp_path / "a.part", "yours") == []
    assert read_windows(tmp_path / "none.part", "mine") == []
    (tmp_path / "a.part").write_bytes((tmp_path / "a.part").read_bytes()[:200])
    with pytest.raises(InputError, match=r"not a repair that was stopped, or truncated; delete it to begin anew"):
        read_windows(tmp_path / "a.part", "mine")


def test_of_a_fast_clip_every_second_frame_is_solved_and_detail_is_kept(swaying: tuple[Motion, Repair]) -> None:
    slow, found = swaying
    times = 0.5 * slow.frame_time * np.arange(2 * len(slow) - 1)
    q = CubicSpline(slow.times, np.unwrap(slow.q, axis=0))(times)
    arm = slow.skeleton.columns(slow.skeleton.index("LeftForeArm"), "turn")
    q[1::2, arm] += 0.002
    fast = _fixed(replace(slow, q=q, frame_time=0.5 * slow.frame_time))
    assert fast.every == 2
    assert fast.windows[-1].last == len(slow) - 1
    assert len(fast.residual) == len(fast.motion) == len(times)
    apart = fast.motion.placement.positions[::2] - found.motion.placement.positions
    assert np.linalg.norm(apart, axis=2).max() < 0.01
    assert measure_slide(fast.motion[::2], STEP) < 5.0
    change = (fast.motion.q - q)[:, arm]
    np.testing.assert_allclose(np.mean(change[1::2] - 0.5 * (change[:-1:2] + change[2::2]), axis=0), 0.0, atol=2e-4)


def test_leaning_without_support_needs_residual_force_and_a_note() -> None:
    """The whole body leans over its toes for a second, which contact forces cannot explain."""
    stand = samples.stand()[:60]
    assert stand.rig is not None
    turns = stand.skeleton.columns(0, "turn")
    column = next(c for c in turns if abs(np.array(stand.skeleton.dofs[c].axis) @ _left(stand)) > 0.9)
    q = stand.q.copy()
    q[:, column] += np.radians(35.0)
    leant, toes = replace(stand, q=q), stand.rig.parts["left_toes"]
    found = _fixed(translate(leant, stand.placement.positions[:, toes] - leant.placement.positions[:, toes]))
    assert found.residual.max() > 0.1
    assert any("body weights" in note for note in found.notes)


def _left(motion: Motion) -> np.ndarray:
    assert motion.rig is not None
    places = motion.placement.positions[0]
    way = places[motion.rig.parts["left_thigh"]] - places[motion.rig.parts["right_thigh"]]
    return way / np.linalg.norm(way)


def test_too_short_a_clip_is_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        _fixed(WALK[:6])


def test_lost_frames_are_filled_and_a_body_at_rest_is_left_alone() -> None:
    q = WALK.q.copy()
    for first in (20, 47, 80):
        q[first : first + 3] = q[first - 1]
    found = remove_artefacts(replace(WALK, q=q))
    assert found.notes == ("lost frames, filled in: 9",)
    before, after = (np.abs(m - WALK.q).max() for m in (q, found.motion.q))
    assert after < 0.4 * before
    still = replace(WALK, q=np.repeat(WALK.q[:1], 50, axis=0))
    np.testing.assert_array_equal(remove_artefacts(still).motion.q, still.q)
    np.testing.assert_array_equal(remove_artefacts(WALK).motion.q, WALK.q)


def test_a_flip_is_turned_back_and_only_its_frames_change() -> None:
    assert WALK.rig is not None
    joint = WALK.rig.parts["right_forearm"]
    column = WALK.skeleton.columns(joint, "turn")[-1]
    q = WALK.q.copy()
    q[30:42, column] += np.pi
    found = remove_artefacts(replace(WALK, q=q))
    assert "flips of joints, undone: 2" in found.notes[0]
    apart = np.linalg.norm(found.motion.placement.positions - WALK.placement.positions, axis=2).max(axis=1)
    assert apart.max() < 0.03
    np.testing.assert_array_equal(found.motion.q[:30], WALK.q[:30])
    np.testing.assert_array_equal(found.motion.q[42:], WALK.q[42:])


def test_a_body_that_jumps_to_another_place_is_brought_back() -> None:
    away = np.where(np.arange(len(WALK)) >= 50, 1.5, 0.0)
    once = remove_artefacts(translate(WALK, np.stack((0 * away, away, 0 * away), axis=1)))
    assert "teleports of the body, undone: 1" in once.notes[0]
    assert np.abs(once.motion.q - WALK.q).max() < 0.01
    spike = np.where(np.arange(len(WALK)) == 50, 1.5, 0.0)
    twice = remove_artefacts(translate(WALK, np.stack((0 * spike, spike, 0 * spike), axis=1)))
    assert np.abs(twice.motion.q - WALK.q).max() < 0.02


def test_noise_is_taken_out_and_a_clip_without_any_is_not_smoothed() -> None:
    assert not is_noisy(WALK)
    noise = 0.02 * np.random.default_rng(1).standard_normal(WALK.q.shape)
    noise[:, WALK.skeleton.columns(0, "slide")] *= 0.2
    found = remove_artefacts(replace(WALK, q=WALK.q + noise))
    assert "noise" in found.notes[-1]
    errors = [np.sqrt(np.mean((m.placement.positions - WALK.placement.positions) ** 2))
              for m in (replace(WALK, q=WALK.q + noise), found.motion)]  # fmt: skip
    assert errors[1] < 0.6 * errors[0]
    smooth = low_pass(WALK.q, WALK.frame_time, 8.0)
    assert np.abs(found.motion.q - smooth).max() > 1e-6


def test_toes_of_feet_that_are_set_down_stay_above_the_floor() -> None:
    """Feet that rest at different heights are brought to one floor, and the tips of their toes do not go below it."""
    bob = 0.015 * np.sin(2.0 * np.pi * STEP.times / 1.1)
    harmed = translate(STEP, np.stack((0.0 * bob, 0.0 * bob, bob), axis=1))
    found = _fixed(harmed)
    flat = plant_feet(map_to_rig(found.fitted, found.q), found.contacts.items)
    assert measure_sinking(flat, harmed, found.contacts) > 5.0
    assert measure_sinking(found.motion, harmed, found.contacts) < 0.1


def test_a_long_clip_is_brought_back_to_its_rig_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As all at once, but for places of contacts that a part cuts."""
    walk = samples.walk()
    fitted = fit_to(Character.from_motion(walk), walk)
    plan, q = detect_contacts(fitted), fitted.motion.q.copy()
    q[:, 6:] += 0.005 * np.sin(2.0 * np.pi * walk.times / 0.7)[:, None]
    whole = windows.move_to_rig(fitted, q, plan)
    monkeypatch.setattr(windows, "_PART", 1)
    monkeypatch.setattr(windows, "_BESIDE", 0.7)
    parts = windows.move_to_rig(fitted, q, plan)
    assert not np.array_equal(parts.q, whole.q)
    np.testing.assert_allclose(parts.placement.positions, whole.placement.positions, atol=0.003)

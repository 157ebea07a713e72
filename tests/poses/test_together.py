"""No jump of a fitted body that its rig does not have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import maximum_filter1d

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.poses import together
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import solve_poses
from gambol.poses.targets import FrameIndex, aim_point

PRONE = ("05_16", "16_15", "88_01", "88_07", "141_08")
"""Clips that are given jumps where frames around a jump are not solved together, or where axes are not chosen."""


def _fit_twist(frames: int, wrong: slice, degrees: float) -> Array:
    """Fit an arm whose twist is guessed wrong in some frames; return its steps (degrees) between frames."""
    skeleton = make_human(make_average_build(1.75), 80.0).skeleton
    twist = skeleton.columns(skeleton.names.index("left_upper_arm"))[2]
    true = np.zeros((frames, 42))
    true[:, twist] = 0.3 * np.sin(np.arange(frames) / 10.0)
    positions = place(skeleton, true).positions
    # The arm hangs straight: no joint centre shows its twist, only the guess does, and there it jumps.
    targets = [aim_point(j, np.zeros(3), positions[:, j]) for j in range(len(skeleton.names))]
    start = true.copy()
    start[wrong, twist] += np.radians(degrees)
    return np.degrees(np.abs(np.diff(solve_poses(skeleton, targets, start, 1 / 120)[:, twist])))


def test_a_frame_with_the_other_solution_returns_to_its_neighbours() -> None:
    assert _fit_twist(60, slice(30, 33), 110.0).max() < 5.0


def test_many_jumps_in_succession_are_removed_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window may end at a jump: the next one begins before it."""
    monkeypatch.setattr(together, "_TOGETHER", 130)
    windows: list[slice] = []
    solve = together.solve_together

    def watch(problem: PoseProblem, q: Array, window: slice, stiff: Array, *, edges: tuple[int, int]) -> Array:
        windows.append(window)
        return solve(problem, q, window, stiff, edges=edges)

    monkeypatch.setattr(together, "solve_together", watch)
    assert _fit_twist(400, slice(5, -5, 2), 60.0).max() < 5.0
    assert len(windows) > 3
    assert max(window.stop - window.start for window in windows) <= 195


def test_no_clip_is_given_jumps_that_its_rig_does_not_have(cmu_clips: list[Path]) -> None:
    offenders = {}
    for path in [path for n, path in enumerate(cmu_clips) if path.stem in PRONE or n % 64 == 0]:
        motion = load(path)
        found = _own_jumps(fit(Character.from_motion(motion), motion))
        if found:
            offenders[path.stem] = found
    assert not offenders


def _own_jumps(fitted: Fit) -> list[str]:
    """Bodies that turn in one frame by 12 degrees more than three times what their part of the rig does near by.

    A jump of the rig is spread over the frames around it, and reaches the bodies next to it.
    """
    motion, skeleton = fitted.source, fitted.character.skeleton
    rig_steps = _steps(motion.placement.rotations)
    body_steps = _steps(fitted.motion.placement.rotations)
    frames = 2 * round(0.15 / motion.frame_time) + 1
    found = []
    for body in fitted.character.bodies:
        joint = skeleton.names.index(body)
        near = [body, *(n for n, p in zip(skeleton.names, skeleton.parents, strict=True) if p == joint)]
        near += [skeleton.names[skeleton.parents[joint]]] if joint else []
        shown = rig_steps[:, [motion.rig.parts[part] for part in near if part in motion.rig.parts]].max(axis=1)
        over = body_steps[:, joint] - 3.0 * maximum_filter1d(shown, frames)
        if over.max() > 12.0:
            found.append(f"{body} by {over.max():.0f} at frame {int(over.argmax())}")
    return found


def _steps(rotations: Array) -> Array:
    """Degrees from each frame to the next."""
    return np.degrees(2.0 * np.arccos(np.abs(np.sum(rotations[1:] * rotations[:-1], axis=-1)).clip(0.0, 1.0)))


def test_frames_that_are_solved_together_do_not_depend_on_the_heading() -> None:
    """One angle follows targets whose errors grow less with distance: steps are too large, frames there are damped."""
    targets = np.sin(np.arange(40) / 3.0) ** 3

    class Turned(PoseProblem):
        def __init__(self, heading: float) -> None:
            self.heading = heading
            self.lower, self.upper, self.fixed = np.array([-np.inf]), np.array([np.inf]), np.array([False])

        def linearise(self, q: Array, frames: FrameIndex) -> tuple[Array, Array, Array]:
            away = 15.0 * (q[:, 0] - self.heading - targets)
            error, slope = np.arctan(away) / 15.0, 1.0 / (1.0 + away**2)
            return error**2, (slope**2)[:, None, None], (slope * error)[:, None]

    def solve(heading: float) -> Array:
        start = np.full((40, 1), heading)
        found = together.solve_together(Turned(heading), start, slice(0, 40), np.array([1e-3]), rounds=12)
        return found - heading

    np.testing.assert_allclose(solve(40.0), solve(0.0), atol=1e-9)

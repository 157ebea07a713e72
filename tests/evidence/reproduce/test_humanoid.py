"""What `gambol reproduce humanoid` measures: slips, tips, margins, and commands between those of feasible runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.robots.execution import Run, execute
from gambol.robots.pattern import Gait
from gambol.robots.walker import TICK, Walker
from gambol.robots.whole_body import stand_level
from gambol_evidence.reproduce.humanoid import peaks
from gambol_evidence.reproduce.humanoid.feet import measure_margins, measure_soles, rehearse
from gambol_evidence.reproduce.humanoid.gaits import SteadyGait
from gambol_evidence.reproduce.humanoid.setting import draw_drawer, draw_world, resample
from tests.robots.test_whole_body import find_center, find_soles, jvrc


def make_run(q: Array) -> Run:
    """A run of given poses (ticks, dofs) in which both feet carry half the weight."""
    walker = Walker(jvrc(), filtered=False)
    blank = execute(walker, SteadyGait(walker, Gait(), 1), seconds=2 * TICK)
    ticks = len(q)
    wrenches = np.zeros((ticks, 2, 6))
    wrenches[:, :, 2] = 0.5 * jvrc().character.mass * 9.81
    return replace(blank, times=TICK * np.arange(ticks), q=q, commands=q, wrenches=wrenches)


def stand(ticks: int = 60) -> Array:
    return np.tile(stand_level(jvrc()), (ticks, 1))


def test_slips_and_tips_are_measured() -> None:
    slip, tip = measure_soles(make_run(stand()))
    assert slip < 1e-9
    assert tip < 1e-3
    sliding = stand()
    sliding[:, 0] += np.linspace(0.0, 0.06, 60)
    assert 0.03 < measure_soles(make_run(sliding))[0] < 0.06  # not while feet land and leave
    tipping = stand()
    ankle = next(n for n, d in enumerate(jvrc().character.skeleton.dofs) if d.joint == jvrc().feet[0].joint)
    tipping[:, ankle] += 0.1
    assert measure_soles(make_run(tipping))[1] > 0.01


def test_margins_are_those_of_the_centre_of_mass_of_a_robot_that_stands() -> None:
    margins = measure_margins(jvrc(), stand())
    soles, center = find_soles(jvrc(), stand_level(jvrc())), find_center(jvrc(), stand_level(jvrc()))
    ahead = soles[0].position[0] + jvrc().feet[0].half[0] - center[0]
    assert margins == pytest.approx(ahead, abs=1e-6)
    leaning = stand()
    leaning[:, 0] += 0.03  # feet go with the body
    np.testing.assert_allclose(measure_margins(jvrc(), leaning), margins, atol=1e-6)


def test_a_rehearsed_gait_makes_its_steps() -> None:
    walker = Walker(jvrc(), filtered=False, balanced=False)
    poses = rehearse(walker, SteadyGait(walker, Gait(np.array([0.2, 0.0]), samples=6), 2), 6.0)
    assert len(poses) * TICK < 5.0  # it ends by itself
    assert poses[-1, 0] - poses[0, 0] == pytest.approx(2 * 0.2 * 0.6, abs=0.02)
    assert measure_margins(jvrc(), poses).max() > 0.0


def test_worlds_and_drawers_depend_on_their_seed_alone() -> None:
    one, again, other = (np.random.default_rng(seed) for seed in (5, 5, 6))
    assert draw_world(one, 5) == draw_world(again, 5) != draw_world(other, 6)
    np.testing.assert_array_equal(draw_drawer(one).handle, draw_drawer(again).handle)


def test_commands_are_interpolated_between_those_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are linear in the distance are found again at a distance that was not run."""
    monkeypatch.setattr(peaks, "_TRAINED", (1.0, 1.2, 1.4))
    monkeypatch.setattr(peaks, "_HARMONICS", 8)
    shares = np.linspace(0.0, 1.0, 200)

    def command(distance: float) -> Array:
        q = stand(200)
        q[:, 0] += distance * shares
        q[:, 8] += 0.1 * distance * np.sin(2.0 * np.pi * shares)
        return q

    runs = [make_run(command(distance)) for distance in (1.0, 1.2, 1.4)]
    found = peaks._interpolate(runs, 1, [1.1])[0]
    np.testing.assert_allclose(found, resample(command(1.1), np.linspace(0.0, 1.0, len(found))), atol=0.01)


def test_commands_of_a_robot_that_stands_do_not_make_it_fall() -> None:
    peak = peaks._play(jvrc(), stand(100))
    assert not peak.fallen
    assert 0.4 < peak.force < 0.8
    lying = stand(400)
    lying[:, 6:] = np.linspace(0.0, 1.0, 400)[:, None]
    assert peaks._play(jvrc(), lying).force > peak.force

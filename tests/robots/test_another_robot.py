"""Robots of other sizes than JVRC-1: lengths, gains and steps follow from size and mass."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PathDistribution
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io.yamls import read_yaml
from gambol.robots.approach import PlacePlanner
from gambol.robots.biped import Biped
from gambol.robots.biped_file import _WALKING, load_biped
from gambol.robots.descriptions import _BUILT_IN
from gambol.robots.execution import Run, execute
from gambol.robots.simulation import Simulation, World
from gambol.robots.stabiliser import Balance, SensedState, Stabiliser, WantedBalance
from gambol.robots.walker import TICK, Walker
from gambol.robots.whole_body import stand_level
from tests.robots.made import make_biped
from tests.robots.test_whole_body import find_soles, jvrc


@cache
def small() -> Biped:
    """A biped of half the size, with an eighth of the mass."""
    with TemporaryDirectory() as folder:
        return make_biped(Path(folder), 0.5)


def correct(robot: Biped) -> Balance:
    """The first correction of a robot that stands and leans."""
    q = stand_level(robot)
    soles = find_soles(robot, q)
    center = robot.dynamics.center_of_mass(q)
    wanted = WantedBalance(center, np.zeros(2), center[:2], (soles[0], soles[1]), (True, True))
    wrenches = robot.character.mass * np.outer([0.7, 0.3], [0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    wrenches[:, 3:5] = robot.character.mass * center[2] * np.array([[0.1, 0.3], [0.2, -0.1]])
    return Stabiliser(robot).correct(Balance.none(), wanted, SensedState(q, 0.0 * q, wrenches), TICK)


def test_robots_of_the_same_shape_balance_alike(tmp_path: Path) -> None:
    one, two = correct(make_biped(tmp_path, 1.0)), correct(small())
    assert np.abs(one.tilts).min() > 1e-4
    np.testing.assert_allclose(two.tilts, one.tilts, rtol=1e-3)
    np.testing.assert_allclose(two.lifts, 0.5 * one.lifts, rtol=1e-3)


def test_gears_have_the_inertia_of_the_robot_file() -> None:
    model = Simulation(small(), small().posture).model
    np.testing.assert_allclose(model.dof_armature[6:], 0.05 * 0.5**5)


@cache
def walk() -> Run:
    walker = Walker(small())
    world = World(encoder_noise=5e-4, attitude_noise=2e-3, seed=1)
    return execute(walker, PlacePlanner(walker, np.array([0.35, 0.05])), world, seconds=10.0)


def test_sizes_are_relative_to_jvrc() -> None:
    assert (jvrc().size_ratio, jvrc().mass_ratio) == (1.0, 1.0)  # so that numbers for JVRC-1 are used as they are
    assert small().mass_ratio == pytest.approx(7.35 / 62.4)
    assert small().size_ratio == pytest.approx(0.47, abs=0.01)
    size = Walker(small()).size
    assert size.height == pytest.approx(0.8485 * small().size_ratio, abs=1e-3)
    assert size.longest == pytest.approx(1.35 * 0.175)
    assert size.outward == pytest.approx(0.15 * small().size_ratio)


@pytest.mark.slow
def test_a_small_robot_walks_to_a_place() -> None:
    run = walk()
    assert run.finished
    assert not run.fallen
    assert 1.0 < run.peak_force < 1.3
    last = np.mean([foot.place[:2] for _, foot in run.footprints[-2:]], axis=0)
    np.testing.assert_allclose(last, [0.35, 0.05], atol=0.02)
    steps = np.diff([0.0, *(foot.x for _, foot in run.footprints)])
    assert steps.max() <= 0.175
    np.testing.assert_allclose(np.diff([time for time, _ in run.footprints]), 0.5, atol=1e-6)


@pytest.mark.slow
def test_its_feet_do_not_slide_and_rise_as_high_as_its_size_demands() -> None:
    run = walk()
    places = np.array([[sole.position for sole in find_soles(run.robot, q)] for q in run.q[::4]])
    loaded = run.wrenches[::4, :, 2] > 0.3 * 9.81 * run.robot.character.mass
    for foot in range(2):
        begin = None
        for place, down in zip(places[:, foot], loaded[:, foot], strict=True):
            begin = (place if begin is None else begin) if down else None
            assert begin is None or np.linalg.norm((place - begin)[:2]) < 0.01
        assert 0.015 < places[:, foot, 2].max() < 0.03


def test_settings_of_robots_with_names_are_complete() -> None:
    assert set(_BUILT_IN) == {"g1", "jvrc1", "talos"}
    for name, path in _BUILT_IN.items():
        assert set(read_yaml(path)["walking"]) == set(_WALKING), name


def test_a_description_is_found_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_biped(tmp_path, 1.0)
    (tmp_path / "share").mkdir()
    (tmp_path / "biped.urdf").rename(tmp_path / "share" / "biped.urdf")
    installed = tmp_path / "made_robots-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: made-robots\nVersion: 1.0\n")
    assert PathDistribution(installed).name == "made-robots"
    text = (tmp_path / "biped.yaml").read_text()
    other = tmp_path / "elsewhere" / "biped.yaml"
    other.parent.mkdir()
    other.write_text(text.replace("robot: ", "package: made-robots\nrobot: share/"))
    with pytest.raises(InputError, match=r"'made-robots' is not installed; pip install made-robots"):
        load_biped(str(other))
    monkeypatch.syspath_prepend(tmp_path)
    assert load_biped(str(other)).character.mass == pytest.approx(58.8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seconds: 0.5", "seconds: 0", "line 14: 'seconds' must be at least"),
        ("armature: ", "armature: -", "'armature' must be at least"),
        ("step: {", "steps: {", "no key 'steps'; did you mean 'step'"),
        ("default: ", "default: -", "'default' must be at least 0"),
    ],
)
def test_mistakes_about_steps(tmp_path: Path, old: str, new: str, message: str) -> None:
    make_biped(tmp_path, 0.5)
    path = tmp_path / "biped.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=message):
        load_biped(str(path))

"""Walkers that the learned model poses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.primitives.bodies import PoseBlender, WalkerStates
from gambol.primitives.learning import learn_from_prototypes
from gambol.primitives.live_poses import LivePoses, make_live_poses
from gambol.primitives.model import Primitives
from gambol.primitives.oscillator import states_on_cycle
from gambol.primitives.prototypes import Prototypes
from tests.primitives.learned import moving
from tests.primitives.walking import gaits

DT = 1.0 / 60.0


@cache
def steps() -> Prototypes:
    return gaits().prototypes.select(["walk", "left"])


@cache
def learned() -> Primitives:
    return learn_from_prototypes(steps(), 3)


def angles(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Degrees between rotations."""
    return np.degrees(quat.angle(quat.multiply(quat.conjugate(one), other)))


@pytest.mark.parametrize("delays", ["tied", "free"])
def test_many_walkers_are_evaluated_as_each_alone(delays: str) -> None:
    """By the evaluation of a single player, on and off the limit cycle."""
    model = moving(delays)  # type: ignore[arg-type]
    draw = np.random.default_rng(1)
    states, blend = draw.normal(size=(9, 2)), draw.dirichlet(np.ones(2), 9)
    together = model.evaluate_walkers(states, blend)
    for n, state in enumerate(states):
        alone = model.evaluate_channels(np.tile(state, (model.maps.count, 1)), 0.0, blend[n])
        np.testing.assert_allclose(together[n], alone, atol=1e-12)


def test_poses_are_those_of_the_model_at_phase_and_radius() -> None:
    poses, draw = LivePoses(steps(), learned()), np.random.default_rng(2)
    phases, radii, blend = draw.uniform(0.0, 20.0, 150), draw.uniform(0.3, 1.2, 150), draw.dirichlet([1.0, 1.0], 150)
    rows = poses.blend(phases, blend, radii)
    for n in (0, 63, 64, 149):
        state = np.tile(radii[n] * states_on_cycle(phases[n]), (learned().maps.count, 1))
        channels = learned().evaluate_channels(state, 0.0, blend[n])
        np.testing.assert_allclose(rows.rotations[n], steps().layout.rotations(channels[None])[0], atol=1e-12)
        np.testing.assert_allclose(rows.root[n], channels[-4:], atol=1e-12)
    np.testing.assert_array_equal(
        poses.blend(phases, blend).rotations, poses.blend(phases, blend, 0.0 * radii + 1.0)[0]
    )


def test_on_the_cycle_they_are_near_the_tables_and_not_the_tables() -> None:
    live, tables = LivePoses(steps(), learned()), PoseBlender(steps())
    phases = np.linspace(0.0, 2.0 * np.pi, 40)
    for blend in np.tile(np.eye(2)[:, None], (1, 40, 1)):
        found, read = live.blend(phases, blend), tables.blend(phases, blend)
        away = angles(found.rotations, read.rotations)
        assert 1e-3 < np.sqrt(np.mean(away**2)) < 2.0
        np.testing.assert_array_equal(found.contacts, read.contacts)
        np.testing.assert_array_equal(found.sway, read.sway)


def test_walkers_follow_in_blocks() -> None:
    poses, draw, count = LivePoses(steps(), learned()), np.random.default_rng(3), 1100
    blend, radii = draw.dirichlet([1.0, 1.0], count), draw.uniform(0.5, 1.0, count)
    walkers = WalkerStates.unlocked(draw.uniform(0, 6, count), draw.normal(size=(count, 2)), draw.normal(size=count))
    _, together = poses.follow(walkers, blend, walkers, DT, True, radii)
    pick = slice(1050, 1051)
    alone = WalkerStates.unlocked(walkers.phases[pick], walkers.places[pick], walkers.headings[pick])
    _, single = poses.follow(alone, blend[pick], alone, DT, True, radii[pick])
    np.testing.assert_allclose(single.rotations[0], together.rotations[1050], atol=1e-12)


def test_a_model_with_the_styles_is_used_as_it_is() -> None:
    model = learned()
    turned = replace(
        model,
        styles=model.styles[::-1],
        **{name: getattr(model, name)[::-1] for name in ("means", "ramps", "weights", "delays", "contacts", "periods")},
    )
    poses = make_live_poses(steps(), turned)
    assert poses.model.maps is model.maps
    np.testing.assert_array_equal(poses.model.weights, model.weights)
    with pytest.raises(InputError, match="the scene needs strides of walk, left"):
        LivePoses(steps(), turned)


def test_a_march_runs_on_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every walker by its own oscillator: as with tables once they are on the cycle, differently before."""
    small = learn_from_prototypes(gaits().prototypes, 1)
    monkeypatch.setattr("gambol.primitives.live_poses.learn_from_prototypes", lambda prototypes: small)
    scene = {"march": {"rows": 2, "columns": 2, "start": {"phases": 3.0}}, "seconds": 2.0}
    live, tables = (gb.crowd(scene, poses=poses) for poses in ("primitives", "tables"))
    assert live.figures == tables.figures
    paths = np.array([motion.placement.positions[:, 0, :2] for motion in live.motions])
    table_paths = np.array([motion.placement.positions[:, 0, :2] for motion in tables.motions])
    assert np.abs(paths - table_paths).max() < 0.1
    frames = len(live.motions[0])
    away = [
        angles(one.placement.rotations[-frames // 4 :], other.placement.rotations[-frames // 4 :])
        for one, other in zip(live.motions, tables.motions, strict=True)
    ]
    assert 0.1 < np.sqrt(np.mean(np.square(away))) < 15.0
    with pytest.raises(InputError, match="no poses 'sculptures'"):
        gb.crowd(scene, poses="sculptures")  # type: ignore[arg-type]

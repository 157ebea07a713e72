"""Clips that are mirrored and pushed, and robots that carry loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.robots.biped import Biped
from gambol.robots.references.disturbances import add_variation_loads, vary_clip
from gambol.robots.references.files import read_reference
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.references.verb import make_reference
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


@pytest.fixture(scope="module")
def stand(biped: Biped) -> ReferenceMotion:
    return make_reference(gb.load("stand")[:40], biped, fast=True).reference


@pytest.mark.parametrize(("given", "more"), [({"load": 6.0}, 6.0), ({"hand_load": 2.0}, 4.0)])
def test_the_ground_carries_the_load(biped: Biped, stand: ReferenceMotion, given: dict, more: float) -> None:
    loaded = add_variation_loads(biped, ReferenceVariation(**given))
    assert loaded.description.character.mass == pytest.approx(biped.description.character.mass + more)
    carried = ReferenceMotion(loaded, stand.motion, stand.touching, stand.flat, stand.ground)
    upward = [each.forces.forces[..., 2].sum(axis=1).mean() for each in (stand, carried)]
    assert upward[1] - upward[0] == pytest.approx(GRAVITY * more, rel=0.02)


def test_a_file_is_of_the_robot_with_its_loads(biped: Biped, stand: ReferenceMotion, tmp_path: Path) -> None:
    for given, more in (({}, 0.0), ({"axis_load": np.array(6.0), "axis_hand_load": np.array(2.0)}, 10.0)):
        stand.save(tmp_path / "stand.npz", given)
        mass = read_reference(tmp_path / "stand.npz", biped).biped.description.character.mass
        assert mass == pytest.approx(biped.description.character.mass + more)
    stand.save(tmp_path / "stand.npz", {"axis_load": np.array(-6.0)})
    with pytest.raises(InputError, match="load must be"):
        read_reference(tmp_path / "stand.npz", biped)


def test_nothing_is_changed_without_being_asked_for(biped: Biped) -> None:
    clip = gb.load("walk")[:10]
    assert vary_clip(clip, ReferenceVariation(), biped) is clip
    assert add_variation_loads(biped, ReferenceVariation()) is biped
    mirrored = vary_clip(clip, ReferenceVariation(mirror=True), biped).placement.positions
    np.testing.assert_allclose(mirrored, clip.placement.positions * [1.0, -1.0, 1.0], atol=1e-12)


@pytest.mark.slow
def test_a_push_moves_the_chest_and_its_seed_says_where_to(biped: Biped) -> None:
    """A robot twice as heavy and pushed twice as hard gets the same acceleration, and so does the person."""
    clip, mass = gb.load("walk")[:160], biped.description.character.mass
    assert clip.rig is not None
    heavy = add_variation_loads(biped, ReferenceVariation(load=mass))
    places = [
        vary_clip(clip, ReferenceVariation(push=newtons, seed=seed), robot).placement.positions
        for newtons, seed, robot in ((40.0, 1, biped), (80.0, 1, heavy), (40.0, 2, biped))
    ]
    away = np.linalg.norm(places[0] - clip.placement.positions, axis=2)[:, clip.rig.parts["chest"]]
    assert 0.005 < away.max() < 0.3
    assert away[: int(0.1 * len(clip))].max() < 1e-3
    np.testing.assert_allclose(places[1], places[0], atol=1e-9)
    assert np.abs(places[0] - places[2]).max() > 0.002


def test_a_push_without_recovery_is_refused(biped: Biped) -> None:
    with pytest.raises(InputError, match="not recovered from 300 N"):
        vary_clip(gb.load("walk")[:40], ReferenceVariation(push=300.0), biped)

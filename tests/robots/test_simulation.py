"""A robot in the simulation: weight, pushes, friction, masses and sensors."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.robots.simulation import Simulation, World
from gambol.robots.whole_body import stand_level
from tests.robots.test_whole_body import find_soles, jvrc

WEIGHT = 62.4 * 9.81


def stand(
    world: World = World(), seconds: float = 0.6, force: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Simulation:
    q = stand_level(jvrc())
    simulation = Simulation(jvrc(), q, world)
    simulation.push(jvrc().character.skeleton.index("waist"), np.array(force))
    simulation.advance(q, seconds)
    return simulation


def test_soles_carry_the_weight_below_the_centre_of_mass() -> None:
    simulation = stand(seconds=2.0)
    wrenches = simulation.measure_wrenches()
    assert wrenches[:, 2].sum() == pytest.approx(WEIGHT, rel=0.005)
    center = jvrc().dynamics.center_of_mass(simulation.q)
    # The centre of pressure of a sole is at (-My / Fz, Mx / Fz); both soles are beside the origin.
    pressure = -wrenches[:, 4].sum() / wrenches[:, 2].sum()
    assert pressure == pytest.approx(center[0], abs=0.01)
    assert simulation.q[2] == pytest.approx(stand_level(jvrc())[2], abs=0.005)


def test_a_push_is_held_by_friction_and_by_moments() -> None:
    simulation = stand(seconds=2.0, force=(0.0, 40.0, 0.0))
    wrenches = simulation.measure_wrenches()
    assert wrenches[:, 1].sum() == pytest.approx(-40.0, abs=3.0)
    assert wrenches[0, 2] > wrenches[1, 2] + 50.0


def test_a_push_ahead_moves_the_centre_of_pressure_ahead() -> None:
    simulation = stand(seconds=2.0, force=(40.0, 0.0, 0.0))
    wrenches = simulation.measure_wrenches()
    center = jvrc().dynamics.center_of_mass(simulation.q)
    assert -wrenches[:, 4].sum() / wrenches[:, 2].sum() > center[0] + 0.03


def test_a_slippery_floor_holds_less() -> None:
    rough, slippery = (
        find_soles(jvrc(), stand(World(friction=mu), 0.5, (90.0, 0.0, 0.0)).q)[0].position[0] for mu in (0.8, 0.1)
    )
    assert abs(rough) < 0.005
    assert slippery > 0.02


def test_masses_vary_with_the_seed() -> None:
    masses = [
        Simulation(jvrc(), jvrc().posture, World(mass_error=0.05, seed=seed)).model.body_mass for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(masses[0], masses[1])
    assert not np.array_equal(masses[0], masses[2])
    heavy = masses[2] > 0.5
    apart = masses[2][heavy] / Simulation(jvrc(), jvrc().posture).model.body_mass[heavy] - 1.0
    assert 0.02 < apart.std() < 0.04
    assert np.abs(apart).max() <= 0.05


def test_inertia_varies_with_mass() -> None:
    known, varied = (Simulation(jvrc(), jvrc().posture, World(mass_error=error, seed=2)).model for error in (0.0, 0.05))
    heavy = known.body_mass > 0.5
    ratios = (varied.body_mass / np.maximum(known.body_mass, 1e-9))[heavy]
    inertia = varied.body_inertia[heavy] / known.body_inertia[heavy]
    np.testing.assert_allclose(inertia, np.repeat(ratios[:, None], 3, axis=1), rtol=1e-6)


def test_sensors_have_the_noise_they_should() -> None:
    world = World(encoder_noise=1e-3, attitude_noise=2e-3, velocity_noise=0.02, force_noise=5.0, seed=3)
    simulation = Simulation(jvrc(), stand_level(jvrc()), world)
    sensed = [simulation.sense() for _ in range(200)]
    apart = np.array([one.q for one in sensed]) - simulation.q
    assert apart[:, 6:].std() == pytest.approx(1e-3, rel=0.1)
    assert apart[:, 3:6].std() == pytest.approx(2e-3, rel=0.2)
    assert np.array([one.velocity for one in sensed]).std() == pytest.approx(0.02, rel=0.05)
    forces = np.array([one.wrenches for one in sensed]) - simulation.measure_wrenches()
    assert forces[..., :3].std() == pytest.approx(5.0, rel=0.1)
    np.testing.assert_array_equal(Simulation(jvrc(), simulation.q).sense().q, simulation.q)

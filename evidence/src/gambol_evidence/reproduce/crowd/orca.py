"""Simulate scenes with ORCA (pyrvo), whose discs can turn on the spot and step sideways."""

from __future__ import annotations

import importlib.util

import numpy as np

from gambol.errors import MissingExtra
from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan, to_complex
from gambol.primitives.navigation.steer import ARRIVAL_DISTANCE, PERCEPTION_INTERVAL, prepare_floor
from gambol.primitives.navigation.walk import WALK_FPS
from gambol.primitives.navigation.walker import WalkerLimits

_NEIGHBOURS, _FAR = 10, 5.0
"""Neighbours that a disc considers, and their largest distance (m)."""
_HORIZON, _OBSTACLES = 3.0, 1.0
"""Time horizons (s) for other discs and for obstacles; with a longer one for obstacles groups stop before a door."""
_NOISE = 1e-3
"""Seeded velocity noise (m/s) that breaks symmetry, as in the examples of ORCA."""
_SIDES = 12
"""Corners of the polygon of a pole."""


def is_installed() -> bool:
    """Whether pyrvo is installed."""
    return importlib.util.find_spec("pyrvo") is not None


def simulate_orca(
    scene: FloorPlan, walker: WalkerLimits, seconds: float = 60.0, rate: float = WALK_FPS
) -> tuple[Array, Array]:
    """Return positions (frames, n, 2) and times of arrival (n,), with our radius, top speed and paths around walls."""
    try:
        import pyrvo
    except ImportError:
        raise MissingExtra("ORCA beside our navigation", "bench") from None

    dt, every, rng = 1.0 / rate, round(PERCEPTION_INTERVAL * rate), np.random.default_rng(0)
    crowd = pyrvo.RVOSimulator(
        dt, _FAR, _NEIGHBOURS, _HORIZON, _OBSTACLES, walker.radius, walker.top_speed, pyrvo.Vector2(0.0, 0.0)
    )
    for start in scene.starts:
        crowd.add_agent(start.tolist())
    corners = np.exp(2j * np.pi * np.arange(_SIDES) / _SIDES) / np.cos(np.pi / _SIDES)
    for x, y, radius in scene.poles:
        crowd.add_obstacle([[p.real, p.imag] for p in complex(x, y) + radius * corners])
    for x, y, to_x, to_y in scene.walls:
        crowd.add_obstacle([[x, y], [to_x, to_y]])
    crowd.process_obstacles()

    ways, goals = prepare_floor(scene, walker).routes, to_complex(scene.goals)
    positions, arrival = [scene.starts], np.full(len(goals), np.inf)
    for frame in range(round(seconds * rate)):
        place = to_complex(positions[-1])
        if frame % every == 0:
            target = ways.next_targets(place)[0]
        way = target - place
        wish = way * np.minimum(walker.top_speed / np.maximum(np.abs(way), 1e-9), 1.0)
        wish = wish + _NOISE * np.exp(2j * np.pi * rng.random(len(goals)))
        for n, velocity in enumerate(wish):
            crowd.set_agent_pref_velocity(n, [velocity.real, velocity.imag])
        crowd.do_step()
        found = [crowd.get_agent_position(n) for n in range(len(goals))]
        positions.append(np.array([[p.x, p.y] for p in found]))
        there = (np.abs(goals - to_complex(positions[-1])) < ARRIVAL_DISTANCE) & np.isinf(arrival)
        arrival[there] = (frame + 1) * dt
        if np.isfinite(arrival).all():
            break
    return np.array(positions), arrival

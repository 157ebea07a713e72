"""`gambol bench crowd`: time per frame of many walkers, with dynamics, steps, poses and feet.

`march` is a crowd in rows under the dynamics of M17 section 2.5. `walkers` start 2.5 m apart and steer around each
other to goals some squares away, so that the density is the same for all sizes. The peer, ORCA (pyrvo), moves as many
discs, without bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from time import perf_counter
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.legs.locks import FootLock
from gambol.primitives.bodies import PoseBlender, WalkerStates
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.performance import CROWD_FPS, make_march_model, walker_limits
from gambol.primitives.crowd.scene import MarchAct
from gambol.primitives.crowd.verb import make_step_prototypes
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.scenarios import make_field
from gambol.primitives.navigation.steer import PERCEPTION_INTERVAL, perceive, prepare_floor, steer
from gambol.primitives.navigation.walker import WalkerLimits, advance_agents
from gambol_evidence.bench.rows import NOT_INSTALLED, Row

_ORCA = "pyrvo, discs"
CROWD_SIZES = (36, 1_000, 10_000)
_FRAMES = 60
"""Frames that are timed: one second, in which neighbours are searched ten times."""
_WARM = 30
"""Frames before, which are not timed."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    gaits = GaitPlane(make_step_prototypes(samples.walk(), None))
    for name, begin in (("march", _simulate_march), ("walkers", _simulate_walkers)):
        took = []
        for count in CROWD_SIZES:
            deciding, posing = _time_frames(begin(count, gaits), gaits)
            took.append(deciding + posing)
            peer = _time_orca(make_field(count), walker_limits(gaits))
            yield _compare_with_orca(f"{name}-{count}", took[-1], peer)
            yield Row(f"{name}-{count}-bodies", 1e3 * posing, "ms/frame")
        small, large = CROWD_SIZES[-2:]
        growth = (took[-1] / took[-2]) / ((large * np.log(large)) / (small * np.log(small)))
        yield Row(f"{name}-growth", float(growth), "n log n")


def _compare_with_orca(name: str, seconds: float, peer: float | None) -> Row:
    if peer is None:
        return Row(name, 1e3 * seconds, "ms/frame", _ORCA, note=NOT_INSTALLED)
    return Row(name, 1e3 * seconds, "ms/frame", _ORCA, 1e3 * peer, peer / seconds)


class _Step(NamedTuple):
    """Planned states of walkers in a frame, and the stride and turn per radian of phase that lead there."""

    states: WalkerStates
    forward: Array
    turn: Array
    sway_forward: bool


def _time_frames(frames: Iterator[_Step], gaits: GaitPlane) -> tuple[float, float]:
    """Return the mean seconds per frame of dynamics and steps, and of poses with their feet."""
    bodies, walkers = PoseBlender(gaits.prototypes), None
    deciding = posing = 0.0
    for frame in range(_WARM + _FRAMES):
        begun = perf_counter()
        led = next(frames)
        blend = gaits.blend(led.forward, led.turn)
        decided = perf_counter()
        walkers, _ = bodies.follow(walkers or led.states, blend, led.states, 1.0 / CROWD_FPS, led.sway_forward)
        if frame >= _WARM:
            deciding += decided - begun
            posing += perf_counter() - decided
    return deciding / _FRAMES, posing / _FRAMES


def _simulate_march(count: int, gaits: GaitPlane) -> Iterator[_Step]:
    """Simulate a crowd in rows."""
    columns = round(np.sqrt(count))
    act = MarchAct(rows=-(-count // columns), columns=columns)
    troop = make_march_model(act, gaits)
    ranks, nothing = troop.draw_start(act.start, 1), FootLock.none(troop.graph.count)
    usual, stride = 2.0 * np.pi / troop.period, troop.speed * troop.period / (2.0 * np.pi)
    while True:
        later = troop.advance(ranks, 1.0 / CROWD_FPS)
        places = troop.places + np.stack((later.progress, later.lateral), axis=1)
        bend = (later.heading - ranks.heading) * (CROWD_FPS / usual)
        yield _Step(WalkerStates(later.phase, places, later.heading, nothing), stride * (1.0 + later.step), bend, False)
        ranks = later


def _simulate_walkers(count: int, gaits: GaitPlane) -> Iterator[_Step]:
    """Simulate walkers who steer around each other."""
    scene, nothing = make_field(count), FootLock.none(count)
    course, state = prepare_floor(scene, walker_limits(gaits)), scene.state
    usual = 2.0 * np.pi / float(gaits.prototypes.periods[0])
    phases = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, count)
    every = round(PERCEPTION_INTERVAL * CROWD_FPS)
    for frame in count_from(0):
        if frame % every == 0:
            outlook = perceive(course, state)
        state = advance_agents(state, steer(course, state, outlook, 1.0 / CROWD_FPS), 1.0 / CROWD_FPS)
        phases = phases + usual / CROWD_FPS
        states = WalkerStates(phases, state.position, state.heading, nothing)
        yield _Step(states, state.speed / usual, state.turn / usual, True)


def _time_orca(scene: FloorPlan, walker: WalkerLimits) -> float | None:
    """Return the seconds per frame of ORCA for the same discs; None where it is not installed."""
    try:
        import pyrvo
    except ImportError:
        return None
    still = pyrvo.Vector2(0.0, 0.0)
    simulator = pyrvo.RVOSimulator(1.0 / CROWD_FPS, 5.0, 10, 3.0, 1.0, walker.radius, walker.top_speed, still)
    for start in scene.starts:
        simulator.add_agent(start.tolist())
    paths = scene.goals - scene.starts
    preferred = walker.top_speed * paths / np.maximum(np.linalg.norm(paths, axis=1, keepdims=True), 1e-9)
    for agent, velocity in enumerate(preferred):
        simulator.set_agent_pref_velocity(agent, velocity.tolist())
    for _ in range(_WARM):
        simulator.do_step()
    begun = perf_counter()
    for _ in range(_FRAMES):
        simulator.do_step()
    return (perf_counter() - begun) / _FRAMES

"""`gambol bench crowd`: a frame of many walkers, all of it: dynamics, steps, poses and feet.

`march` is a crowd in rows under the laws of M17 section 2.5; `walkers` steer around each other, 2.5 m apart, to
places some squares away, so that density is the same for all numbers. Beside them ORCA (pyrvo) moves the same number
of discs, without bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from time import perf_counter
from typing import NamedTuple

import numpy as np

from gambol.bench.rows import Row
from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.legs.locks import FootLock
from gambol.primitives.bodies import PoseBlender, WalkerStates
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane, make_walker_prototypes
from gambol.primitives.crowd.performance import FRAME_RATE, make_march_model, walker_limits
from gambol.primitives.crowd.scene import MarchAct
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.scenarios import make_field
from gambol.primitives.navigation.steer import PERCEPTION_INTERVAL, perceive, prepare_floor, steer
from gambol.primitives.navigation.walker import WalkerLimits, advance_agents
from gambol.primitives.prototypes import prototypes_of

CROWD_SIZES = (36, 1_000, 10_000)
_FRAMES = 60
"""A second; neighbours are looked for ten times in it."""
_WARM = 30


def run() -> Iterator[Row]:
    """Rows as they are measured."""
    clip = samples.walk()
    gaits = GaitPlane(make_walker_prototypes(prototypes_of(clip, {BASE_WALK: find_strides(clip)})))
    for name, begin in (("march", _march), ("walkers", _walkers)):
        took = []
        for count in CROWD_SIZES:
            deciding, posing = _frame(begin(count, gaits), gaits)
            took.append(deciding + posing)
            peer = _orca(make_field(count), walker_limits(gaits))
            ratio, other = (None, None) if peer is None else (peer / took[-1], 1e3 * peer)
            yield Row(f"{name}-{count}", 1e3 * took[-1], "ms/frame", "pyrvo, discs", other, ratio)
            yield Row(f"{name}-{count}-bodies", 1e3 * posing, "ms/frame")
        small, large = CROWD_SIZES[-2:]
        growth = (took[-1] / took[-2]) / ((large * np.log(large)) / (small * np.log(small)))
        yield Row(f"{name}-growth", float(growth), "n log n")


class _Step(NamedTuple):
    """Where walkers are to be in a frame, and the stride and turn per radian of phase that take them there."""

    way: WalkerStates
    forward: Array
    turn: Array
    sway_forward: bool


def _frame(frames: Iterator[_Step], gaits: GaitPlane) -> tuple[float, float]:
    """Seconds that a frame takes on the average: dynamics and steps, and poses with their feet."""
    bodies, walkers = PoseBlender(gaits.prototypes), None
    deciding = posing = 0.0
    for frame in range(_WARM + _FRAMES):
        begun = perf_counter()
        led = next(frames)
        blend = gaits.blend(led.forward, led.turn)
        decided = perf_counter()
        walkers, _ = bodies.follow(walkers or led.way, blend, led.way, 1.0 / FRAME_RATE, led.sway_forward)
        if frame >= _WARM:
            deciding += decided - begun
            posing += perf_counter() - decided
    return deciding / _FRAMES, posing / _FRAMES


def _march(count: int, gaits: GaitPlane) -> Iterator[_Step]:
    """A crowd in rows."""
    columns = round(np.sqrt(count))
    act = MarchAct(rows=-(-count // columns), columns=columns)
    troop = make_march_model(act, gaits)
    ranks, nothing = troop.draw_start(act.start, 1), FootLock.none(troop.graph.count)
    usual, stride = 2.0 * np.pi / troop.period, troop.speed * troop.period / (2.0 * np.pi)
    while True:
        later = troop.advance(ranks, 1.0 / FRAME_RATE)
        places = troop.places + np.stack((later.progress, later.lateral), axis=1)
        bend = (later.heading - ranks.heading) * (FRAME_RATE / usual)
        yield _Step(WalkerStates(later.phase, places, later.heading, nothing), stride * (1.0 + later.step), bend, False)
        ranks = later


def _walkers(count: int, gaits: GaitPlane) -> Iterator[_Step]:
    """Walkers who steer around each other."""
    scene, nothing = make_field(count), FootLock.none(count)
    course, state = prepare_floor(scene, walker_limits(gaits)), scene.state
    usual = 2.0 * np.pi / float(gaits.prototypes.periods[0])
    phases = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, count)
    every = round(PERCEPTION_INTERVAL * FRAME_RATE)
    for frame in count_from(0):
        if frame % every == 0:
            outlook = perceive(course, state)
        state = advance_agents(state, steer(course, state, outlook, 1.0 / FRAME_RATE), 1.0 / FRAME_RATE)
        phases = phases + usual / FRAME_RATE
        way = WalkerStates(phases, state.position, state.heading, nothing)
        yield _Step(way, state.speed / usual, state.turn / usual, True)


def _orca(scene: FloorPlan, walker: WalkerLimits) -> float | None:
    """Seconds that ORCA takes for a frame of the same discs; None where it is not installed."""
    try:
        import pyrvo
    except ImportError:
        return None
    still = pyrvo.Vector2(0.0, 0.0)
    simulator = pyrvo.RVOSimulator(1.0 / FRAME_RATE, 5.0, 10, 3.0, 1.0, walker.radius, walker.top_speed, still)
    for start in scene.starts:
        simulator.add_agent(start.tolist())
    ways = scene.goals - scene.starts
    wanted = walker.top_speed * ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
    for agent, velocity in enumerate(wanted):
        simulator.set_agent_pref_velocity(agent, velocity.tolist())
    for _ in range(_WARM):
        simulator.do_step()
    begun = perf_counter()
    for _ in range(_FRAMES):
        simulator.do_step()
    return (perf_counter() - begun) / _FRAMES

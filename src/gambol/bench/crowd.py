"""`gambol bench crowd`: a frame of many walkers: steering, steps, poses and feet, beside the discs of ORCA (pyrvo).

People stand 2.5 m apart on a field and want to places some squares away, so that density is the same for all numbers.
ORCA moves discs: it has no bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from gambol.bench.rows import Row
from gambol.io import samples
from gambol.primitives.bodies import Bodies, Walkers
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits, walker_prototypes
from gambol.primitives.crowd.performance import RATE, walker_of
from gambol.primitives.feet import Lock
from gambol.primitives.navigation.scenarios import field
from gambol.primitives.navigation.scene import Scene
from gambol.primitives.navigation.steer import LOOK, look, prepare, steer
from gambol.primitives.navigation.walker import Walker, advance
from gambol.primitives.prototypes import prototypes_of
from gambol.primitives.strides import strides

COUNTS = (36, 1_000, 10_000)
_FRAMES = 60
"""A second; neighbours are looked for ten times in it."""
_WARM = 30


def run() -> Iterator[Row]:
    """Rows as they are measured."""
    clip = samples.walk()
    gaits = Gaits(walker_prototypes(prototypes_of(clip, {STRAIGHT: strides(clip)})))
    took = []
    for count in COUNTS:
        scene = field(count)
        steering, posing = _frame(scene, gaits)
        peer = _orca(scene, walker_of(gaits))
        took.append(steering + posing)
        ratio = None if peer is None else peer / took[-1]
        yield Row(
            f"crowd-{count}", 1e3 * took[-1], "ms/frame", "pyrvo, discs", None if peer is None else 1e3 * peer, ratio
        )
        yield Row(f"steering-{count}", 1e3 * steering, "ms/frame")
        yield Row(f"bodies-{count}", 1e3 * posing, "ms/frame")
    small, large = COUNTS[-2:]
    growth = (took[-1] / took[-2]) / ((large * np.log(large)) / (small * np.log(small)))
    yield Row("crowd-growth", float(growth), "n log n")


def _frame(scene: Scene, gaits: Gaits) -> tuple[float, float]:
    """Seconds that a frame takes on the average: steering and steps, and poses with their feet."""
    prototypes, walker = gaits.prototypes, walker_of(gaits)
    bodies, course, state = Bodies(prototypes), prepare(scene, walker), scene.state
    usual, count = 2.0 * np.pi / float(prototypes.periods[0]), len(scene.starts)
    phases = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, count)
    walkers = Walkers(phases, state.position, state.heading, Lock.none(count))
    steering = posing = 0.0
    every = round(LOOK * RATE)
    for frame in range(_WARM + _FRAMES):
        begun = perf_counter()
        if frame % every == 0:
            outlook = look(course, state)
        state = advance(state, steer(course, state, outlook, 1.0 / RATE), 1.0 / RATE)
        blend = gaits.blend(state.speed / usual, state.turn / usual)
        decided = perf_counter()
        way = Walkers(walkers.phases + usual / RATE, state.position, state.heading, walkers.lock)
        walkers, _ = bodies.follow(walkers, blend, way, 1.0 / RATE)
        if frame >= _WARM:
            steering += decided - begun
            posing += perf_counter() - decided
    return steering / _FRAMES, posing / _FRAMES


def _orca(scene: Scene, walker: Walker) -> float | None:
    """Seconds that ORCA takes for a frame of the same discs; None where it is not installed."""
    try:
        import pyrvo
    except ImportError:
        return None
    still = pyrvo.Vector2(0.0, 0.0)
    simulator = pyrvo.RVOSimulator(1.0 / RATE, 5.0, 10, 3.0, 1.0, walker.radius, walker.top_speed, still)
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

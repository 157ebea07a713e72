"""A scene performed: everybody's motion on the rig of the prototypes, what is to be told, and what can be certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from gambol.contraction.certificate import Certificate
from gambol.errors import InputError
from gambol.features.layout import FORWARD
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.primitives.bodies import Bodies
from gambol.primitives.crowd.certificates.march import Starts, certify_crowd
from gambol.primitives.crowd.dance import Hall, begin, dance, exchanges
from gambol.primitives.crowd.dance_steps import steps_of
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits
from gambol.primitives.crowd.march import Order, Troop, march
from gambol.primitives.crowd.profile import Profile
from gambol.primitives.crowd.scene import March, Scene, Walk
from gambol.primitives.crowd.ways import Ways, performed
from gambol.primitives.navigation.scene import Scene as Floor
from gambol.primitives.navigation.walk import Walk as Walked
from gambol.primitives.navigation.walk import walk
from gambol.primitives.navigation.walker import Walker
from gambol.primitives.prototypes import Prototypes

RATE = 60.0
"""Frames a second."""
_AT_PLACE = 0.3
"""Metres from its place within which a dancer has arrived."""


@dataclass(frozen=True, eq=False)
class Performance:
    """What came of a scene."""

    motions: tuple[Motion, ...]
    told: tuple[str, ...]
    """Lines for a person."""
    figures: Mapping[str, float]
    """Numbers about the scene, by name."""
    orders: Array | None = None
    """(frames, 4) of a march: what `Order` names."""
    poles: Array | None = None
    """(m, 3) x, y, radius of what stood there."""
    walls: Array | None = None
    """(k, 4)"""


def perform(scene: Scene, prototypes: Prototypes, progress: Callable[[int, int], object] | None = None) -> Performance:
    """Let a scene happen with walkers who blend these prototypes (`gaits.walker_prototypes`)."""
    with _named(scene):
        if isinstance(scene.act, Walk):
            return _walked(scene, scene.act, Gaits(prototypes), progress)
        if isinstance(scene.act, March):
            return _marched(scene, scene.act, Gaits(prototypes), progress)
        return _danced(scene, prototypes, progress)


@contextmanager
def _named(scene: Scene) -> Iterator[None]:
    """Errors name the scene that they are about."""
    try:
        yield
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=scene.name, fix=error.fix) from None


def certify_scene(scene: Scene, prototypes: Prototypes) -> Certificate:
    """What must become of a march, and from which starts."""
    if not isinstance(scene.act, March):
        raise InputError("only a march can be certified", file=scene.name, fix="leave --certify out")
    troop, start = troop_of(scene.act, Gaits(prototypes)), scene.act.start
    off_pace = start.frequencies * 2.0 * np.pi / troop.period
    starts = Starts(start.out_of_place, start.turned, min(start.phases, np.pi), off_pace)
    return certify_crowd(troop.control, troop.graph, troop.profile, troop.speed, troop.period, starts)


def troop_of(act: March, gaits: Gaits) -> Troop:
    """Who marches, with the steps of these gaits."""
    prototypes = gaits.prototypes
    place = prototypes.index(STRAIGHT)
    period = float(prototypes.periods[place])
    speed = act.steps * float(gaits.corners[place, 0]) * 2.0 * np.pi / period
    profile = Profile.of(prototypes.channels[place, :, FORWARD])
    return Troop(act.control, act.graph, act.places, profile, speed, period)


def _marched(scene: Scene, act: March, gaits: Gaits, progress: Callable[[int, int], object] | None) -> Performance:
    troop = troop_of(act, gaits)
    done = march(troop, gaits, troop.begin(act.start, scene.seed), scene.seconds, RATE)
    motions = performed(Bodies(gaits.prototypes), done.ways, 1.0 / RATE, progress)
    first, last = Order(*done.orders[0]), Order(*done.orders[-1])
    told = tuple(
        f"{name.replace('_', ' ')}: {getattr(first, name):.3g} at first, {getattr(last, name):.3g} in the end"
        for name in Order._fields
    )
    return Performance(tuple(motions), told, last._asdict(), done.orders)


def _walked(scene: Scene, act: Walk, gaits: Gaits, progress: Callable[[int, int], object] | None) -> Performance:
    floor = act.on(scene.seed)
    done, ways = steered(floor, gaits, scene.seconds, scene.seed)
    motions = performed(Bodies(gaits.prototypes), ways, 1.0 / RATE, progress)
    arrived = int(np.isfinite(done.arrival).sum())
    told = f"{arrived} of {len(done.arrival)} arrived"
    if np.isfinite(done.detour):
        told += f"; their ways are {done.detour:.2f} times as long as straight ones"
    figures = {"arrived": arrived, "agents": len(done.arrival), "detour": done.detour}
    return Performance(tuple(motions), (told, *done.told), figures, None, floor.poles, floor.walls)


def steered(floor: Floor, gaits: Gaits, seconds: float, seed: int) -> tuple[Walked, Ways]:
    """Walkers with these steps who cross a floor, and the steps that take them; gait phases are drawn at random."""
    done = walk(floor, walker_of(gaits), seconds, RATE)
    frames, count = done.heading.shape
    usual = 2.0 * np.pi / float(gaits.prototypes.periods[gaits.prototypes.index(STRAIGHT)])
    first = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, count)
    phases = first + usual * np.arange(frames)[:, None] / RATE
    headings = np.unwrap(done.heading, axis=0)
    bend = np.gradient(headings, axis=0) * RATE / usual
    blends = gaits.blend(done.speed.ravel() / usual, bend.ravel()).reshape(frames, count, -1)
    return done, Ways(phases, done.position, headings, blends, even=True)


def _danced(scene: Scene, prototypes: Prototypes, progress: Callable[[int, int], object] | None) -> Performance:
    hall, steps = Hall(), steps_of(prototypes)
    done = dance(hall, steps, begin(hall, scene.seed), scene.seconds, RATE)
    motions = performed(Bodies(steps.prototypes), done.ways, 1.0 / RATE, progress)
    misses = exchanges(hall, done)
    told = tuple(f"couples passed {n} times; then {_reached(off)}" for n, off in enumerate(misses, 1))
    return Performance(tuple(motions), told, {"exchanges": len(misses), "worst_miss_m": max(misses, default=np.nan)})


def _reached(off: float) -> str:
    """How far dancers were from their places, in words."""
    return f"all were within {off:.2f} m of their places" if off < _AT_PLACE else "time was over before all had arrived"


def walker_of(gaits: Gaits) -> Walker:
    """What walkers with these steps can do."""
    prototypes = gaits.prototypes
    usual = 2.0 * np.pi / float(prototypes.periods[prototypes.index(STRAIGHT)])
    forward, turn = (gaits.corners * usual).T
    walking, spot = prototypes.index("left"), prototypes.index("turn left")
    return Walker(
        top_speed=float(forward[prototypes.index(STRAIGHT)]),
        turn_walking=float(turn[walking]),
        turn_standing=float(turn[spot]),
    )

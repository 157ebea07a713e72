"""Perform a scene: motions of all walkers on the rig of the prototypes, notes, and certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from gambol.contraction.certificate import Certificate
from gambol.errors import InputError
from gambol.features.layout import FORWARD
from gambol.geometry.arrays import Array, summarise_fields
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd.certificates.march import StartBounds, certify_crowd
from gambol.primitives.crowd.dance import DanceHall, draw_dancers, measure_exchanges, simulate_dance
from gambol.primitives.crowd.dance_steps import make_dance_steps
from gambol.primitives.crowd.gaits import BASE_WALK, GaitPlane
from gambol.primitives.crowd.march import MarchModel, OrderParameters, simulate_march
from gambol.primitives.crowd.paths import CrowdPaths, pose_paths
from gambol.primitives.crowd.profile import SpeedProfile
from gambol.primitives.crowd.scene import MarchAct, Scene, WalkAct
from gambol.primitives.crowd.steps import step_along
from gambol.primitives.navigation.floor_plan import FloorPlan
from gambol.primitives.navigation.walk import WalkRecord as WalkRecord
from gambol.primitives.navigation.walk import simulate_walk
from gambol.primitives.navigation.walker import WalkerLimits
from gambol.primitives.prototypes import Prototypes
from gambol.progress import Progress, silent

CROWD_FPS = 60.0
"""Frames per second."""
_AT_PLACE = 0.3
"""Metres from its place within which a dancer has arrived."""


@dataclass(frozen=True, eq=False)
class Performance:
    """Motions, notes and figures of a performed scene."""

    __repr__ = summarise_fields

    motions: tuple[Motion, ...]
    notes: tuple[str, ...]
    """Lines about the outcome."""
    figures: Mapping[str, float]
    """Numbers about the scene, by name."""
    orders: Array | None = None
    """(frames, 4) of a march: the fields of `OrderParameters`."""
    poles: Array | None = None
    """(m, 3) x, y, radius."""
    walls: Array | None = None
    """(k, 4)"""


def perform_scene(
    scene: Scene,
    prototypes: Prototypes,
    progress: Progress = silent,
    make_poses: Callable[[Prototypes], PoseBlender] = PoseBlender,
) -> Performance:
    """Perform a scene with walkers that blend these prototypes (`gaits.make_walker_prototypes`).

    `make_poses` says how poses are made of the scene's prototypes: from tables, or `live_poses.make_live_poses`.
    """
    with _name_scene_in_errors(scene):
        if isinstance(scene.act, WalkAct):
            return _perform_walk(scene, scene.act, GaitPlane(prototypes), make_poses, progress)
        if isinstance(scene.act, MarchAct):
            return _perform_march(scene, scene.act, GaitPlane(prototypes), make_poses, progress)
        return _perform_dance(scene, prototypes, make_poses, progress)


@contextmanager
def _name_scene_in_errors(scene: Scene) -> Iterator[None]:
    """Add the name of the scene to errors."""
    try:
        yield
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=scene.name, fix=error.fix) from None


def certify_scene(scene: Scene, prototypes: Prototypes) -> Certificate:
    """Certify a march: rates of convergence, and from which starts."""
    if not isinstance(scene.act, MarchAct):
        raise InputError("only a march can be certified", file=scene.name, fix="omit --certify")
    model, start = make_march_model(scene.act, GaitPlane(prototypes)), scene.act.start
    off_pace = start.frequencies * 2.0 * np.pi / model.period
    starts = StartBounds(start.out_of_place, start.turned, min(start.phases, np.pi), off_pace)
    return certify_crowd(model.control, model.graph, model.profile, model.speed, model.period, starts)


def make_march_model(act: MarchAct, gaits: GaitPlane) -> MarchModel:
    """Return the model of a march with the steps of these gaits."""
    prototypes = gaits.prototypes
    place = prototypes.index(BASE_WALK)
    period = float(prototypes.periods[place])
    speed = act.steps * float(gaits.corners[place, 0]) * 2.0 * np.pi / period
    profile = SpeedProfile.of(prototypes.channels[place, :, FORWARD])
    return MarchModel(act.control, act.graph, act.places, profile, speed, period)


def _perform_march(
    scene: Scene,
    act: MarchAct,
    gaits: GaitPlane,
    make_poses: Callable[[Prototypes], PoseBlender],
    progress: Progress,
) -> Performance:
    model = make_march_model(act, gaits)
    done = simulate_march(model, gaits, model.draw_start(act.start, scene.seed), scene.seconds, CROWD_FPS)
    motions = pose_paths(make_poses(gaits.prototypes), done.paths, 1.0 / CROWD_FPS, progress)
    first, last = OrderParameters(*done.orders[0]), OrderParameters(*done.orders[-1])
    notes = tuple(
        f"{name.replace('_', ' ')}: {getattr(first, name):.3g} at the start, {getattr(last, name):.3g} at the end"
        for name in OrderParameters._fields
    )
    figures = {
        "in_step_ratio": last.in_step,
        "out_of_rank_m": last.out_of_rank,
        "out_of_row_m": last.out_of_row,
        "turned_rad": last.turned,
    }
    return Performance(tuple(motions), notes, figures, done.orders)


def _perform_walk(
    scene: Scene,
    act: WalkAct,
    gaits: GaitPlane,
    make_poses: Callable[[Prototypes], PoseBlender],
    progress: Progress,
) -> Performance:
    plan = act.floor_plan(scene.seed)
    done, paths = simulate_steered_walk(plan, gaits, scene.seconds, scene.seed)
    motions = pose_paths(make_poses(gaits.prototypes), paths, 1.0 / CROWD_FPS, progress)
    arrived = int(np.isfinite(done.arrival).sum())
    notes = f"{arrived} of {len(done.arrival)} arrived"
    if np.isfinite(done.detour):
        notes += f"; their paths are {done.detour:.2f} times as long as straight lines"
    figures = {"arrived_agents": arrived, "agents": len(done.arrival), "detour_ratio": done.detour}
    return Performance(tuple(motions), (notes, *done.notes), figures, None, plan.poles, plan.walls)


def simulate_steered_walk(
    plan: FloorPlan, gaits: GaitPlane, seconds: float, seed: int
) -> tuple[WalkRecord, CrowdPaths]:
    """Simulate walkers that cross a floor; return the record and paths with blends of steps, at random gait phases."""
    done = simulate_walk(plan, walker_limits(gaits), seconds, CROWD_FPS)
    return done, step_along(done.position, done.heading, done.speed, gaits, CROWD_FPS, seed)


def _perform_dance(
    scene: Scene,
    prototypes: Prototypes,
    make_poses: Callable[[Prototypes], PoseBlender],
    progress: Progress,
) -> Performance:
    hall, steps = DanceHall(), make_dance_steps(prototypes)
    done = simulate_dance(hall, steps, draw_dancers(hall, scene.seed), scene.seconds, CROWD_FPS)
    motions = pose_paths(make_poses(steps.prototypes), done.paths, 1.0 / CROWD_FPS, progress)
    misses = measure_exchanges(hall, done)
    notes = tuple(f"exchange {n}: {_describe_arrival(off)}" for n, off in enumerate(misses, 1))
    return Performance(tuple(motions), notes, {"exchanges": len(misses), "worst_miss_m": max(misses, default=np.nan)})


def _describe_arrival(off: float) -> str:
    """Describe how far dancers were from their places."""
    return f"all were within {off:.2f} m of their places" if off < _AT_PLACE else "time was up before all had arrived"


def walker_limits(gaits: GaitPlane) -> WalkerLimits:
    """Return the limits of walkers with these steps."""
    prototypes = gaits.prototypes
    usual = 2.0 * np.pi / float(prototypes.periods[prototypes.index(BASE_WALK)])
    forward, turn = (gaits.corners * usual).T
    walking, spot = prototypes.index("left"), prototypes.index("turn left")
    return WalkerLimits(
        top_speed=float(forward[prototypes.index(BASE_WALK)]),
        turn_walking=float(turn[walking]),
        turn_standing=min(float(turn[spot]), WalkerLimits.turn_standing),
    )

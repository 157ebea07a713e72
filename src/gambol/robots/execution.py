"""Run a walking robot in the simulation under a planner, and record what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.robots.biped import Biped
from gambol.robots.footprints import Footprint
from gambol.robots.pattern import Gait
from gambol.robots.simulation import Simulation, World
from gambol.robots.skin import load_skin
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker, WalkingState

_FALLEN = 0.7
"""Height of the root, relative to that of standing, below which a robot has fallen."""


class Orders(NamedTuple):
    """What a planner wants of a walker."""

    gaits: Sequence[Gait]
    """Of the step that is being made, or is to be made next, and of steps after it."""
    posture: Array
    """(dofs,) joint angles where nothing else decides."""
    hands: tuple[Array | None, Array | None] = (None, None)
    """(3,) places for the hands (m)."""
    done: bool = False
    """Whether nothing is left to do."""


class Planner(Protocol):
    """Tells a walker what to do."""

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        """Return what to do in the next tick."""


class DrawerPull(NamedTuple):
    """What a planner does with a drawer."""

    handle: Array
    """(3,) of the closed drawer (m)."""
    grasped: bool
    """Whether the left hand holds it."""


@runtime_checkable
class OpeningPlanner(Planner, Protocol):
    """A planner of a robot that opens a drawer."""

    @property
    def pull(self) -> DrawerPull:
        """Return where the drawer is, and whether it is grasped."""


@dataclass(frozen=True, eq=False)
class Run:
    """What happened, tick by tick."""

    robot: Biped
    times: Array
    """(ticks,) seconds."""
    q: Array
    """(ticks, dofs) true coordinates."""
    commands: Array
    """(ticks, dofs) commanded coordinates."""
    wrenches: Array
    """(ticks, 2, 6) true force (N) and moment (N m) of the ground on the soles, in their axes."""
    torques: Array
    """(ticks, dofs - 6) N m."""
    points: Array
    """(ticks, 2) planned zero moment points (m)."""
    footprints: tuple[tuple[float, Footprint], ...]
    """Times (s) and places of touchdowns."""
    fallen: bool
    finished: bool
    """Whether the planner had nothing left to do."""
    unsolved: int
    """Plans for which the solver found no optimum."""
    lift_offs: tuple[float, ...] = ()
    """Times (s) at which the feet of `footprints` left the ground."""
    drawer: Array = field(default_factory=lambda: np.zeros((0, 4)))
    """(ticks, 4) place of the handle while the drawer is shut, and how far it is pulled out (m); empty without one."""
    grasp_forces: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(ticks, 3) of the left hand on the handle (N, world), means of the ticks."""

    @property
    def peak_force(self) -> float:
        """Largest normal force on a foot, in body weights."""
        return float(self.wrenches[..., 2].max() / (self.robot.character.mass * GRAVITY))

    @property
    def peak_torque(self) -> float:
        """Largest torque of a joint (N m)."""
        return float(np.abs(self.torques).max())

    def locate_feet(self) -> Array:
        """Return where the middles of both soles (2, 2) are in the end, along the ground (m)."""
        placed = place(self.robot.character.skeleton, self.q[-1:])
        feet = ((placed.positions[0, f.joint], placed.rotations[0, f.joint], f.center) for f in self.robot.feet)
        return np.array([(at + quat.rotate(turned, center))[:2] for at, turned, center in feet])

    def make_motion(self, fps: float = 50.0) -> Motion:
        """Return the robot's motion."""
        stride = max(1, round(1.0 / (fps * TICK)))
        character, skin = self.robot.character, load_skin(self.robot.description)
        return Motion(character.skeleton, self.q[::stride], stride * TICK, name=character.name, skin=skin)


class Execution:
    """A run in progress, which is advanced tick by tick."""

    def __init__(self, walker: Walker, planner: Planner, world: World = World()) -> None:
        self._walker, self._planner = walker, planner
        self.state = walker.start()
        self._opener = planner if isinstance(planner, OpeningPlanner) else None
        self.simulation = Simulation(walker.robot, self.state.q, world, drawer=self._opener is not None)
        self.fallen = self.finished = False
        self._least = _FALLEN * self.simulation.q[2]
        self._record: list[tuple[float, Array, Array, Array, Array, Array]] = []
        self._footprints: list[tuple[float, Footprint]] = []
        self._lift_offs: list[float] = []
        self._drawer: list[tuple[Array, Array]] = []

    @property
    def over(self) -> bool:
        """Whether the planner is done or the robot fell."""
        return self.finished or self.fallen

    def advance(self, disturb: Callable[[Simulation, WalkingState], None] | None = None) -> None:
        """Simulate a tick, unless the planner is done; `disturb` may push the robot."""
        simulation, walker = self.simulation, self._walker
        sensed = simulation.sense()
        orders = self._planner.order(self.state, sensed)
        self.finished = orders.done
        if self.finished:
            return
        before = self.state.course
        self.state = state = walker.step(self.state, sensed, orders.gaits, orders.posture, orders.hands)
        for old, new in zip(before.feet, state.course.feet, strict=True):
            if new is not old:
                self._footprints.append((simulation.time, new))
                self._lift_offs.append(simulation.time - before.swings[0].duration)
        if disturb is not None:
            disturb(simulation, state)
        if self._opener is not None:
            simulation.hold_drawer(*self._opener.pull)
        simulation.advance(state.q, TICK)
        if self._opener is not None:
            place = np.append(self._opener.pull.handle, simulation.pulled)
            self._drawer.append((place, simulation.grasp_force))
        point = state.course.cart_at(TICK * state.ticks).find_zero_moment_point(walker.size.height)
        self._record.append(
            (simulation.time, simulation.q, state.q, simulation.measure_wrenches(), simulation.torques, point)
        )
        self.fallen = bool(simulation.q[2] < self._least)

    def make_run(self) -> Run:
        """Return what has happened so far."""
        times, q, commands, wrenches, torques, points = (np.array(column) for column in zip(*self._record, strict=True))
        recorded = times, q, commands, wrenches, torques, points
        steps = tuple(self._footprints)
        ended = self.fallen, self.finished, self.state.unsolved
        drawn = (np.array(column) for column in zip(*self._drawer, strict=True))
        return Run(self._walker.robot, *recorded, steps, *ended, tuple(self._lift_offs), *drawn)


def execute(
    walker: Walker,
    planner: Planner,
    world: World = World(),
    *,
    seconds: float = 60.0,
    disturb: Callable[[Simulation, WalkingState], None] | None = None,
    progress: Progress = silent,
) -> Run:
    """Run until the planner is done, the robot falls or time is over; `disturb` may push the robot at every tick."""
    execution = Execution(walker, planner, world)
    while execution.simulation.time < seconds and not execution.over:
        progress("walking: seconds, at most", int(execution.simulation.time), int(seconds))
        execution.advance(disturb)
    return execution.make_run()

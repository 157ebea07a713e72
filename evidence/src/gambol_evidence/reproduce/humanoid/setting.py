"""The robot, what it learned from recorded walks, and the worlds and drawers that it does not know.

Seeds below FROZEN were used while the code was written; those of the claims were run once, after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.robots.actions.model import ActionModel
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.execution import Run, execute
from gambol.robots.simulation import Simulation, World
from gambol.robots.verb import learn_robot_actions
from gambol.robots.walker import Walker, WalkingState
from gambol_evidence.reproduce.recordings import load_cmu_clip

LEARNED_WALKS = ("02_01", "07_01", "12_01", "16_15", "16_31", "35_01")
"""Walks of five people; 16_31 is slow."""
FROZEN = 2000
SECONDS = 60.0
_HEIGHT, _ASIDE, _DISTANCE = (0.85, 1.08), (-0.5, 0.6), (1.2, 2.6)
"""Ranges of handles: height, to the left, and ahead (m)."""
_ITEM = np.array([[-0.1, -0.27, -0.06], [-0.05, -0.18, -0.01]])
"""Range of objects in the open drawer, relative to the handle of the closed one (m)."""


@dataclass(frozen=True, eq=False)
class DrawerRun:
    """A run of a robot to a drawer."""

    run: Run
    planner: DrawerPlanner
    misses: tuple[float, ...]
    """True distances (m) of hands to handle and object when they grasp."""
    late: float = np.inf
    """Seconds from a jump of the drawer to another plan."""


class HumanoidSetting:
    """What the claims share."""

    def __init__(self, data: Path) -> None:
        self._data = data

    @cached_property
    def robot(self) -> Biped:
        """JVRC-1."""
        return load_biped()

    @cached_property
    def walker(self) -> Walker:
        """The robot as it walks by default."""
        return Walker(self.robot)

    @cached_property
    def walks(self) -> list[Motion]:
        """Recordings from which the robot learns."""
        return [load_cmu_clip(self._data, name) for name in LEARNED_WALKS]

    @cached_property
    def model(self) -> ActionModel:
        """What it learned."""
        return learn_robot_actions(self.robot, self.walks)

    def open_drawer(
        self,
        drawer: Drawer,
        world: World = World(),
        *,
        walker: Walker | None = None,
        model: ActionModel | None = None,
        jump: tuple[float, Array] | None = None,
    ) -> DrawerRun:
        """Run to a drawer, which may jump by a way (3,) at some time (s)."""
        walker = walker or self.walker
        planner = DrawerPlanner(walker, model or self.model, drawer)
        jacobians, jumped, late, plan = Jacobians(self.robot.dynamics), np.inf, np.inf, planner.plan
        misses: list[float] = []

        def watch(simulation: Simulation, _: WalkingState) -> None:
            nonlocal jumped, late, plan
            if jump is not None and np.isinf(jumped) and simulation.time >= jump[0]:
                planner.drawer, jumped, plan = planner.drawer.move(jump[1]), simulation.time, planner.plan
            if np.isfinite(jumped) and np.isinf(late) and planner.plan is not plan:
                late = simulation.time - jumped
            if len(planner.misses) > len(misses):
                hand = self.robot.hands[len(misses)]
                jacobians.take(simulation.q)
                place: Array = jacobians.place(hand.joint, hand.point).position
                misses.append(float(np.linalg.norm(place - planner.drawer[len(misses)])))

        run = execute(walker, planner, world, seconds=SECONDS, disturb=watch)
        return DrawerRun(run, planner, tuple(misses), late)


def draw_world(random: np.random.Generator, seed: int) -> World:
    """Return a world of unknown friction with errors of masses and noise."""
    return World(
        friction=float(random.uniform(0.5, 1.0)),
        mass_error=0.05,
        encoder_noise=5e-4,
        attitude_noise=2e-3,
        velocity_noise=0.01,
        force_noise=2.0,
        seed=seed,
    )


def draw_drawer(random: np.random.Generator) -> Drawer:
    """Return a drawer anywhere before the robot."""
    handle = np.array([random.uniform(*_DISTANCE), random.uniform(*_ASIDE), random.uniform(*_HEIGHT)])
    return Drawer(handle, handle + random.uniform(*_ITEM))


def resample(poses: Array, shares: Array) -> Array:
    """Return poses (shares, dofs) between those given (samples, dofs), from the first at 0 to the last at 1."""
    at = np.linspace(0.0, 1.0, len(poses))
    return np.stack([np.interp(shares, at, column) for column in poses.T], axis=1)

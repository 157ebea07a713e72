"""`walk_humanoid`: a simulated humanoid walks to a place, or up to a drawer that it opens and reaches into (M17 §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gambol.clips.result import Result
from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.geometry.arrays import Array
from gambol.io.output import check_writable
from gambol.judge.judgement import Judgement
from gambol.motion.ensemble import as_ensemble
from gambol.progress import Progress, silent
from gambol.robots.actions.model import ActionModel, learn_actions
from gambol.robots.actions.trials import PULL, ActionTrial, make_trials
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.approach import THERE, PlacePlanner
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.execution import Run, execute
from gambol.robots.furniture import make_furniture
from gambol.robots.log import save_footsteps, save_run
from gambol.robots.references.seen import judge_robot
from gambol.robots.simulation import World
from gambol.robots.sole_shapes import note_estimates
from gambol.robots.walker import TICK, Walker

_FARTHEST = 20.0
"""Largest distance of a place (m)."""
_INSIDE = np.array([-0.07, -0.22, -0.05])
"""From the handle of the closed drawer to the object in the open one (m), for JVRC-1."""
_REACHES = 8
"""Edited reaches per recorded gait cycle, if there is only one walk."""
_SLOWEST = 0.1
"""Mean speed (m/s) that is allowed for, and seconds beside it, before a run is stopped."""
_BESIDE = 30.0


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanoidResult(Result):
    """What a simulated robot did."""

    run: Run

    @cached_property
    def _judgement(self) -> Judgement:
        return judge_robot(self.run.robot, self.motion)

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write the motion or draw it, or write all that was recorded (.npz)."""
        if Path(path).suffix.lower() != ".npz":
            return super().save(path, overwrite=overwrite)
        check_writable(Path(path), overwrite)
        save_run(self.run, self.motion, Path(path))
        return [Path(path)]

    def save_footsteps(self, path: StrPath, *, overwrite: bool = True) -> Path:
        """Write when and where the feet were put on the ground (.csv)."""
        return save_footsteps(self.run, Path(path), overwrite)


@dataclass(frozen=True, eq=False)
class HumanoidTask:
    """A robot and where it is to go."""

    walker: Walker
    place: Array
    """(2,) metres."""
    opening: tuple[ActionModel, Drawer] | None = None
    """How it moves, and the drawer that it opens."""

    def make_planner(self) -> PlacePlanner | DrawerPlanner:
        """Return a planner that begins at the origin."""
        if self.opening is None:
            return PlacePlanner(self.walker, self.place)
        return DrawerPlanner(self.walker, *self.opening)


def walk_humanoid(
    to: ArrayLike,
    drawer_height: float | None = None,
    *,
    robot: Biped | StrPath = "jvrc1",
    walks: Sequence[Source] = ("walk",),
    world: World = World(),
    progress: Progress = silent,
) -> HumanoidResult:
    """Let a simulated humanoid walk from the origin, where it looks along x, to a place (x, y), in metres.

    With `drawer_height`, the place is the handle of a drawer that faces the robot: it walks up to it, opens it with the
    left hand, reaches into it with the right one, and parks. How it moves is learned from `walks` of people.

    >>> walked = gb.walk_humanoid((2.0, 0.5))  # doctest: +SKIP
    >>> walked.save("walked.html")  # doctest: +SKIP
    """
    task = prepare_task(to, drawer_height, robot=robot, walks=walks, progress=progress)
    planner = task.make_planner()
    progress("walking", 0, None)
    seconds = _BESIDE + float(np.linalg.norm(task.place)) / _SLOWEST
    run = execute(task.walker, planner, world, seconds=seconds, progress=progress)
    made = {"verb": "walk_humanoid", "robot": run.robot.character.name, "to": task.place.tolist(), **asdict(world)}
    if drawer_height is not None:
        made["drawer_height"] = drawer_height
    return _report(run, planner, made)


def prepare_task(
    to: ArrayLike,
    drawer_height: float | None = None,
    *,
    robot: Biped | StrPath = "jvrc1",
    walks: Sequence[Source] = ("walk",),
    progress: Progress = silent,
) -> HumanoidTask:
    """Return a task with arguments as those of `walk_humanoid`; raise an error for one that cannot be done."""
    place = np.asarray(to, float)
    if place.shape != (2,) or not np.isfinite(place).all() or np.linalg.norm(place) > _FARTHEST:
        raise InputError(f"the place {to!r} is not two numbers up to {_FARTHEST:g} m", fix="give x and y in metres")
    walker = Walker(robot if isinstance(robot, Biped) else load_biped(robot))
    if drawer_height is None:
        return HumanoidTask(walker, place)
    machine = walker.robot.require_arms()
    progress("learning from walks", 0, None)
    model = learn_robot_actions(machine, walks)
    handle = np.append(place, drawer_height)
    task = HumanoidTask(walker, place, (model, Drawer(handle, handle + machine.size_ratio * _INSIDE)))
    task.make_planner()
    return task


def learn_robot_actions(robot: Biped, walks: Sequence[Source]) -> ActionModel:
    """Learn how a robot walks, approaches and opens from walks of people, with reaches added by editing."""
    return learn_actions(make_robot_trials(robot, walks))


def make_robot_trials(robot: Biped, walks: Sequence[Source]) -> list[ActionTrial]:
    """Return trials of all actions for a robot, made from walks of people."""
    motions = [as_motion(walk) for walk in walks]
    return make_trials(motions, UpperBody(robot), reaches=max(2, _REACHES // len(motions)))


def _report(run: Run, planner: PlacePlanner | DrawerPlanner, made: Mapping[str, Any]) -> HumanoidResult:
    figures = {
        "duration_s": float(run.times[-1]),
        "steps": float(len(run.footprints)),
        "falls": float(run.fallen),
        "peak_force_body_weights": run.peak_force,
        "peak_torque_nm": run.peak_torque,
    }
    motion = replace(run.make_motion(), made=made)
    notes = note_estimates(run.robot)
    if isinstance(planner, PlacePlanner):
        missed = float(np.linalg.norm(run.locate_feet().mean(axis=0) - planner.place))
        figures["missed_cm"] = 100.0 * missed
        if missed > THERE and not run.fallen:
            notes += (f"the feet stand {100.0 * missed:.1f} cm from the place",)
    else:
        misses = (1e3 * miss for miss in planner.misses)
        figures |= dict(zip(("handle_missed_mm", "object_missed_mm"), misses, strict=False))
        size, drawer = run.robot.size_ratio, planner.drawer
        shut = run.finished and run.drawer[-1, 3] < 0.5 * size * PULL
        notes += (*planner.notes, *(["the drawer stayed shut: the left hand missed its handle"] if shut else []))
        figures["peak_grasp_force_n"] = float(np.linalg.norm(run.grasp_forces, axis=1).max())
        track = run.drawer[:: round(motion.frame_time / TICK)]
        motion = replace(motion, props=(make_furniture(track, motion.frame_time, drawer.item - drawer.handle, size),))
    if run.fallen:
        notes += ("the robot fell",)
    elif not run.finished:
        notes += (f"stopped after {run.times[-1]:.0f} s, before it was done",)
    if run.unsolved:
        notes += (f"the solver found no optimum for {run.unsolved} plans",)
    return HumanoidResult(motions=as_ensemble(motion), figures=figures, notes=notes, run=run)

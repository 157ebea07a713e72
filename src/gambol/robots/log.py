"""Write what was recorded in a run: everything as .npz, which `gambol.load` reads, and the footsteps as a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.output import write_text
from gambol.io.runs import RecordedRun, write_run
from gambol.motion.motion import Motion
from gambol.robots.execution import Run
from gambol.robots.footprints import CORNERS
from gambol.robots.walker import TICK
from gambol.stages.feet import SIDES
from gambol.version import __version__

_FOOTSTEPS = ("lift_off (s)", "touchdown (s)", "side", "x (m)", "y (m)", "z (m)", "heading (rad)")
_FRAME = "x ahead, y to the left, z up, from the floor midway between the feet at the start"

_LEAST_LOAD = 1.0
"""Normal force (N) below which a sole has no centre of pressure."""


def save_run(run: Run, motion: Motion, path: Path) -> None:
    """Write a run and the motion made of it as an .npz file; an interrupted write leaves no partial file."""
    character = run.robot.character
    skeleton = character.skeleton
    bodies, points, forces = _distribute_forces(run, motion)
    recorded = RecordedRun(motion, character.masses, character.centers, character.inertias, bodies, points, forces)
    arrays = {
        "times": run.times,
        "joints": np.array([skeleton.names[dof.joint] for dof in skeleton.dofs]),
        "q": run.q,
        "commands": run.commands,
        "wrenches": run.wrenches,
        "torques": run.torques,
        "zero_moment_points": run.points,
        "touchdowns": np.array([[time, *foot] for time, foot in run.footprints]).reshape(-1, 5),
        "lift_offs": np.array(run.lift_offs),
        "drawer": run.drawer,
        "grasp_forces": run.grasp_forces,
    }
    write_run(recorded, path, arrays)


def _distribute_forces(run: Run, motion: Motion) -> tuple[tuple[str, ...], Array, Array]:
    """Return joints and places (8, 3) of the soles' corners, and forces on them (frames, 8, 3) in world axes.

    Shares of a corner are bilinear in the centre of pressure, so that sums and centres of pressure are those of the
    soles. What torsion is left in a sole is dropped.
    """
    wrenches = run.wrenches[:: round(motion.frame_time / TICK)]
    bodies: list[str] = []
    points, forces = [], []
    for foot, wrench in zip(run.robot.feet, np.moveaxis(wrenches, 1, 0), strict=True):
        load = np.maximum(wrench[:, 2:3], _LEAST_LOAD)
        pressure = np.clip(np.stack((-wrench[:, 4], wrench[:, 3]), axis=1) / load, -foot.half, foot.half)
        world = quat.rotate(motion.placement.rotations[:, foot.joint], wrench[:, :3] @ foot.rotation.T)
        for corner in CORNERS:
            share = np.prod(0.5 * (1.0 + corner * pressure / foot.half), axis=1)
            points.append(foot.center + foot.rotation @ [*(corner * foot.half), 0.0])
            forces.append(share[:, None] * world)
            bodies.append(motion.skeleton.names[foot.joint])
    return tuple(bodies), np.array(points), np.stack(forces, axis=1)


def save_footsteps(run: Run, path: Path, overwrite: bool = True) -> Path:
    """Write the steps that were commanded as .csv, a row for each: times, side, and the middle of the sole.

    Times are those of the table of joint angles.
    """
    head = [f"# name={run.robot.character.name}", f"# gambol={__version__}", f"# axes={_FRAME}", ",".join(_FOOTSTEPS)]
    rows = [
        ",".join((f"{lift_off:.4f}", f"{time:.4f}", SIDES[foot.side], *map(repr, (foot.x, foot.y, 0.0, foot.heading))))
        for lift_off, (time, foot) in zip(run.lift_offs, run.footprints, strict=True)
    ]
    return write_text(path, "\n".join([*head, *rows]) + "\n", overwrite)

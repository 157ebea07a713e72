"""Write what was recorded in a run: all arrays as .npz, and the footsteps as a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.io.output import atomic_write, write_text
from gambol.robots.execution import Run
from gambol.stages.feet import SIDES
from gambol.version import __version__

_FOOTSTEPS = ("lift_off (s)", "touchdown (s)", "side", "x (m)", "y (m)", "z (m)", "heading (rad)")
_FRAME = "x ahead, y to the left, z up, from the floor midway between the feet at the start"


def save_run(run: Run, path: Path) -> None:
    """Write all that was recorded as arrays of an .npz file; an interrupted write leaves no partial file."""
    skeleton = run.robot.character.skeleton
    touchdowns = np.array([[time, *foot] for time, foot in run.footprints]).reshape(-1, 5)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            times=run.times,
            joints=np.array([skeleton.names[dof.joint] for dof in skeleton.dofs]),
            q=run.q,
            commands=run.commands,
            wrenches=run.wrenches,
            torques=run.torques,
            zero_moment_points=run.points,
            touchdowns=touchdowns,
        )


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

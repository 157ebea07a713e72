"""Draw a strip of poses on a ground: the whole movement in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.camera import Camera, aim_camera
from gambol.drawing.difference import find_difference
from gambol.drawing.faults import COLOR, choose_frames, paint_rings, wrap
from gambol.drawing.forces import paint_forces
from gambol.drawing.painter import GROUND, FigureMesh, Surface, paint, paint_ground
from gambol.drawing.path_tracer import paint_traced
from gambol.drawing.shot import Shot
from gambol.drawing.stage_bar import paint_block
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.motion.ensemble import as_ensemble
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART = 0.62
"""Smallest distance between poses in metres along the picture."""
_OVERLAP = 0.8
"""Neighbours may overlap by a fifth of their common width."""
_NEAR, _BESIDE = 0.25, 0.15
"""Metres from a pose within which its props are drawn, and from these to the next pose."""
_MARGIN = 0.3
_FLOOR_REACH = 2.0, 7.0
"""How far the lines on the floor reach: in widths of the picture along it, and in metres in depth."""
_WORDS = 0.5
"""Height of the words below poses, in metres of the picture."""
_INCHES, _DOTS = 12.0, 130
"""Width of the picture, and pixels per inch; twice as many for the figures in a vector file."""
_USUAL = Shot()
_BAR, _TIMES = 0.16, 0.14
"""Height of the bar and of the times below it, in metres of the picture."""


class _Row(NamedTuple):
    """One motion of a strip: figures side by side, as seen by a camera."""

    camera: Camera
    posed: list[Surface]
    ghosts: list[Surface]
    window: Array
    """Left, right, bottom, top in metres of the picture."""
    floor: float
    frames: NDArray[np.intp]
    shifts: Array
    """(poses, 3) shift of a pose from its world position to its position in the strip."""


def save_strip(
    motions: Sequence[Motion],
    path: Path,
    poses: int = 9,
    physics: Sequence[Physics] = (),
    findings: Sequence[Sequence[Finding]] = (),
    shot: Shot = _USUAL,
    progress: Progress = silent,
) -> None:
    """Draw one strip per motion, one below the other, into an image file; with the physics of each if given.

    Of a motion with `findings`, the poses are those of its worst faults, with rings around the parts. Clips that differ
    in one part only, from each other or from the ghost, are drawn in that part, with times and a line that says where
    it is.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    chosen = [_choose_frames(motion, poses) for motion in motions]
    # Clips of equal length are shown at the same times: one may be an edit of the other.
    if len({(len(motion), motion.frame_time) for motion in motions}) == 1:
        chosen = [chosen[0]] * len(motions)
    difference = find_difference([*motions, *([] if shot.ghost is None else [shot.ghost])])
    if difference is not None:
        chosen = [difference.choose_frames(poses)] * len(motions)
    faults = [choose_frames(motion, own, poses) for motion, own in zip(motions, findings, strict=False)]
    for n, own in enumerate(faults):
        chosen[n] = np.array(list(own)) if own else chosen[n]
    rows = [_lay_out(motion, frames, shot) for motion, frames in zip(motions, chosen, strict=True)]
    if findings:
        rows = [row._replace(window=row.window - [0.0, 0.0, _WORDS, 0.0]) for row in rows]
    elif physics:
        rows = [_with_room(row, found) for row, found in zip(rows, physics, strict=True)]
    elif difference is not None:
        rows = [row._replace(window=row.window - [0.0, 0.0, _TIMES, 0.0]) for row in rows]
    width = max(row.window[1] - row.window[0] for row in rows)
    heights = [row.window[3] - row.window[2] for row in rows]
    picture = Picture(figsize=(_INCHES, _INCHES / width * sum(heights)), dpi=_DOTS, facecolor=GROUND)
    FigureCanvasAgg(picture)
    grid = picture.add_gridspec(len(rows), 1, height_ratios=heights, left=0, right=1, bottom=0, top=1, hspace=0)
    for n, row in enumerate(rows):
        axes = picture.add_subplot(grid[n])
        centre = 0.5 * (row.window[0] + row.window[1])
        window = np.array([centre - 0.5 * width, centre + 0.5 * width, *row.window[2:]])
        if shot.look == "studio":
            paint_traced(axes, row.camera, row.posed, row.floor, window, progress)
        else:
            middle = np.mean([surface.vertices.mean(axis=0) for surface in row.posed], axis=0)
            reach = (_FLOOR_REACH[0] * width, _FLOOR_REACH[1])
            paint_ground(axes, row.camera, row.camera.right, middle, reach, row.floor)
            paint(axes, row.camera, row.posed, row.floor, light=row.camera.light, ghosts=row.ghosts)
        if findings:
            _paint_faults(axes, row, motions[n], faults[n])
        elif physics:
            _paint_physics(axes, row, physics[n], 72.0 * _INCHES / width)
        elif difference is not None:
            _paint_times(axes, row, motions[n])
        if n == 0 and difference is not None:
            axes.text(0.01, 0.97, difference.describe(motions[0]), transform=axes.transAxes, va="top", fontsize=9)
        axes.set_xlim(*window[:2])
        axes.set_ylim(*window[2:])
    picture.savefig(path, dpi=_DOTS if path.suffix.lower() == ".png" else 2 * _DOTS)


def _with_room(row: _Row, physics: Physics) -> _Row:
    """Return the row with a window that has room for its forces and its bar."""
    tips = [
        row.camera.project(physics.force_lines(int(frame))[:, 1] + shift)[:, 1].max()
        for frame, shift in zip(row.frames, row.shifts, strict=True)
    ]
    left, right, bottom, top = row.window
    window = np.array([left, right, bottom - _BAR - _TIMES, max(top, *(tip + 0.1 for tip in tips))])
    return row._replace(window=window)


def _paint_physics(axes: Axes, row: _Row, physics: Physics, points: float) -> None:
    """Paint forces on every pose and a bar of its support; `points` is the printed size of a metre of the picture."""
    for frame, shift in zip(row.frames, row.shifts, strict=True):
        paint_forces(axes, row.camera, physics, int(frame), shift)
    places = row.camera.project(physics.motion.placement.positions[row.frames, physics.motion.mover] + row.shifts)[:, 0]
    between = 0.5 * (places[1:] + places[:-1])
    edges = [row.window[0] + 0.1, *between, row.window[1] - 0.1]
    for n, frame in enumerate(row.frames):
        width = edges[n + 1] - edges[n]
        when = f"{frame * physics.motion.frame_time:.2f} s"
        name = physics.support(int(frame))
        paint_block(axes, (edges[n], row.window[2] + _TIMES, width, _BAR), name, points * width, when)


def _paint_times(axes: Axes, row: _Row, motion: Motion) -> None:
    """Write the seconds below every pose."""
    places = row.camera.project(motion.placement.positions[row.frames, motion.mover] + row.shifts)[:, 0]
    for frame, x in zip(row.frames, places, strict=True):
        when = f"{frame * motion.frame_time:.2f} s"
        axes.text(x, row.window[2] + 0.5 * _TIMES, when, fontsize=7.0, ha="center", zorder=7)


def _paint_faults(axes: Axes, row: _Row, motion: Motion, faults: Mapping[int, Finding]) -> None:
    """Paint a ring around what a viewer would not accept in every pose, and write below when it is, and what."""
    places = row.camera.project(motion.placement.positions[row.frames, motion.mover] + row.shifts)[:, 0]
    for (frame, fault), shift, x in zip(faults.items(), row.shifts, places, strict=False):
        paint_rings(axes, row.camera, motion, [fault], frame, shift)
        text = f"{fault.start:.2f} s\n{wrap(fault)}"
        axes.text(x, row.window[2] + _WORDS, text, fontsize=6.5, ha="center", va="top", color=COLOR, zorder=7)
    if not faults:
        axes.text(0.01, 0.97, "a viewer sees no fault", transform=axes.transAxes, va="top", fontsize=9)


def _choose_frames(motion: Motion, poses: int) -> NDArray[np.intp]:
    """Return evenly spaced frames over the clip, or over most of it where a cycle would repeat the same poses."""
    body = motion.placement.positions[:, motion.body_joints] - motion.placement.positions[:, [motion.mover]]
    last = len(motion) - 1
    spaced = [
        np.unique(np.linspace(0, share * last, poses).round().astype(int)) for share in np.linspace(1.0, 0.75, 11)
    ]
    variety = [
        min((float(np.abs(body[f[lag:]] - body[f[:-lag]]).mean()) for lag in (1, 2, 3) if len(f) > lag), default=0.0)
        for f in spaced
    ]
    return next(f for f, v in zip(spaced, variety, strict=True) if v >= 0.7 * max(variety))


def _pose_at(figures: Sequence[FigureMesh], time: float, shift: Array) -> list[Surface]:
    """Return figures at a time (s), moved by `shift` (3,)."""
    return [f.pose(min(round(time / f.motion.frame_time), len(f.motion) - 1)).shift(shift) for f in figures]


def _find_near(props: Sequence[FigureMesh], along: Array, time: float, camera: Camera) -> list[Surface]:
    """Return the props that are next to a pose, whose joints are at `along` in the picture."""
    low, high = along.min() - _NEAR, along.max() + _NEAR
    found = [(surface, surface.vertices @ camera.right) for surface in _pose_at(props, time, np.zeros(3))]
    return [surface for surface, places in found if places.min() < high and places.max() > low]


def _lay_out(motion: Motion, frames: NDArray[np.intp], shot: Shot) -> _Row:
    figure, props = FigureMesh(motion), [FigureMesh(prop) for prop in motion.props]
    ghost = [] if shot.ghost is None else [FigureMesh(shot.ghost)]
    camera = aim_camera(as_ensemble(motion), shot.view)
    along = motion.placement.positions[frames] @ camera.right
    times = (motion.frame_time * frames).tolist()
    beside = [_find_near(props, row[motion.body_joints], time, camera) for row, time in zip(along, times, strict=True)]
    reach = [
        np.concatenate([row[motion.body_joints], *(surface.vertices @ camera.right for surface in near)])
        - row[motion.mover]
        for row, near in zip(along, beside, strict=True)
    ]
    positions = np.zeros(len(frames))
    for n in range(1, len(positions)):
        touching = reach[n - 1].max() - reach[n].min()
        needed = touching + _BESIDE if beside[n - 1] else _OVERLAP * touching
        positions[n] = positions[n - 1] + max(_APART, needed, abs(along[n, motion.mover] - along[n - 1, motion.mover]))
    shifts = positions[:, None] * camera.right - motion.placement.positions[frames, motion.mover] * [1.0, 1.0, 0.0]
    posed = [
        surface.shift(shift)
        for frame, shift, near in zip(frames.tolist(), shifts, beside, strict=True)
        for surface in (figure.pose(frame), *near)
    ]
    ghosts = [surface for time, shift in zip(times, shifts, strict=True) for surface in _pose_at(ghost, time, shift)]
    flat = camera.project(np.concatenate([surface.vertices for surface in posed + ghosts]))
    low, high = flat.min(axis=0) - _MARGIN, flat.max(axis=0) + _MARGIN
    window = np.array([low[0], high[0], low[1], high[1]])
    return _Row(camera, posed, ghosts, window, estimate_floor_height(motion), frames, shifts)

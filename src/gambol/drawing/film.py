"""Draw the pictures of a film of one or several motions in their common world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Picture
from numpy.typing import NDArray

from gambol.drawing.camera import aim_camera, choose_direction
from gambol.drawing.faults import COLOR, choose_faults, paint_rings
from gambol.drawing.forces import Arrow, paint_arrow, paint_forces
from gambol.drawing.framing import Outline, frame_pictures
from gambol.drawing.obstacles import build_obstacles
from gambol.drawing.painter import GROUND, FigureMesh, Surface, paint, paint_ground
from gambol.drawing.shot import Shot
from gambol.drawing.stage_bar import paint_timeline
from gambol.drawing.trails import find_trails, paint_trail
from gambol.drawing.video import Image
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

_POINTS = 320.0
"""Height of a picture in points (1/72 inch), in which lines and letters are measured."""
_BAR = 15.0
"""Points from one bar to the next."""
_GIRTH, _SAMPLED = 0.03, 8
"""Metres added to what a figure has around its joints, which is measured in this many frames."""
_FLOOR_REACH, _FARTHEST = 1.5, 14.0
"""How far the lines on the floor reach: in heights of the picture, and at most in metres."""
_ROUNDED = 0.01
"""Share of a picture by which a clip may be too short for it: files round frame times."""
_FEW = 4
"""Up to this many characters are drawn in detail."""
_USUAL = Shot()


class _Bar(NamedTuple):
    """The bar of a motion in a film: what changes from picture to picture."""

    physics: Physics
    marker: Line2D
    words: Text
    name: str

    def show(self, frame: int) -> None:
        """Mark a frame and write its support in words."""
        self.marker.set_xdata([(frame + 0.5) * self.physics.motion.frame_time] * 2)
        self.words.set_text(self.name + self.physics.support(frame))


class Film(Sequence[Image]):
    """The pictures of a film, drawn when they are asked for; the camera follows the characters.

    With the physics of each motion, forces are drawn on the figures and a bar of support phases at the bottom. Arrows
    are pushes on the first motion. The findings of each motion are ringed and named while they last.
    """

    def __init__(
        self,
        motions: Motion | Sequence[Motion],
        shot: Shot = _USUAL,
        size: tuple[int, int] = (640, 400),
        physics: Sequence[Physics] = (),
        arrows: Sequence[Arrow] = (),
        findings: Sequence[Sequence[Finding]] = (),
    ) -> None:
        scene = as_ensemble(motions)
        self._physics, self._arrows, self._findings = physics, arrows, findings
        self._times = np.arange(max(1, int(scene.duration * shot.film_fps + _ROUNDED) + 1)) / shot.film_fps
        self._figures = _Cast(scene)
        self._ghosts = None if shot.ghost is None else _Cast(as_ensemble(shot.ghost))
        followed = scene if shot.trails else ()
        self._trails = [(n, trail) for n, motion in enumerate(followed) for trail in find_trails(motion)]
        self._floor = min(estimate_floor_height(motion) for motion in scene)
        self._obstacles = build_obstacles(scene, self._floor)
        self._along = choose_direction(scene)
        aim = aim_camera(scene, shot.view)
        aims = [aim.orbit(time) if shot.view == "orbit" else aim for time in self._times.tolist()]
        self._light = aim.light
        self._aspect = size[0] / size[1]
        below = (len(physics) * _BAR + 8.0) / _POINTS if physics else 0.0
        outlines = [o for cast in (self._figures, self._ghosts) if cast is not None for o in cast.outlines(self._times)]
        self._framing = frame_pictures(outlines, aims, self._floor, shot.film_fps, self._aspect, below)
        dpi = 72.0 * size[1] / _POINTS
        picture = Picture(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi, facecolor=GROUND)
        self._canvas = FigureCanvasAgg(picture)
        self._axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
        self._bars = _paint_bars(picture, physics)

    def __len__(self) -> int:
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> Image: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Image]: ...
    def __getitem__(self, index: int | slice) -> Image | Sequence[Image]:
        if isinstance(index, slice):
            return [self._draw(number) for number in range(len(self))[index]]
        return self._draw(range(len(self))[index])

    def _draw(self, number: int) -> Image:
        axes, camera, time = self._axes, self._framing.cameras[number], float(self._times[number])
        height = float(self._framing.heights[number])
        for artist in (*axes.artists, *axes.collections, *axes.lines, *axes.texts):
            artist.remove()
        reach = min(_FLOOR_REACH * height * max(1.0, self._aspect), _FARTHEST)
        paint_ground(axes, camera, self._along, camera.target, (reach, reach), self._floor)
        surfaces = self._figures.pose(time) + self._obstacles
        ghosts = [] if self._ghosts is None else self._ghosts.pose(time)
        paint(axes, camera, surfaces, self._floor, light=self._light, ghosts=ghosts)
        frames = self._figures.motions.frames_at(time)
        for n, trail in self._trails:
            paint_trail(axes, camera, trail, frames[n])
        for n, found in enumerate(self._physics):
            paint_forces(axes, camera, found, frames[n], np.zeros(3))
        for arrow in self._arrows:
            paint_arrow(axes, camera, arrow, frames[0], time)
        words: list[str] = []
        for n, (motion, findings) in enumerate(zip(self._figures.motions, self._findings, strict=False)):
            shown = choose_faults(findings, time)
            paint_rings(axes, camera, motion, shown, frames[n], np.zeros(3))
            words += map(str, shown)
        said = "\n".join(dict.fromkeys(words))
        axes.text(0.01, 0.98, said, transform=axes.transAxes, va="top", fontsize=8, color=COLOR, zorder=9)
        for n, bar in enumerate(self._bars):
            bar.show(frames[n])
        x, y = self._framing.middles[number].tolist()
        axes.set_xlim(x - 0.5 * self._aspect * height, x + 0.5 * self._aspect * height)
        axes.set_ylim(y - 0.5 * height, y + 0.5 * height)
        self._canvas.draw()
        return np.array(self._canvas.buffer_rgba())


class _Cast:
    """The figures of a scene: its characters, then what is drawn with them."""

    def __init__(self, scene: Ensemble) -> None:
        self.motions, self._characters = scene.drawn, len(scene)
        self._figures = [FigureMesh(motion, coarse=len(scene) > _FEW) for motion in self.motions]

    def pose(self, time: float) -> list[Surface]:
        """Return all figures at a time."""
        return [f.pose(frame) for f, frame in zip(self._figures, self.motions.frames_at(time), strict=True)]

    def outlines(self, times: Array) -> list[Outline]:
        """Return the outlines of the characters at some times."""
        frames = np.array([self.motions.frames_at(time) for time in times.tolist()])
        return [_outline(figure, frames[:, n]) for n, figure in enumerate(self._figures[: self._characters])]


def _outline(figure: FigureMesh, frames: NDArray[np.intp]) -> Outline:
    """Return the joints of a figure in some frames, and how far the body reaches beyond them."""
    motion = figure.motion
    joints = motion.placement.positions[:, motion.body_joints]
    girth = 0.0
    for frame in np.unique(np.linspace(0, len(motion) - 1, _SAMPLED).astype(int)).tolist():
        body = figure.pose(frame).vertices
        over = (body.max(axis=0) - joints[frame].max(axis=0), joints[frame].min(axis=0) - body.min(axis=0))
        girth = max(girth, float(np.max(over)))
    return Outline(joints[frames], girth + _GIRTH)


def _paint_bars(picture: Picture, physics: Sequence[Physics]) -> list[_Bar]:
    """Paint, for each motion, a bar of support phases with a marker of the time, and room for the support in words."""
    width = 72.0 * picture.get_figwidth()
    left = 0.17 if len(physics) < 2 else 0.27
    bars = []
    for row, found in enumerate(reversed(physics)):
        bottom, tall = (6.0 + row * _BAR) / _POINTS, (_BAR - 3.0) / _POINTS
        axes = picture.add_axes((left, bottom, 0.98 - left, tall))
        paint_timeline(axes, found, (0.98 - left) * width)
        axes.set_axis_off()
        marker = axes.axvline(0.0, color="black", linewidth=2.0, zorder=8)
        words = picture.text(0.02, bottom + 0.5 * tall, "", fontsize=9, va="center", parse_math=False)
        bars.append(_Bar(found, marker, words, "" if len(physics) < 2 else f"{found.motion.name[:10]}: "))
    return bars[::-1]

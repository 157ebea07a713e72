"""Draw a film of one or several motions in their common world: GIF, or MP4 with the `video` extra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.forces import Arrow, paint_arrow, paint_forces
from gambol.drawing.painter import Camera, FigureMesh, paint, paint_ground
from gambol.drawing.stage_bar import paint_timeline
from gambol.drawing.strip import travel_direction
from gambol.errors import MissingExtra
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import as_ensemble
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

FILM_RATE = 25.0
"""Pictures per second."""
_SIZE = (640, 400)
_VIEW = 2.3
"""Smallest height of the picture in metres."""
_BAR = 18
"""Pixels from one bar to the next."""
Image = NDArray[np.uint8]


class _Bar(NamedTuple):
    """The bar of a motion in a film: what changes from picture to picture."""

    physics: Physics
    marker: Line2D
    words: Text
    name: str

    def show(self, number: int) -> None:
        """Mark the time of a picture and write the support in words."""
        frame = _frame_of(self.physics.motion, number)
        self.marker.set_xdata([(frame + 0.5) * self.physics.motion.frame_time] * 2)
        self.words.set_text(self.name + self.physics.support(frame))


def count_pictures(motions: Sequence[Motion]) -> int:
    """Return the number of pictures of a film of these motions."""
    return max(1, int(max(m.duration for m in motions) * FILM_RATE) + 1)


def draw_pictures(
    motions: Sequence[Motion], physics: Sequence[Physics] = (), arrows: Sequence[Arrow] = ()
) -> Iterator[Image]:
    """Yield the pictures (height, width, 3) of a film; the camera follows the mean position of all characters.

    With the physics of each motion, forces are drawn on the figures and a bar of support phases at the bottom. Arrows
    are pushes on the first motion.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    figures = [FigureMesh(m, coarse=True) for m in as_ensemble(motions).drawn]
    camera = Camera.beside(travel_direction(motions[0]), turn=0.45)
    floor = min(estimate_floor_height(m) for m in motions)
    paths = np.stack([_path(m, count_pictures(motions)) for m in motions])
    middle = paths.mean(axis=0)
    spread = np.abs((paths - middle) @ camera.right).max() + 1.4
    height = max(_VIEW, 2.0 * spread * _SIZE[1] / _SIZE[0])
    picture = Picture(figsize=(_SIZE[0] / 100, _SIZE[1] / 100), dpi=100)
    canvas = FigureCanvasAgg(picture)
    axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    bars = _paint_bars(picture, physics)
    for n, center in enumerate(middle):
        for artist in (*axes.collections, *axes.lines, *axes.texts):
            artist.remove()
        posed = [(f.corners(_frame_of(f.motion, n)), f.colors) for f in figures]
        # The grid is fixed in the world while the camera moves.
        step = np.round(np.array([center @ camera.right, center @ np.cross([0, 0, 1], camera.right)]))
        tile = step[0] * camera.right + step[1] * np.cross([0, 0, 1], camera.right)
        paint_ground(axes, camera, tile, 6.0, floor)
        paint(axes, camera, posed, floor)
        for found in physics:
            paint_forces(axes, camera, found, _frame_of(found.motion, n), np.zeros(3))
        for arrow in arrows:
            paint_arrow(axes, camera, arrow, _frame_of(motions[0], n), n / FILM_RATE)
        for bar in bars:
            bar.show(n)
        x, y = camera.project(np.array([center[0], center[1], floor]))
        width = height * _SIZE[0] / _SIZE[1]
        axes.set_xlim(x - width / 2, x + width / 2)
        axes.set_ylim(y - 0.18 * height, y + 0.82 * height)
        canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _frame_of(motion: Motion, number: int) -> int:
    """Return the frame of a motion that a picture shows; the last frame after its end."""
    return min(round(number / FILM_RATE / motion.frame_time), len(motion) - 1)


def _paint_bars(picture: Canvas, physics: Sequence[Physics]) -> list[_Bar]:
    """Paint, for each motion, a bar of support phases with a marker of the time, and room for the support in words."""
    width, height = _SIZE
    left = 0.17 if len(physics) < 2 else 0.27
    bars = []
    for row, found in enumerate(reversed(physics)):
        bottom = (8 + row * _BAR) / height
        axes = picture.add_axes((left, bottom, 0.98 - left, (_BAR - 4) / height))
        paint_timeline(axes, found, (0.98 - left) * width * 72 / 100)
        axes.set_axis_off()
        marker = axes.axvline(0.0, color="black", linewidth=2.0, zorder=8)
        words = picture.text(0.02, bottom + 0.5 * (_BAR - 4) / height, "", fontsize=9, va="center", parse_math=False)
        bars.append(_Bar(found, marker, words, "" if len(physics) < 2 else f"{found.motion.name[:10]}: "))
    return bars


def save_film(images: Iterator[Image], path: Path, suffix: str) -> None:
    """Write pictures as they come, as ".gif" or ".mp4"."""
    if suffix == ".gif":
        _save_gif(images, path)
    else:
        _save_mp4(images, path)


def _save_gif(images: Iterator[Image], path: Path) -> None:
    from PIL import Image as Pillow

    frames = [Pillow.fromarray(image).quantize(64) for image in images]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=int(1000 / FILM_RATE), loop=0, optimize=True)


def _save_mp4(images: Iterator[Image], path: Path) -> None:
    try:
        import av
    except ImportError:
        raise MissingExtra("writing MP4", "video") from None

    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(int(FILM_RATE)))
        stream.width, stream.height = _SIZE
        stream.pix_fmt = "yuv420p"
        for image in images:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())


def _path(motion: Motion, count: int) -> Array:
    """Return the position of the body for each picture, smoothed so that the camera does not shake."""
    from scipy.ndimage import uniform_filter1d

    frames = np.minimum(np.round(np.arange(count) / FILM_RATE / motion.frame_time), len(motion) - 1).astype(int)
    return uniform_filter1d(
        motion.placement.positions[frames, motion.mover], size=min(25, count), axis=0, mode="nearest"
    )

"""Draw what latent models of pushed motions have learned: their trajectories, and the pushes (YL10 figures 2 and 4)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.figure import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture
    from matplotlib.projections.polar import PolarAxes

_COMPASS = np.array([(0.30, 0.58, 0.36), COLORS[1], (0.55, 0.36, 0.66), COLORS[-1]])
"""Colours of pushes forward, to the left, backward and to the right."""
_MARKERS = {"left foot": "<", "right foot": ">", "both feet": "s", "flight": "^", "other support": "D"}
_MODELS = "Dark2"
_NORMAL = (0.15, 0.15, 0.17)
_INCHES = (11.0, 5.4)
_BESIDE = 6.0
"""Degrees between the marks of pushes of one direction and speed."""


class LatentExample(NamedTuple):
    """A pushed example in the latent space of a model."""

    latents: Array
    """(frames, dimensions)."""
    onset: int
    """Frame in which the push begins."""
    direction: float
    """Degrees: 0 forward, 90 to the left."""
    speed: float
    """Change of the velocity of the centre of mass, m/s."""
    support: str
    """Support phase at the onset, one of `stages.support.SUPPORTS`."""


class LatentSpace(NamedTuple):
    """The latents of one model."""

    normal: Array
    """(frames, dimensions) of the normal motion; the last frame is followed by the first."""
    examples: tuple[LatentExample, ...]


def save_latents(spaces: Sequence[LatentSpace], path: Path) -> None:
    """Draw models into an image file."""
    draw_latents(spaces).savefig(path)


def draw_latents(spaces: Sequence[LatentSpace]) -> Picture:
    """Return a picture of models: the latents of each in the plane of its normal motion, and all pushes in one circle.

    Colours are directions of pushes. In the circle forward is up, the distance from the centre is
    the speed, the shape of a mark the support phase, and its edge the model. Pushes of equal direction and speed are
    drawn side by side.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = Figure(figsize=_INCHES, dpi=90)
    FigureCanvasAgg(picture)
    columns = math.ceil(math.sqrt(len(spaces)))
    rows = math.ceil(len(spaces) / columns)
    grid = picture.add_gridspec(
        rows, columns, left=0.02, right=0.5, bottom=0.08, top=0.93, wspace=0.08, hspace=0.08 + 0.04 * rows
    )
    for n, space in enumerate(spaces):
        axes = picture.add_subplot(grid[n // columns, n % columns])
        _paint_space(axes, space)
        axes.set_title(f"model {n + 1}", fontsize=9.5, fontweight="bold", color=_color_model(n), pad=3)
    picture.text(0.26, 0.03, "black: the normal motion; circles: onsets of pushes", fontsize=8.5, ha="center")
    _paint_pushes(cast("PolarAxes", picture.add_axes((0.55, 0.16, 0.42, 0.72), projection="polar")), spaces)
    return picture


def color_direction(degrees: float) -> tuple[float, float, float]:
    """Return the colour (red, green, blue) of a direction: 0 forward, 90 to the left."""
    quarter, share = divmod(degrees % 360.0 / 90.0, 1.0)
    red, green, blue = (1.0 - share) * _COMPASS[int(quarter)] + share * _COMPASS[(int(quarter) + 1) % 4]
    return float(red), float(green), float(blue)


def _color_model(number: int) -> tuple[float, float, float]:
    from matplotlib import colormaps

    chosen = colormaps[_MODELS]
    red, green, blue, _ = chosen(number % chosen.N)
    return red, green, blue


def _paint_space(axes: Axes, space: LatentSpace) -> None:
    """Paint the latents of a model along the first two principal components of its normal motion."""
    centre = space.normal.mean(axis=0)
    plane = np.linalg.svd(space.normal - centre, full_matrices=False)[2][:2].T
    for example in space.examples:
        line = (example.latents - centre) @ plane
        axes.plot(*line.T, color=color_direction(example.direction), linewidth=1.1)
        axes.plot(*line[example.onset], marker="o", markersize=5.5, color="white", markeredgecolor=_NORMAL, zorder=5)
    closed = np.vstack([space.normal, space.normal[:1]])
    axes.plot(*((closed - centre) @ plane).T, color=_NORMAL, linewidth=2.0, zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color("0.85")


def _paint_pushes(axes: PolarAxes, spaces: Sequence[LatentSpace]) -> None:
    """Paint every push at the angle of its direction and the distance of its speed."""
    axes.set_theta_zero_location("N")
    pushes = [(n, example) for n, space in enumerate(spaces) for example in space.examples]
    most = 1.25 * max((example.speed for _, example in pushes), default=1.0)
    total = Counter((example.direction, example.speed) for _, example in pushes)
    drawn: dict[tuple[float, float], int] = defaultdict(int)
    for n, example in pushes:
        same = example.direction, example.speed
        aside = _BESIDE * (drawn[same] - 0.5 * (total[same] - 1))
        drawn[same] += 1
        axes.plot(
            np.radians(example.direction + aside), example.speed, linestyle="", marker=_MARKERS[example.support],
            markersize=8, markerfacecolor=color_direction(example.direction), markeredgecolor=_color_model(n),
            markeredgewidth=1.8, label=example.support,
        )  # fmt: skip
    around = np.arange(0.0, 360.0, 2.0)
    colors = [color_direction(degrees) for degrees in around]
    axes.bar(np.radians(around), 0.04 * most, np.radians(2.5), most, color=colors)
    axes.set_ylim(0.0, 1.04 * most)
    axes.set_xticks(np.radians([0.0, 90.0, 180.0, 270.0]), ["forward", "left", "backward", "right"])
    axes.set_rlabel_position(45.0)
    axes.tick_params(labelsize=8.5)
    axes.grid(color="0.88")
    axes.spines["polar"].set_visible(False)
    axes.set_title("pushes (m/s), by support phase at the onset", fontsize=9.5, fontweight="bold", pad=8)
    supports = sorted({example.support for _, example in pushes}, key=list(_MARKERS).index)
    keys = [
        axes.plot([], [], linestyle="", marker=_MARKERS[support], color="0.45", markersize=7)[0] for support in supports
    ]
    axes.legend(keys, supports, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=5, frameon=False, fontsize=8.5)

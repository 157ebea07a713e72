"""Paint the support phases of a motion as a coloured bar over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambol.fit.physics import Physics
from gambol.motion.figure import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGE_COLORS = {
    "left foot": COLORS[1],
    "right foot": COLORS[-1],
    "both feet": (0.62, 0.53, 0.60),
    "flight": (0.96, 0.83, 0.42),
    "other support": (0.75, 0.75, 0.73),
}
"""Colours of the limbs; a mixture for both feet, yellow for flight."""
_INK = (0.15, 0.15, 0.17)
_LETTER = 0.62
"""Width of a letter as a share of its font size."""


def paint_block(axes: Axes, box: tuple[float, float, float, float], name: str, points: float, below: str = "") -> None:
    """Paint one phase in a box (left, bottom, width, height), its name inside and optional text below.

    Text wider than `points` (1/72 inch), the printed width of the box, is left out.
    """
    from matplotlib.patches import Rectangle

    left, bottom, width, height = box
    color = STAGE_COLORS[name]
    axes.add_artist(  # not add_patch, which recomputes the limits for every block
        Rectangle((left, bottom), width, height, facecolor=color, edgecolor="white", linewidth=0.8, zorder=6)
    )
    middle = left + 0.5 * width
    for text, size, y, align in (
        (name, 8.0, bottom + 0.5 * height, "center"),
        (below, 7.0, bottom - 0.2 * height, "top"),
    ):
        if text and len(text) * _LETTER * size <= points:
            axes.text(middle, y, text, fontsize=size, color=_INK, ha="center", va=align, zorder=7)


def paint_timeline(axes: Axes, physics: Physics, points: float) -> None:
    """Paint the whole bar over time in seconds, in axes that are `points` wide."""
    motion = physics.motion
    span = len(motion) * motion.frame_time
    for stage in physics.supports:
        width = len(stage) * motion.frame_time
        paint_block(axes, (stage.first * motion.frame_time, 0.0, width, 1.0), stage.name, points * width / span)
    axes.set_xlim(0.0, span)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)

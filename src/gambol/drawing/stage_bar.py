"""Paint the support phases of a motion as a coloured bar over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gambol.fit.physics import Physics
from gambol.motion.figure import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

STAGE_COLORS = {
    "left foot": COLORS[1],
    "right foot": COLORS[-1],
    "both feet": (0.62, 0.53, 0.60),
    "flight": (0.96, 0.83, 0.42),
    "other support": (0.75, 0.75, 0.73),
}
"""Colours of the limbs; a mixture for both feet, yellow for flight."""
SPAN, LABEL = "span ", "label"
"""How the names of spans begin, and the name of their labels, in SVG pictures."""
_INK = (0.15, 0.15, 0.17)
_LETTER = 0.62
"""Width of a letter as a share of its font size."""


def paint_block(axes: Axes, box: tuple[float, float, float, float], name: str, points: float, below: str = "") -> None:
    """Paint one phase in a box (left, bottom, width, height), its name inside and optional text below.

    Text wider than `points` (1/72 inch), the printed width of the box, is left out.
    """
    left, bottom, width, height = box
    paint_span(axes, box, name, points, STAGE_COLORS[name])
    _paint_text(axes, (left + 0.5 * width, bottom - 0.2 * height), below, 7.0, points, "top")


def paint_span(
    axes: Axes,
    box: tuple[float, float, float, float],
    label: str,
    points: float,
    color: str | tuple[float, float, float],
    transform: Transform | None = None,
) -> None:
    """Paint a span of a ribbon over time in a box (left, bottom, width, height), with its label where that fits.

    On a page (`drawing.zoom`) the label and the seconds are its tooltip.
    """
    from matplotlib.patches import Rectangle

    left, bottom, width, height = box
    span = Rectangle(
        (left, bottom), width, height, facecolor=color, edgecolor="white", linewidth=0.8, zorder=6,
        transform=transform or axes.transData,
    )  # fmt: skip
    span.set_gid(f"{SPAN}{label}: {left:.2f} to {left + width:.2f} s")
    axes.add_artist(span)  # not add_patch, which recomputes the limits for every block
    _paint_text(axes, (left + 0.5 * width, bottom + 0.5 * height), label, 8.0, points, "center", transform)


def _paint_text(
    axes: Axes, place: tuple[float, float], text: str, size: float, points: float, align: str,
    transform: Transform | None = None,
) -> None:  # fmt: skip
    if text and len(text) * _LETTER * size <= points:
        axes.text(
            *place, text, fontsize=size, color=_INK, ha="center", va=align, zorder=7, gid=LABEL,
            transform=transform or axes.transData,
        )  # fmt: skip


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

"""Draw the deviation of body parts from the clip over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gambol.drawing.svg import draw_svg
from gambol.geometry.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

_COLORS = ("#4c6b8a", "#8a8883", "#e07b4f", "#3f7fbf", "#5a9a68", "#8f6bb0")


def draw_deviation(
    times: Array, curves: Mapping[str, Array], shaded: Sequence[tuple[float, float, str]], limit: float
) -> str:
    """Return one SVG element: one curve (frames,) in degrees per part, the pushes shaded, the limit dotted."""

    def paint(picture: Picture) -> None:
        axes = picture.subplots(gridspec_kw={"left": 0.07, "right": 0.84, "bottom": 0.13, "top": 0.9})
        for start, end, label in shaded:
            axes.axvspan(start, end, color="#f3c9a5", alpha=0.6, linewidth=0.0, zorder=0)
            axes.text(start, 1.02, label, transform=axes.get_xaxis_transform(), fontsize=8, color="#a3581f")
        for (name, values), color in zip(curves.items(), _COLORS, strict=True):
            axes.plot(times, values, color=color, linewidth=1.5, label=name)
        axes.axhline(limit, color="0.5", linewidth=0.8, linestyle=(0, (1, 2)))
        axes.set_xlabel("time (s)")
        axes.set_ylabel("largest joint deviation from the clip (degrees)")
        axes.set_ylim(bottom=0.0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.02), frameon=False, fontsize=8)

    return draw_svg((10.5, 3.6), paint, "deviation")

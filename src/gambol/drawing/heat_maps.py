"""Draw a table of small heat maps as one SVG element, with a tooltip per cell."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from gambol.drawing.stage_bar import STAGE_COLORS
from gambol.geometry.arrays import Array

_WIDTH, _LEFT, _TOP, _GAP = 1040.0, 150.0, 44.0, 12.0
"""Pixels: whole width, left of the maps, above them, between them."""
_CELL, _BAR, _BELOW = 19.0, 9.0, 44.0
"""Pixels: height of a cell and of the bar of support phases, room below the maps."""
_SCALE = "magma_r"
"""Perceptually uniform from light to dark, also for colour-blind readers and in greyscale print."""


@dataclass(frozen=True, eq=False)
class HeatMaps:
    """Values (rows, columns, ys, xs) to draw from 0 to `most`, and their labels."""

    values: Array
    most: float
    rows: Sequence[str]
    columns: Sequence[str]
    ys: Sequence[str]
    """One label per level, from the lowest up."""
    y_title: str
    x_title: str
    bar: Sequence[str]
    """Names of the support phases over the width of every map."""
    mark: Callable[[int, int, int, int], str]
    """"" or the mark of a cell: "ring" or "cross"."""
    tooltip: Callable[[int, int, int, int], str]
    """Tooltip of a cell."""


def draw_heat_maps(maps: HeatMaps) -> str:
    """Return the heat maps as one SVG element."""
    rows, columns, ys, xs = maps.values.shape
    width = (_WIDTH - _LEFT - _GAP * (columns - 1)) / columns
    height = _CELL * ys
    total = _TOP + rows * (height + _GAP) + _BELOW
    out = [
        f'<svg viewBox="0 0 {_WIDTH:.0f} {total:.0f}" font-size="12" fill="#222226"'
        ' font-family="system-ui, sans-serif" role="img">'
    ]
    for c, name in enumerate(maps.columns):
        left = _LEFT + c * (width + _GAP)
        out.append(_text(left + 0.5 * width, 14.0, name, "middle", ' font-weight="600"'))
        out.append(_bar(maps.bar, left, width))
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            anchor = "start" if share == 0.0 else "end" if share == 1.0 else "middle"
            out.append(_text(left + share * width, total - _BELOW + 8.0, f"{100 * share:.0f}", anchor))
    for r, name in enumerate(maps.rows):
        top = _TOP + r * (height + _GAP)
        out.append(_text(0.0, top + 0.5 * height + 4.0, name, "start", ' font-weight="600"'))
        for y, level in enumerate(maps.ys):
            out.append(_text(_LEFT - 8.0, top + height - (y + 0.5) * _CELL + 4.0, level, "end"))
        for c in range(columns):
            out.append(_map(maps, r, c, _LEFT + c * (width + _GAP), top, width / xs))
    out.append(_text(_LEFT - 8.0, _TOP - 12.0, maps.y_title, "end", ' fill="#6b6a68"'))
    out.append(_text(_LEFT + 0.5 * (_WIDTH - _LEFT), total - 12.0, maps.x_title, "middle", ' fill="#6b6a68"'))
    out.append("</svg>")
    return "".join(out)


def draw_legend(most: float, unit: str, ring: str, cross: str) -> str:
    """Return the colour scale from 0 to `most` and what the marks mean as one SVG element."""
    shades = "".join(
        f'<rect x="{4.0 + 4.0 * n:.1f}" y="6" width="4.5" height="14" fill="{_color(n / 59.0)}"/>' for n in range(60)
    )
    ticks = "".join(
        _text(4.0 + 240.0 * share, 34.0, f"{most * share:g}", "middle" if share else "start")
        for share in (0.0, 0.5, 1.0)
    )
    marks = "".join(
        f'<rect x="{x}" y="4" width="26" height="18" fill="{_color(0.45)}"/>{_mark(kind, x + 13.0, 13.0)}'
        + _text(x + 34.0, 17.0, words, "start")
        for x, kind, words in ((440.0, "ring", ring), (650.0, "cross", cross))
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH:.0f} 40" font-size="12" fill="#222226" font-family="system-ui, sans-serif">'
        f"{shades}{ticks}{_text(262.0, 17.0, unit, 'start')}{marks}</svg>"
    )


def _map(maps: HeatMaps, r: int, c: int, left: float, top: float, cell: float) -> str:
    ys, xs = maps.values.shape[2:]
    out = []
    for y, x in np.ndindex(ys, xs):
        color = _color(min(float(maps.values[r, c, y, x]) / maps.most, 1.0))
        corner = left + x * cell, top + (ys - 1 - y) * _CELL
        tooltip = html.escape(maps.tooltip(r, c, y, x))
        # Slightly wider than the cell, so that no seam shows between neighbours.
        out.append(
            f'<rect x="{corner[0]:.2f}" y="{corner[1]:.2f}" width="{cell + 0.3:.2f}" height="{_CELL + 0.3:.2f}" '
            f'fill="{color}"><title>{tooltip}</title></rect>'
        )
        out.append(_mark(maps.mark(r, c, y, x), corner[0] + 0.5 * cell, corner[1] + 0.5 * _CELL))
    return "".join(out)


def _mark(kind: str, x: float, y: float) -> str:
    if not kind:
        return ""
    shape = {
        "ring": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
        "cross": f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"/>',
    }[kind]
    halo = f'<g fill="none" stroke="white" stroke-width="4">{shape}</g>'
    return f'<g pointer-events="none">{halo}<g fill="none" stroke="#111" stroke-width="1.8">{shape}</g></g>'


def _bar(stages: Sequence[str], left: float, width: float) -> str:
    out, done = [], 0
    for name, group in groupby(stages):
        count = len(list(group))
        red, green, blue = (round(255 * part) for part in STAGE_COLORS[name])
        x, span = left + width * done / len(stages), width * count / len(stages)
        out.append(
            f'<rect x="{x:.1f}" y="{_TOP - _BAR - 4:.1f}" width="{span:.1f}" height="{_BAR}" '
            f'fill="rgb({red},{green},{blue})"><title>{html.escape(name)}</title></rect>'
        )
        done += count
    return "".join(out)


def _color(share: float) -> str:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return to_hex(colormaps[_SCALE](0.03 + 0.87 * share))


def _text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(words)}</text>'

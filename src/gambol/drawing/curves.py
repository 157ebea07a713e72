"""Draw the physics of a motion as curves over time: feet, contacts, centre of mass, ground forces, angular momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.assumptions import FREE_FALL
from gambol.contacts.stage import Stage
from gambol.drawing.camera import travel_direction
from gambol.drawing.stage_bar import SPAN, STAGE_COLORS, paint_span, paint_timeline
from gambol.drawing.svg import draw_svg
from gambol.drawing.zoom import make_zoomable
from gambol.fit.physics import Physics
from gambol.geometry.arrays import Array
from gambol.judge.finding import Finding
from gambol.motion.figure import COLORS
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.flight import MIN_FRAMES, compute_centre_heights, fit_parabola, measure_fall
from gambol.stages.speed import compute_speed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

_SIDE = {"left": COLORS[1], "right": COLORS[-1]}
_DASHES = {"heel": "-", "ball": (0, (4, 1.5)), "toe": (0, (1, 1.2))}
_TOTAL, _MISSING, _THIRD = (0.2, 0.2, 0.22), (0.80, 0.16, 0.20), (0.35, 0.60, 0.40)
_WIDTH, _PLOT = 10.5, (0.085, 0.81)
"""Width of the picture in inches, and the shares of it at which curves start and end; legends are to their right."""
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 8, "handlelength": 2.2}
_BOTTOM = 0.04
"""Share of the picture below the curves."""
_HEIGHTS = (0.25, 0.3, 0.75, 1.5, 1.5, 1.5, 1.7, 1.4, 1.5)
_SHORTEST_MARK = 0.004
"""Width of the mark of a moment, as a share of the clip."""
_LABELLED = 0.1
"""Shortest flight in seconds whose acceleration is shown: a parabola of a shorter one is uncertain."""
_FALLS = {"falls too slowly": "#8fb3e0", "falls as by gravity": "#99cc9e", "falls too fast": "#f29985"}
"""Colours of flights by their acceleration."""


def draw_curves(physics: Physics, salt: str, findings: Sequence[Finding] = ()) -> str:
    """Return the curves as one SVG element; `salt` keeps its ids apart from those of other pictures on the page."""
    size = (_WIDTH, 1.32 * sum(_HEIGHTS))
    left, right = _PLOT
    picture = draw_svg(size, lambda picture: _paint(picture, physics, findings), salt)
    box = (left * size[0], (right - left) * size[0], (1.0 - _BOTTOM) * size[1])
    return make_zoomable(picture, len(physics.motion) * physics.motion.frame_time, box)


def _paint(picture: Picture, physics: Physics, findings: Sequence[Finding]) -> None:
    left, right = _PLOT
    panels = picture.subplots(
        len(_HEIGHTS), 1, sharex=True,
        gridspec_kw={
            "height_ratios": _HEIGHTS, "left": left, "right": right, "bottom": _BOTTOM, "top": 0.98, "hspace": 0.42,
        },
    )  # fmt: skip
    paint_timeline(panels[0], physics, 72.0 * _WIDTH * (right - left))
    panels[0].tick_params(bottom=False)
    _title(panels[0], "Support", "")
    _explain_supports(panels[0], physics)
    _mark_findings(panels[1], physics, findings)
    for axes, paint in zip(
        panels[2:], (_contacts, _foot_heights, _foot_speeds, _centre, _vertical, _horizontal, _spin), strict=True
    ):
        paint(axes, physics)
        _finish(axes, physics)
    panels[-1].set_xlabel("time (s)")


def _explain_supports(axes: Axes, physics: Physics) -> None:
    """Add a legend of the colours: labels do not fit into the spans of a long clip."""
    from matplotlib.patches import Patch

    names = sorted({stage.name for stage in physics.supports}, key=list(STAGE_COLORS).index)
    handles = [Patch(color=STAGE_COLORS[name], label=name) for name in names]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.005, 1.5), **_LEGEND)


def _mark_findings(axes: Axes, physics: Physics, findings: Sequence[Finding]) -> None:
    """Mark when a viewer would not accept what is seen: darker the more severe."""
    _title(axes, f"What a viewer sees: {len(findings) or 'no'} fault{'s' * (len(findings) != 1)}", "")
    for one in findings:
        ends = one.start, max(one.end, one.start + _SHORTEST_MARK * physics.motion.duration)
        span = axes.axvspan(*ends, color=_MISSING, alpha=min(0.35 * one.severity, 1.0), linewidth=0.0)
        span.set_gid(f"{SPAN}{one}")
    axes.set_yticks([])
    axes.spines[["top", "right", "left"]].set_visible(False)


def _title(axes: Axes, title: str, unit: str) -> None:
    axes.set_title(title, loc="left", fontsize=9.5, fontweight="bold", pad=4)
    axes.set_ylabel(unit)


def _finish(axes: Axes, physics: Physics) -> None:
    """Shade the flights and add a legend beside the curves."""
    frame_time = physics.motion.frame_time
    for stage in physics.stages:
        if stage.kind == "flight":
            ends = stage.first * frame_time, (stage.last + 1) * frame_time
            axes.axvspan(*ends, color=STAGE_COLORS["flight"], alpha=0.28, linewidth=0.0, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.005, 1.04), **_LEGEND)


def _contacts(axes: Axes, physics: Physics) -> None:
    _title(axes, "Contacts", "")
    frame_time = physics.motion.frame_time
    known, found = physics.contacts.points, physics.contacts.items
    names = list(dict.fromkeys([*(point.name for point in known), *(contact.part for contact in found)]))
    for row, name in enumerate(names):
        bars = [(c.first * frame_time, (c.last + 1 - c.first) * frame_time) for c in found if c.part == name]
        axes.broken_barh(bars, (row + 0.12, 0.76), color=_SIDE.get(name.partition("_")[0], _TOTAL), zorder=2)
    axes.set_ylim(len(names), 0.0)
    axes.set_yticks(np.arange(len(names)) + 0.5, [name.replace("_", " ") for name in names], fontsize=7)


def _foot_heights(axes: Axes, physics: Physics) -> None:
    _title(axes, "Height of the feet above their lowest point", "m")
    tracks = {point.name: track_point(physics.motion, point)[:, 2] for point in find_foot_points(physics.motion)}
    lowest = min(float(heights.min()) for heights in tracks.values())
    _foot_curves(axes, physics, {name: heights - lowest for name, heights in tracks.items()})


def _foot_speeds(axes: Axes, physics: Physics) -> None:
    _title(axes, "Speed of the feet", "m/s")
    motion = physics.motion
    _foot_curves(
        axes,
        physics,
        {
            point.name: compute_speed(track_point(motion, point), motion.frame_time)
            for point in find_foot_points(motion)
        },
    )
    axes.set_ylim(bottom=0.0)


def _foot_curves(axes: Axes, physics: Physics, curves: dict[str, Array]) -> None:
    for name, values in curves.items():
        side, _, kind = name.partition("_")
        axes.plot(
            physics.motion.times, values, color=_SIDE[side], linestyle=_DASHES[kind], linewidth=1.2,
            label=name.replace("_", " "),
        )  # fmt: skip


def _centre(axes: Axes, physics: Physics) -> None:
    motion = physics.motion
    _title(axes, "Height of the centre of mass (estimate), and the parabolas of the flights", "m")
    axes.plot(motion.times, compute_centre_heights(motion), color=_TOTAL, linewidth=1.4, label="centre of mass")
    label = "parabola of the flight"
    for stage in physics.stages:
        if stage.kind != "flight" or len(stage) - 2 * (len(stage) // 10) < MIN_FRAMES:
            continue
        heights, times = fit_parabola(motion, stage), motion.times[stage.first : stage.last + 1]
        axes.plot(times, heights, color=_MISSING, linewidth=4.0, alpha=0.45, zorder=1.5, label=label)
        label = "_"
        if len(stage) * motion.frame_time >= _LABELLED:
            _paint_fall(axes, physics, stage)


def _paint_fall(axes: Axes, physics: Physics, stage: Stage) -> None:
    """Add a flight to the ribbon below the centre of mass, with its acceleration."""
    motion = physics.motion
    fall = measure_fall(motion, stage)
    label, color = list(_FALLS.items())[int(np.searchsorted(-np.array(FREE_FALL[::-1]), -fall))]
    width = len(stage) * motion.frame_time
    points = 72.0 * _WIDTH * (_PLOT[1] - _PLOT[0]) * width / (len(motion) * motion.frame_time)
    box = (stage.first * motion.frame_time, 0.0, width, 0.14)
    paint_span(axes, box, f"{fall:.1f} m/s²", points, color, axes.get_xaxis_transform())
    if label not in axes.get_legend_handles_labels()[1]:
        axes.fill_between([], [], color=color, label=label)


def _vertical(axes: Axes, physics: Physics) -> None:
    forces, weight, times = physics.forces, physics.weight, physics.motion.times
    _title(axes, "Ground force, vertical", "body weights")
    axes.plot(times, forces.forces[..., 2].sum(axis=1) / weight, color="0.72", linewidth=3.0, label="in all")
    for body in physics.bodies:
        side, style = body.partition("_")[0], "-" if body.endswith("foot") else ":"
        load, name = forces.force_on(body)[:, 2] / weight, body.replace("_", " ")
        axes.plot(times, load, color=_SIDE.get(side, _TOTAL), linestyle=style, linewidth=1.2, label=name)
    missing = np.abs(forces.missing_force[:, 2]) / weight
    axes.fill_between(times, missing, color=_MISSING, alpha=0.6, linewidth=0.0, label="not explained")
    axes.axhline(1.0, color="0.6", linewidth=0.8, linestyle=(0, (1, 2)))


def _horizontal(axes: Axes, physics: Physics) -> None:
    forces, weight, times = physics.forces, physics.weight, physics.motion.times
    _title(axes, "Ground force, horizontal", "body weights")
    total = forces.forces.sum(axis=1) / weight
    for name, direction, color in _axes_of_travel(physics):
        axes.plot(times, total @ direction, color=color, linewidth=1.2, label=name)
    missing = np.linalg.norm(forces.missing_force[:, :2], axis=1) / weight
    axes.fill_between(times, missing, color=_MISSING, alpha=0.6, linewidth=0.0, label="not explained")


def _spin(axes: Axes, physics: Physics) -> None:
    _title(axes, "Angular momentum about the centre of mass (constant in flight)", "kg m²/s")
    for name, direction, color in (*_axes_of_travel(physics), ("upward", np.array([0.0, 0.0, 1.0]), _TOTAL)):
        axes.plot(
            physics.motion.times,
            physics.angular_momentum @ direction,
            color=color,
            linewidth=1.2,
            label=f"about {name}",
        )


def _axes_of_travel(physics: Physics) -> tuple[tuple[str, Array, tuple[float, float, float]], ...]:
    """Return the direction of travel of the whole clip, and the direction to its left."""
    forward = travel_direction(physics.motion)
    return ("forward", forward, (0.30, 0.42, 0.75)), ("leftward", np.cross([0.0, 0.0, 1.0], forward), _THIRD)

"""Move the footholds of a robot before its poses are solved: onto stairs, stones and slopes, along longer, bent ways.

A stance moves as a whole with the point of the way that its hips are nearest to; a swing leads from one stance to the
next. Hips and all orientations of the body turn with the way and rise by what stances rise, smoothly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, cross
from gambol.robots.biped import Biped
from gambol.robots.references.person import TrackedPerson
from gambol.robots.references.sole_path import SolePath, ease_between
from gambol.robots.references.terrain import SoleStance, Stairs, StancePlace, check_crossings, lay_stairs, lay_stones
from gambol.robots.references.travel import Travel, bend_way, smooth_way
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.sole_shapes import level_sole

_SHORTEST = 0.3
"""Metres that a motion travels at least for a terrain or a bend along its way."""
_STEP = 0.1
"""Metres that hips travel at least from one stance to the next, for that to be a step."""
_EVERY = 4
"""One step in so many is across a gap."""
_RAISED = 0.4
"""Share of a swing in which a foot rises to a higher foothold at its beginning, or sinks to a lower one at its end."""
_CLEAR = 0.015
"""Metres between a swinging sole and the edge of a stair, in the middle of the swing."""
_HIGHEST, _DEEPEST = 0.25, 0.01
"""Metres by which a swing may be higher because of edges, and a sole inside one."""
_STAIRS_FIX = "use lower stairs or longer strides"
_ROLLING = 0.1
"""Share of a swing, at its beginning and its end, in which a sole is not raised above edges."""


def move_footholds(
    biped: Biped, person: TrackedPerson, soles: dict[str, SolePath], scale: float, asked: ReferenceVariation
) -> tuple[TrackedPerson, dict[str, SolePath]]:
    """Return a person's motion and the paths of a robot's soles, changed as a variation asks for.

    The robot is `scale` times as large as the person.
    """
    if not asked.moves_footholds:
        return person, soles
    corners = {side: level_sole(biped, side) for side in soles}
    way = smooth_way(scale * person.bodies.positions["pelvis"], person.rig.frame_time)
    stances = _list_stances(soles, way)
    if not stances:
        raise InputError("no foot rests on the ground", fix="use a clip with contacts")
    travel = bend_way(way, asked.stride, np.radians(asked.turn), _choose_gaps(stances, way, asked))
    _check_travel(float(travel.distance[-1]), asked)
    slope = float(np.tan(np.radians(asked.slope)))
    beside = {side: travel.sample(_follow_stances(stances, side, len(way))) for side in soles}
    moved = {side: _move_sole(path, corners[side], beside[side], slope) for side, path in soles.items()}
    places = [_find_place(moved[one.side].find_corners(corners[one.side]), one, beside[one.side]) for one in stances]
    lifts: Array = np.zeros(len(stances))
    stairs = None
    if asked.stairs:
        stairs, lifts = lay_stairs(places, asked.stairs)
    elif asked.stones:
        lifts = lay_stones(places, asked.stones, asked.draw("stones"))
    check_crossings(places, lifts + slope * np.array([one.middle for one in places]))
    for side, path in moved.items():
        mine = [n for n, one in enumerate(stances) if one.side == side]
        own = [stances[n] for n in mine]
        moved[side] = (
            _lift_sole(path, own, lifts[mine])
            if stairs is None
            else _climb(path, own, lifts[mine], corners[side], stairs, beside[side])
        )
    rise = slope * travel.distance + _lift_hips(stances, lifts, len(way))
    return _move_body(person, travel, rise, scale), moved


def _list_stances(soles: Mapping[str, SolePath], way: Array) -> list[SoleStance]:
    """Return when soles rest, and when the hips are nearest to them, in the order of that time."""
    found = []
    for side, path in soles.items():
        away = np.linalg.norm(path.places[:, :2] - way, axis=1)
        for first, last in find_runs(path.touching):
            found.append(SoleStance(side, first, last, first + int(away[first : last + 1].argmin())))
    return sorted(found, key=lambda one: one.nearest)


def _choose_gaps(stances: Sequence[SoleStance], way: Array, asked: ReferenceVariation) -> list[tuple[int, int, float]]:
    """Return the steps that lead across gaps: when they begin and end, and by how many metres they are longer."""
    if not asked.gaps:
        return []
    steps = [
        (one.nearest, other.nearest, asked.gaps)
        for one, other in pairwise(stances)
        if one.side != other.side and np.linalg.norm(way[other.nearest] - way[one.nearest]) > _STEP
    ]
    return steps[int(asked.draw("gaps").integers(max(1, min(_EVERY, len(steps))))) :: _EVERY]


def _check_travel(distance: float, asked: ReferenceVariation) -> None:
    needing = next((name for name in ("stairs", "slope", "gaps", "turn") if getattr(asked, name)), None)
    if needing is not None and distance < _SHORTEST:
        raise InputError(f"the motion travels {distance:.2f} m, too little for '{needing}'", fix="use one that travels")


def _follow_stances(stances: Sequence[SoleStance], side: str, frames: int) -> Array:
    """Return the time (frames,) of the way with which a sole moves in every frame; both ends go with the hips."""
    times = {frame: float(one.nearest) for one in stances if one.side == side for frame in (one.first, one.last)}
    ends = {0: 0.0, frames - 1: frames - 1.0}
    knots = dict(sorted((ends | times).items()))
    return ease_between(np.arange(frames), np.array(list(knots)), np.array([[time] for time in knots.values()]))[:, 0]


def _move_sole(path: SolePath, corners: Array, beside: Travel, slope: float) -> SolePath:
    """Return a path along the new way, tilted with the slope (a tangent)."""
    ahead = np.pad(beside.ahead, ((0, 0), (0, 1)))
    tilt = quat.from_axis_angle(cross(ahead, UP), np.full(len(ahead), np.arctan(slope)))
    level = float(path.ground.min())
    base = np.column_stack((beside.after, np.full(len(ahead), level)))
    raised = slope * beside.distance[:, None] * UP

    def carry(points: Array) -> Array:
        return np.asarray(base + quat.rotate(tilt, beside.move(points) - base) + raised)

    turned = quat.multiply(tilt, quat.multiply(beside.headings, path.rotations))
    moved = replace(path, places=carry(path.places), rotations=turned)
    below = carry(np.column_stack((path.places[:, :2], path.ground.min(axis=1))))
    along = np.sum((moved.find_corners(corners) - below[:, None]) * ahead[:, None], axis=2)
    return replace(moved, ground=below[:, 2:] + slope * along, slopes=slope * beside.ahead)


def _find_place(corners: Array, stance: SoleStance, beside: Travel) -> StancePlace:
    """Return where the sole with corners (frames, 4, 3) is in a stance."""
    along = beside.measure(corners)[stance.nearest]
    return StancePlace(corners[stance.nearest, :, :2].mean(axis=0), float(along.min()), float(along.max()))


def _raise_swings(spans: Sequence[tuple[int, int]], lifts: Array, frames: int) -> Array:
    """Return the lift (frames,) of a sole that is raised in spans; a swing rises at its beginning, sinks at its end."""
    lift = np.full(frames, lifts[0])
    for ((_, last), (first, _)), (low, high) in zip(pairwise(spans), pairwise(lifts), strict=True):
        share = (np.arange(frames) - last) / (first - last)
        part = np.clip((share - (0.0 if high > low else 1.0 - _RAISED)) / _RAISED, 0.0, 1.0)
        lift += (high - low) * smoothstep(part)
    return lift


def _lift_sole(path: SolePath, stances: Sequence[SoleStance], lifts: Array) -> SolePath:
    """Return a path with stances raised, each on a stone of its own."""
    frames = np.arange(len(path.places))
    if not stances:
        return path
    lift = _raise_swings([(one.first, one.last) for one in stances], lifts, len(frames))
    middles = np.array([0.5 * (one.first + one.last) for one in stances])
    below = lifts[np.abs(frames[:, None] - middles).argmin(axis=1)]
    return replace(path, places=path.places + lift[:, None] * UP, ground=path.ground + below[:, None])


def _climb(
    path: SolePath, stances: Sequence[SoleStance], lifts: Array, corners: Array, stairs: Stairs, beside: Travel
) -> SolePath:
    """Return a path with stances on stairs, and with swings above their edges."""
    frames, at = len(path.places), path.find_corners(corners)
    stair = stairs.find_heights(beside.measure(at))
    # A swing that the clip cuts off comes from, or leads to, the stairs that it is above.
    ends = stair[[0, -1]].max(axis=1)
    spans = [(-1, -1), *((one.first, one.last) for one in stances), (frames, frames)]
    lift = _raise_swings(spans, np.array([ends[0], *lifts, ends[1]]), frames)
    need = (path.ground + stair - at[..., 2]).max(axis=1) - lift
    for first, last in find_runs(~path.touching):
        share = (np.arange(first, last + 1) - first + 1) / (last - first + 2)
        bump = np.sin(np.pi * share) ** 2
        inside = (share > _ROLLING) & (share < 1.0 - _ROLLING)
        more = np.max(need[first : last + 1][inside] / bump[inside] + _CLEAR, initial=0.0)
        lift[first : last + 1] += more * bump
        need[first : last + 1] -= more * bump
        if more > _HIGHEST:
            raise InputError(f"a foot would swing {more:.2f} m higher to clear the stairs", fix=_STAIRS_FIX)
    if need.max() > _DEEPEST:
        raise InputError(f"a sole would be {need.max():.2f} m inside the edge of a stair", fix=_STAIRS_FIX)
    return replace(path, places=path.places + lift[:, None] * UP, ground=path.ground + stair)


def _lift_hips(stances: Sequence[SoleStance], lifts: Array, frames: int) -> Array:
    """Return by how much hips rise (frames,): as their stances, monotone between them."""
    from scipy.interpolate import PchipInterpolator

    times = np.array([one.nearest for one in stances])
    knots = np.unique(times)
    if len(knots) < 2:
        return np.full(frames, lifts.mean() if len(lifts) else 0.0)
    heights = [lifts[times == knot].mean() for knot in knots]
    return np.asarray(PchipInterpolator(knots, heights)(np.clip(np.arange(frames), knots[0], knots[-1])))


def _move_body(person: TrackedPerson, travel: Travel, rise: Array, scale: float) -> TrackedPerson:
    """Return a person who moves along the new way, raised by (frames,) metres of the robot."""
    hips = person.bodies.positions["pelvis"]
    moved = (travel.move(scale * hips) + rise[:, None] * UP) / scale
    return replace(person, bodies=person.bodies.turn(travel.headings).shift(moved - hips))

"""Where the soles of a robot go: as those of the person, scaled; flat and fixed while the person's foot rests flat.

Between two stances the path of the person's sole is kept, plus offsets that fade after the one and before the other.
What stances show of the height of the floor and the pitch of the foot is used near them. So the middle of a clip hardly
depends on where it is cut. Feet of people roll over heel and ball: while any of the foot rests, the lowest edge of the
robot's sole is on the ground. It is never below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, find_median_place, lengths
from gambol.motion.motion import Motion
from gambol.robots.references.levels import find_levels, lay_ground, measure_height
from gambol.robots.references.person import PersonBodies, TrackedPerson
from gambol.robots.references.sole_path import FrameNumbers, SolePath
from gambol.stages.feet import SIDES
from gambol.stages.flight import drop_supported_flights, find_stages

_SHORTEST = 0.06
"""Seconds that a flat stance of a person lasts at least."""
_FADING = 0.2
"""Seconds in which a sole returns to the person's path after a stance, and leaves it before the next."""
_NEAR, _LONG = 0.15, 0.2
"""Seconds from a stance at which it counts a sixteenth, and seconds from which stances count alike."""
_ROLLING = 0.35
"""Speed (rad/s) of a foot at which a frame of a stance counts a quarter in what is level."""
Ease = Callable[[FrameNumbers, FrameNumbers, Array], Array]
"""From frames, some of them and values (n, numbers) at these, to values (frames, numbers) at all of them."""


def plan_soles(
    person: TrackedPerson, contacts: Contacts, scale: float, soles: Mapping[str, Array], wider: float
) -> dict[str, SolePath]:
    """Return the paths of both soles of a robot that is `scale` times as large as the person.

    `contacts` are those of the person's feet, `soles` corners (4, 3) from the middle of a sole, level and along x.
    Feet are `wider` apart (m) than the person's.
    """
    frame_time, bodies = person.rig.frame_time, person.bodies
    for side in SIDES:
        bodies = _level_foot(bodies, side, _find_flat(contacts, side), frame_time)
    paths = trace_soles(bodies, person.rig, contacts, scale, wider)
    heights = [measure_height(path, *stance) for path in paths.values() for stance in path.flat]
    levels = find_levels(paths, heights, scale)
    footholds = {side: [find_foothold(path, *each, levels) for each in path.flat] for side, path in paths.items()}
    ease = partial(fade_between, longest=_FADING / frame_time)
    feet = {side: scale * bodies.find_sole_ends(side) for side in SIDES}
    return {
        side: rest_sole(_calibrate(path, held, frame_time), held, levels, soles[side], feet[side], ease)
        for (side, path), held in zip(paths.items(), footholds.values(), strict=True)
    }


def trace_soles(
    person: PersonBodies, source: Motion, contacts: Contacts, scale: float, wider: float
) -> dict[str, SolePath]:
    """Return the paths of the soles of a person, scaled and wider apart, and when they rest; `source` is the rig's."""
    thighs = [person.positions[f"{side}_thigh"] for side in SIDES]
    across = (thighs[0] - thighs[1]) * (1.0, 1.0, 0.0)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    paths = {}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        middle = scale * person.find_sole(side) + 0.5 * sign * wider * across
        paths[side] = SolePath(
            middle,
            person.rotations[f"{side}_foot"],
            _repeat(middle[:, 2]),
            np.zeros((len(middle), 2)),
            _find_flat(contacts, side),
            np.any(_find_rests(contacts, side), axis=0),
        )
    return _support(paths, find_unsupported(source, contacts))


def find_foothold(path: SolePath, first: int, last: int, levels: Array) -> Contact:
    """Return the contact of the middle of a sole in a flat stance: amid its places, on the nearest level."""
    span = slice(first, last + 1)
    place = find_median_place(path.places[span])
    place[2] = levels[np.abs(levels - place[2]).argmin()]
    return Contact("sole", np.zeros(3), place, first, last, forward=_find_direction(path.rotations[span]))


def rest_sole(
    path: SolePath, footholds: Sequence[Contact], levels: Array, sole: Array, foot: Array, ease: Ease
) -> SolePath:
    """Return a path that rests in a foothold for every flat stance, and swings no lower than the person's foot.

    `foot` (2, 3) are heel and ball of the person, scaled, from the middle of the sole. `ease` gives the offsets from
    the person's path between stances.
    """
    fixed = _fix(path, footholds, ease)
    ground = lay_ground(path, [one.place[2] for one in footholds], levels, path.find_lowest(sole))
    return _set_down(replace(fixed, ground=_repeat(ground)), sole, _measure_clearance(path, foot, ground), ease)


def find_unsupported(motion: Motion, contacts: Contacts) -> NDArray[np.bool_]:
    """Return in which frames (frames,) neither foot of a person rests and the body does not fall."""
    aloft = np.ones(contacts.frames, dtype=bool)
    for contact in contacts.items:
        aloft[contact.first : contact.last + 1] = False
    for stage in drop_supported_flights(motion, find_stages(contacts)):
        if stage.kind == "flight":
            aloft[stage.first : stage.last + 1] = False
    return aloft


def _support(paths: dict[str, SolePath], aloft: NDArray[np.bool_]) -> dict[str, SolePath]:
    """Return paths on which the lower sole rests in frames (frames,) in which neither does."""
    lower: dict[str, NDArray[np.bool_]] = {}
    for first, last in find_runs(aloft):
        span = slice(first, last + 1)
        side = min(paths, key=lambda name: float(paths[name].places[span, 2].mean()))
        lower.setdefault(side, np.zeros_like(aloft))[span] = True
    return {
        side: replace(path, touching=path.touching | lower[side]) if side in lower else path
        for side, path in paths.items()
    }


def _find_rests(contacts: Contacts, side: str) -> NDArray[np.bool_]:
    """Return when heel and front of a foot rest (2, frames)."""
    found = {contact.part for contact in contacts.items}
    none = np.zeros(contacts.frames, dtype=bool)
    heel, ball, toe = (
        contacts.touching(name) if (name := f"{side}_{tip}") in found else none for tip in ("heel", "ball", "toe")
    )
    return np.stack((heel, ball | toe))


def _find_flat(contacts: Contacts, side: str) -> tuple[tuple[int, int], ...]:
    """Return first and last frames in which heel and front of a foot rest."""
    least, runs = _SHORTEST / contacts.frame_time, find_runs(np.logical_and(*_find_rests(contacts, side)))
    return tuple((first, last) for first, last in runs if last - first + 1 >= least)


def _level_foot(bodies: PersonBodies, side: str, stances: Sequence[tuple[int, int]], frame_time: float) -> PersonBodies:
    """Return bodies with a foot that is level in flat stances while it does not roll; between them, near ones count.

    So a stance of which a cut leaves a part tells nearly the same, or little.
    """
    up = quat.rotate(quat.conjugate(bodies.rotations[f"{side}_foot"]), UP)
    if not stances or len(up) == 1:
        return bodies
    still = 1.0 / (1.0 + (lengths(np.gradient(up, frame_time, axis=0)) / _ROLLING) ** 2) ** 2
    spans = [slice(first, last + 1) for first, last in stances]
    ups = np.array([np.average(up[span], axis=0, weights=still[span]) for span in spans])
    seconds = np.array([frame_time * still[span].sum() for span in spans])
    return bodies.level_foot(side, blend_stances(stances, ups, seconds, len(up), frame_time))


def _calibrate(path: SolePath, footholds: Sequence[Contact], frame_time: float) -> SolePath:
    """Return a path that is in the median on the ground in flat stances.

    Heights of floors are measured with errors that differ from stance to stance: near ones count.
    """
    if not path.flat:
        return path
    rises = [one.place[2] - measure_height(path, one.first, one.last) for one in footholds]
    seconds = measure_durations(path.flat, frame_time)
    rise = blend_stances(path.flat, np.array(rises)[:, None], seconds, len(path.places), frame_time)
    return replace(path, places=path.places + rise * UP)


def measure_durations(stances: Sequence[tuple[int, int]], frame_time: float) -> Array:
    """Return how long (stances,) stances last (s)."""
    return frame_time * (np.diff(stances, axis=1)[:, 0] + 1)


def blend_stances(
    stances: Sequence[tuple[int, int]], values: Array, seconds: Array, frames: int, frame_time: float
) -> Array:
    """Return weighted means (frames, numbers) of the values (stances, numbers) of stances: near and long ones count.

    `seconds` (stances,) is how long each of them counts.
    """
    frame, weighted, total = np.arange(frames), np.zeros((frames, values.shape[1])), np.zeros((frames, 1))
    for (first, last), value, long in zip(stances, values, seconds, strict=True):
        away = frame_time * np.maximum(0, np.maximum(first - frame, frame - last))[:, None]
        weight = min(long / _LONG, 1.0) / (1.0 + (away / _NEAR) ** 2) ** 4
        weighted, total = weighted + weight * value, total + weight
    return np.asarray(weighted / total)


def _fix(path: SolePath, footholds: Sequence[Contact], ease: Ease) -> SolePath:
    """Return a path whose flat stances are level and in one place."""
    if not path.flat:
        return path
    frames = np.arange(len(path.places))
    shifts, turns = [], []
    for one in footholds:
        shifts.append(one.place - path.places[one.frames])
        turns.append(quat.multiply(_turn_towards(np.asarray(one.forward)), quat.conjugate(path.rotations[one.frames])))
    knots = np.concatenate([frames[one.frames] for one in footholds])
    turn = np.concatenate(turns)
    turn *= np.copysign(1.0, turn[:, :1])
    turned = quat.IDENTITY + ease(frames, knots, turn - quat.IDENTITY)
    return replace(
        path,
        places=np.asarray(path.places + ease(frames, knots, np.concatenate(shifts))),
        rotations=quat.multiply(turned / np.linalg.norm(turned, axis=1, keepdims=True), path.rotations),
    )


def _repeat(heights: Array) -> Array:
    """Return heights (frames,) for every corner (frames, 4)."""
    return np.repeat(heights[:, None], 4, axis=1)


def _measure_clearance(path: SolePath, foot: Array, ground: Array) -> Array:
    """Return how high (frames,) a person's foot with heel and ball (2, 3) is above the ground (frames,), scaled.

    Heels are round: one that is rolled over is lower than where it is flat. So heel and ball are compared with where
    they were when the foot left the ground, if that was lower.
    """
    heights, runs = path.find_corners(foot)[..., 2] - ground[:, None], list(find_runs(path.touching))
    left = np.minimum([np.zeros(2), *(heights[last] for _, last in runs)], 0.0)
    before = np.searchsorted([first for first, _ in runs], np.arange(len(ground)), "right")
    return np.asarray((heights - left[before]).min(axis=1))


def _set_down(path: SolePath, sole: Array, own: Array, ease: Ease) -> SolePath:
    """Return a path on which the sole is on the ground while the foot rests, and never below it.

    Between stances its lowest corner is no lower than the person's foot (frames,), scaled: a sole that is longer, or
    cannot bend at the toes, is raised.
    """
    above, rests = path.find_heights(sole).min(axis=1), np.flatnonzero(path.touching)
    heights = np.stack((above, own), axis=1)
    if len(rests):
        heights = heights - ease(np.arange(len(above)), rests, heights[rests])
    wanted = np.maximum(heights.max(axis=1), 0.0)
    return replace(path, places=np.asarray(path.places + (wanted - above)[:, None] * UP))


def fade_between(frames: FrameNumbers, at: FrameNumbers, values: Array, longest: float) -> Array:
    """Interpolate values (n, numbers) at some frames for all frames: within `longest` frames they fade to zero.

    In a gap that is shorter, one fades as the next appears. So what is farther away has no effect.
    """
    after = np.minimum(np.searchsorted(at, frames), len(at) - 1)
    before = np.maximum(np.searchsorted(at, frames, "right") - 1, 0)
    gap = at[after] - at[before]
    span, count = np.where(gap > 0, np.minimum(gap, longest), longest), np.where(gap > 0, 1.0, 0.5)
    faded = np.zeros((len(frames), values.shape[1]))
    for near in (before, after):
        share = np.clip(1.0 - np.abs(frames - at[near]) / span, 0.0, 1.0)
        faded += (count * smoothstep(share))[:, None] * values[near]
    return faded


def _find_direction(rotations: Array) -> Array:
    """Return the level unit vector (3,) that soles with rotations (frames, 4) face along on average."""
    ahead = quat.rotate(rotations, np.array([1.0, 0.0, 0.0])).mean(axis=0) * (1.0, 1.0, 0.0)
    return np.asarray(ahead / np.linalg.norm(ahead))


def _turn_towards(direction: Array) -> Array:
    """Return the rotation (4,) about the vertical from x to a level direction (3,)."""
    return quat.from_axis_angle(UP, np.arctan2(direction[1], direction[0]))

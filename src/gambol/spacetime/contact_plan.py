"""What carries a recorded body, and where it should have stayed: contacts of a clip made into holds.

Contacts decide how good a repair is; where feet jitter they are looked for in a slower motion. Each heel, ball and hand
that comes to rest is given one place; a foot that is flat lies on a line of its own length. Heights come from the floor
that most contacts share, and from the contact itself where it lies on a step or a box. What travels in its contact is
held where it is quiet, and pushes without being held elsewhere. A gap between contacts is a flight only if the body
falls in it; else the contacts around it are stretched to meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.legs.foot_contacts import Floor, FootContact, find_ground_heights
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, BodyPoint, find_foot_points, track_point
from gambol.stages.flight import SUPPORTED_ACCELERATION, MIN_FRAMES, fit_acceleration
from gambol.stages.speed import find_runs, compute_speed
from gambol.terms.contacts import Clearance, ContactConstraint

Mask = NDArray[np.bool_]

_TRAVEL = 0.10
"""Metres that a contact may move and still be one place badly recorded; beyond, only its quiet parts are places."""
_QUIET = 0.15
"""Metres a second of those parts."""
_STILL, _RISE = 0.4, 0.012
"""Metres a second, and metres above its middle height, at which a point that lands or lifts off is not held yet."""
_OF_TRAVEL = 0.25
"""Share of the body's speed that is still where that is more: feet of fast runners never quite rest."""
_SHORTEST = 0.05
"""Seconds of the shortest rest that is held."""
_HIGH = 0.03
"""Metres above the floor at which a heel that hardly moves is not down: runners on the balls of their feet."""
_AGREE = 0.025
"""Metres from the floor that most contacts share at which a contact has a floor of its own."""
_SLOPE, _UNEVEN = 0.015, 0.01
"""Rise that the floor of a recording usually has at most, and metres that its rests are usually off it."""
_STRETCH = 0.2
"""Seconds of a gap that stances around it are stretched over."""
_NEAR = 0.05
"""Metres that a point may have left its place and still be held where a stance is stretched."""
_AROUND = 0.06
"""Seconds on both sides of the middle of a gap, at least, over which the body must fall."""
_SHORT_FOOT = 0.05
"""Metres between heel and ball below which a rig shows no foot."""
_STEPS, _JITTER = 4.0, 0.25
"""Hz that steps are slower than, and metres a second of what is faster in the feet: in the quietest quarter of 30
recordings it stays below 0.23; with noise of a degree at every joint, smoothed to 8 Hz, it is 0.28 to 0.37."""
_HALF_WIDTH = 0.04
"""Metres to both sides of a foot's line, and around a hand, where it pushes."""


@dataclass(frozen=True, eq=False)
class ContactPlan:
    """What is held and what pushes in every frame of a clip."""

    rests: tuple[FootContact, ...]
    holds: tuple[ContactConstraint, ...]
    """Points that stay in their places."""
    pushes: tuple[ContactConstraint, ...]
    """Points that force may act at: wider than those that stay, and of feet that slide too."""
    clear: tuple[Clearance, ...]
    floor: Floor
    flight: Mask
    """(frames,) nothing touches and the body falls."""
    carried: Mask
    """(frames,) nothing that is known touches, and yet the body does not fall."""


def plan_contacts(fitted: Fit) -> ContactPlan:
    """The contacts of a clip, each in its place."""
    character, points = fitted.character, find_contact_points(fitted)
    motion = _calmed(fitted.motion, points)
    tracks = {point.name: track_point(motion, point) for point in points}
    contacts = find_foot_contacts(motion, points)
    travel = compute_speed(motion.placement.positions[:, 0] * (1.0, 1.0, 0.0), motion.frame_time, 2.0)
    rests: list[FootContact] = []
    for point in points:
        for contact in contacts.named(point.name):
            if contact.name == point.name:
                rests += _rests(point, tracks, travel, contact.first, contact.last, motion.frame_time)
    floor = fit_floor(rests)
    rests = [rest for rest in rests if not _is_high(rest, rests)]
    rests = _on_floor(_in_line(rests, tracks), floor)
    heights = Dynamics(character).center_of_mass(fitted.motion.q)[:, 2]
    rests, flight, carried = _without_gaps(rests, tracks, heights, motion.frame_time)
    return assemble_plan(character, points, rests, tracks, floor, flight, carried)


def assemble_plan(
    character: Character,
    points: Sequence[BodyPoint],
    rests: Sequence[FootContact],
    tracks: dict[str, Array],
    floor: Floor,
    flight: Mask,
    carried: Mask,
) -> ContactPlan:
    """What is held, pushes and stays above the ground, given what rests where."""
    frames = len(flight)
    return ContactPlan(
        tuple(rests),
        tuple(_holds(rests, frames)),
        tuple(push for rest in rests for push in _pushes(character, rest)),
        tuple(_clear(points, rests, tracks, floor, frames)),
        floor,
        flight,
        carried,
    )


def _calmed(motion: Motion, points: Sequence[BodyPoint]) -> Motion:
    """The motion that contacts are found in: where feet jitter even while they rest, only as fast as they step."""
    feet = np.stack([track_point(motion, point) for point in points if not point.name.endswith("hand")], axis=1)
    jitter = np.gradient(feet - low_pass(feet, motion.frame_time, _STEPS), motion.frame_time, axis=0)
    if np.percentile(np.linalg.norm(jitter, axis=2), 25.0) < _JITTER:
        return motion
    return replace(motion, q=low_pass(motion.q, motion.frame_time, _STEPS))


def fit_floor(rests: Sequence[FootContact]) -> Floor:
    """The floor that most rests share: a plane that tilts a little if their places say so."""
    feet = [rest for rest in rests if rest.fixed and not rest.point.name.endswith("hand")]
    if not feet:
        return Floor(0.0)
    places = np.array([rest.place for rest in feet])
    weights = np.array([float(rest.last - rest.first + 1) for rest in feet])
    # Heels of runners, steps and boxes lie above the floor; what lies near the middle of the lower ones is on it.
    height = _weighted_median(places[:, 2], weights)
    near = np.abs(places[:, 2] - height) < 2.0 * _AGREE
    middle = np.average(places[near, :2], axis=0, weights=weights[near])
    rows = np.column_stack((np.ones(near.sum()), places[near, :2] - middle)) / _UNEVEN
    likely = np.diag([0.0, 1.0 / _SLOPE, 1.0 / _SLOPE])
    wanted = np.concatenate((places[near, 2] / _UNEVEN, np.zeros(3)))
    (level, east, north), *_ = np.linalg.lstsq(np.vstack((rows, likely)), wanted, rcond=None)
    return Floor(float(level - middle @ (east, north)), (float(east), float(north)))


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(share, 0.5 * share[-1])])


def find_contact_points(fitted: Fit) -> tuple[BodyPoint, ...]:
    """Heels and balls where the rig has them, in the frames of the character's feet, and its fingertips.

    The toe joint of a rig is what its foot turns about; the character's own ball lies below it and would roll.
    """
    skeleton, placed = fitted.character.skeleton, fitted.motion.placement
    seen = {point.name: point for point in find_foot_points(fitted.source)}
    found = []
    for side in SIDES:
        own = [_tip(skeleton, f"{side}_{end}") for end in ("heel", "ball") if f"{side}_{end}_tip" in skeleton.names]
        for point in own:
            joint = skeleton.index(point.body)
            back = quat.conjugate(placed.rotations[:, joint])
            way = track_point(fitted.source, seen[point.name]) - placed.positions[:, joint]
            found.append(BodyPoint(point.name, point.body, np.median(quat.rotate(back, way), axis=0)))
        if len(own) == 2 and np.linalg.norm(found[-1].point - found[-2].point) < _SHORT_FOOT:
            found[-2:] = own
        if f"{side}_hand_tip" in skeleton.names:
            found.append(_tip(skeleton, f"{side}_hand"))
    return tuple(found)


def _tip(skeleton: Skeleton, name: str) -> BodyPoint:
    joint = skeleton.index(f"{name}_tip")
    return BodyPoint(name, skeleton.names[skeleton.parents[joint]], skeleton.offsets[joint])


def _rests(
    point: BodyPoint, tracks: dict[str, Array], travel: Array, first: int, last: int, frame_time: float
) -> list[FootContact]:
    """A contact as one rest, or where it travels as its quiet parts; as it lands and lifts off it pushes and slides."""
    way = tracks[point.name][first : last + 1]
    pace = compute_speed(way, frame_time) if len(way) > 1 else np.zeros(1)
    low, high = np.percentile(way[:, :2], (5.0, 95.0), axis=0)
    one_place = np.linalg.norm(high - low) <= _TRAVEL
    still = pace < (np.maximum(_STILL, _OF_TRAVEL * travel[first : last + 1]) if one_place else _QUIET)
    still &= way[:, 2] < np.median(way[:, 2]) + _RISE
    if one_place and still.any():
        inside = np.flatnonzero(still)
        still[inside[0] : inside[-1] + 1] = True
    for a, b in find_runs(still):
        if (b - a + 1) * frame_time < _SHORTEST:
            still[a : b + 1] = False
    held = [_rest(point, tracks, first + a, first + b, True) for a, b in find_runs(still)]
    step = max(1, round(_SHORTEST / frame_time))
    moving = [
        _rest(point, tracks, first + c, first + min(c + step - 1, b), False)
        for a, b in find_runs(~still)
        for c in range(a, b + 1, step)
    ]
    return held + moving


def _rest(point: BodyPoint, tracks: dict[str, Array], first: int, last: int, held: bool) -> FootContact:
    frames = slice(first, last + 1)
    return FootContact(point, first, last, np.median(tracks[point.name][frames], axis=0), _ahead(point, tracks, frames), held)


def _ahead(point: BodyPoint, tracks: dict[str, Array], frames: slice) -> Array:
    """Where a foot points to over the floor while it rests; hands point nowhere."""
    side = point.name.partition("_")[0]
    if point.name.endswith("hand"):
        return np.array([1.0, 0.0, 0.0])
    way = np.median(tracks[f"{side}_ball"][frames] - tracks[f"{side}_heel"][frames], axis=0) * (1.0, 1.0, 0.0)
    return way / max(float(np.linalg.norm(way)), 1e-6)


def _is_high(rest: FootContact, rests: Sequence[FootContact]) -> bool:
    """Whether a heel hovers while the ball of its foot carries."""
    if not rest.point.name.endswith("heel"):
        return False
    balls = [r for r in rests if r.point.body == rest.point.body and r is not rest and _overlap(r, rest) > 0]
    return bool(balls) and bool(rest.place[2] - min(float(r.place[2]) for r in balls) > _HIGH)


def _overlap(one: FootContact, other: FootContact) -> int:
    return min(one.last, other.last) - max(one.first, other.first) + 1


def _in_line(rests: Sequence[FootContact], tracks: dict[str, Array]) -> list[FootContact]:
    """Heels and balls that rest together, as far apart as the foot is long, placed by the frames in which both do."""
    out = {id(rest): rest for rest in rests}
    balls = [r for r in rests if r.point.name.endswith("ball") and r.fixed]
    done: set[int] = set()
    for heel in (r for r in rests if r.point.name.endswith("heel") and r.fixed):
        mine = [b for b in balls if b.point.body == heel.point.body and _overlap(b, heel) > 0]
        if not mine:
            continue
        ball = max(mine, key=lambda b: _overlap(b, heel))
        both = slice(max(ball.first, heel.first), min(ball.last, heel.last) + 1)
        ahead = _ahead(ball.point, tracks, both)
        length = float(np.linalg.norm(ball.point.point - heel.point.point))
        if id(ball) in done:
            front = out[id(ball)].place
        else:
            ends = [np.median(tracks[rest.point.name][both], axis=0) for rest in (heel, ball)]
            front = 0.5 * (ends[0] + ends[1]) + 0.5 * length * ahead
            out[id(ball)] = replace(ball, place=front, forward=ahead)
            done.add(id(ball))
        out[id(heel)] = replace(heel, place=front - length * ahead, forward=ahead)
    return list(out.values())


def _on_floor(rests: Sequence[FootContact], floor: Floor) -> list[FootContact]:
    """Feet at the height of the floor, or as high as they rest in one stay on the ground where that is far from it."""
    out = [rest for rest in rests if rest.point.name.endswith("hand")]
    for body in dict.fromkeys(rest.point.body for rest in rests):
        for stay in group_stays([r for r in rests if r.point.body == body and not r.point.name.endswith("hand")]):
            down = [r for r in stay if r.fixed] or stay
            above = np.array([float(r.place[2] - floor.at(r.place)) for r in down])
            step = _weighted_median(above, np.array([float(r.last - r.first + 1) for r in down]))
            step = 0.0 if abs(step) <= _AGREE else step
            out += [replace(r, place=np.append(r.place[:2], floor.at(r.place) + step)) for r in stay]
    return out


def group_stays(rests: Sequence[FootContact]) -> list[list[FootContact]]:
    """Rests of one foot that follow each other without a break."""
    out: list[list[FootContact]] = []
    reach = -2
    for rest in sorted(rests, key=lambda r: r.first):
        if rest.first > reach + 1:
            out.append([])
        out[-1].append(rest)
        reach = max(reach, rest.last)
    return out


def _without_gaps(
    rests: list[FootContact], tracks: dict[str, Array], heights: Array, frame_time: float
) -> tuple[list[FootContact], Mask, Mask]:
    """Rests stretched over the gaps in which the body does not fall; flights; and what stays without a reason."""
    frames = len(heights)
    flight, carried = np.zeros(frames, dtype=bool), np.zeros(frames, dtype=bool)
    for first, last in find_runs(~_touching(rests, frames)):
        if _falls(heights, first, last, frame_time):
            flight[first : last + 1] = True
        elif (last - first + 1) * frame_time <= _STRETCH:
            rests = _stretched(rests, tracks, first, last)
    carried = ~_touching(rests, frames) & ~flight
    return rests, flight, carried


def _touching(rests: Sequence[FootContact], frames: int) -> Mask:
    mask = np.zeros(frames, dtype=bool)
    for rest in rests:
        mask[rest.frames] = True
    return mask


def _falls(heights: Array, first: int, last: int, frame_time: float) -> bool:
    middle, half = (first + last) // 2, max(round(_AROUND / frame_time), (last - first + 1) // 2, MIN_FRAMES // 2)
    around = heights[max(middle - half, 0) : middle + half + 1]
    return len(around) >= MIN_FRAMES and fit_acceleration(around, frame_time) < SUPPORTED_ACCELERATION


def _stretched(rests: list[FootContact], tracks: dict[str, Array], first: int, last: int) -> list[FootContact]:
    """What ends before a gap and what begins after it, up to its middle."""
    before = [rest for rest in rests if rest.last == first - 1]
    after = [rest for rest in rests if rest.first == last + 1]
    middle = (first + last + 1) // 2 if before and after else last + 1 if before else first
    more = [_moved(rest, tracks, first, middle - 1) for rest in before if middle > first]
    more += [_moved(rest, tracks, middle, last) for rest in after if middle <= last]
    return [*rests, *more]


def _moved(rest: FootContact, tracks: dict[str, Array], first: int, last: int) -> FootContact:
    """The same place for other frames, held if the point was near it."""
    away = np.linalg.norm(tracks[rest.point.name][first : last + 1] - rest.place, axis=1).max(initial=0.0)
    return replace(rest, first=first, last=last, fixed=rest.fixed and bool(away < _NEAR))


def _holds(rests: Sequence[FootContact], frames: int) -> list[ContactConstraint]:
    """Points and lines: heel and ball of a foot that are in line make one."""
    out: list[ContactConstraint] = []
    for body in dict.fromkeys(rest.point.body for rest in rests):
        mine = [rest for rest in rests if rest.point.body == body and rest.fixed]
        state = [tuple(n for n, rest in enumerate(mine) if rest.first <= t <= rest.last) for t in range(frames)]
        changes = [t for t in range(frames) if t == 0 or state[t] != state[t - 1]]
        for first, end in zip(changes, [*changes[1:], frames], strict=True):
            held = [mine[n] for n in state[first]]
            if held:
                out.append(_hold(held, first, end - 1))
    return out


def _hold(held: list[FootContact], first: int, last: int) -> ContactConstraint:
    kinds = {rest.point.name.rpartition("_")[2]: rest for rest in held}
    ball, heel = kinds.get("ball"), kinds.get("heel")
    if ball is not None and heel is not None:
        apart = float(np.linalg.norm(ball.point.point - heel.point.point))
        if abs(float(np.linalg.norm(ball.place - heel.place)) - apart) < 1e-3:
            both = (ball, heel)
            return ContactConstraint(
                ball.point.body, np.array([r.point.point for r in both]), np.array([r.place for r in both]), first, last
            )
    one = ball or heel or held[0]
    return ContactConstraint(one.point.body, one.point.point[None], one.place[None], first, last)


def _pushes(character: Character, rest: FootContact) -> list[ContactConstraint]:
    """Where a rest may push: both sides of a heel, of a ball and the toes ahead of it; around a fingertip."""
    aside = np.array([-rest.forward[1], rest.forward[0], 0.0])
    across = _HALF_WIDTH * np.array([aside, -aside])
    if rest.point.name.endswith("ball"):
        ways = np.vstack((across, _toes(character, rest.point.name) * rest.forward))
    elif rest.point.name.endswith("heel"):
        ways = across
    else:
        ways = _HALF_WIDTH * np.array([rest.forward, -rest.forward, aside, -aside])
    points = np.tile(rest.point.point, (len(ways), 1))
    sole = min(_tip(character.skeleton, rest.point.name).point[2] - rest.point.point[2], 0.0)
    return [ContactConstraint(rest.point.body, points, rest.place + ways + [0.0, 0.0, sole], rest.first, rest.last)]


def _toes(character: Character, ball: str) -> float:
    """Metres from the ball of a foot to where its toes still push."""
    skeleton = character.skeleton
    toe = f"{ball.removesuffix('ball')}toe_tip"
    if toe not in skeleton.names:
        return _HALF_WIDTH
    way = skeleton.offsets[skeleton.index(toe)] - skeleton.offsets[skeleton.index(f"{ball}_tip")]
    return 0.7 * float(np.linalg.norm(way))


def _clear(
    points: Sequence[BodyPoint], rests: Sequence[FootContact], tracks: dict[str, Array], floor: Floor, frames: int
) -> list[Clearance]:
    """Heels and balls stay above the ground of the rests before and after, wherever they are not held."""
    out = []
    for point in (p for p in points if not p.name.endswith("hand")):
        mine = [rest for rest in rests if rest.point.body == point.body]
        held = [rest for rest in mine if rest.fixed and rest.point.name == point.name]
        free = np.flatnonzero(~_touching(held, frames))
        if len(free):
            ground = find_ground_heights(tracks[point.name], mine, floor)
            out.append(Clearance(point.body, point.point, free, ground[free]))
    return out

"""Plan the contacts of a clip: constraints that fix feet and hands in place, and points at which force may act.

The quality of a repair depends on the contacts. Where feet jitter, contacts are detected in a low-passed motion. Each
heel, ball and hand at rest gets one place; heel and ball of a flat foot are one foot length apart. Heights come from
the floor that most contacts share, or from the contact itself on a step or a box. A contact that travels is fixed only
where it is slow, and transmits force without being fixed elsewhere. A gap between contacts is a flight only if the body
falls in it; otherwise the contacts around the gap are extended to close it. Where flights are given, the lowest
points of the feet are in contact in all other frames in which the body falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import find_median_place, lengths
from gambol.legs.foot_contacts import Floor, FootContact, find_ground_heights
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, BodyPoint, find_foot_points, track_point
from gambol.stages.flight import MIN_FRAMES, SUPPORTED_ACCELERATION, fit_acceleration
from gambol.stages.speed import compute_speed, find_runs
from gambol.terms.contacts import Clearance, ContactConstraint

FrameMask = NDArray[np.bool_]
_Contact = TypeVar("_Contact", FootContact, ContactConstraint)

_MAX_TRAVEL = 0.10
"""Metres that a contact may travel and still be fixed at one place; beyond, only its slow parts are fixed."""
_QUIET = 0.15
"""Speed (m/s) below which a part of such a contact is slow."""
_STILL, _RISE = 0.4, 0.012
"""Speed (m/s), and height (m) above its median, above which a point that lands or lifts off is not fixed."""
_SPEED_SHARE = 0.25
"""Share of the body's speed that replaces _STILL where it is larger: feet of fast runners never come to rest."""
_SHORTEST = 0.05
"""Duration (s) of the shortest fixed contact."""
_HIGH = 0.03
"""Metres above the ball at which a slow heel is not in contact: runners on the balls of their feet."""
_AGREE = 0.025
"""Metres from the common floor beyond which a contact keeps its own height."""
_SLOPE, _UNEVEN = 0.015, 0.01
"""Standard deviations assumed for the slope of a recorded floor and for heights of contacts above it (m)."""
_STRETCH = 0.2
"""Duration (s) of the longest gap over which contacts are extended."""
_NEAR = 0.05
"""Metres from its place up to which a point is fixed in the frames by which its contact is extended."""
_AROUND = 0.06
"""Seconds on both sides of the middle of a gap, at least, over which vertical acceleration is measured."""
_SHORT_FOOT = 0.05
"""Metres between heel and ball below which the rig is taken to have no foot."""
_STEPS, _JITTER = 4.0, 0.25
"""Steps are slower than _STEPS (Hz). Feet jitter if the lower quartile of the speed of faster movement is above _JITTER
(m/s): in 30 recordings it is below 0.23; with noise of one degree at every joint, smoothed to 8 Hz, 0.28 to 0.37."""
_HALF_WIDTH = 0.04
"""Metres to both sides of a foot's line, and around a hand, at which force may act."""


@dataclass(frozen=True, eq=False)
class ContactPlan:
    """The contacts of a clip: where points are fixed, and where force may act, in every frame."""

    foot_contacts: tuple[FootContact, ...]
    constraints: tuple[ContactConstraint, ...]
    """Points that are fixed."""
    force_contacts: tuple[ContactConstraint, ...]
    """Points at which force may act: spread over the foot, and also of feet that slide."""
    clearances: tuple[Clearance, ...]
    floor: Floor
    flight: FrameMask
    """(frames,) no contact, and the body falls."""
    unseen_support: FrameMask
    """(frames,) no known contact, but the body does not fall."""


def plan_contacts(fitted: Fit, flight: FrameMask | None = None) -> ContactPlan:
    """Find the contacts of a clip and fix each at its place; `flight` (frames,) says which frames have none."""
    character, points = fitted.character, find_contact_points(fitted)
    motion = _smooth_jitter(fitted.motion, points)
    tracks = {point.name: track_point(motion, point) for point in points}
    detected = find_foot_contacts(motion, points)
    travel = compute_speed(motion.placement.positions[:, 0] * (1.0, 1.0, 0.0), motion.frame_time, 2.0)
    contacts: list[FootContact] = []
    for point in points:
        for found in detected.named(point.name):
            if found.name == point.name:
                contacts += _divide_contact(point, tracks, travel, found.first, found.last, motion.frame_time)
    heights = Dynamics(character).center_of_mass(fitted.motion.q)[:, 2]
    if flight is not None:
        contacts = _remove_frames(contacts, flight)
        for first, last in find_runs(~_contact_mask(contacts, len(flight)) & ~flight):
            if _is_falling(heights, first, last, motion.frame_time):
                contacts += _touch_down(points, tracks, travel, first, last, motion.frame_time)
    floor = fit_floor(contacts)
    contacts = [contact for contact in contacts if not _is_raised_heel(contact, contacts)]
    contacts = _set_on_floor(_align_feet(contacts, tracks), floor)
    contacts, flight, unseen_support = _close_gaps(contacts, tracks, heights, motion.frame_time, flight)
    return assemble_plan(character, points, contacts, tracks, floor, flight, unseen_support)


def assemble_plan(
    character: Character,
    points: Sequence[BodyPoint],
    contacts: Sequence[FootContact],
    tracks: dict[str, Array],
    floor: Floor,
    flight: FrameMask,
    unseen_support: FrameMask,
) -> ContactPlan:
    """Derive constraints, force contacts and clearances from foot contacts."""
    frames = len(flight)
    return ContactPlan(
        tuple(contacts),
        tuple(fix_contacts(contacts, frames)),
        tuple(push for contact in contacts for push in _make_force_contacts(character, contact)),
        tuple(_make_clearances(points, contacts, tracks, floor, frames)),
        floor,
        flight,
        unseen_support,
    )


def cut_plan(plan: ContactPlan, first: int, last: int) -> ContactPlan:
    """Return the contact plan of a range of frames, counted from its first frame."""

    def cut(contacts: Sequence[_Contact]) -> tuple[_Contact, ...]:
        inside = (one for one in contacts if one.first <= last and one.last >= first)
        return tuple(replace(c, first=max(c.first, first) - first, last=min(c.last, last) - first) for c in inside)

    inside = (cut_clearance(one, first, last + 1) for one in plan.clearances)
    frames = slice(first, last + 1)
    return replace(
        plan,
        foot_contacts=cut(plan.foot_contacts),
        constraints=cut(plan.constraints),
        force_contacts=cut(plan.force_contacts),
        clearances=tuple(replace(one, frames=one.frames - first) for one in inside),
        flight=plan.flight[frames],
        unseen_support=plan.unseen_support[frames],
    )


def thin_plan(plan: ContactPlan, every: int) -> ContactPlan:
    """Return the contact plan of every so many frames, counted in those."""

    def thin(contacts: Sequence[ContactConstraint]) -> tuple[ContactConstraint, ...]:
        spans = ((one, -(-one.first // every), one.last // every) for one in contacts)
        return tuple(replace(one, first=first, last=last) for one, first, last in spans if first <= last)

    return replace(
        plan,
        constraints=thin(plan.constraints),
        force_contacts=thin(plan.force_contacts),
        clearances=tuple(_thin_clearance(one, every) for one in plan.clearances),
        flight=plan.flight[::every],
        unseen_support=plan.unseen_support[::every],
    )


def _thin_clearance(clearance: Clearance, every: int) -> Clearance:
    kept = clearance.select(clearance.frames % every == 0)
    return replace(kept, frames=kept.frames // every)


def cut_clearance(clearance: Clearance, first: int, end: int) -> Clearance:
    """Return a clearance limited to frames from `first` to before `end`."""
    return clearance.select((clearance.frames >= first) & (clearance.frames < end))


def _smooth_jitter(motion: Motion, points: Sequence[BodyPoint]) -> Motion:
    """Return the motion in which contacts are detected: low-passed where feet jitter even at rest."""
    feet = np.stack([track_point(motion, point) for point in points if not point.name.endswith("hand")], axis=1)
    jitter = np.gradient(feet - low_pass(feet, motion.frame_time, _STEPS), motion.frame_time, axis=0)
    if np.percentile(np.linalg.norm(jitter, axis=2), 25.0) < _JITTER:
        return motion
    return replace(motion, q=low_pass(motion.q, motion.frame_time, _STEPS))


def fit_floor(contacts: Sequence[FootContact]) -> Floor:
    """Fit the floor that most contacts share: a plane, nearly level."""
    feet = [contact for contact in contacts if contact.fixed and not contact.point.name.endswith("hand")]
    if not feet:
        return Floor(0.0)
    places = np.array([contact.place for contact in feet])
    weights = np.array([float(contact.last - contact.first + 1) for contact in feet])
    # Heels of runners, steps and boxes are above the floor: fit only contacts near the median height.
    height = _weighted_median(places[:, 2], weights)
    near = np.abs(places[:, 2] - height) < 2.0 * _AGREE
    middle = np.average(places[near, :2], axis=0, weights=weights[near])
    rows = np.column_stack((np.ones(near.sum()), places[near, :2] - middle)) / _UNEVEN
    likely = np.diag([0.0, 1.0 / _SLOPE, 1.0 / _SLOPE])
    targets = np.concatenate((places[near, 2] / _UNEVEN, np.zeros(3)))
    (level, east, north), *_ = np.linalg.lstsq(np.vstack((rows, likely)), targets, rcond=None)
    return Floor(float(level - middle @ (east, north)), (float(east), float(north)))


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(share, 0.5 * share[-1])])


def find_contact_points(fitted: Fit) -> tuple[BodyPoint, ...]:
    """Return heels and balls at the rig's positions, in the frames of the character's feet, and its fingertips.

    The toe joint of a rig is what its foot turns about; the character's own ball lies below it and would roll.
    """
    skeleton, placed = fitted.character.skeleton, fitted.motion.placement
    seen = {point.name: point for point in find_foot_points(fitted.source)}
    found = []
    for side in SIDES:
        own = [
            _tip_point(skeleton, f"{side}_{end}") for end in ("heel", "ball") if f"{side}_{end}_tip" in skeleton.names
        ]
        for point in own:
            joint = skeleton.index(point.body)
            back = quat.conjugate(placed.rotations[:, joint])
            offset = track_point(fitted.source, seen[point.name]) - placed.positions[:, joint]
            found.append(BodyPoint(point.name, point.body, np.median(quat.rotate(back, offset), axis=0)))
        if len(own) == 2 and np.linalg.norm(found[-1].point - found[-2].point) < _SHORT_FOOT:
            found[-2:] = own
        if f"{side}_hand_tip" in skeleton.names:
            found.append(_tip_point(skeleton, f"{side}_hand"))
    return tuple(found)


def _tip_point(skeleton: Skeleton, name: str) -> BodyPoint:
    joint = skeleton.index(f"{name}_tip")
    return BodyPoint(name, skeleton.names[skeleton.parents[joint]], skeleton.offsets[joint])


def _divide_contact(
    point: BodyPoint, tracks: dict[str, Array], travel: Array, first: int, last: int, frame_time: float
) -> list[FootContact]:
    """Divide a detected contact into parts that are fixed and parts that slide while force acts (landing, lift-off)."""
    track = tracks[point.name][first : last + 1]
    pace = compute_speed(track, frame_time) if len(track) > 1 else np.zeros(1)
    away = lengths((track - find_median_place(track)) * (1.0, 1.0, 0.0))
    one_place = 2.0 * np.percentile(away, 90.0) <= _MAX_TRAVEL
    still = pace < (np.maximum(_STILL, _SPEED_SHARE * travel[first : last + 1]) if one_place else _QUIET)
    still &= track[:, 2] < np.median(track[:, 2]) + _RISE
    if one_place and still.any():
        inside = np.flatnonzero(still)
        still[inside[0] : inside[-1] + 1] = True
    for a, b in find_runs(still):
        if (b - a + 1) * frame_time < _SHORTEST:
            still[a : b + 1] = False
    fixed = [_make_contact(point, tracks, first + a, first + b, True) for a, b in find_runs(still)]
    step = max(1, round(_SHORTEST / frame_time))
    moving = [
        _make_contact(point, tracks, first + c, first + min(c + step - 1, b), False)
        for a, b in find_runs(~still)
        for c in range(a, b + 1, step)
    ]
    return fixed + moving


def _make_contact(point: BodyPoint, tracks: dict[str, Array], first: int, last: int, fixed: bool) -> FootContact:
    frames = slice(first, last + 1)
    place, forward = find_median_place(tracks[point.name][frames]), _foot_direction(point, tracks, frames)
    return FootContact(point, first, last, place, forward, fixed)


def _foot_direction(point: BodyPoint, tracks: dict[str, Array], frames: slice) -> Array:
    """Return the horizontal direction of a foot during a contact; x for hands."""
    side = point.name.partition("_")[0]
    if point.name.endswith("hand"):
        return np.array([1.0, 0.0, 0.0])
    along = find_median_place(tracks[f"{side}_ball"][frames] - tracks[f"{side}_heel"][frames]) * (1.0, 1.0, 0.0)
    return along / max(float(np.linalg.norm(along)), 1e-6)


def _is_raised_heel(contact: FootContact, contacts: Sequence[FootContact]) -> bool:
    """Whether a heel is raised while the ball of its foot is in contact."""
    if not contact.point.name.endswith("heel"):
        return False
    balls = [
        r for r in contacts if r.point.body == contact.point.body and r is not contact and _overlap(r, contact) > 0
    ]
    return bool(balls) and bool(contact.place[2] - min(float(r.place[2]) for r in balls) > _HIGH)


def _overlap(one: FootContact, other: FootContact) -> int:
    return min(one.last, other.last) - max(one.first, other.first) + 1


def _align_feet(contacts: Sequence[FootContact], tracks: dict[str, Array]) -> list[FootContact]:
    """Place heels and balls with simultaneous contacts one foot length apart, by the frames in which both are fixed."""
    out = {id(contact): contact for contact in contacts}
    balls = [r for r in contacts if r.point.name.endswith("ball") and r.fixed]
    done: set[int] = set()
    for heel in (r for r in contacts if r.point.name.endswith("heel") and r.fixed):
        mine = [b for b in balls if b.point.body == heel.point.body and _overlap(b, heel) > 0]
        if not mine:
            continue
        ball = max(mine, key=lambda b: _overlap(b, heel))
        both = slice(max(ball.first, heel.first), min(ball.last, heel.last) + 1)
        ahead = _foot_direction(ball.point, tracks, both)
        length = float(np.linalg.norm(ball.point.point - heel.point.point))
        if id(ball) in done:
            front = out[id(ball)].place
        else:
            ends = [find_median_place(tracks[contact.point.name][both]) for contact in (heel, ball)]
            front = 0.5 * (ends[0] + ends[1]) + 0.5 * length * ahead
            out[id(ball)] = replace(ball, place=front, forward=ahead)
            done.add(id(ball))
        out[id(heel)] = replace(heel, place=front - length * ahead, forward=ahead)
    return list(out.values())


def _set_on_floor(contacts: Sequence[FootContact], floor: Floor) -> list[FootContact]:
    """Set feet at the height of the floor, or keep the common height of a stay where it is far from the floor."""
    out = [contact for contact in contacts if contact.point.name.endswith("hand")]
    for body in dict.fromkeys(contact.point.body for contact in contacts):
        for stay in group_stays([r for r in contacts if r.point.body == body and not r.point.name.endswith("hand")]):
            down = [r for r in stay if r.fixed] or stay
            above = np.array([float(r.place[2] - floor.at(r.place)) for r in down])
            step = _weighted_median(above, np.array([float(r.last - r.first + 1) for r in down]))
            step = 0.0 if abs(step) <= _AGREE else step
            out += [replace(r, place=np.append(r.place[:2], floor.at(r.place) + step)) for r in stay]
    return out


def group_stays(contacts: Sequence[FootContact]) -> list[list[FootContact]]:
    """Group contacts of one foot that follow each other without a gap."""
    out: list[list[FootContact]] = []
    reach = -2
    for contact in sorted(contacts, key=lambda r: r.first):
        if contact.first > reach + 1:
            out.append([])
        out[-1].append(contact)
        reach = max(reach, contact.last)
    return out


def _remove_frames(contacts: Sequence[FootContact], flight: FrameMask) -> list[FootContact]:
    """Return the contacts without the frames of flights; one with a flight in its middle becomes two."""
    return [
        replace(contact, first=contact.first + a, last=contact.first + b)
        for contact in contacts
        for a, b in find_runs(~flight[contact.frames])
    ]


def _touch_down(
    points: Sequence[BodyPoint], tracks: dict[str, Array], travel: Array, first: int, last: int, frame_time: float
) -> list[FootContact]:
    """Return contacts of the lowest points of the feet in frames in which none was detected."""
    feet = [point for point in points if not point.name.endswith("hand")]
    heights = np.array([tracks[point.name][first : last + 1, 2] for point in feet])
    low = heights <= heights.min(axis=0) + _HIGH
    return [
        contact
        for point, mask in zip(feet, low, strict=True)
        for a, b in find_runs(mask)
        for contact in _divide_contact(point, tracks, travel, first + a, first + b, frame_time)
    ]


def _close_gaps(
    contacts: list[FootContact], tracks: dict[str, Array], heights: Array, frame_time: float, given: FrameMask | None
) -> tuple[list[FootContact], FrameMask, FrameMask]:
    """Extend contacts over short gaps in which the body does not fall; return them, flights, and unseen support.

    With given flights no others are found.
    """
    frames = len(heights)
    flight = np.zeros(frames, dtype=bool) if given is None else given
    for first, last in find_runs(~_contact_mask(contacts, frames) & ~flight):
        if given is None and _is_falling(heights, first, last, frame_time):
            flight[first : last + 1] = True
        elif (last - first + 1) * frame_time <= _STRETCH:
            contacts = _extend_contacts(contacts, tracks, first, last)
    unseen_support = ~_contact_mask(contacts, frames) & ~flight
    return contacts, flight, unseen_support


def _contact_mask(contacts: Sequence[FootContact], frames: int) -> FrameMask:
    mask = np.zeros(frames, dtype=bool)
    for contact in contacts:
        mask[contact.frames] = True
    return mask


def _is_falling(heights: Array, first: int, last: int, frame_time: float) -> bool:
    middle, half = (first + last) // 2, max(round(_AROUND / frame_time), (last - first + 1) // 2, MIN_FRAMES // 2)
    around = heights[max(middle - half, 0) : middle + half + 1]
    return len(around) >= MIN_FRAMES and fit_acceleration(around, frame_time) < SUPPORTED_ACCELERATION


def _extend_contacts(contacts: list[FootContact], tracks: dict[str, Array], first: int, last: int) -> list[FootContact]:
    """Extend contacts that end before a gap and contacts that begin after it, up to its middle."""
    before = [contact for contact in contacts if contact.last == first - 1]
    after = [contact for contact in contacts if contact.first == last + 1]
    middle = (first + last + 1) // 2 if before and after else last + 1 if before else first
    more = [_extend_contact(contact, tracks, first, middle - 1) for contact in before if middle > first]
    more += [_extend_contact(contact, tracks, middle, last) for contact in after if middle <= last]
    return [*contacts, *more]


def _extend_contact(contact: FootContact, tracks: dict[str, Array], first: int, last: int) -> FootContact:
    """Return a contact at the same place for other frames, fixed if the point stays near it."""
    away = np.linalg.norm(tracks[contact.point.name][first : last + 1] - contact.place, axis=1).max(initial=0.0)
    return replace(contact, first=first, last=last, fixed=contact.fixed and bool(away < _NEAR))


def fix_contacts(contacts: Sequence[FootContact], frames: int) -> list[ContactConstraint]:
    """Make point contacts, and line contacts where heel and ball of a foot are aligned, in a number of frames."""
    out: list[ContactConstraint] = []
    for body in dict.fromkeys(contact.point.body for contact in contacts):
        mine = [contact for contact in contacts if contact.point.body == body and contact.fixed]
        state = [
            tuple(n for n, contact in enumerate(mine) if contact.first <= t <= contact.last) for t in range(frames)
        ]
        changes = [t for t in range(frames) if t == 0 or state[t] != state[t - 1]]
        for first, end in zip(changes, [*changes[1:], frames], strict=True):
            active = [mine[n] for n in state[first]]
            if active:
                out.append(_make_constraint(active, first, end - 1))
    return out


def _make_constraint(active: list[FootContact], first: int, last: int) -> ContactConstraint:
    kinds = {contact.point.name.rpartition("_")[2]: contact for contact in active}
    ball, heel = kinds.get("ball"), kinds.get("heel")
    if ball is not None and heel is not None:
        apart = float(np.linalg.norm(ball.point.point - heel.point.point))
        if abs(float(np.linalg.norm(ball.place - heel.place)) - apart) < 1e-3:
            both = (ball, heel)
            return ContactConstraint(
                ball.point.body, np.array([r.point.point for r in both]), np.array([r.place for r in both]), first, last
            )
    one = ball or heel or active[0]
    return ContactConstraint(one.point.body, one.point.point[None], one.place[None], first, last)


def _make_force_contacts(character: Character, contact: FootContact) -> list[ContactConstraint]:
    """Return the points at which force may act: on both sides of a heel or ball, at the toes, around a fingertip."""
    aside = np.array([-contact.forward[1], contact.forward[0], 0.0])
    across = _HALF_WIDTH * np.array([aside, -aside])
    if contact.point.name.endswith("ball"):
        offsets = np.vstack((across, _toe_length(character, contact.point.name) * contact.forward))
    elif contact.point.name.endswith("heel"):
        offsets = across
    else:
        offsets = _HALF_WIDTH * np.array([contact.forward, -contact.forward, aside, -aside])
    points = np.tile(contact.point.point, (len(offsets), 1))
    sole = min(_tip_point(character.skeleton, contact.point.name).point[2] - contact.point.point[2], 0.0)
    return [
        ContactConstraint(
            contact.point.body, points, contact.place + offsets + [0.0, 0.0, sole], contact.first, contact.last
        )
    ]


def _toe_length(character: Character, ball: str) -> float:
    """Return the distance (m) from the ball of a foot to the point of its toes at which force may act."""
    skeleton = character.skeleton
    toe = f"{ball.removesuffix('ball')}toe_tip"
    if toe not in skeleton.names:
        return _HALF_WIDTH
    offset = skeleton.offsets[skeleton.index(toe)] - skeleton.offsets[skeleton.index(f"{ball}_tip")]
    return 0.7 * float(np.linalg.norm(offset))


def _make_clearances(
    points: Sequence[BodyPoint], contacts: Sequence[FootContact], tracks: dict[str, Array], floor: Floor, frames: int
) -> list[Clearance]:
    """Keep heels and balls that are not fixed above the ground of the contacts before and after."""
    out = []
    for point in (p for p in points if not p.name.endswith("hand")):
        mine = [contact for contact in contacts if contact.point.body == point.body]
        fixed = [contact for contact in mine if contact.fixed and contact.point.name == point.name]
        free = np.flatnonzero(~_contact_mask(fixed, frames))
        if len(free):
            ground = find_ground_heights(tracks[point.name], mine, floor)
            out.append(Clearance(point.body, point.point, free, ground[free]))
    return out

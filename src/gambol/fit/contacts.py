"""Find the contacts of a fitted clip: of heels, balls and fingertips, each at one place.

The quality of a repair depends on the contacts. Where feet jitter, contacts are detected in a low-passed motion. Each
heel, ball and hand at rest gets one place; heel and ball of a flat foot are one foot length apart. Heights come from
the floor that most contacts share, or from the contact itself on a step or a box. A contact that travels is fixed only
where it is slow, and transmits force without being fixed elsewhere. A gap between contacts is a flight only if the body
falls in it; otherwise the contacts around the gap are extended to close it. Where flights are given, the lowest
points of the feet are in contact in all other frames in which the body falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.assumptions import REST_SPEED
from gambol.body.dynamics import Dynamics
from gambol.contacts.body_points import list_body_points
from gambol.contacts.contact import BodyPoint, Contact, is_foot, touch
from gambol.contacts.timeline import Contacts, Floor, FrameMask, group_stances, mark_frames, remove_frames
from gambol.contacts.views import add_ground
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.filters import low_pass
from gambol.geometry.vectors import find_median_place, lengths
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points, find_tip, track_point
from gambol.stages.flight import MIN_FRAMES, SUPPORTED_ACCELERATION, fit_acceleration
from gambol.stages.speed import compute_speed

_MAX_TRAVEL = 0.10
"""Metres that a contact may travel, but for a slow drift, and still be fixed at one place; beyond, only its slow parts
are fixed."""
_STILL, _RISE = 0.4, 0.012
"""Speed (m/s), and height (m) above its median, above which a point that lands or lifts off is not fixed."""
_SPEED_SHARE = 0.25
"""Share of the body's speed that replaces _STILL where it is larger: feet of fast runners never come to rest."""
_SLOW = 3.0
"""Frequency (Hz) above which the movement of a point that travels in contact does not count."""
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
_EDGE = 0.06
"""Seconds at either end of a clip in which a foot whose movement is low-passed is taken to go on as beside."""
_STEPS, _JITTER, _CALM = 4.0, 0.12, 5.0
"""Steps are slower than _STEPS (Hz). Feet jitter if the lower quartile of the speed of faster movement is above _JITTER
(m/s); contacts are then found below _CALM (Hz). In 5 of 33 sound recordings they do (runs, two on steps, a lively
walk): one of their 26 stances is then found at another time. With noise of one degree at every joint, smoothed, the
speed is 0.07 to 0.45."""


def detect_contacts(fitted: Fit, flight: FrameMask | None = None) -> Contacts:
    """Find the contacts of a clip and fix each at its place; `flight` (frames,) says which frames have none."""
    points = find_contact_points(fitted)
    motion, edge = _smooth_jitter(fitted.motion, points)
    tracks = {point.name: track_point(motion, point) for point in points}
    detected = find_foot_contacts(motion, points)
    travel = compute_speed(motion.placement.positions[:, 0] * (1.0, 1.0, 0.0), motion.frame_time, 2.0)
    contacts: list[Contact] = []
    for point in points:
        rests = mark_frames([found for found in detected.items if found.part == point.name], len(motion))
        for first, last in find_runs(_fill_edges(rests, edge)):
            contacts += _divide_contact(point, tracks, travel, first, last, motion.frame_time)
    heights = Dynamics(fitted.character).center_of_mass(fitted.motion.q)[:, 2]
    if flight is not None:
        contacts = [part for one in contacts for part in remove_frames(one, flight)]
        for first, last in find_runs(~mark_frames(contacts, len(flight)) & ~flight):
            if _is_falling(heights, first, last, motion.frame_time):
                contacts += _touch_down(points, tracks, travel, first, last, motion.frame_time)
    floor = fit_floor(contacts)
    contacts = [contact for contact in contacts if not _is_raised_heel(contact, contacts)]
    contacts = _set_on_floor(_align_feet(contacts, tracks), floor)
    contacts, flight = _close_gaps(contacts, tracks, heights, motion.frame_time, flight)
    return add_ground(Contacts(tuple(contacts), len(motion), motion.frame_time, floor, flight, points), motion)


def place_contacts(
    fitted: Fit, spans: Sequence[tuple[str, int, int, bool]], flight: FrameMask | None = None
) -> Contacts:
    """Return contacts that somebody gave, at the places where the motion has them.

    `spans` are parts, first and last frames, and whether the part is fixed. Without `flight` (frames,) the body is in
    flight where it falls and nothing touches.
    """
    motion, points, named = fitted.motion, find_contact_points(fitted), index_contact_points(fitted)
    used = dict.fromkeys((*(point.name for point in points), *(part for part, *_ in spans)))
    tracks = {part: track_point(motion, named[part]) for part in used}
    rows = [
        _make_contact(named[part], tracks, first, last, fixed, motion.frame_time) for part, first, last, fixed in spans
    ]
    floor = fit_floor(rows)
    contacts = [replace(one, given=True, certainty=1.0) for one in _set_on_floor(_align_feet(rows, tracks), floor)]
    if flight is None:
        heights = Dynamics(fitted.character).center_of_mass(motion.q)[:, 2]
        flight = np.zeros(len(motion), dtype=bool)
        for first, last in find_runs(~mark_frames(contacts, len(motion))):
            flight[first : last + 1] = _is_falling(heights, first, last, motion.frame_time)
    contacts = [part for one in contacts for part in remove_frames(one, flight)]
    return add_ground(Contacts(tuple(contacts), len(motion), motion.frame_time, floor, flight, points), motion)


def index_contact_points(fitted: Fit) -> dict[str, BodyPoint]:
    """Return the points of a fitted body that contacts can be given for, by name."""
    return {point.name: point for point in (*list_body_points(fitted.character), *find_contact_points(fitted))}


def _smooth_jitter(motion: Motion, points: Sequence[BodyPoint]) -> tuple[Motion, int]:
    """Return the motion in which contacts are detected, low-passed where feet jitter even at rest.

    The frames at either end are returned too in which velocities are then not known.
    """
    feet = np.stack([track_point(motion, point) for point in points if is_foot(point.name)], axis=1)
    jitter = np.gradient(feet - low_pass(feet, motion.frame_time, _STEPS), motion.frame_time, axis=0)
    if np.percentile(np.linalg.norm(jitter, axis=2), 25.0) < _JITTER:
        return motion, 0
    return replace(motion, q=low_pass(motion.q, motion.frame_time, _CALM)), round(_EDGE / motion.frame_time)


def _fill_edges(rests: FrameMask, edge: int) -> FrameMask:
    """Return the frames in which a point rests, from the first on and to the last one if it does so near them."""
    filled, resting = rests.copy(), np.flatnonzero(rests)
    if len(resting) and resting[0] <= edge:
        filled[: resting[0]] = True
    if len(resting) and resting[-1] >= len(rests) - 1 - edge:
        filled[resting[-1] :] = True
    return filled


def fit_floor(contacts: Sequence[Contact]) -> Floor:
    """Fit the floor that most contacts share: a plane, nearly level."""
    feet = [contact for contact in contacts if contact.fixed and is_foot(contact.part)]
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
        own = [find_tip(skeleton, f"{side}_{end}") for end in ("heel", "ball") if f"{side}_{end}_tip" in skeleton.names]
        for point in own:
            joint = skeleton.index(point.body)
            back = quat.conjugate(placed.rotations[:, joint])
            offset = track_point(fitted.source, seen[point.name]) - placed.positions[:, joint]
            found.append(BodyPoint(point.name, point.body, np.median(quat.rotate(back, offset), axis=0)))
        if len(own) == 2 and np.linalg.norm(found[-1].point - found[-2].point) < _SHORT_FOOT:
            found[-2:] = own
        if f"{side}_hand_tip" in skeleton.names:
            found.append(find_tip(skeleton, f"{side}_hand"))
    return tuple(found)


def _divide_contact(
    point: BodyPoint, tracks: dict[str, Array], travel: Array, first: int, last: int, frame_time: float
) -> list[Contact]:
    """Divide a detected contact into parts that are fixed and parts that slide while force acts (landing, lift-off)."""
    track = _take_out_drift(tracks[point.name][first : last + 1], frame_time)
    away = lengths((track - find_median_place(track)) * (1.0, 1.0, 0.0))
    one_place = 2.0 * np.percentile(away, 90.0) <= _MAX_TRAVEL
    if one_place:
        pace = compute_speed(track, frame_time) if len(track) > 1 else np.zeros(1)
        still = pace < np.maximum(_STILL, _SPEED_SHARE * travel[first : last + 1])
    else:
        steady = low_pass(tracks[point.name], frame_time, _SLOW)
        still = compute_speed(steady, frame_time)[first : last + 1] < REST_SPEED
    still &= track[:, 2] < np.median(track[:, 2]) + _RISE
    if one_place and still.any():
        inside = np.flatnonzero(still)
        still[inside[0] : inside[-1] + 1] = True
    for a, b in find_runs(still):
        if (b - a + 1) * frame_time < _SHORTEST:
            still[a : b + 1] = False
    fixed = [_make_contact(point, tracks, first + a, first + b, True, frame_time) for a, b in find_runs(still)]
    step = max(1, round(_SHORTEST / frame_time))
    moving = [
        _make_contact(point, tracks, first + c, first + min(c + step - 1, b), False, frame_time)
        for a, b in find_runs(~still)
        for c in range(a, b + 1, step)
    ]
    return fixed + moving


def _take_out_drift(track: Array, frame_time: float) -> Array:
    """Return the path (frames, 3) of a foot without the velocity at which it drifts, if that is slow."""
    times = frame_time * (np.arange(len(track)) - 0.5 * (len(track) - 1))
    drift = (times @ track) / max(float(times @ times), 1e-12) * (1.0, 1.0, 0.0)
    return track - np.outer(times, drift) if np.linalg.norm(drift) < REST_SPEED else track


def _make_contact(
    point: BodyPoint, tracks: dict[str, Array], first: int, last: int, fixed: bool, frame_time: float
) -> Contact:
    frames = slice(first, last + 1)
    track = tracks[point.name][frames]
    certainty = float(np.mean(compute_speed(track, frame_time) < REST_SPEED)) if len(track) > 1 else 0.0
    forward = _foot_direction(point.name, tracks, frames)
    found = touch(point, find_median_place(track), first, last, fixed=fixed, forward=forward)
    return replace(found, certainty=certainty)


def _foot_direction(part: str, tracks: dict[str, Array], frames: slice) -> Array:
    """Return the horizontal direction of a foot during a contact; x for other parts."""
    side = part.partition("_")[0]
    if not is_foot(part):
        return np.array([1.0, 0.0, 0.0])
    along = find_median_place(tracks[f"{side}_ball"][frames] - tracks[f"{side}_heel"][frames]) * (1.0, 1.0, 0.0)
    return along / max(float(np.linalg.norm(along)), 1e-6)


def _is_raised_heel(contact: Contact, contacts: Sequence[Contact]) -> bool:
    """Whether a heel is raised while the ball of its foot is in contact."""
    if not contact.part.endswith("heel"):
        return False
    balls = [r for r in contacts if r.body == contact.body and r is not contact and _overlap(r, contact) > 0]
    return bool(balls) and bool(contact.place[2] - min(float(r.place[2]) for r in balls) > _HIGH)


def _overlap(one: Contact, other: Contact) -> int:
    return min(one.last, other.last) - max(one.first, other.first) + 1


def _align_feet(contacts: Sequence[Contact], tracks: dict[str, Array]) -> list[Contact]:
    """Place heels and balls with simultaneous contacts one foot length apart, by the frames in which both are fixed."""
    out = {id(contact): contact for contact in contacts}
    balls = [r for r in contacts if r.part.endswith("ball") and r.fixed]
    done: set[int] = set()
    for heel in (r for r in contacts if r.part.endswith("heel") and r.fixed):
        mine = [b for b in balls if b.body == heel.body and _overlap(b, heel) > 0]
        if not mine:
            continue
        ball = max(mine, key=lambda b: _overlap(b, heel))
        both = slice(max(ball.first, heel.first), min(ball.last, heel.last) + 1)
        ahead = _foot_direction(ball.part, tracks, both)
        length = float(np.linalg.norm(ball.points[0] - heel.points[0]))
        if id(ball) in done:
            front = out[id(ball)].place
        else:
            ends = [find_median_place(tracks[contact.part][both]) for contact in (heel, ball)]
            front = 0.5 * (ends[0] + ends[1]) + 0.5 * length * ahead
            out[id(ball)] = replace(ball, places=front, forward=ahead)
            done.add(id(ball))
        out[id(heel)] = replace(heel, places=front - length * ahead, forward=ahead)
    return list(out.values())


def _set_on_floor(contacts: Sequence[Contact], floor: Floor) -> list[Contact]:
    """Set feet at the height of the floor, or keep the common height of a stay where it is far from the floor."""
    out = [contact for contact in contacts if not is_foot(contact.part)]
    for body in dict.fromkeys(contact.body for contact in contacts):
        for stay in group_stances([r for r in contacts if r.body == body and is_foot(r.part)]):
            down = [r for r in stay if r.fixed] or stay
            above = np.array([float(r.place[2] - floor.at(r.place)) for r in down])
            step = _weighted_median(above, np.array([float(r.last - r.first + 1) for r in down]))
            step = 0.0 if abs(step) <= _AGREE else step
            surface = "step" if step else "floor"
            out += [replace(r, places=np.append(r.place[:2], floor.at(r.place) + step), surface=surface) for r in stay]
    return out


def _touch_down(
    points: Sequence[BodyPoint], tracks: dict[str, Array], travel: Array, first: int, last: int, frame_time: float
) -> list[Contact]:
    """Return contacts of the lowest points of the feet in frames in which none was detected."""
    feet = [point for point in points if is_foot(point.name)]
    heights = np.array([tracks[point.name][first : last + 1, 2] for point in feet])
    low = heights <= heights.min(axis=0) + _HIGH
    return [
        contact
        for point, mask in zip(feet, low, strict=True)
        for a, b in find_runs(mask)
        for contact in _divide_contact(point, tracks, travel, first + a, first + b, frame_time)
    ]


def _close_gaps(
    contacts: list[Contact], tracks: dict[str, Array], heights: Array, frame_time: float, given: FrameMask | None
) -> tuple[list[Contact], FrameMask]:
    """Extend contacts over short gaps in which the body does not fall; return them and the flights.

    With given flights no others are found.
    """
    frames = len(heights)
    flight = np.zeros(frames, dtype=bool) if given is None else given
    for first, last in find_runs(~mark_frames(contacts, frames) & ~flight):
        if given is None and _is_falling(heights, first, last, frame_time):
            flight[first : last + 1] = True
        elif (last - first + 1) * frame_time <= _STRETCH:
            contacts = _extend_contacts(contacts, tracks, first, last)
    return contacts, flight


def _is_falling(heights: Array, first: int, last: int, frame_time: float) -> bool:
    middle, half = (first + last) // 2, max(round(_AROUND / frame_time), (last - first + 1) // 2, MIN_FRAMES // 2)
    around = heights[max(middle - half, 0) : middle + half + 1]
    return len(around) >= MIN_FRAMES and fit_acceleration(around, frame_time) < SUPPORTED_ACCELERATION


def _extend_contacts(contacts: list[Contact], tracks: dict[str, Array], first: int, last: int) -> list[Contact]:
    """Extend contacts that end before a gap and contacts that begin after it, up to its middle."""
    before = [contact for contact in contacts if contact.last == first - 1]
    after = [contact for contact in contacts if contact.first == last + 1]
    middle = (first + last + 1) // 2 if before and after else last + 1 if before else first
    more = [_extend_contact(contact, tracks, first, middle - 1) for contact in before if middle > first]
    more += [_extend_contact(contact, tracks, middle, last) for contact in after if middle <= last]
    return [*contacts, *more]


def _extend_contact(contact: Contact, tracks: dict[str, Array], first: int, last: int) -> Contact:
    """Return a contact at the same place for other frames, fixed if the point stays near it."""
    away = np.linalg.norm(tracks[contact.part][first : last + 1] - contact.place, axis=1).max(initial=0.0)
    fixed = contact.fixed and bool(away < _NEAR)
    return replace(contact, first=first, last=last, fixed=fixed, certainty=0.0)

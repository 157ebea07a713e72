"""Plan the supports of a sketch: its stages in frames, and the contacts of soles in them (L05 section 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.body.soles import Sole, find_soles
from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts, mark_frames
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, measure_extent
from gambol.motion.motion import Motion
from gambol.spacetime.sketch import SupportSpec
from gambol.stages.rigid_contacts import FIXED_KINDS, SLIDING_KINDS, ContactSearch, find_rigid_contacts
from gambol.terms.contacts import Clearance

_TOUCH = 0.005
"""Tolerance (m) within which a point stays in place or is on the ground."""
_STEP = 0.05
"""Height (m) from which ground counts as a step, and travel (m) of the root from which the body moves."""
_PIVOT, _RISE = 0.25, 0.01
"""Speed (m/s) and rise (m) of the slowest and the lowest corner of a sole up to which a foot still pivots on the ground
before it leaves it, or after it has landed: figures that glide leave the ground faster."""
_GLIDE = 0.2
"""Shortest slide (s) along a curve on the floor; a shorter one may be a foot that swings just above it."""
_HEEL_OFF, _HEEL_LAND = 0.14, 0.06
"""Seconds that a foot is on its toes before lift-off, and on its heel (or ball) after landing."""
_SHARE = 0.35
"""Largest share of a stance for either of them."""


@dataclass(frozen=True)
class SupportSpan:
    """A stage of a sketch, in frames."""

    first: int
    last: int
    spec: SupportSpec

    @property
    def air(self) -> bool:
        """Whether it is a flight."""
        return not self.spec.on


def frame_spans(stages: Sequence[SupportSpec], fps: float, frames: int) -> tuple[SupportSpan, ...]:
    """Convert stages to frames: a flight ends one frame before the first frame on the ground."""
    spans: list[SupportSpan] = []
    first = 0
    for stage in stages:
        last = min(round(stage.until * fps) - (0 if stage.on else 1), frames - 1)
        if stage is stages[-1]:
            last = frames - 1
        if last < first:
            raise InputError(f"the stage until {stage.until:g} s is shorter than a frame", fix="raise 'fps'")
        spans.append(SupportSpan(first, last, stage))
        first = last + 1
    return tuple(spans)


def find_support_stages(rough: Motion, character: Character) -> tuple[SupportSpec, ...]:
    """Find the stages of a rough motion: soles that stay in place or slide on the floor, and hands that stay in place.

    L05 section 3.4 finds such contacts on all bodies and lets the animator choose which count. Here a still hand counts
    where the body moves relative to it, and beside a foot only at the foot's height. It grips a bar if it is above the
    root.
    """
    soles = find_soles(character)
    corners = {words: _track_corners(rough, sole) for words, sole in soles.items()}
    still, slid = _find_feet(rough, {w: s for w, s in soles.items() if w.endswith("foot")}, corners)
    still |= {w: _find_carrying_hand(rough, s) for w, s in soles.items() if w.endswith("hand")}
    sets: list[tuple[tuple[str, ...], bool]] = []
    for frame in range(len(rough)):
        feet = tuple(w for w in slid if still[w][frame] or slid[w][frame])
        level = np.mean([corners[w][frame, :, 2].mean() for w in feet]) if feet else None
        hands = (w for w in still if w not in slid and still[w][frame])
        beside = tuple(w for w in hands if level is None or abs(corners[w][frame, :, 2].mean() - level) < _STEP)
        sets.append(((*feet, *beside), any(slid[w][frame] for w in feet)))
    changes = [frame for frame in range(1, len(sets)) if sets[frame] != sets[frame - 1]]
    stages = []
    for first, end in zip([0, *changes], [*changes, len(sets)], strict=True):
        on, slide = sets[first]
        until = (end - 1 if on else end) * rough.frame_time
        height = float(np.mean([corners[w][first:end, :, 2].mean() for w in on])) if on else 0.0
        bar = bool(on) and all(w.endswith("hand") for w in on) and height > _root_height(rough, first, end)
        height = height if bar or abs(height) > _STEP else 0.0
        stages.append(SupportSpec(until, on, height, bar=bar, slide=slide))
    return tuple(stages)


def _find_feet(
    rough: Motion, feet: Mapping[str, Sole], corners: Mapping[str, Array]
) -> tuple[dict[str, NDArray[np.bool_]], dict[str, NDArray[np.bool_]]]:
    """Return by foot the frames (frames,) in which it stays in place, and in which it slides on the floor."""
    bodies = [sole.body for sole in feet.values()]
    lines = ContactSearch(tolerance=_TOUCH, min_frames=3, kinds=(*FIXED_KINDS, SLIDING_KINDS[0]))
    planes = ContactSearch(_TOUCH, max(3, round(_GLIDE / rough.frame_time)), kinds=SLIDING_KINDS[1:])
    found, curved = (find_rigid_contacts(rough, bodies, search) for search in (lines, planes))
    floor = min(float(corners[words][:, :, 2].min()) for words in feet)
    still, slid = {}, {}
    for words, sole in feet.items():
        # A foot that moves along a straight line, or in a plane, above the floor does not slide on it.
        low = corners[words][:, :, 2].min(axis=1) < floor + _TOUCH
        still[words] = _with_pivots(_touching(found, sole.body, slides=False), corners[words], rough.frame_time)
        slid[words] = (_touching(found, sole.body, slides=True) | _touching(curved, sole.body, slides=True)) & low
        slid[words] &= ~still[words]
    return still, slid


def _with_pivots(still: NDArray[np.bool_], corners: Array, frame_time: float) -> NDArray[np.bool_]:
    """Return the frames (frames,) in which a foot stays in place, or pivots on a corner (frames, corners, 3)."""
    slow = np.linalg.norm(np.diff(corners, axis=0), axis=2).min(axis=1) < _PIVOT * frame_time
    heights, on = corners[:, :, 2].min(axis=1), still.copy()
    for step, frames in ((1, range(1, len(on))), (-1, range(len(on) - 2, -1, -1))):
        level = np.inf
        for frame in frames:
            before = frame - step
            level = heights[before] if still[before] else level
            on[frame] |= on[before] and slow[min(before, frame)] and heights[frame] < level + _RISE
    return on


def _find_carrying_hand(rough: Motion, sole: Sole) -> NDArray[np.bool_]:
    """Return the frames (frames,) in which a hand stays in place while the root moves."""
    search, carrying = ContactSearch(tolerance=_TOUCH, min_frames=3), np.zeros(len(rough), dtype=bool)
    for contact in find_rigid_contacts(rough, [sole.body], search).items:
        if measure_extent(rough.placement.positions[contact.first : contact.last + 1, 0]) > _STEP:
            carrying[contact.first : contact.last + 1] = True
    return carrying


def _root_height(rough: Motion, first: int, end: int) -> float:
    """Return the mean height (m) of the root over frames `first` to before `end`."""
    return float(rough.placement.positions[first:end, 0, 2].mean())


def _track_corners(rough: Motion, sole: Sole) -> Array:
    """Return the world positions of a sole's corners, (frames, corners, 3)."""
    joint, placed = rough.skeleton.index(sole.body), rough.placement
    return placed.positions[:, joint, None] + quat.rotate(placed.rotations[:, joint, None], sole.corners)


def _touching(contacts: Contacts, body: str, slides: bool) -> NDArray[np.bool_]:
    """Return the frames (frames,) in which a body has a fixed contact, or a sliding one."""
    mine = [one for one in contacts.items if one.body == body and (one.kind != "fixed") == slides]
    return mark_frames(mine, contacts.frames)


def plan_supports(rough: Motion, character: Character, spans: Sequence[SupportSpan]) -> tuple[Contact, ...]:
    """Make the contacts of every sole, stance by stance: on the heel, flat, on the toes."""
    known = find_soles(character)
    unknown = next((sole for span in spans for sole in span.spec.on if sole not in known), None)
    if unknown is not None:
        raise InputError(f"'{unknown}' is not a sole of this body", fix=f"choose {', '.join(known)}, air")
    contacts: list[Contact] = []
    for words, sole in known.items():
        for stance in _find_stances(words, spans):
            contacts += _make_contacts(rough, sole, stance, len(rough))
    return tuple(sorted(contacts, key=lambda contact: contact.first))


def plan_clearances(character: Character, spans: Sequence[SupportSpan], contacts: Sequence[Contact]) -> list[Clearance]:
    """Keep heels, toes, palms and fingertips without contact above the ground."""
    ground = ground_heights(spans)
    terms = []
    for sole in find_soles(character).values():
        points = [sole.back.mean(axis=0), sole.front.mean(axis=0)]
        near = 0.5 * float(np.linalg.norm(points[1] - points[0]))
        for point in points if near > 0.0 else points[:1]:
            touching = np.zeros(len(ground), dtype=bool)
            for contact in (contact for contact in contacts if contact.body == sole.body):
                if contact.grip or np.linalg.norm(contact.points - point, axis=1).min() <= near:
                    touching[contact.first : contact.last + 1] = True
            frames = np.flatnonzero(~touching)
            terms.append(Clearance(sole.body, point, frames, ground[frames]))
    return terms


def ground_heights(spans: Sequence[SupportSpan]) -> Array:
    """Return the height of the ground (frames,) in metres; in a flight it changes at half-time."""
    heights = [np.full(span.last - span.first + 1, 0.0 if span.spec.bar else span.spec.height) for span in spans]
    for n, span in enumerate(spans):
        if span.air:
            half = len(heights[n]) // 2
            before, after = heights[max(n - 1, 0)][-1], heights[min(n + 1, len(spans) - 1)][0]
            heights[n][:half] = before if n else after
            heights[n][half:] = after if n + 1 < len(spans) else before
    return np.concatenate(heights)


def merge_stages(spans: Sequence[SupportSpan]) -> tuple[Stage, ...]:
    """Merge consecutive spans into ground and flight stages."""
    stages: list[Stage] = []
    for span in spans:
        kind = "flight" if span.air else "ground"
        if stages and stages[-1].kind == kind:
            stages[-1] = Stage(stages[-1].kind, stages[-1].first, span.last, stages[-1].name)
        else:
            count = sum(stage.kind == kind for stage in stages) + 1
            stages.append(Stage("flight" if span.air else "ground", span.first, span.last, f"{kind} {count}"))
    return tuple(stages)


def _find_stances(words: str, spans: Sequence[SupportSpan]) -> list[list[SupportSpan]]:
    """Group consecutive spans in which a sole supports the body."""
    stances: list[list[SupportSpan]] = []
    for before, span in zip((None, *spans), spans, strict=False):
        if words in span.spec.on:
            if before is not None and words in before.spec.on and before.spec.height == span.spec.height:
                stances[-1].append(span)
            else:
                stances.append([span])
    return stances


def _make_contacts(rough: Motion, sole: Sole, spans: list[SupportSpan], frames: int) -> list[Contact]:
    first, last, spec = spans[0].first, spans[-1].last, spans[0].spec
    if spec.bar:
        place = _track_corners(rough, sole)[(first + last) // 2].mean(axis=0)
        place = np.append(place[:2], spec.height)
        return [Contact(sole.body, sole.middle[None], place[None], first, last, grip=True)]
    if spec.slide:
        places, direction = _find_slide(rough, sole, first, last, spec.height)
        return [Contact(sole.body, sole.corners, places, first, last, slide=direction)]
    at = 0 if first == 0 else last if last == frames - 1 else (first + last) // 2
    places = _flat(rough, sole, at, spec.height)
    if len(sole.back) == 1 or sole.body.endswith("hand"):
        return [Contact(sole.body, sole.corners, places, first, last)]
    landed, left = first > 0, last < frames - 1
    most = int(_SHARE * (last - first + 1))
    down = min(max(1, round(_HEEL_LAND / rough.frame_time)), most) if landed and spec.landing != "flat" else 0
    up = min(round(_HEEL_OFF / rough.frame_time), most) if left else 0
    ends = {"heel": [0, 2], "ball": [1, 3]}
    parts = [
        (first, first + down - 1, ends.get(spec.landing, [])),
        (first + down, last - up, [0, 1, 2, 3]),
        (last - up + 1, last, ends["ball"]),
    ]
    return [Contact(sole.body, sole.corners[of], places[of], a, b) for a, b, of in parts if b >= a]


def _flat(rough: Motion, sole: Sole, frame: int, height: float) -> Array:
    """Return the corners of a sole set down flat below its position in the rough motion."""
    corners = _track_corners(rough, sole)[frame]
    middle = np.append(corners.mean(axis=0)[:2], height)
    if len(corners) == 1:
        return middle[None]
    along = (corners[1] - corners[0]) * (1.0, 1.0, 0.0)
    if np.linalg.norm(along) < 0.3 * np.linalg.norm(corners[1] - corners[0]):  # a hand that hangs down
        along = np.cross(quat.rotate(rough.placement.rotations[frame, 0], (0.0, 1.0, 0.0)), UP)
    along = along / np.linalg.norm(along)
    own = sole.front.mean(axis=0) - sole.back.mean(axis=0)
    own = own / np.linalg.norm(own)
    away = sole.corners - sole.corners.mean(axis=0)
    return middle + np.outer(away @ own, along) + np.outer(away @ np.cross(sole.normal, own), np.cross(UP, along))


def _find_slide(rough: Motion, sole: Sole, first: int, last: int, height: float) -> tuple[Array, Array]:
    """Return the places of a sole at the start of a slide, and its direction."""
    path = _track_corners(rough, sole)[first : last + 1].mean(axis=1) * (1.0, 1.0, 0.0)
    travel = path[-1] - path[0]
    if np.linalg.norm(travel) < _STEP:
        raise InputError(
            f"'{sole.body}' should slide but travels less than {_STEP:g} m", fix="give keys with different x or y"
        )
    aside = np.linalg.norm(np.cross(path - path[0], travel / np.linalg.norm(travel)), axis=1).max()
    if aside > _STEP:
        raise InputError(
            f"'{sole.body}' slides along a curve, {aside:.2g} m off a straight line",
            fix="give keys along straight lines",
        )
    return _flat(rough, sole, first, height), travel / np.linalg.norm(travel)

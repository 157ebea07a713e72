"""What carries a sketched body when, and where: stages in frames, and the contacts of soles in them (L05 section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.body.character import Character
from gambol.body.soles import Sole, find_soles
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Contacts, Stage
from gambol.motion.motion import Motion
from gambol.spacetime.sketch import SupportSpec
from gambol.stages.rigid_contacts import FIXED_KINDS, SLIDING_KINDS, ContactSearch, find_contacts
from gambol.terms.contacts import UP, Clearance, ContactConstraint

_TOUCH = 0.005
"""Metres: what stays this near to a place touches it."""
_HEEL_OFF, _HEEL_LAND = 0.14, 0.06
"""Seconds for which a foot is on its toes before it leaves, and on its heel (or ball) after it lands."""
_SHARE = 0.35
"""The largest share of a stand that either may take."""


@dataclass(frozen=True)
class SupportSpan:
    """A stage of a sketch in frames; air has no soles."""

    first: int
    last: int
    carried: SupportSpec

    @property
    def air(self) -> bool:
        """Whether nothing carries."""
        return not self.carried.on


def frame_spans(stages: Sequence[SupportSpec], rate: float, frames: int) -> tuple[SupportSpan, ...]:
    """Stages in frames: a stand ends with its last frame on the ground, a flight one before the first on it again."""
    spans: list[SupportSpan] = []
    first = 0
    for stage in stages:
        last = min(round(stage.until * rate) - (0 if stage.on else 1), frames - 1)
        if stage is stages[-1]:
            last = frames - 1
        if last < first:
            raise InputError(f"the stage until {stage.until:g} s is shorter than a frame", fix="raise 'rate'")
        spans.append(SupportSpan(first, last, stage))
        first = last + 1
    return tuple(spans)


def find_support_stages(rough: Motion, character: Character) -> tuple[SupportSpec, ...]:
    """The stages of a rough motion by what of its feet stays in place, or slides along a line on the floor."""
    feet = {words: sole for words, sole in find_soles(character).items() if words.endswith("foot")}
    search = ContactSearch(tolerance=_TOUCH, min_frames=3, kinds=(*FIXED_KINDS, SLIDING_KINDS[0]))
    contacts = find_contacts(rough, [sole.body for sole in feet.values()], search)
    still, slid = (
        {words: _touching(contacts, s.body, slides) for words, s in feet.items()} for slides in (False, True)
    )
    heights = np.array([[_corners(rough, s, n)[:, 2].min() for s in feet.values()] for n in range(len(rough))])
    for words, height in zip(
        feet, heights.T, strict=True
    ):  # what rises along a straight line, or glides above, is free
        slid[words] &= ~still[words] & (height < heights.min() + _TOUCH)
    sets = [tuple((w, bool(slid[w][n])) for w in feet if still[w][n] or slid[w][n]) for n in range(len(rough))]
    changes = [frame for frame in range(1, len(sets)) if sets[frame] != sets[frame - 1]]
    stages = []
    for first, end in zip([0, *changes], [*changes, len(sets)], strict=True):
        until = (end - 1 if sets[first] else end) * rough.frame_time
        slide = any(slides for _, slides in sets[first])
        stages.append(SupportSpec(until, tuple(words for words, _ in sets[first]), slide=slide))
    return tuple(stages)


def _touching(contacts: Contacts, body: str, slides: bool) -> NDArray[np.bool_]:
    """(frames,) whether a body is held still, or slides."""
    return Contacts(
        tuple(contact for contact in contacts.items if contact.slides == slides), contacts.frames, contacts.frame_time
    ).touching(body)


def plan_supports(rough: Motion, character: Character, spans: Sequence[SupportSpan]) -> tuple[ContactConstraint, ...]:
    """What keeps every sole in its place, stand by stand: on the heel, flat, on the toes."""
    known = find_soles(character)
    unknown = next((sole for span in spans for sole in span.carried.on if sole not in known), None)
    if unknown is not None:
        raise InputError(f"'{unknown}' cannot carry this body", fix=f"choose {', '.join(known)}, air")
    contacts: list[ContactConstraint] = []
    for words, sole in known.items():
        for stand in _stands(words, spans):
            contacts += _stand(rough, sole, stand, len(rough))
    return tuple(sorted(contacts, key=lambda contact: contact.first))


def plan_clearances(character: Character, spans: Sequence[SupportSpan], contacts: Sequence[ContactConstraint]) -> list[Clearance]:
    """Heels, toes, palms and finger tips that are not held stay above the ground."""
    ground = ground_heights(spans)
    terms = []
    for sole in find_soles(character).values():
        points = [sole.back.mean(axis=0), sole.front.mean(axis=0)]
        near = 0.5 * float(np.linalg.norm(points[1] - points[0]))
        for point in points if near > 0.0 else points[:1]:
            held = np.zeros(len(ground), dtype=bool)
            for contact in contacts:
                if contact.body == sole.body and (contact.grip or np.linalg.norm(contact.points - point, axis=1).min() <= near):
                    held[contact.first : contact.last + 1] = True
            frames = np.flatnonzero(~held)
            terms.append(Clearance(sole.body, point, frames, ground[frames]))
    return terms


def ground_heights(spans: Sequence[SupportSpan]) -> Array:
    """(frames,) metres: of the ground below; half of a flight is above that which is left, half above the other."""
    heights = [np.full(span.last - span.first + 1, 0.0 if span.carried.bar else span.carried.height) for span in spans]
    for n, span in enumerate(spans):
        if span.air:
            half = len(heights[n]) // 2
            before, after = heights[max(n - 1, 0)][-1], heights[min(n + 1, len(spans) - 1)][0]
            heights[n][:half] = before if n else after
            heights[n][half:] = after if n + 1 < len(spans) else before
    return np.concatenate(heights)


def merge_stages(spans: Sequence[SupportSpan]) -> tuple[Stage, ...]:
    """Ground and flight as the rest of gambol knows them."""
    stages: list[Stage] = []
    for span in spans:
        kind = "flight" if span.air else "ground"
        if stages and stages[-1].kind == kind:
            stages[-1] = Stage(stages[-1].kind, stages[-1].first, span.last, stages[-1].name)
        else:
            count = sum(stage.kind == kind for stage in stages) + 1
            stages.append(Stage("flight" if span.air else "ground", span.first, span.last, f"{kind} {count}"))
    return tuple(stages)


def _stands(words: str, spans: Sequence[SupportSpan]) -> list[list[SupportSpan]]:
    """The spans in which a sole carries, those that follow each other together."""
    stands: list[list[SupportSpan]] = []
    for before, span in zip((None, *spans), spans, strict=False):
        if words in span.carried.on:
            if before is not None and words in before.carried.on and before.carried.height == span.carried.height:
                stands[-1].append(span)
            else:
                stands.append([span])
    return stands


def _stand(rough: Motion, sole: Sole, spans: list[SupportSpan], frames: int) -> list[ContactConstraint]:
    first, last, how = spans[0].first, spans[-1].last, spans[0].carried
    if how.bar:
        place = _corners(rough, sole, (first + last) // 2).mean(axis=0)
        place = np.append(place[:2], how.height)
        return [ContactConstraint(sole.body, sole.middle[None], place[None], first, last, grip=True)]
    if how.slide:
        places, way = _slid(rough, sole, first, last, how.height)
        return [ContactConstraint(sole.body, sole.corners, places, first, last, slide=way)]
    at = 0 if first == 0 else last if last == frames - 1 else (first + last) // 2
    places = _flat(rough, sole, at, how.height)
    if len(sole.back) == 1 or sole.body.endswith("hand"):
        return [ContactConstraint(sole.body, sole.corners, places, first, last)]
    landed, left = first > 0, last < frames - 1
    most = int(_SHARE * (last - first + 1))
    down = min(max(1, round(_HEEL_LAND / rough.frame_time)), most) if landed and how.landing != "flat" else 0
    up = min(round(_HEEL_OFF / rough.frame_time), most) if left else 0
    ends = {"heel": [0, 2], "ball": [1, 3]}
    parts = [
        (first, first + down - 1, ends.get(how.landing, [])),
        (first + down, last - up, [0, 1, 2, 3]),
        (last - up + 1, last, ends["ball"]),
    ]
    return [ContactConstraint(sole.body, sole.corners[of], places[of], a, b) for a, b, of in parts if b >= a]


def _corners(rough: Motion, sole: Sole, frame: int) -> Array:
    joint, placed = rough.skeleton.index(sole.body), rough.placement
    return placed.positions[frame, joint] + quat.rotate(placed.rotations[frame, joint], sole.corners)


def _flat(rough: Motion, sole: Sole, frame: int, height: float) -> Array:
    """Where the corners of a sole are when it is set down flat below where the rough motion has it."""
    corners = _corners(rough, sole, frame)
    middle = np.append(corners.mean(axis=0)[:2], height)
    if len(corners) == 1:
        return middle[None]
    along = (corners[1] - corners[0]) * (1.0, 1.0, 0.0)
    if np.linalg.norm(along) < 0.3 * np.linalg.norm(corners[1] - corners[0]):  # a hand that hangs straight down
        along = np.cross(quat.rotate(rough.placement.rotations[frame, 0], (0.0, 1.0, 0.0)), UP)
    along = along / np.linalg.norm(along)
    own = sole.front.mean(axis=0) - sole.back.mean(axis=0)
    own = own / np.linalg.norm(own)
    away = sole.corners - sole.corners.mean(axis=0)
    return middle + np.outer(away @ own, along) + np.outer(away @ np.cross(sole.normal, own), np.cross(UP, along))


def _slid(rough: Motion, sole: Sole, first: int, last: int, height: float) -> tuple[Array, Array]:
    """The places of a sole at the beginning of a slide, and the way it goes."""
    way = (_corners(rough, sole, last) - _corners(rough, sole, first)).mean(axis=0) * (1.0, 1.0, 0.0)
    if np.linalg.norm(way) < 0.05:
        raise InputError(f"'{sole.body}' is to slide but goes nowhere", fix="give keys with different x or y")
    return _flat(rough, sole, first, height), way / np.linalg.norm(way)

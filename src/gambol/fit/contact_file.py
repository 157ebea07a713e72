"""Write the contacts of a clip to YAML, and read a corrected file::

    contacts:
      - {part: left_heel, start: 0.41, end: 0.52, kind: rolling}
      - {part: left_ball, start: 0.45, end: 0.83, kind: fixed, place: [0.31, 0.09, 0.02]}
      - {part: right_ball, start: 0.1, end: 0.5, kind: sliding, along: [1, 0, 0]}
      - {part: left_hand, start: 0.0, end: 0.9, surface: bar, grip: true}
    flights:
      - {start: 1.15, end: 1.55}

Times are in seconds of the clip, places in metres of the world. A contact without a place gets the one that the motion
shows; `along` is the line of one that slides, and one with a grip can pull. Parts are heels, balls and hands (the tips
of fingers), joints such as left_knee, and segments such as pelvis. Without `contacts` these are found outside of the
flights; without `flights` the body is in flight where it falls and nothing touches.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from gambol.body.body_names import list_bodies
from gambol.contacts.contact import Contact, ContactKind
from gambol.contacts.move import Move, enter_frame
from gambol.contacts.timeline import Contacts, FrameMask
from gambol.contacts.views import add_ground
from gambol.errors import InputError, StrPath
from gambol.fit.contacts import detect_contacts, index_contact_points, place_contacts
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array, find_runs
from gambol.io.output import write_text
from gambol.io.yamls import abbreviate, check_choice, check_flag, check_list, check_mapping, check_number, read_yaml
from gambol.motion.own_frame import OwnFrame

GivenContacts = Contacts | Mapping[str, Any] | StrPath
"""Contacts instead of those found: a table, a YAML file, or what is in one."""
_ROW = ("part", "start", "end", "kind", "along", "surface", "grip", "place", "certainty", "given")


class _Row(NamedTuple):
    """A contact of a file, in frames of a clip."""

    part: str
    first: int
    last: int
    fixed: bool
    place: Array | None
    slide: Array | None
    surface: str
    grip: bool


class _Clock(NamedTuple):
    """The frames of a clip, or of a part of one that begins at `start` (s)."""

    frames: int
    frame_time: float
    start: float | None

    def find_frames(self, fields: Mapping[str, Any], what: str) -> tuple[int, int] | None:
        """Return first and last frame of an interval of a file; None if it is outside of the part."""
        step = self.frame_time
        start, end = (check_number(fields.get(key), key, 1e6) for key in ("start", "end"))
        before = 0 if self.start is None else round(self.start / step)
        first, after = round(start / step) - before, round(end / step) - before
        if first >= after or (self.start is None and not 0 <= first < after <= self.frames + 1):
            raise InputError(
                f"{what} lasts from {start:g} to {end:g} s",
                fix=f"it lasts a frame ({step:.4g} s) or more, between 0 and {self.frames * step:.4g} s",
            )
        first, last = max(first, 0), min(after, self.frames) - 1
        return (first, last) if first <= last else None


def use_contacts(
    fitted: Fit,
    given: GivenContacts | None = None,
    start: float | None = None,
    own: OwnFrame = OwnFrame(),
    frame_time: float | None = None,
) -> Contacts:
    """Return the contacts of a fitted clip, in the frame of the fit: those given in the world, or else those found.

    `start` (s) is where the fitted part of a clip begins, if only a part of it was fitted; `own` is the frame of the
    fit. `frame_time` (s) is that of the clip in whose seconds a file is, if the fitted one was retimed.
    """
    enter = enter_frame(own)
    if given is None:
        return detect_contacts(fitted)
    if isinstance(given, Contacts):
        if start is not None:
            first = round(start / given.frame_time)
            given = given.cut(first, min(first + len(fitted.motion), given.frames) - 1)
        if given.frames != len(fitted.motion):
            raise InputError(
                f"contacts of {given.frames} frames for a clip of {len(fitted.motion)}",
                file=fitted.source.name,
                fix="give those of this clip",
            )
        return enter.table(replace(given, frame_time=fitted.motion.frame_time))
    if not isinstance(given, str | PathLike):
        return parse_contacts(given, fitted, start, enter, frame_time)
    try:
        return parse_contacts(read_yaml(Path(given)), fitted, start, enter, frame_time)
    except InputError as error:
        raise InputError(error.problem, file=Path(given), fix=error.fix) from None


def write_contacts(contacts: Contacts, path: Path, name: str, overwrite: bool = True) -> Path:
    """Write the contacts of a clip with a name."""
    step = contacts.frame_time
    lines = [
        f"# Contacts of {name}. Correct times (seconds), kinds (fixed, rolling, sliding) and places (metres), add or",
        "# remove rows, and pass the file as --contacts FILE. A row without a place gets the one the motion shows.",
        "contacts:",
    ]
    for one in sorted(contacts.items, key=lambda row: (row.first, row.last, row.part)):
        place = ", ".join(f"{number:z.6f}" for number in one.place)
        along = "" if one.slide is None else f", along: [{', '.join(f'{number:.12g}' for number in one.slide)}]"
        grip = ", grip: true" if one.grip else ""
        sure = "given: true" if one.given else f"certainty: {one.certainty:.2f}"
        lines.append(
            f"  - {{part: {one.part}, start: {one.first * step:.4f}, end: {(one.last + 1) * step:.4f}, kind: {one.kind}"
            f"{along}, surface: {json.dumps(one.surface)}{grip}, place: [{place}], {sure}}}"
        )
    lines += ["flights:"] if contacts.flight.any() else ["flights: []"]
    for first, last in find_runs(contacts.flight):
        lines.append(f"  - {{start: {first * step:.4f}, end: {(last + 1) * step:.4f}}}")
    return write_text(path, "\n".join(lines) + "\n", overwrite)


def parse_contacts(
    content: Any, fitted: Fit, start: float | None = None, enter: Move = Move(), frame_time: float | None = None
) -> Contacts:
    """Make contacts of a fitted clip, or of a part of one that begins at `start` (s), from parsed YAML.

    `enter` moves places of the world into the frame of the fit; `frame_time` is that of `use_contacts`.
    """
    fields = check_mapping(content, "a file of contacts", ("contacts", "flights"))
    clock = _Clock(len(fitted.motion), frame_time or fitted.motion.frame_time, start)
    flight = None if fields.get("flights") is None else _mark_flights(fields["flights"], clock)
    if fields.get("contacts") is None:
        if flight is None:
            raise InputError("neither contacts nor flights", fix="contacts: [{part: left_ball, start: 0.2, end: 0.8}]")
        return detect_contacts(fitted, flight)
    parts = tuple(index_contact_points(fitted))
    entries = check_list(fields["contacts"], "contacts")
    rows = [row for entry in entries if (row := _parse_row(entry, parts, clock)) is not None]
    if not rows and (flight is None or not flight.all()):
        raise InputError("there is no contact", fix="contacts: [{part: left_ball, start: 0.2, end: 0.8}]")
    _refuse_overlaps(rows, clock.frame_time)
    placed = place_contacts(fitted, [row[:4] for row in rows], flight)
    return add_ground(placed.change(lambda one: _set_given(one, rows, enter)), fitted.motion)


def _refuse_overlaps(rows: Sequence[_Row], step: float) -> None:
    for before, after in pairwise(sorted(rows, key=lambda row: (row.part, row.first))):
        if before.part == after.part and after.first <= before.last:
            raise InputError(
                f"two contacts of {after.part} overlap at {after.first * step:.4g} s", fix="end the first one earlier"
            )


def _set_given(contact: Contact, rows: Sequence[_Row], enter: Move) -> Contact:
    """Return a contact with place, line, surface and grip of the row that it is from."""
    row = next(one for one in rows if one.part == contact.part and one.first <= contact.first <= one.last)
    moved = contact if row.place is None else replace(contact, places=enter(row.place))
    slide = None if row.slide is None else enter.rotate(row.slide)
    return replace(moved, surface=row.surface, slide=slide, grip=row.grip)


def _parse_row(entry: Any, parts: tuple[str, ...], clock: _Clock) -> _Row | None:
    fields = check_mapping(entry, "a contact", _ROW)
    part = fields.get("part")
    if part not in parts:
        raise InputError(f"no part {abbreviate(part)}", fix=f"parts: {list_bodies(parts)}")
    span = clock.find_frames(fields, f"a contact of {part}")
    kind = check_choice(fields.get("kind", "fixed"), "kind", get_args(ContactKind))
    place, along = (_parse_vector(fields, key, part) for key in ("place", "along"))
    slides = along is not None and bool(along.any())
    if slides != (kind == "sliding"):
        raise InputError(
            f"a {kind} contact of {part} has {'a' if slides else 'no'} line", fix="kind: sliding, along: [1, 0, 0]"
        )
    slide = along / np.linalg.norm(along) if along is not None and slides else None
    surface, grip = str(fields.get("surface", "floor")), check_flag(fields.get("grip", False), "grip")
    return None if span is None else _Row(part, *span, kind != "rolling", place, slide, surface, grip)


def _parse_vector(fields: Mapping[str, Any], key: str, part: str) -> Array | None:
    if fields.get(key) is None:
        return None
    numbers = check_list(fields[key], key)
    if len(numbers) != 3:
        raise InputError(f"'{key}' of {part} has {len(numbers)} numbers", fix=f"{key}: [x, y, z]")
    return np.array([check_number(number, key) for number in numbers])


def _mark_flights(content: Any, clock: _Clock) -> FrameMask:
    """Return (frames,) whether a frame is in a flight."""
    flight = np.zeros(clock.frames, dtype=bool)
    for entry in check_list(content, "flights"):
        fields = check_mapping(entry, "a flight", ("start", "end"))
        span = clock.find_frames(fields, "a flight")
        if span is not None:
            flight[span[0] : span[1] + 1] = True
    return flight

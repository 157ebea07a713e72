"""What solvers need of a table of contacts: points that are fixed, points that carry load, the ground below feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.assumptions import SOLE_HALF_WIDTH
from gambol.body.character import Character
from gambol.contacts.contact import Contact, is_foot
from gambol.contacts.timeline import Contacts, Floor, group_stances
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion

_ALIGNED = 1e-3
"""Metres by which the places of heel and ball may be closer or farther than the points to form a line."""
_SIDES = ("left", "right")


def list_constraints(contacts: Contacts) -> tuple[Contact, ...]:
    """Return the contacts whose points are fixed, one of a body at a time: lines where heel and ball are aligned."""
    out: list[Contact] = []
    for body in dict.fromkeys(contact.body for contact in contacts.items):
        mine = [contact for contact in contacts.items if contact.body == body and contact.fixed]
        state = [
            tuple(n for n, contact in enumerate(mine) if contact.is_active(frame)) for frame in range(contacts.frames)
        ]
        changes = [t for t in range(contacts.frames) if t == 0 or state[t] != state[t - 1]]
        for first, end in zip(changes, [*changes[1:], contacts.frames], strict=True):
            active = [mine[n] for n in state[first]]
            if active:
                out.append(replace(_join_points(active), first=first, last=end - 1))
    return tuple(out)


def _join_points(active: Sequence[Contact]) -> Contact:
    """Return the contact that is fixed while some contacts of a body are active."""
    tips = {contact.part.rpartition("_")[2]: contact for contact in active}
    ball, heel = tips.get("ball"), tips.get("heel")
    if ball is not None and heel is not None:
        apart, away = ball.points[0] - heel.points[0], ball.place - heel.place
        away[2] += away[:2] @ ball.normal[:2] / ball.normal[2]
        if abs(float(np.linalg.norm(away)) - float(np.linalg.norm(apart))) < _ALIGNED:
            points, places = (np.concatenate((getattr(ball, of), getattr(heel, of))) for of in ("points", "places"))
            return replace(ball, points=points, places=places, part=ball.body)
    return ball or heel or active[0]


def list_loads(contacts: Contacts, character: Character) -> tuple[Contact, ...]:
    """Return the contacts with the points at which force may act: spread over the foot, also of feet that roll."""
    return tuple(_spread(character, contact) for contact in contacts.items)


def _spread(character: Character, contact: Contact) -> Contact:
    """Return points on both sides of a heel or ball, at the toes, around others; lines and planes have their own."""
    ahead = contact.forward
    if ahead is None or len(contact.points) > 1:
        return contact
    aside = np.array([-ahead[1], ahead[0], 0.0])
    across = SOLE_HALF_WIDTH * np.array([aside, -aside])
    if contact.part.endswith("ball"):
        offsets = np.vstack((across, _toe_length(character, contact.part) * ahead))
    elif contact.part.endswith("heel"):
        offsets = across
    else:
        offsets = SOLE_HALF_WIDTH * np.array([ahead, -ahead, aside, -aside])
    offsets[:, 2] -= offsets[:, :2] @ contact.normal[:2] / contact.normal[2]
    skeleton, (point,), tip = character.skeleton, contact.points, f"{contact.part}_tip"
    sole = min(skeleton.offsets[skeleton.index(tip)][2] - point[2], 0.0) if tip in skeleton.names else 0.0
    return replace(contact, points=np.tile(point, (len(offsets), 1)), places=contact.place + offsets + [0.0, 0.0, sole])


def _toe_length(character: Character, ball: str) -> float:
    """Return the distance (m) from the ball of a foot to the point of its toes at which force may act."""
    skeleton = character.skeleton
    toe = f"{ball.removesuffix('ball')}toe_tip"
    if toe not in skeleton.names:
        return SOLE_HALF_WIDTH
    offset = skeleton.offsets[skeleton.index(toe)] - skeleton.offsets[skeleton.index(f"{ball}_tip")]
    return 0.7 * float(np.linalg.norm(offset))


def add_ground(contacts: Contacts, motion: Motion) -> Contacts:
    """Return the table with the heights of the ground below its points of the feet, as they move in a motion."""
    placed, ground = motion.placement, np.full((len(contacts.points), len(motion)), -np.inf)
    for n, (name, body, point) in enumerate(contacts.points):
        if is_foot(name):
            joint = motion.skeleton.index(body)
            path = placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], point)
            ground[n] = find_ground_heights(path, [one for one in contacts.items if one.body == body], contacts.floor)
    return replace(contacts, ground=ground)


def find_ground_heights(path: Array, contacts: Sequence[Contact], floor: Floor) -> Array:
    """Return ground heights (frames,) below the path (frames, 3) of a foot.

    It is the lower of the grounds at the previous and at the next contact.
    """
    if not contacts:
        return floor.at(path)
    before, after = np.full(len(path), np.inf), np.full(len(path), np.inf)
    for contact in sorted(contacts, key=lambda c: c.first):
        before[contact.first :] = contact.place[2] - floor.at(contact.place)
    for contact in sorted(contacts, key=lambda c: -c.last):
        after[: contact.last + 1] = contact.place[2] - floor.at(contact.place)
    return floor.at(path) + np.minimum(before, after)


def find_stances(contacts: Contacts) -> tuple[Contact, ...]:
    """Return one contact per foot from touchdown to lift-off, with the points and places of all in it, by touchdown."""
    out = []
    for side in _SIDES:
        feet = contacts.named(f"{side}_heel", f"{side}_ball")
        for stay in group_stances(feet):
            points, places = (np.concatenate([getattr(one, of) for one in stay]) for of in ("points", "places"))
            last = max(one.last for one in stay)
            out.append(Contact(stay[0].body, points, places, stay[0].first, last, f"{side}_foot"))
    return tuple(sorted(out, key=lambda stance: stance.first))


def find_side(contact: Contact) -> str:
    """Return the side of the body that touches."""
    return contact.part.partition("_")[0]


def is_within(contact: Contact, stance: Contact) -> bool:
    """Return whether a contact begins during a stance of its side of the body: it moves with it."""
    return contact.body.startswith(find_side(stance)) and stance.is_active(contact.first)

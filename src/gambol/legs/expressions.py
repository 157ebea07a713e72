"""Two legs as expressions: where they are, how hip and knee bring ankles to goals in closed form, how feet are held.

One function poses and holds both legs of a walker. It runs over thousands of them as machine code (`solve.compiled`),
or interpreted where there is no compiler. Quaternions are (w, x, y, z); what belongs to a side comes left first.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import casadi as ca

from gambol.legs.two_bone import flexion_cosine, hip_drop

MAX_EXTENSION = 0.998
"""Share of its length to which a leg may be stretched."""
REACH_EASE = 0.005
"""Share of that before which a leg that stretches beyond its pose is slowed down: a knee near straight turns fast."""
CONTACT_THRESHOLD = 0.5
"""Share of contact from which a point is held."""
SWING_FADE = 0.08
"""Seconds in which what a foot was moved by fades to a third, in the swing."""
SETTLE_TIME = 0.03
"""Seconds in which a foot that comes down too high or low is brought to the floor by two thirds."""
MAX_DROP = 0.06
"""Metres that a body comes down to a foot it left behind, at most: where the way runs off, the foot is dragged."""
LIFT, HIGHEST = 0.4, 0.04
"""Metres that a foot in the air is lifted for every metre that it still has to go, and at most: none is dragged."""
_FAR = 1e3

MEASURE_SIZES = {"bones": 9, "between": 12, "bend": 3, "soles": 6}
"""Numbers of a side: see `rig.Legs`."""
STATE_SIZES = {"held": 2, "anchors": 6, "moved": 3, "twist": 1}
"""Numbers of a side: see `locks.Lock`."""


class LegMeasures(NamedTuple):
    """A leg of a rig."""

    bones: list[ca.SX]
    """Three vectors: root to hip, hip to knee, knee to ankle."""
    between: list[ca.SX]
    """Three quaternions of what lies between."""
    bend: ca.SX
    soles: list[ca.SX]
    """Heel and ball."""

    @classmethod
    def of(cls, numbers: ca.SX) -> LegMeasures:
        """From all numbers of a side in a row."""
        bones, between, bend, soles = ca.vertsplit(numbers, _ends(MEASURE_SIZES))
        return cls(ca.vertsplit(bones, 3), ca.vertsplit(between, 4), bend, ca.vertsplit(soles, 3))

    @property
    def straight(self) -> ca.SX:
        """Metres from hip to ankle of a leg as straight as it may be."""
        return MAX_EXTENSION * (ca.norm_2(self.bones[1]) + ca.norm_2(self.bones[2]))


class PosedLeg(NamedTuple):
    """A leg in the world."""

    hip: ca.SX
    knee: ca.SX
    ankle: ca.SX
    base: ca.SX
    """The orientation that the thigh hangs from."""
    thigh: ca.SX
    shank: ca.SX
    foot: ca.SX


class FootGoal(NamedTuple):
    """What a foot asks of its leg, and what it holds on to then."""

    goal: ca.SX
    """Where the ankle should be."""
    foot: ca.SX
    """How the foot should be turned."""
    needed: ca.SX
    """Metres by which the hip must come down."""
    state: ca.SX
    """The numbers of STATE."""


WALKER_SIZES = {
    **{"root": 4, "place": 3, "joints": 24, "goals": 6, "feet": 8},
    **{"heading": 1, "sway": 2, "contacts": 4, "state": 24, "drop": 1},
}
SHARED_SIZES = {"measures": 60, "fade": 1, "settle": 1, "floor": 1}
"""Sizes of the inputs in which walkers differ, and of those that they have in common: the legs, what is left of FADE
after a frame, how much of SINK is made up for in it, and the floor."""


@cache
def lock_legs() -> ca.Function:
    """Legs that hold their feet -> (root 4, place 3, joints 24, state 24, drop).

    The root is seen from the way, `place` is where the way is and how high the root, `sway` by how many
    metres it is beside it, ahead and to the left; what comes out is in the world.
    """
    given = _symbols("root", "place", "heading", "sway", "joints", "contacts", "state", "drop", *SHARED_SIZES)
    fade, settle, floor, way = given["fade"], given["settle"], given["floor"], _about_vertical(given["heading"])
    root = _multiply(way, given["root"])
    place = given["place"] + _rotate(way, ca.vertcat(given["sway"], 0.0))
    legs, limbs = _both(given | {"root": root, "place": place})
    touching, states = ca.vertsplit(given["contacts"], 2), ca.vertsplit(given["state"], 12)
    feet = [
        _held(leg, limb, touch, was, fade, settle, floor)
        for leg, limb, touch, was in zip(legs, limbs, touching, states, strict=True)
    ]
    drop = ca.fmin(ca.fmax(ca.fmax(feet[0].needed, feet[1].needed), fade * given["drop"]), MAX_DROP)
    turned = [
        _reached(leg, _lowered(limb, drop), foot.goal, foot.foot)
        for leg, limb, foot in zip(legs, limbs, feet, strict=True)
    ]
    lower = place - ca.vertcat(0.0, 0.0, drop)
    outputs = [root, lower, ca.vertcat(*turned), ca.vertcat(*(foot.state for foot in feet)), drop]
    return _function("lock_legs", given, outputs)


@cache
def place_legs() -> ca.Function:
    """Where legs are -> (hips 6, ankles 6, feet 8)."""
    given = _symbols("root", "place", "joints", "measures")
    _, limbs = _both(given)
    return _function(
        "place_legs",
        given,
        [ca.vertcat(*(getattr(limb, name) for limb in limbs)) for name in ("hip", "ankle", "foot")],
    )


@cache
def reach_legs() -> ca.Function:
    """Legs with their ankles at goals and feet as given -> joints 24."""
    given = _symbols("root", "place", "joints", "goals", "feet", "measures")
    goals, feet = ca.vertsplit(given["goals"], 3), ca.vertsplit(given["feet"], 4)
    turned = [_reached(*side) for side in zip(*_both(given), goals, feet, strict=True)]
    return _function("reach_legs", given, [ca.vertcat(*turned)])


def _symbols(*names: str) -> dict[str, ca.SX]:
    return {name: ca.SX.sym(name, (WALKER_SIZES | SHARED_SIZES)[name]) for name in names}


def _function(name: str, given: dict[str, ca.SX], outputs: list[ca.SX]) -> ca.Function:
    names = [f"out{n}" for n in range(len(outputs))]
    return ca.Function(name, list(given.values()), outputs, list(given), names, {"cse": True})


def _both(given: dict[str, ca.SX]) -> tuple[list[LegMeasures], list[PosedLeg]]:
    """The left leg and the right, and where they are."""
    legs = [LegMeasures.of(part) for part in ca.vertsplit(given["measures"], 30)]
    joints = ca.vertsplit(given["joints"], 12)
    return legs, [_placed(leg, given["root"], given["place"], q) for leg, q in zip(legs, joints, strict=True)]


def _placed(leg: LegMeasures, root: ca.SX, place: ca.SX, joints: ca.SX) -> PosedLeg:
    """A leg with these rotations of thigh, shank and foot in their parents' frames."""
    turned, where = root, place
    points, bases, limbs = [], [], []
    for bone, between, joint in zip(leg.bones, leg.between, ca.vertsplit(joints, 4), strict=True):
        where = where + _rotate(turned, bone)
        bases.append(_multiply(turned, between))
        turned = _multiply(bases[-1], joint)
        points.append(where)
        limbs.append(turned)
    (hip, knee, ankle), (thigh, shank, foot) = points, limbs
    return PosedLeg(hip, knee, ankle, bases[0], thigh, shank, foot)


def _lowered(limb: PosedLeg, drop: ca.SX) -> PosedLeg:
    down = ca.vertcat(0.0, 0.0, drop)
    return limb._replace(hip=limb.hip - down, knee=limb.knee - down, ankle=limb.ankle - down)


def _held(leg: LegMeasures, limb: PosedLeg, contacts: ca.SX, state: ca.SX, fade: ca.SX, settle: ca.SX, floor: ca.SX) -> FootGoal:
    """Anchors are kept while their points touch, and what the ankle is moved by fades in the swing."""
    held, anchors, moved, twist = ca.vertsplit(state, _ends(STATE_SIZES))
    weights = [ca.fmax(contacts[p] - CONTACT_THRESHOLD, 0.0) for p in range(2)]
    touch = [weight > 0.0 for weight in weights]
    kept = [ca.logic_and(touch[p], held[p] > 0.5) for p in range(2)]
    swings = ca.logic_not(ca.logic_or(*touch))
    arms, places = [_rotate(limb.foot, sole) for sole in leg.soles], ca.vertsplit(anchors, 3)
    both = ca.logic_and(*kept)
    twist = ca.if_else(both, _turn(arms[1] - arms[0], places[1] - places[0]), ca.if_else(swings, fade, 1.0) * twist)
    upright = _about_vertical(twist)
    points = [limb.ankle + _rotate(upright, arm) for arm in arms]
    shares = [ca.if_else(kept[p], weights[p], 0.0) for p in range(2)]
    total = shares[0] + shares[1]
    off = sum(shares[p] * (places[p] - points[p]) for p in range(2)) / ca.fmax(total, 1e-12)
    flat = ca.if_else(total > 0.0, off[:2], ca.if_else(swings, fade, 1.0) * moved[:2])
    low = ca.fmin(*(ca.if_else(ca.logic_or(touch[p], swings), points[p][2], _FAR) for p in range(2)))
    lifted = ca.fmin(LIFT * ca.sqrt(ca.sumsqr(flat)), HIGHEST)
    settled = moved[2] + (ca.if_else(swings, lifted, floor - low) - moved[2]) * settle
    moved = ca.vertcat(flat, ca.if_else(swings, ca.fmax(settled, floor - low), settled))
    places = [ca.if_else(kept[p], places[p], points[p] + moved) for p in range(2)]
    goal = limb.ankle + moved
    needed = ca.if_else(swings, 0.0, hip_drop(ca.vertsplit(goal - limb.hip), _loose(leg, limb)))
    return FootGoal(goal, _multiply(upright, limb.foot), needed, ca.vertcat(*touch, *places, moved, twist))


def _loose(leg: LegMeasures, limb: PosedLeg) -> ca.SX:
    """Metres from hip to ankle up to which a leg reaches freely: as far as in its pose, or all but REACH_EASE."""
    return ca.fmin(ca.fmax(ca.norm_2(limb.ankle - limb.hip), (1.0 - REACH_EASE) * leg.straight), leg.straight)


def _reached(leg: LegMeasures, limb: PosedLeg, goal: ca.SX, foot: ca.SX) -> ca.SX:
    """Rotations (12) of thigh, shank and foot with the ankle at its goal, or as near as a straight leg comes.

    The knee turns about its own axis alone, and what the shank deviates sideways stays: so flexion has a sign, and a
    knee that came in past straight leaves bent the right way.
    """
    upper, lower = ca.norm_2(leg.bones[1]), ca.norm_2(leg.bones[2])
    thigh, shank, way = limb.knee - limb.hip, limb.ankle - limb.knee, goal - limb.hip
    far, loose = ca.fmax(ca.norm_2(way), 1.001 * ca.fabs(upper - lower)), _loose(leg, limb)
    room = ca.fmax(leg.straight - loose, 1e-9)
    reach = ca.if_else(far > loose, loose + room * (1.0 - ca.exp((loose - far) / room)), far)
    axis = _rotate(limb.thigh, leg.bend)
    aside = ca.dot(shank, axis)
    size = upper * ca.sqrt(lower**2 - aside**2)
    cosine, sine = ca.dot(thigh, shank) / size, ca.dot(ca.cross(thigh, shank), axis) / size
    bent = _opened(cosine, sine, flexion_cosine(upper, lower, reach, aside), axis)
    swing = _arc(thigh + _rotate(bent, shank), way)
    thigh_turned = _multiply(swing, limb.thigh)
    shank_turned = _multiply(swing, _multiply(bent, limb.shank))
    return ca.vertcat(
        _multiply(_conjugate(limb.base), thigh_turned),
        _multiply(_conjugate(_multiply(thigh_turned, leg.between[1])), shank_turned),
        _multiply(_conjugate(_multiply(shank_turned, leg.between[2])), foot),
    )


def _opened(cosine: ca.SX, sine: ca.SX, to_cosine: ca.SX, axis: ca.SX) -> ca.SX:
    """The turn about an axis from an angle, given by cosine and sine, to one from 0 to pi, given by its cosine."""
    to_sine = ca.sqrt(1.0 - to_cosine**2)
    half = ca.sqrt(0.5 * (1.0 + ca.fmin(cosine * to_cosine + sine * to_sine, 1.0)))
    return ca.vertcat(half, 0.5 * (cosine * to_sine - sine * to_cosine) / half * axis)


def _turn(here: ca.SX, there: ca.SX) -> ca.SX:
    """Radians about the vertical from one direction to another."""
    return ca.atan2(here[0] * there[1] - here[1] * there[0], here[0] * there[0] + here[1] * there[1])


def _multiply(left: ca.SX, right: ca.SX) -> ca.SX:
    w, v, u, x = left[0], left[1:], right[0], right[1:]
    return ca.vertcat(w * u - ca.dot(v, x), w * x + u * v + ca.cross(v, x))


def _about_vertical(angle: ca.SX) -> ca.SX:
    return ca.vertcat(ca.cos(0.5 * angle), 0.0, 0.0, ca.sin(0.5 * angle))


def _conjugate(quaternion: ca.SX) -> ca.SX:
    return ca.vertcat(quaternion[0], -quaternion[1:])


def _rotate(quaternion: ca.SX, vector: ca.SX) -> ca.SX:
    twice = 2.0 * ca.cross(quaternion[1:], vector)
    return vector + quaternion[0] * twice + ca.cross(quaternion[1:], twice)


def _arc(start: ca.SX, end: ca.SX) -> ca.SX:
    """The shortest turn from one direction to another."""
    double = ca.vertcat(ca.norm_2(start) * ca.norm_2(end) + ca.dot(start, end), ca.cross(start, end))
    return double / ca.norm_2(double)


def _ends(sizes: dict[str, int]) -> list[int]:
    ends = [0]
    for size in sizes.values():
        ends.append(ends[-1] + size)
    return ends

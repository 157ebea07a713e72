"""Both legs of a walker as CasADi functions: positions, closed-form inverse kinematics to ankle goals, foot locks.

The functions run over thousands of walkers as machine code (`solve.compiled`), or interpreted without a compiler.
Quaternions are (w, x, y, z); the left side comes first.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import casadi as ca

from gambol.legs.two_bone import MIN_FLEXION, SOFT_FLEXION, flexion_cosine, hip_drop, leg_reach, soften_reach
from gambol.solve.sx_quaternions import sx_conjugate, sx_multiply, sx_rotate

CONTACT_THRESHOLD = 0.5
"""Graded contact above which a point is locked."""
SWING_FADE = 0.08
"""Time constant (s) with which the shift of a foot fades out in the swing."""
SETTLE_TIME = 0.03
"""Time constant (s) with which a foot that lands too high or too low is moved to the floor."""
MAX_DROP = 0.06
"""Largest distance (m) by which a body is lowered for a foot behind it; beyond that the foot is dragged."""
HEEL_LEAVES = 0.5
"""Graded contact of a heel, as a share above the threshold, from which it may rise: it is about to leave."""
MOST_RISE, STRETCHED = 0.5, 0.12
"""Largest angle (rad) by which a foot turns about its ball where its leg is too short, before the body is lowered, and
flexion (rad) of the knee from which it does."""
LIFT, HIGHEST = 0.4, 0.04
"""Lift of a swinging foot per metre of its shift, and the largest lift (m), so that no foot is dragged."""
_FAR = 1e3

MEASURE_SIZES = {"bones": 9, "between": 12, "bend": 3, "soles": 6}
"""Sizes per side, see `rig.RigLegs`."""
STATE_SIZES = {"held": 2, "anchors": 6, "moved": 3, "twist": 1}
"""Sizes per side, see `locks.FootLock`."""


class LegMeasures(NamedTuple):
    """Measures of one leg of a rig, see `rig.RigLegs`."""

    bones: list[ca.SX]
    """Three vectors: root to hip, hip to knee, knee to ankle."""
    between: list[ca.SX]
    """Three quaternions: rotations of the joints between these parts."""
    bend: ca.SX
    """Axis of the knee."""
    soles: list[ca.SX]
    """Heel and ball."""

    @classmethod
    def of(cls, numbers: ca.SX) -> LegMeasures:
        """Split the vector of all measures of a side."""
        bones, between, bend, soles = ca.vertsplit(numbers, _ends(MEASURE_SIZES))
        return cls(ca.vertsplit(bones, 3), ca.vertsplit(between, 4), bend, ca.vertsplit(soles, 3))


class PosedLeg(NamedTuple):
    """World positions and orientations of a leg."""

    hip: ca.SX
    knee: ca.SX
    ankle: ca.SX
    base: ca.SX
    """Orientation of the thigh's parent frame."""
    thigh: ca.SX
    shank: ca.SX
    foot: ca.SX


class FootGoal(NamedTuple):
    """The goal of a foot for its leg, and the new state of its lock."""

    goal: ca.SX
    """Position of the ankle."""
    foot: ca.SX
    """Orientation of the foot."""
    needed: ca.SX
    """Distance (m) by which the hip must be lowered."""
    reach: ca.SX
    """Distance (m) from hip to ankle up to which the leg does not ease out."""
    state: ca.SX
    """State of the lock, see STATE_SIZES."""


WALKER_SIZES = {
    **{"root": 4, "place": 3, "joints": 24, "goals": 6, "feet": 8},
    **{"heading": 1, "sway": 2, "contacts": 4, "state": 24, "drop": 1},
}
SHARED_SIZES = {"measures": 60, "fade": 1, "settle": 1, "floor": 1}
"""Sizes of the inputs per walker, and of those that all walkers share: measures of the legs, factor of SWING_FADE per
frame, share of SETTLE_TIME per frame, height of the floor."""


@cache
def lock_legs() -> ca.Function:
    """Return the function that locks feet -> (root 4, place 3, joints 24, state 24, drop).

    The input root is relative to the heading, `place` has x and y of the path and the height of the root, `sway` the
    root's offset (m) ahead of the path point and to its left. Outputs are in the world.
    """
    given = _symbols("root", "place", "heading", "sway", "joints", "contacts", "state", "drop", *SHARED_SIZES)
    fade, settle, floor, heading = given["fade"], given["settle"], given["floor"], _about_vertical(given["heading"])
    root = sx_multiply(heading, given["root"])
    place = given["place"] + sx_rotate(heading, ca.vertcat(given["sway"], 0.0))
    legs, limbs = _both(given | {"root": root, "place": place})
    touching, states = ca.vertsplit(given["contacts"], 2), ca.vertsplit(given["state"], 12)
    feet = [
        _foot_goal(leg, limb, touch, was, fade, settle, floor)
        for leg, limb, touch, was in zip(legs, limbs, touching, states, strict=True)
    ]
    drop = ca.fmin(ca.fmax(ca.fmax(feet[0].needed, feet[1].needed), fade * given["drop"]), MAX_DROP)
    turned = [
        _reach(leg, _lower(limb, drop), foot.goal, foot.foot, foot.reach)
        for leg, limb, foot in zip(legs, limbs, feet, strict=True)
    ]
    lower = place - ca.vertcat(0.0, 0.0, drop)
    outputs = [root, lower, ca.vertcat(*turned), ca.vertcat(*(foot.state for foot in feet)), drop]
    return _function("lock_legs", given, outputs)


@cache
def place_legs() -> ca.Function:
    """Return the function of leg positions -> (hips 6, ankles 6, feet 8)."""
    given = _symbols("root", "place", "joints", "measures")
    _, limbs = _both(given)
    return _function(
        "place_legs",
        given,
        [ca.vertcat(*(getattr(limb, name) for limb in limbs)) for name in ("hip", "ankle", "foot")],
    )


@cache
def reach_legs() -> ca.Function:
    """Return the function that places ankles at goals and feet as given -> joints 24."""
    given = _symbols("root", "place", "joints", "goals", "feet", "measures")
    goals, feet = ca.vertsplit(given["goals"], 3), ca.vertsplit(given["feet"], 4)
    legs, limbs = _both(given)
    turned = [
        _reach(leg, limb, goal, foot, _find_limits(leg, limb).loose)
        for leg, limb, goal, foot in zip(legs, limbs, goals, feet, strict=True)
    ]
    return _function("reach_legs", given, [ca.vertcat(*turned)])


def _symbols(*names: str) -> dict[str, ca.SX]:
    return {name: ca.SX.sym(name, (WALKER_SIZES | SHARED_SIZES)[name]) for name in names}


def _function(name: str, given: dict[str, ca.SX], outputs: list[ca.SX]) -> ca.Function:
    names = [f"out{n}" for n in range(len(outputs))]
    return ca.Function(name, list(given.values()), outputs, list(given), names, {"cse": True})


def _both(given: dict[str, ca.SX]) -> tuple[list[LegMeasures], list[PosedLeg]]:
    """Return measures and world frames of the left and the right leg."""
    legs = [LegMeasures.of(part) for part in ca.vertsplit(given["measures"], 30)]
    joints = ca.vertsplit(given["joints"], 12)
    return legs, [_place(leg, given["root"], given["place"], q) for leg, q in zip(legs, joints, strict=True)]


def _place(leg: LegMeasures, root: ca.SX, place: ca.SX, joints: ca.SX) -> PosedLeg:
    """Return a leg with given rotations of thigh, shank and foot in their parents' frames."""
    turned, where = root, place
    points, bases, limbs = [], [], []
    for bone, between, joint in zip(leg.bones, leg.between, ca.vertsplit(joints, 4), strict=True):
        where = where + sx_rotate(turned, bone)
        bases.append(sx_multiply(turned, between))
        turned = sx_multiply(bases[-1], joint)
        points.append(where)
        limbs.append(turned)
    (hip, knee, ankle), (thigh, shank, foot) = points, limbs
    return PosedLeg(hip, knee, ankle, bases[0], thigh, shank, foot)


def _lower(limb: PosedLeg, drop: ca.SX) -> PosedLeg:
    down = ca.vertcat(0.0, 0.0, drop)
    return limb._replace(hip=limb.hip - down, knee=limb.knee - down, ankle=limb.ankle - down)


def _foot_goal(
    leg: LegMeasures, limb: PosedLeg, contacts: ca.SX, state: ca.SX, fade: ca.SX, settle: ca.SX, floor: ca.SX
) -> FootGoal:
    """Return the goal of a foot: anchored while its points touch; the shift of the ankle fades out in the swing."""
    held, anchors, moved, twist = ca.vertsplit(state, _ends(STATE_SIZES))
    weights = [ca.fmax(contacts[p] - CONTACT_THRESHOLD, 0.0) for p in range(2)]
    touch = [weight > 0.0 for weight in weights]
    kept = [ca.logic_and(touch[p], held[p] > 0.5) for p in range(2)]
    swings = ca.logic_not(ca.logic_or(*touch))
    arms, places = [sx_rotate(limb.foot, sole) for sole in leg.soles], ca.vertsplit(anchors, 3)
    both = ca.logic_and(*kept)
    twist = ca.if_else(both, _turn(arms[1] - arms[0], places[1] - places[0]), ca.if_else(swings, fade, 1.0) * twist)
    upright = _about_vertical(twist)
    points = [limb.ankle + sx_rotate(upright, arm) for arm in arms]
    shares = [ca.if_else(kept[p], weights[p], 0.0) for p in range(2)]
    total = shares[0] + shares[1]
    error = sum(shares[p] * (places[p] - points[p]) for p in range(2)) / ca.fmax(total, 1e-12)
    flat = ca.if_else(total > 0.0, error[:2], ca.if_else(swings, fade, 1.0) * moved[:2])
    low = ca.fmin(*(ca.if_else(ca.logic_or(touch[p], swings), points[p][2], _FAR) for p in range(2)))
    lifted = ca.fmin(LIFT * ca.sqrt(ca.sumsqr(flat)), HIGHEST)
    settled = moved[2] + (ca.if_else(swings, lifted, floor - low) - moved[2]) * settle
    moved = ca.vertcat(flat, ca.if_else(swings, ca.fmax(settled, floor - low), settled))
    places = [ca.if_else(kept[p], places[p], points[p] + moved) for p in range(2)]
    limits, on_heel = _find_limits(leg, limb), ca.fmax(contacts[0] / CONTACT_THRESHOLD - 1.0, 0.0)
    on_ball = ca.fmin(contacts[1] / CONTACT_THRESHOLD, 1.0) * ca.fmax(1.0 - on_heel / HEEL_LEAVES, 0.0)
    rise = _raise_heel(limb.ankle + moved, sx_rotate(upright, arms[1]), limb.hip, limits.stretched, on_ball)
    goal = limb.ankle + moved + rise.ankle
    to_goal = goal - limb.hip
    reach = soften_reach(ca.norm_2(to_goal), limits.loose, limits.straight)
    # The hips begin to sink before a foot lands, and the leg to ease out as it leaves.
    landed = ca.fmin(ca.fmax(*ca.vertsplit(contacts)) / CONTACT_THRESHOLD, 1.0)
    needed = landed * hip_drop(ca.vertsplit(to_goal), reach)
    reach = limits.loose + landed * ca.fmax(reach - limits.loose, 0.0)
    foot = sx_multiply(rise.turn, sx_multiply(upright, limb.foot))
    return FootGoal(goal, foot, needed, reach, ca.vertcat(*touch, *places, moved, twist))


class _HeelRise(NamedTuple):
    """How a foot turns about its ball."""

    ankle: ca.SX
    """How far (m) the ankle moves."""
    turn: ca.SX
    """Rotation of the foot in the world."""


def _raise_heel(ankle: ca.SX, ball: ca.SX, hip: ca.SX, reach: ca.SX, share: ca.SX) -> _HeelRise:
    """Turn a foot about its ball, which is at `ball` from the ankle, until the ankle is within `reach` of the hip.

    By MOST_RISE at most; ankle, ball and hip stay in one plane, so that the angle follows from the law of cosines.
    """
    to_ankle, to_hip = -ball, hip - ankle - ball
    near, far = ca.norm_2(to_ankle), ca.fmax(ca.norm_2(to_hip), 1e-6)
    across = ca.cross(to_ankle, to_hip)
    now = ca.atan2(ca.norm_2(across), ca.dot(to_ankle, to_hip))
    cosine = (near**2 + far**2 - reach**2) / (2.0 * near * far)
    wanted = ca.acos(ca.fmin(ca.fmax(cosine, -1.0), 1.0))
    angle = share * ca.fmin(ca.fmax(now - wanted, 0.0), MOST_RISE)
    axis = across / ca.fmax(ca.norm_2(across), 1e-9)
    turn = ca.vertcat(ca.cos(0.5 * angle), ca.sin(0.5 * angle) * axis)
    return _HeelRise(sx_rotate(turn, to_ankle) - to_ankle, turn)


class _ReachLimits(NamedTuple):
    """Distances (m) from hip to ankle of a leg."""

    loose: ca.SX
    """From where it eases out: at SOFT_FLEXION, or as in its pose."""
    straight: ca.SX
    """Largest, at MIN_FLEXION."""
    stretched: ca.SX
    """From where a heel rises: at STRETCHED, or as in its pose."""
    aside: ca.SX
    """Component of the shank along the axis of the knee."""


def _find_limits(leg: LegMeasures, limb: PosedLeg) -> _ReachLimits:
    upper, lower = ca.norm_2(leg.bones[1]), ca.norm_2(leg.bones[2])
    aside = ca.dot(limb.ankle - limb.knee, sx_rotate(limb.thigh, leg.bend))
    soft, most, straight = (leg_reach(upper, lower, bend, aside) for bend in (SOFT_FLEXION, STRETCHED, MIN_FLEXION))
    posed = ca.norm_2(limb.ankle - limb.hip)
    loose, stretched = (ca.fmin(ca.fmax(posed, least), straight) for least in (soft, most))
    return _ReachLimits(loose, straight, stretched, aside)


def _reach(leg: LegMeasures, limb: PosedLeg, goal: ca.SX, foot: ca.SX, loose: ca.SX) -> ca.SX:
    """Return rotations (12) of thigh, shank and foot with the ankle at its goal, or as near as the leg reaches.

    The knee rotates about its own axis only, and a sideways deviation of the shank is kept: so flexion has a sign, and
    a knee that was hyperextended is bent forward. The leg eases out from the distance `loose` (m).
    """
    upper, lower = ca.norm_2(leg.bones[1]), ca.norm_2(leg.bones[2])
    thigh, shank, to_goal = limb.knee - limb.hip, limb.ankle - limb.knee, goal - limb.hip
    _, straight, _, aside = _find_limits(leg, limb)
    far = ca.fmax(ca.norm_2(to_goal), 1.001 * ca.fabs(upper - lower))
    reach = soften_reach(far, loose, straight)
    axis = sx_rotate(limb.thigh, leg.bend)
    size = upper * ca.sqrt(lower**2 - aside**2)
    cosine, sine = ca.dot(thigh, shank) / size, ca.dot(ca.cross(thigh, shank), axis) / size
    bent = _open(cosine, sine, flexion_cosine(upper, lower, reach, aside), axis)
    swing = _arc(thigh + sx_rotate(bent, shank), to_goal)
    thigh_turned = sx_multiply(swing, limb.thigh)
    shank_turned = sx_multiply(swing, sx_multiply(bent, limb.shank))
    return ca.vertcat(
        sx_multiply(sx_conjugate(limb.base), thigh_turned),
        sx_multiply(sx_conjugate(sx_multiply(thigh_turned, leg.between[1])), shank_turned),
        sx_multiply(sx_conjugate(sx_multiply(shank_turned, leg.between[2])), foot),
    )


def _open(cosine: ca.SX, sine: ca.SX, to_cosine: ca.SX, axis: ca.SX) -> ca.SX:
    """Return the rotation about an axis from an angle (cosine and sine) to one from 0 to pi (cosine)."""
    to_sine = ca.sqrt(1.0 - to_cosine**2)
    half = ca.sqrt(0.5 * (1.0 + ca.fmin(cosine * to_cosine + sine * to_sine, 1.0)))
    return ca.vertcat(half, 0.5 * (cosine * to_sine - sine * to_cosine) / half * axis)


def _turn(here: ca.SX, there: ca.SX) -> ca.SX:
    """Return the angle (rad) about the vertical from one direction to another."""
    return ca.atan2(here[0] * there[1] - here[1] * there[0], here[0] * there[0] + here[1] * there[1])


def _about_vertical(angle: ca.SX) -> ca.SX:
    return ca.vertcat(ca.cos(0.5 * angle), 0.0, 0.0, ca.sin(0.5 * angle))


def _arc(start: ca.SX, end: ca.SX) -> ca.SX:
    """Return the shortest rotation from one direction to another."""
    double = ca.vertcat(ca.norm_2(start) * ca.norm_2(end) + ca.dot(start, end), ca.cross(start, end))
    return double / ca.norm_2(double)


def _ends(sizes: dict[str, int]) -> list[int]:
    ends = [0]
    for size in sizes.values():
        ends.append(ends[-1] + size)
    return ends

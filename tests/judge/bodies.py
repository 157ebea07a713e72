"""Seen persons that are damaged on purpose: parts turned about a joint, for a moment or throughout."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np

from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, cross, unit_vectors
from gambol.judge.seen import SeenPerson, see_person
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES

BUILT_IN = ("walk", "run", "jump", "stand")


def name_leg(side: str) -> list[str]:
    return [f"{side}_{part}" for part in ("thigh", "shank", "foot", "toes")]


def name_arm(side: str) -> list[str]:
    return [f"{side}_{part}" for part in ("collar", "upper_arm", "forearm", "hand")]


TRUNK = ["spine", "chest", "neck", "head", *name_arm("left"), *name_arm("right")]
BODY = ["pelvis", *TRUNK, *name_leg("left"), *name_leg("right")]


@cache
def clip(name: str) -> Motion:
    return load(name)


@cache
def person(name: str) -> SeenPerson:
    return see_person(clip(name))


def find_hips(seen: SeenPerson) -> Array:
    """Return the horizontal unit vectors (frames, 3) from the right to the left hip."""
    return unit_vectors((seen.places["left_thigh"] - seen.places["right_thigh"]) * (1.0 - UP))


def turn(seen: SeenPerson, rotation: Array, about: Array, parts: Iterable[str], feet: Iterable[str] = ()) -> SeenPerson:
    """Return a person with parts turned about places (frames, 3); soles are those of `feet`."""
    places, rotations, soles = dict(seen.places), dict(seen.rotations), dict(seen.soles)
    for part in set(parts) & places.keys():
        places[part] = about + quat.rotate(rotation, places[part] - about)
        rotations[part] = quat.multiply(rotation, rotations[part])
    for side in feet:
        soles[side] = about[:, None] + quat.rotate(rotation[:, None], soles[side] - about[:, None])
    return replace(seen, places=places, rotations=rotations, soles=soles)


def bump(seen: SeenPerson, start: float, seconds: float) -> Array:
    """Return a curve (frames,) that goes from 0 to 1 and back in a time."""
    share = np.clip((np.arange(len(seen)) * seen.frame_time - start) / seconds, 0.0, 1.0)
    return np.asarray(np.sin(np.pi * share) ** 2)


def fling_foot(seen: SeenPerson, start: float, speed: float, seconds: float = 0.3) -> SeenPerson:
    """Return a person whose left leg swings ahead and back, with a foot that is faster by a speed (m/s)."""
    leg = np.linalg.norm(seen.places["left_foot"] - seen.places["left_thigh"], axis=1).mean()
    angle = -speed * seconds / (leg * np.pi) * bump(seen, start, seconds)
    rotation = quat.from_axis_angle(find_hips(seen), angle)
    return turn(seen, rotation, seen.places["left_thigh"], name_leg("left"), ["left"])


def whip_body(seen: SeenPerson, start: float, rate: float, seconds: float = 0.3) -> SeenPerson:
    """Return a person who turns about the vertical at a rate (degrees/s) and back."""
    rotation = quat.from_axis_angle(UP, np.radians(rate) * seconds / np.pi * bump(seen, start, seconds))
    return turn(seen, rotation, seen.places["pelvis"], BODY, SIDES)


def bend_trunk(seen: SeenPerson, degrees: Array | float) -> SeenPerson:
    """Return a person whose trunk leans ahead by angles (frames,)."""
    rotation = quat.from_axis_angle(find_hips(seen), np.broadcast_to(np.radians(degrees), len(seen)))
    return turn(seen, rotation, seen.places["pelvis"], TRUNK)


def lean_sideways(seen: SeenPerson, degrees: Array | float, parts: Iterable[str] = BODY) -> SeenPerson:
    """Return a person who leans by angles (frames,) to the right about the middle of the ankles, or the pelvis."""
    whole = parts is BODY
    middle = 0.5 * (seen.places["left_foot"] + seen.places["right_foot"])
    rotation = quat.from_axis_angle(
        cross(find_hips(seen), np.broadcast_to(UP, middle.shape)), np.broadcast_to(np.radians(degrees), len(seen))
    )
    feet = {f"{side}_{part}" for side in SIDES for part in ("foot", "toes")}
    return turn(seen, rotation, middle if whole else seen.places["pelvis"], set(parts) - feet)


def head_elsewhere(seen: SeenPerson, degrees: float = 70.0) -> SeenPerson:
    """Return the same motion in another direction, in another place."""
    rotation = np.tile(quat.from_axis_angle(UP, np.radians(degrees)), (len(seen), 1))
    return turn(seen, rotation, np.tile([3.0, -2.0, 0.0], (len(seen), 1)), list(seen.places), SIDES)

"""Points of a body at which somebody can say that it touches something: joints, and the middles of segments."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.contacts.contact import BodyPoint
from gambol.motion.rig_names import JOINT_NAMES

_FEET = ("foot", "toes")


def list_body_points(character: Character) -> tuple[BodyPoint, ...]:
    """Return the joints of a character, such as left_knee, and the centres of mass of its segments, such as pelvis.

    Feet are left out: they touch with heel and ball.
    """
    points = []
    for body in character.bodies:
        side, _, part = body.partition("_")
        if part in _FEET:
            continue
        if (joint := JOINT_NAMES.get(part, part)) != part:
            points.append(BodyPoint(f"{side}_{joint}", body, np.zeros(3)))
        points.append(BodyPoint(body, body, character.centers[character.skeleton.index(body)]))
    return tuple(points)

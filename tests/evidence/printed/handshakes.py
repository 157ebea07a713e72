"""Short trials of two people made from the sample `stand`: right hands rise, meet and return."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import gambol as gb
from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.interaction.trials import Trial
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.poses.reach import HandPoint, find_arm
from gambol_evidence.printed.hierarchy import Hierarchy
from gambol_evidence.printed.hierarchy_learning import learn_hierarchy

PALM = HandPoint("right", np.array([0.0, -0.08, 0.0]))
MIDDLE = np.array([0.5, -0.1, 1.2])
"""Contact point between two people 1 m apart (m)."""


@cache
def stand(heading: float, x: float) -> Motion:
    """Return one frame of a person who stands at x and looks along a heading."""
    still = gb.load("stand")[:1]
    local = local_frames(still.skeleton, still.q)
    rotations = local.rotations.copy()
    rotations[:, 0] = quat.multiply(quat.from_axis_angle(UP, np.array(heading)), rotations[:, 0])
    return replace_rotations(still, rotations, np.array([[x, 0.0, local.positions[0, 0, 2]]]))


@cache
def make_handshake(y: float = 0.0, z: float = 0.0, style: str = "", frames: int = 41) -> Trial:
    """Return a trial at 30 frames per second with a contact moved across and up; sad people bow and are slower."""
    frames += 8 * (style == "sad")
    contact = frames // 2
    rest = 5
    phases = np.interp(np.arange(frames), [rest, contact, frames - 1 - rest], [0.0, 0.5, 1.0])
    way, place = np.sin(np.pi * phases) ** 2, MIDDLE + [0.0, y, z]
    people = []
    for name, heading, x in (("one", 0.0, 0.0), ("two", np.pi, 1.0)):
        still = stand(heading, x)
        person = replace(still, q=np.tile(still.q, (frames, 1)), frame_time=1.0 / 30.0, name=name)
        arm, local = find_arm(person, PALM), local_frames(person.skeleton, person.q)
        start = arm.locate(local)
        rotations, _ = arm.reach(local, start + way[:, None] * (place - start))
        bow = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.5 * (style == "sad") * (0.2 + way))
        head = require_rig(person).parts["head"]
        rotations[:, head] = quat.multiply(rotations[:, head], bow)
        people.append(replace_rotations(person, rotations))
    return Trial((people[0], people[1]), (PALM, PALM), contact, {style: 1.0} if style else {})


@cache
def make_handshakes() -> tuple[Trial, ...]:
    """Return trials of both styles with five contact points each."""
    points = [(0.0, 0.0), (0.08, 0.0), (-0.08, 0.0), (0.0, 0.08), (0.0, -0.08)]
    return tuple(make_handshake(y, z, style) for style in ("", "sad") for y, z in points)


@cache
def learn_handshakes(printed: bool = False, reduced: bool = True) -> Hierarchy:
    """Return a small model of the trials."""
    dimensions = 2 if printed else 3
    return learn_hierarchy(
        make_handshakes(), dimensions=dimensions, printed=printed, reduced=reduced, n_inducing=40, iterations=40
    )


def locate_hand(model: Hierarchy, rows: Array) -> Array:
    """Return the places (frames, 3) of the hand of person 1 for rows."""
    person = model.people[0]
    return person.arm.locate(person.decode(rows))

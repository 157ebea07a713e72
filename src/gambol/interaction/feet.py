"""When the feet of person 1 stand, by the phase of a meeting, and poses in which they do (M17 section 2.4).

A course is a mean: style, contact point and pace change in the middle of a stance, and the feet of its rows slide. The
mean meeting tells when heels and balls touch the floor; while they do, they are locked, whichever way the phase goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from gambol.errors import InputError
from gambol.features.strides import find_sole_points, find_touching
from gambol.geometry.arrays import Array
from gambol.interaction.model import InteractionModel
from gambol.interaction.trials import GroundFrame
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.graded_contacts import grade_contacts
from gambol.legs.locks import FootLock, RootGoals, lock_feet
from gambol.legs.rig import RigLegs, measure_rig_legs
from gambol.motion.kinematics import Placement
from gambol.stages.feet import SIDES

_LEFT, _RIGHT, _HEELS, _BALLS = [0, 1], [2, 3], [0, 2], [1, 3]
"""Columns of the contacts."""
_FAR = 0.15
"""Largest difference of phases by which a step is completed before person 1 waits."""


@dataclass(frozen=True, eq=False)
class FootCourse:
    """The legs of a person, and when its feet touch the floor."""

    legs: RigLegs
    contacts: Array
    """(phases, 4) graded contacts at even phases from 0 to 1: left heel and ball, right heel and ball."""

    @cached_property
    def standing(self) -> Array:
        """Phases in which both feet stand; may be none."""
        down = self.contacts > CONTACT_THRESHOLD
        both = np.asarray(down[:, _LEFT].any(axis=1) & down[:, _RIGHT].any(axis=1))
        return np.flatnonzero(both) / (len(both) - 1)

    def find_rest(self, phase: float) -> float:
        """Return the nearest phase in which both feet stand, or the same if that is far away."""
        if not len(self.standing):
            return phase
        nearest = float(self.standing[np.abs(self.standing - phase).argmin()])
        return nearest if abs(nearest - phase) < _FAR else phase

    def lock(self, state: FootLock, local: Placement, phase: float, seconds: float) -> tuple[FootLock, Placement]:
        """Return the locks and the pose after some seconds; the root may be lowered."""
        at = phase * (len(self.contacts) - 1)
        contacts = [np.interp(at, np.arange(len(self.contacts)), column) for column in self.contacts.T]
        root = RootGoals(local.positions[:, 0], np.zeros(1), np.zeros((1, 2)))
        state, pose = lock_feet(self.legs, state, local.rotations, root, np.array([contacts]), seconds)
        rotations, positions = local.rotations.copy(), local.positions.copy()
        rotations[:, self.legs.joints], positions[:, 0] = pose.joints, pose.places
        return state, Placement(positions, rotations)


@lru_cache(maxsize=16)
def find_foot_course(model: InteractionModel) -> FootCourse | None:
    """Return the feet of person 1 in the mean meeting; None where it has none, or they never touch the floor."""
    phases, person = np.linspace(0.0, 1.0, len(model.course.table)), model.people[0]
    if any(f"{side}_foot" not in person.rig.parts for side in SIDES):
        return None
    features = model.course.combine(np.zeros(len(model.emotions)), model.course.goal_space.mean)
    local = person.decode(model.course.evaluate_all(phases, features)[:, model.columns[0]])
    seconds = float(np.exp(-model.log_rates[:, 0]).mean()) / (len(phases) - 1)
    mean = person.make_motion(local, GroundFrame(np.zeros(3), 0.0), seconds, "mean")
    try:
        touching, floor = find_touching(mean)
    except InputError:
        return None
    legs = measure_rig_legs(mean.skeleton, person.rig, person.reference, find_sole_points(mean), floor)
    contacts = grade_contacts(touching.astype(float), repeats=False)
    # A heel that lands rolls: it is locked from when the foot is flat.
    contacts[:, _HEELS] = np.minimum(contacts[:, _HEELS], contacts[:, _BALLS])
    return FootCourse(legs, contacts)

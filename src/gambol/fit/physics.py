"""The physics of one motion: fitted body, contacts, stages and ground forces, computed once for checks and drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from gambol.assumptions import GRAVITY, LIMB_CUTOFF
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.forces import GroundForces, estimate_ground_forces
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array, find_runs, summarise_fields
from gambol.geometry.filters import differentiate, low_pass
from gambol.io.runs import read_run
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.stages.feet import SIDES
from gambol.stages.flight import find_stages
from gambol.stages.support import split_by_support

_METRES = 0.7
"""Length (m) of the line that shows one body weight: the peak force of a runner is then as long as the runner."""


@dataclass(frozen=True, eq=False)
class Physics:
    """Contacts, stages and ground forces of a motion."""

    __repr__ = summarise_fields

    fitted: Fit
    forces: GroundForces
    contacts: Contacts
    """What touches the ground: found, or given."""
    stages: tuple[Stage, ...]
    """Ground and flight stages."""

    @property
    def motion(self) -> Motion:
        """The source motion on its own rig."""
        return self.fitted.source

    @property
    def weight(self) -> float:
        """Body weight in newtons."""
        return self.fitted.character.mass * GRAVITY

    @cached_property
    def floor(self) -> float:
        """Height (m) of the floor that is drawn."""
        return estimate_floor_height(self.motion)

    @cached_property
    def supports(self) -> tuple[Stage, ...]:
        """The stages with the ground stages split by the feet in contact, named "left foot", "both feet", ..."""
        return split_by_support(self.contacts, self.stages)

    def support(self, frame: int) -> str:
        """Return the name of the support in a frame, such as "left foot"."""
        return next(stage.name for stage in self.supports if frame <= stage.last)

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """The bodies on which ground forces act."""
        return tuple(sorted(set(self.forces.bodies)))

    @cached_property
    def _pressures(self) -> dict[str, Array]:
        return {body: self.forces.center_of_pressure(body) for body in self.bodies}

    def force_lines(self, frame: int) -> Array:
        """Return lines (bodies, 2, 3) from the centre of pressure along the force; zeros for a body without load."""
        out = np.zeros((len(self.bodies), 2, 3))
        for n, body in enumerate(self.bodies):
            pressure = self._pressures[body][frame]
            if np.isfinite(pressure).all():
                out[n, 0] = pressure
                out[n, 1] = pressure + _METRES * self.forces.force_on(body)[frame] / self.weight
        return out

    def contact_places(self, frame: int) -> dict[str, Array]:
        """Return the place (3,) of each contact in a frame, by name of the point, such as left_heel.

        It is the place of the whole contact: a sliding foot moves away from it.
        """
        return {c.part: c.place for c in self.contacts.items if c.first <= frame <= c.last}

    @cached_property
    def angular_momentum(self) -> Array:
        """Angular momentum (frames, 3) in kg m²/s about the centre of mass, world axes."""
        moved = self.fitted.motion
        q = low_pass(moved.q, moved.frame_time, LIMB_CUTOFF)
        velocity, _ = differentiate(q, moved.frame_time)
        return Dynamics(self.fitted.character).momentum(q, velocity).angular


def estimate_physics(
    motion: Motion, mass: float | None = None, contacts: GivenContacts | None = None, progress: Progress = silent
) -> Physics:
    """Fit a person to a motion and estimate contacts, stages and ground forces; `mass` (kg) as in `from_motion`.

    `contacts` replaces those found. A recorded run of a robot has its own masses and forces.
    """
    if motion.origin.format == "run":
        return _read_physics(motion)
    fitted = fit(Character.from_motion(motion, mass), motion)
    found = use_contacts(fitted, contacts)
    forces = estimate_ground_forces(fitted.character, fitted.motion, progress=progress, contacts=found)
    return Physics(fitted, forces, found, find_stages(found))


def estimate_drawn(motions: Sequence[Motion], physics: bool, contacts: GivenContacts | None = None) -> list[Physics]:
    """Return the physics of motions that are drawn with it, else none; `contacts` are those of the only motion."""
    if contacts is not None and not physics:
        raise InputError("contacts are drawn with physics", fix="add physics, or leave the contacts out")
    if contacts is not None and len(motions) > 1:
        raise InputError(f"contacts of one clip for {len(motions)}", fix="draw one clip")
    return [estimate_physics(motion, contacts=contacts) for motion in motions] if physics else []


def _make_contact(forces: GroundForces, name: str, body: str, first: int, last: int) -> Contact:
    """Return the contact of the middle of a sole from one frame to another."""
    own = [other == body for other in forces.bodies]
    location = forces.points[first : last + 1, own].mean(axis=(0, 1))
    return Contact(body, forces.local_points[own].mean(axis=0), location, first, last, name)


def _read_physics(motion: Motion) -> Physics:
    """Return the physics that was recorded with a motion."""
    run = read_run(Path(motion.origin.file))
    if not np.array_equal(run.motion.q, motion.q):
        raise InputError("the motion was changed after it was recorded", file=motion.origin.file, fix="load it again")
    character = Character(motion.skeleton, run.masses, run.centers, run.inertias, motion.name)
    joints = [motion.skeleton.index(body) for body in run.bodies]
    placed = motion.placement
    points = placed.positions[:, joints] + quat.rotate(placed.rotations[:, joints], run.points)
    none = np.zeros((len(motion), 3))
    center = Dynamics(character).center_of_mass(motion.q)
    forces = GroundForces(run.bodies, run.points, points, run.forces, center, none, none, True)
    contacts = tuple(
        _make_contact(forces, f"{side}_sole", body, first, last)
        for side, body in zip(SIDES, dict.fromkeys(run.bodies), strict=True)
        for first, last in find_runs(np.isfinite(forces.center_of_pressure(body)[:, 0]))
    )
    found = Contacts(contacts, len(motion), motion.frame_time)
    return Physics(Fit(character, motion, motion, np.zeros((len(motion), 0))), forces, found, find_stages(found))

"""The physics of one motion, found once for all who measure or show it: body, contacts, stages, ground forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.fit.forces import GroundForces, estimate_ground_forces
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass, differentiate
from gambol.motion.contacts import Contacts, Stage
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import find_stages, drop_supported_flights
from gambol.stages.support import split_by_support

_METRES = 0.7
"""Length of the line that shows a body weight: the strongest push of a runner is then as long as the runner."""
_SPIN_CUTOFF = 12.0
"""Hz: limbs swing faster than the whole body moves, and in a flight their spins must cancel."""


@dataclass(frozen=True, eq=False)
class Physics:
    """What carries a body and how hard, frame by frame."""

    fitted: Fit
    forces: GroundForces
    contacts: Contacts
    """Of heels, balls and toes, as the rig has them."""
    stages: tuple[Stage, ...]
    """Ground and flight."""

    @property
    def motion(self) -> Motion:
        """The motion as it came, on its own rig."""
        return self.fitted.source

    @property
    def weight(self) -> float:
        """Newtons."""
        return self.fitted.character.mass * GRAVITY

    @cached_property
    def floor(self) -> float:
        """Height (m) of the floor that the figure is shown on."""
        return estimate_floor_height(self.motion)

    @cached_property
    def supports(self) -> tuple[Stage, ...]:
        """The stages with the ground split by the feet that hold, named as a person names them."""
        return split_by_support(self.contacts, self.stages)

    def support(self, frame: int) -> str:
        """The name of what carries in a frame, such as "left foot"."""
        return next(stage.name for stage in self.supports if frame <= stage.last)

    @cached_property
    def feet(self) -> tuple[str, ...]:
        """The bodies that forces act on."""
        return tuple(sorted(set(self.forces.bodies)))

    @cached_property
    def _pressures(self) -> dict[str, Array]:
        return {foot: self.forces.center_of_pressure(foot) for foot in self.feet}

    def force_lines(self, frame: int) -> Array:
        """(feet, 2, 3): from the centre of pressure up along the force; zero while a foot carries nothing."""
        out = np.zeros((len(self.feet), 2, 3))
        for n, foot in enumerate(self.feet):
            pressure = self._pressures[foot][frame]
            if np.isfinite(pressure).all():
                out[n, 0] = pressure
                out[n, 1] = pressure + _METRES * self.forces.force_on(foot)[frame] / self.weight
        return out

    def held(self, frame: int) -> dict[str, Array]:
        """Where (3,) each point that touches in a frame is held, by its name, such as left_heel.

        The place is that of the whole contact: a foot that slides slides off it.
        """
        return {c.name: c.location for c in self.contacts.items if c.first <= frame <= c.last}

    @cached_property
    def angular_momentum(self) -> Array:
        """(frames, 3) kg m²/s about the centre of mass, world axes."""
        moved = self.fitted.motion
        q = low_pass(moved.q, moved.frame_time, _SPIN_CUTOFF)
        velocity, _ = differentiate(q, moved.frame_time)
        return Dynamics(self.fitted.character).momentum(q, velocity).angular


def estimate_physics(motion: Motion, mass: float | None = None) -> Physics:
    """Fit a person of the given mass (kg), or of medium weight, to a motion and find what carries it."""
    contacts = find_foot_contacts(motion)
    fitted = fit(Character.from_motion(motion, mass), motion)
    forces = estimate_ground_forces(fitted.character, fitted.motion)
    return Physics(fitted, forces, contacts, drop_supported_flights(motion, find_stages(contacts)))

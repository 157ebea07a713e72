"""A cost of ground forces that point past the centre of mass.

While both feet stand, the laws of motion determine the sum of their forces only. Those of people point nearly to the
centre of mass: the foot behind pushes ahead, and the one in front brakes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.contacts.contact import Contact
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.momentum import group_frames
from gambol.terms.space import Space


@dataclass(frozen=True, eq=False)
class ForceDirectionCost:
    """Squared horizontal moments of the force on each body about given centres, integrated over time."""

    contacts: tuple[Contact, ...]
    """Contacts whose forces are already in the space."""
    centers: Array
    """(frames, 3) metres"""
    weight: float
    """Per square of body weight times metre, and second."""

    def add(self, space: Space) -> None:
        """Add two squares per body and frame."""
        for body in dict.fromkeys(contact.body for contact in self.contacts):
            mine = tuple(contact for contact in self.contacts if contact.body == body)
            for frames, acting in group_frames(mine, len(space)):
                inner = frames[(frames > 0) & (frames < len(space) - 1)]
                if acting and len(inner):
                    self._add_moments(space, inner, acting)

    def _add_moments(self, space: Space, frames: Index, acting: tuple[Contact, ...]) -> None:
        forces = np.hstack([space.problem.shared((space, contact))[frames] for contact in acting])
        edges = np.vstack([contact.edges_about(np.zeros(3)) for contact in acting])
        lever = self.centers[frames]
        # The moment about the origin, and that of the force at the lever.
        moments = edges[None, :, 3:] - np.cross(lever[:, None], edges[None, :, :3])
        for axis in range(2):
            weight = self.weight * space.frame_times[frames]
            space.problem.add_squares("force direction", forces, moments[..., axis], weight=weight)

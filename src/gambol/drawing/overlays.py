"""Show the physics of a motion in a viser scene: ground forces, contacts, support phase and centre of mass."""

from __future__ import annotations

import numpy as np
import viser

from gambol.fit.physics import Physics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.shapes import build_unit_shape

_COLOR, _CENTER, _CONTACT = (60, 170, 90), (200, 60, 60), (25, 25, 30)
_DISC = (0.065, 0.065, 0.012)
"""Half axes in metres of the disc under a contact: wider than a foot, so that it is visible."""
_ABOVE = 0.25
"""Metres from the highest joint to the label above it."""


class Overlay:
    """The physics of one motion in a viser scene."""

    def __init__(self, server: viser.ViserServer, name: str, physics: Physics) -> None:
        self._physics = physics
        self._arrows = server.scene.add_line_segments(
            f"/{name}/force", physics.force_lines(0), colors=_COLOR, thickness=6.0, thickness_units="screen"
        )
        # The centre of mass is hidden inside the trunk, so its projection on the floor is shown.
        self._center = server.scene.add_icosphere(f"/{name}/center", radius=0.03, color=_CENTER)
        self._points = sorted({contact.part for contact in physics.contacts.items})
        self._discs = self._add_discs(server, f"/{name}/held") if self._points else None
        self._label = server.scene.add_label(f"/{name}/stage", physics.support(0), anchor="bottom-center")

    def _add_discs(self, server: viser.ViserServer, name: str) -> viser.BatchedMeshHandle:
        vertices, faces = build_unit_shape()
        count = len(self._points)
        return server.scene.add_batched_meshes_simple(
            name,
            vertices.astype(np.float32),
            faces,
            batched_wxyzs=np.tile(quat.IDENTITY, (count, 1)),
            batched_positions=np.zeros((count, 3)),
            batched_scales=np.zeros((count, 3)),
            batched_colors=_CONTACT,
            lod="off",
        )

    def show(self, frame: int, shift: Array) -> None:
        """Show the forces, contacts, support phase and centre of mass of a frame, shifted like the figure."""
        physics = self._physics
        lines = physics.force_lines(frame)
        loaded = np.ptp(lines, axis=1).any(axis=1)
        self._arrows.points = np.where(loaded[:, None, None], lines + shift, 0.0)
        center = physics.forces.center_of_mass[frame]
        self._center.position = tuple(np.array([center[0], center[1], physics.floor]) + shift)
        if self._discs is not None:
            contacts = physics.contact_places(frame)
            self._discs.batched_positions = np.array(
                [contacts.get(point, np.zeros(3)) + shift for point in self._points]
            )
            # Zero size instead of invisible: invisible discs stay visible in a played-back recording.
            self._discs.batched_scales = np.array(
                [_DISC if point in contacts else (0.0,) * 3 for point in self._points]
            )
        self._label.text = physics.support(frame)
        top = float(physics.motion.placement.positions[frame, :, 2].max())
        self._label.position = tuple(np.array([center[0], center[1], top + _ABOVE]) + shift)

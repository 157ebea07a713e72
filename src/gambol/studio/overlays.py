"""What a body feels, shown on the stage: where its centre of mass stands, and the force under each foot."""

from __future__ import annotations

import numpy as np
import viser

from gambol.body.character import GRAVITY, Character
from gambol.fit.forces import GroundForces, ground_forces
from gambol.fit.rig import fit
from gambol.geometry.quaternions import Array
from gambol.motion.figure import floor_height
from gambol.motion.motion import Motion

_METRES = 0.9
"""Length of the line that shows a body weight."""
_COLOR, _CENTER = (60, 170, 90), (200, 60, 60)


class Physics:
    """Centre of mass and ground forces of one motion, frame by frame."""

    def __init__(self, motion: Motion) -> None:
        fitted = fit(Character.from_motion(motion), motion)
        self.forces: GroundForces = ground_forces(fitted.character, fitted.motion)
        self._weight = fitted.character.mass * GRAVITY
        self._feet = sorted(set(self.forces.bodies))
        self.floor = np.array([0.0, 0.0, floor_height(motion)])
        self._pressures = {foot: self.forces.pressure(foot) for foot in self._feet}

    def lines(self, frame: int) -> Array:
        """(feet, 2, 3): from the centre of pressure up along the force; of no length while a foot carries nothing."""
        out = np.zeros((len(self._feet), 2, 3))
        for n, foot in enumerate(self._feet):
            pressure = self._pressures[foot][frame]
            if np.isfinite(pressure).all():
                out[n, 0] = pressure
                out[n, 1] = pressure + _METRES * self.forces.on(foot)[frame] / self._weight
        return out


class Overlay:
    """The physics of one motion in a viser scene."""

    def __init__(self, server: viser.ViserServer, name: str, motion: Motion) -> None:
        self._physics = Physics(motion)
        self._arrows = server.scene.add_line_segments(
            f"/{name}/force", self._physics.lines(0), colors=_COLOR, thickness=6.0, thickness_units="screen"
        )
        # Inside the trunk nobody would see it: the centre of mass is shown where it stands over the floor.
        self._center = server.scene.add_icosphere(f"/{name}/center", radius=0.03, color=_CENTER)

    def show(self, frame: int, shift: Array) -> None:
        """Forces and centre as in a frame, moved with the figure."""
        lines = self._physics.lines(frame)
        loaded = np.ptp(lines, axis=1).any(axis=1)
        self._arrows.points = np.where(loaded[:, None, None], lines + shift, 0.0)
        below = self._physics.forces.center_of_mass[frame] * [1.0, 1.0, 0.0] + self._physics.floor
        self._center.position = tuple(below + shift)

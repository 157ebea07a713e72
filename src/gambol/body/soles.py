"""Contact surfaces of a character: soles of feet, palms of hands, and the tips of legs without feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Vector

_HALF_WIDTH = 0.15
"""Half the width of a sole, as a share of the foot's length."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A contact surface in the frame of its body."""

    body: str
    back: Array
    """(n, 3) metres: left and right corner at the heel; a single point for a tip."""
    front: Array
    """(n, 3) metres: left and right corner at the toes; the same point for a tip."""
    normal: Array
    """(3,) unit vector that points up when the surface is on the ground."""

    @property
    def corners(self) -> Array:
        """Corners (n, 3) in metres: one side from back to front, then the other."""
        if len(self.back) == 1:
            return self.back
        return np.array([self.back[0], self.front[0], self.back[1], self.front[1]])

    @property
    def middle(self) -> Array:
        """Middle of the surface (3,) in metres."""
        return 0.5 * (self.back.mean(axis=0) + self.front.mean(axis=0))


def find_soles(character: Character) -> dict[str, Sole]:
    """Return the contact surfaces of a character by name, such as "left foot" or "right hand"."""
    skeleton = character.skeleton
    tips = {skeleton.names[j]: skeleton.offsets[j] for j in sorted(skeleton.ends)}
    found: dict[str, Sole] = {}
    for name in character.bodies:
        words = name.replace("_", " ")
        if name.endswith("_foot"):
            side = name.removesuffix("_foot")
            front = f"{side}_ball_tip" if f"{side}_toes" in character.bodies else f"{side}_toe_tip"
            if f"{side}_heel_tip" in tips and front in tips:
                found[words] = _sole(name, tips[f"{side}_heel_tip"], tips[front], (0.0, 0.0, 1.0))
            elif f"{name}_tip" in tips:
                found[words] = Sole(
                    name, tips[f"{name}_tip"][None], tips[f"{name}_tip"][None], np.array([0.0, 0.0, 1.0])
                )
        elif name.endswith("_hand") and f"{name}_tip" in tips:
            back = (0.0, 1.0 if name.startswith("left") else -1.0, 0.0)  # palms face in
            found[words] = _sole(name, np.zeros(3), tips[f"{name}_tip"], back)
    return found


def _sole(body: str, back: Array, front: Array, normal: Vector) -> Sole:
    across = _HALF_WIDTH * np.cross(normal, front - back)
    return Sole(
        body, np.array([back + across, back - across]), np.array([front + across, front - across]), np.array(normal)
    )

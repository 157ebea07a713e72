"""The parts of a body that can carry it: soles of feet, palms of hands, and the tips of legs that have no foot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Vector

_HALF_WIDTH = 0.15
"""Of a sole, in lengths of the foot."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A part that can carry, in the frame of its body."""

    body: str
    back: Array
    """(n, 3) metres: the left and the right end of the heel; one point where the part is a tip."""
    front: Array
    """(n, 3) metres: of the toes, or the same tip."""
    normal: Array
    """(3,) unit vector that points up when the part carries."""

    @property
    def corners(self) -> Array:
        """(n, 3) metres: two along the sole first, then across it."""
        if len(self.back) == 1:
            return self.back
        return np.array([self.back[0], self.front[0], self.back[1], self.front[1]])

    @property
    def middle(self) -> Array:
        """(3,) metres."""
        return 0.5 * (self.back.mean(axis=0) + self.front.mean(axis=0))


def soles(character: Character) -> dict[str, Sole]:
    """By the words a person uses: "left foot", "right hand"."""
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

"""How a variant of a prototype differs from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError

_LIFT_PER_CURVATURE = 0.5
"""Share of their usual lift that feet keep per rad/m of curvature, however short the steps."""


@dataclass(frozen=True)
class Variation:
    """How a variant differs from its base prototype."""

    turn: float = 0.0
    """Turn to the left per metre of the base prototype's path (rad/m); with step length 0, a turn on the spot."""
    steps: float = 1.0
    """Step length relative to the base prototype; 0 is standing."""
    crouch: float = 0.0
    """Share of the leg length by which the hips are lowered."""
    backward: bool = False
    lift: float = 0.0
    """Leg lengths by which feet are lifted besides, however short the steps."""
    left_arm: float | None = None
    """Radians by which the arm is raised sideways from hanging; None: it swings as in the base prototype."""
    right_arm: float | None = None

    @property
    def foot_amplitude(self) -> float:
        """Share of the usual pitch and lift that the feet keep."""
        return min(max(self.steps, _LIFT_PER_CURVATURE * abs(self.turn)), 1.0)

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("turn", self.turn, -2.0, 2.0),
            ("steps", self.steps, 0.0, 1.4),
            ("crouch", self.crouch, 0.0, 0.6),
            ("lift", self.lift, 0.0, 0.3),
            ("left_arm", self.left_arm or 0.0, 0.0, np.pi),
            ("right_arm", self.right_arm or 0.0, 0.0, np.pi),
        ):
            if not low <= value <= high:
                raise InputError(f"'{name}' is {value}, expected {low:g} to {high:g}")

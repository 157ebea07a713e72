"""Whether a person could do what a recovery from a push does: how far it leans and steps, how strong its legs are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import Character
from gambol.fit.forces import compute_joint_torques, estimate_ground_forces
from gambol.geometry.vectors import unit_vectors
from gambol.legs.character import find_character_legs
from gambol.motion.motion import Motion

LARGEST_LEAN = 45.0
"""Degrees of the trunk from its direction in the clip. A recorded stumble and forward jumps lean by up to 51 degrees
from the vertical, with the feet under the body or in the air."""
LONGEST_SHIFT = 1.0
"""Leg lengths that a foothold moves. From standing, people step no farther than a little more than that."""
LARGEST_TORQUE = 6.0
"""N m per kg of body mass at a joint of a leg. Estimates of 8 recorded runs, jumps and a stumble reach 4.9."""


@dataclass(frozen=True)
class RecoveryEffort:
    """What a recovery needs of a person."""

    lean: float
    """Largest angle (degrees) of the trunk from its direction in the clip."""
    shift: float
    """Largest shift of a foothold, in leg lengths."""
    torque: float
    """Largest torque at a joint of a leg, in N m per kg of body mass; 0 where the clip ends with the push."""

    @property
    def excesses(self) -> tuple[str, ...]:
        """What is beyond people, in words."""
        found = (
            (self.lean, LARGEST_LEAN, f"the trunk leans by {self.lean:.3g} degrees"),
            (self.shift, LONGEST_SHIFT, f"a foothold moves by {self.shift:.3g} leg lengths"),
            (self.torque, LARGEST_TORQUE, f"a leg joint needs {self.torque:.3g} N m per kg"),
        )
        return tuple(f"{words} (people: up to {most:g})" for value, most, words in found if value > most)


def measure_lean(character: Character, motion: Motion, clip: Motion) -> float:
    """Return the largest angle (degrees) between the trunk of a motion and that of a clip, both of a character."""
    ends = [character.skeleton.index(name) for name in ("pelvis", "head")]
    trunks = [np.diff(one.placement.positions[:, ends], axis=1)[:, 0] for one in (motion, clip)]
    one, other = (unit_vectors(trunk) for trunk in trunks)
    return float(np.degrees(np.arccos(np.clip(np.sum(one * other, axis=1), -1.0, 1.0))).max())


def measure_leg_torque(character: Character, motion: Motion, first: int) -> float:
    """Return the largest torque (N m per kg) at a joint of a leg from a frame on, where no push acts any more."""
    columns = [column for leg in find_character_legs(character) for column in leg.columns]
    torques = compute_joint_torques(character, motion, estimate_ground_forces(character, motion))[first:, columns]
    return float(np.abs(torques).max(initial=0.0)) / character.mass

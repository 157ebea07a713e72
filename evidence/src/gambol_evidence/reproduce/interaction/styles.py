"""Edit a trial by kinematic correlates of emotion; the people did not feel or act these emotions.

Directions of the edits follow published findings, their sizes are ours:

- speed: arm movements are fastest in anger, then in happiness, then neutral, and slowest in sadness (Pollick, Paterson,
  Bruderlin and Sanford 2001); so are walks (Roether, Omlor, Christensen and Giese 2009);
- amplitude: arms move more in happy and angry walks and less in sad ones (Roether et al. 2009; Halovic and Kroos 2018);
- head and trunk: bowed in sadness, stretched in joy, and forward in anger (de Meijer 1989; Wallbott 1998; for heads
  Roether et al. 2009);
- elbows: more flexed in anger (Roether et al. 2009); shoulders: raised in anger and joy (Wallbott 1998).

That larger edits of this kind read as more intense emotions is in line with exaggerated movements (Atkinson, Dittrich,
Gemmell and Young 2004).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.poses.reach import ELBOW_LIMITS
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.interaction.upper_body import PersonUpperBody

EDITED = (
    "duration",
    "speed of the hands",
    "amplitude of trunk, head and arms",
    "inclination of the trunk",
    "inclination of the head",
    "flexion of the elbows",
    "height of the shoulders",
)
"""Features that differ between styles because they were edited: a test of styles uses others."""
_BOUND = 0.2
"""Phases before and after the contact within which the goal, and not the style, sets the amplitude of a hand."""


@dataclass(frozen=True)
class StyleEdit:
    """What a style changes; angles are in degrees."""

    duration: float = 1.0
    """Factor."""
    amplitude: float = 1.0
    """Factor of the rotations of trunk, head and arms away from rest."""
    trunk: float = 0.0
    """Forward inclination."""
    head: float = 0.0
    """Forward inclination relative to the trunk."""
    elbows: float = 0.0
    """Flexion."""
    shoulders: float = 0.0
    """Elevation."""

    def scale(self, intensity: float) -> StyleEdit:
        """Return the edit at an intensity: 0 is neutral, 1 the edit itself, and factors are scaled as powers."""
        return StyleEdit(
            self.duration**intensity,
            self.amplitude**intensity,
            *(intensity * angle for angle in (self.trunk, self.head, self.elbows, self.shoulders)),
        )


EMOTION_EDITS = {
    "neutral": StyleEdit(),
    "happy": StyleEdit(duration=0.88, amplitude=1.15, trunk=-4.0, head=-8.0, elbows=4.0, shoulders=5.0),
    "angry": StyleEdit(duration=0.72, amplitude=1.15, trunk=8.0, head=3.0, elbows=18.0, shoulders=6.0),
    "sad": StyleEdit(duration=1.3, amplitude=0.8, trunk=9.0, head=20.0, elbows=-3.0, shoulders=-6.0),
}
"""The four styles at intensity 1."""


def apply_posture(rotations: Array, body: PersonUpperBody, edit: StyleEdit, hand: str, phases: Array) -> Array:
    """Return rotations (frames, joints, 4) in the parents' frames with the amplitude and the posture of a style.

    Around the contact (phase 0.5) the arm whose hand (left or right) touches keeps its amplitude: its goal is given.
    """
    out, upper, parts = rotations.copy(), list(body.joints), body.parts
    free = np.clip(np.abs(phases - 0.5) / _BOUND, 0.0, 1.0)
    powers = np.where(np.isin(upper, body.arms[hand]), smoothstep(free)[:, None], 1.0)
    away = quat.log(quat.multiply(quat.conjugate(body.rest[upper]), out[:, upper]))
    out[:, upper] = quat.multiply(body.rest[upper], quat.exp(edit.amplitude ** powers[..., None] * away))
    turns = {part: 0.5 * edit.trunk * body.lateral[parts[part]] for part in ("spine", "chest")}
    turns |= {part: 0.5 * edit.head * body.lateral[parts[part]] for part in ("neck", "head")}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        turns[f"{side}_collar"] = sign * edit.shoulders * body.forward[parts[f"{side}_collar"]]
        # Arms hang although the trunk is inclined.
        turns[f"{side}_upper_arm"] = -edit.trunk * body.lateral[parts[f"{side}_upper_arm"]]
    for part, turn in turns.items():
        out[:, parts[part]] = quat.multiply(quat.exp(np.radians(turn)), out[:, parts[part]])
    for side in SIDES:
        elbow = parts[f"{side}_forearm"]
        out[:, elbow] = _flex_elbow(out[:, elbow], body, side, np.radians(edit.elbows))
    return out


def _flex_elbow(rotations: Array, body: PersonUpperBody, side: str, angle: float) -> Array:
    """Return rotations (frames, 4) of an elbow that is flexed by an angle (rad), within its limits."""
    upper, lower = body.bones[side]
    turned = quat.rotate(rotations, lower)
    flexion = np.arctan2(np.cross(upper, turned) @ body.hinges[side], turned @ upper)
    by = np.clip(flexion + angle, *ELBOW_LIMITS) - flexion
    return quat.multiply(quat.from_axis_angle(body.hinges[side], by), rotations)

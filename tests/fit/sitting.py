"""Somebody who sits, made from the built-in person who stands."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import as_clip, fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES


def sit(frames: int, frame_time: float) -> Motion:
    """Somebody who sits still, the feet far ahead."""
    stand = samples.stand()[:1]
    standing = fit(Character.from_motion(stand), stand).motion
    skeleton, q = standing.skeleton, np.repeat(standing.q, frames, axis=0)
    for side in SIDES:
        for part, bend in (("thigh", 85.0), ("shank", 40.0)):
            q[:, skeleton.columns(skeleton.index(f"{side}_{part}"), "turn")[0]] = np.radians(bend)
    return as_clip(Motion(skeleton, q, frame_time, "sitting"))


def list_contacts(frames: int, frame_time: float, seated: int) -> list[dict[str, object]]:
    """Contacts of the feet, and of the pelvis on a chair in the first frames."""
    feet = [f"{side}_{end}" for side in SIDES for end in ("heel", "ball")]
    rows: list[dict[str, object]] = [{"part": part, "start": 0.0, "end": frames * frame_time} for part in feet]
    chair = {"part": "pelvis", "start": 0.0, "end": seated * frame_time, "surface": "chair"}
    return [*rows, chair] if seated else rows

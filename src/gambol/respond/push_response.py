"""What a push did to a clip, in numbers a person asks for: how far, when, back again when, did the feet stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gambol.fit.home import to_rig
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Platform, Push

RECOVERED_DEGREES = 2.0
"""Degrees within which a body counts as back on its clip."""
BODY_GROUPS = {
    "trunk": ("spine", "chest"),
    "head": ("head",),
    "left arm": ("left_collar", "left_upper_arm", "left_forearm", "left_hand"),
    "right arm": ("right_collar", "right_upper_arm", "right_forearm", "right_hand"),
    "legs": tuple(f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank", "foot")),
    "pelvis": ("pelvis",),
}


@dataclass(frozen=True, eq=False)
class PushResponse:
    """A fitted clip and the poses (frames, dofs) that answer pushes."""

    fitted: Fit
    poses: Array
    pushes: tuple[Push, ...]
    method: str
    platform: Platform | None = None

    @cached_property
    def motion(self) -> Motion:
        """The pushed clip on its own rig."""
        home = to_rig(self.fitted, self.poses)
        return replace(home, made={**self.fitted.source.made, "pushed": self.method})

    def deviation(self, bodies: Sequence[str] | None = None) -> Array:
        """(frames,) degrees by which the coordinate farthest off is off, of some bodies or of all."""
        skeleton = self.fitted.character.skeleton
        chosen = [
            c
            for c, dof in enumerate(skeleton.dofs)
            if dof.kind == "turn" and (bodies is None or skeleton.names[dof.joint] in bodies)
        ]
        return np.degrees(np.abs(self.poses - self.fitted.motion.q)[:, chosen].max(axis=1))

    @property
    def peak(self) -> tuple[float, float]:
        """Degrees, and the second at which the deviation is largest."""
        off = self.deviation()
        return float(off.max()), float(np.argmax(off) * self.fitted.motion.frame_time)

    @property
    def weakest(self) -> str:
        """The body whose joint is farthest off."""
        skeleton = self.fitted.character.skeleton
        off = np.abs(self.poses - self.fitted.motion.q).max(axis=0) * [d.kind == "turn" for d in skeleton.dofs]
        return skeleton.names[skeleton.dofs[int(np.argmax(off))].joint]

    @property
    def recovery(self) -> float | None:
        """Seconds from the end of the last push until the body is back for good; None where the clip ends before."""
        end = max((acted.end for acted in (*self.pushes, self.platform) if acted is not None), default=0.0)
        away = np.flatnonzero(self.deviation() > RECOVERED_DEGREES)
        if end > self.fitted.motion.duration or (len(away) and away[-1] == len(self.poses) - 1):
            return None
        if len(away) == 0:
            return 0.0
        return max(0.0, float((away[-1] + 1) * self.fitted.motion.frame_time - end))

    @cached_property
    def slide(self) -> float:
        """Metres by which a foot leaves the clip's path over the ground at most."""
        skeleton = self.fitted.character.skeleton
        soles = [j for j, n in enumerate(skeleton.names) if n.endswith(("heel_tip", "ball_tip"))]
        off = place(skeleton, self.poses).positions[:, soles] - self.fitted.motion.placement.positions[:, soles]
        if self.platform is not None:
            come = [self.platform.displacement_factor(time) for time in self.fitted.motion.times]
            off -= np.outer(come, self.platform.acceleration)[:, None]
        return float(np.linalg.norm(off, axis=2).max())

"""The response of a clip to pushes: deviation, recovery, and motion of the feet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gambol.fit.rig import Fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array, summarise_fields
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.motion.pushes import Platform, Push
from gambol.respond.actuation import has_cycle
from gambol.respond.balance import describe_overbalance, find_outcome, measure_overbalance

RECOVERED_DEGREES = 2.0
"""Deviation (degrees) below which a body counts as recovered."""
RECOVERY_TIME = 3.0
"""Time (s) within which a body should recover."""
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
    """A fitted clip and the poses (frames, dofs) of its response."""

    __repr__ = summarise_fields

    fitted: Fit
    poses: Array
    pushes: tuple[Push, ...]
    method: str
    platform: Platform | None = None
    notes: tuple[str, ...] = ()
    """What a person should know about the answer."""

    @cached_property
    def motion(self) -> Motion:
        """The pushed clip on its own rig."""
        home = map_to_rig(self.fitted, self.poses)
        return replace(home, made={**self.fitted.source.made, "verb": "push", "pushed": self.method})

    @property
    def away(self) -> Array:
        """Difference (frames, dofs) of the coordinates from those of the clip."""
        return self.poses - self.fitted.motion.q

    def deviation(self, bodies: Sequence[str] | None = None) -> Array:
        """Return the largest deviation of any joint angle (frames,) in degrees, of some bodies or of all."""
        skeleton = self.fitted.character.skeleton
        chosen = [
            c
            for c, dof in enumerate(skeleton.dofs)
            if dof.kind == "turn" and (bodies is None or skeleton.names[dof.joint] in bodies)
        ]
        return np.degrees(np.abs(self.away)[:, chosen].max(axis=1))

    @property
    def peak(self) -> tuple[float, float]:
        """Largest deviation (degrees) and its time (s)."""
        off = self.deviation()
        return float(off.max()), float(np.argmax(off) * self.fitted.motion.frame_time)

    @property
    def weakest(self) -> str:
        """Name of the body with the largest joint deviation."""
        skeleton = self.fitted.character.skeleton
        off = np.abs(self.away).max(axis=0) * skeleton.turning
        return skeleton.names[skeleton.dofs[int(np.argmax(off))].joint]

    @property
    def tolerance(self) -> float:
        """Deviation (degrees) up to which it counts as recovered."""
        return RECOVERED_DEGREES

    @property
    def end(self) -> float:
        """Time (s) at which the last push, or the platform, has ended."""
        return max((acted.end for acted in (*self.pushes, self.platform) if acted is not None), default=0.0)

    @property
    def recovery(self) -> float | None:
        """Time (s) from the end of the last push until the deviation stays small; None if the clip ends first."""
        end = self.end
        away = np.flatnonzero(self.deviation() > self.tolerance)
        if end > self.fitted.motion.duration or (len(away) and away[-1] == len(self.poses) - 1):
            return None
        if len(away) == 0:
            return 0.0
        return max(0.0, float((away[-1] + 1) * self.fitted.motion.frame_time - end))

    @property
    def footwork(self) -> str:
        """What the feet do, in words."""
        return f"feet leave their path by {1000.0 * self.slide:.1f} mm"

    @cached_property
    def outside(self) -> float:
        """How far (m) the extrapolated centre of mass comes outside the feet, which stay on their path."""
        return measure_overbalance(self.fitted.character, self.fitted.motion, self.pushes, self.platform)

    @property
    def advice(self) -> str:
        """What a person would do about a push beyond balance; nothing within it."""
        leg_length = self.fitted.character.leg_length
        beyond = describe_overbalance(self.outside, leg_length)
        return f"{beyond}; try --method replan" if find_outcome(self.outside, leg_length) == "steps" else beyond

    @property
    def figures(self) -> dict[str, float]:
        """What was measured, by name and unit."""
        degrees, second = self.peak
        return {
            "peak_deg": degrees,
            "peak_time_s": second,
            "recovery_s": math.nan if self.recovery is None else self.recovery,
            "foot_slide_mm": 1000.0 * self.slide,
            "outside_cm": 100.0 * self.outside,
        }

    @property
    def loop_advice(self) -> str:
        """How to see the recovery of a clip that has a cycle and ends too soon after the push; else nothing."""
        enough = self.end + RECOVERY_TIME
        if self.recovery is not None or self.fitted.motion.duration > enough or not has_cycle(self.fitted):
            return ""
        return f"; try --loop {math.ceil(enough)}"

    @cached_property
    def slide(self) -> float:
        """Largest distance (m) of a foot from its path in the clip."""
        skeleton = self.fitted.character.skeleton
        soles = [j for j, n in enumerate(skeleton.names) if n.endswith(("heel_tip", "ball_tip"))]
        off = place(skeleton, self.poses).positions[:, soles] - self.fitted.motion.placement.positions[:, soles]
        if self.platform is not None:
            factors = [self.platform.displacement_factor(time) for time in self.fitted.motion.times]
            off -= np.outer(factors, self.platform.acceleration)[:, None]
        return float(np.linalg.norm(off, axis=2).max())

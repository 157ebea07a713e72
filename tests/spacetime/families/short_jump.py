"""A family that is solved in seconds: the built-in jump, 19 frames of it."""

from __future__ import annotations

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.edits.parts import Clip, clip_of
from gambol.spacetime.families.plan import Plan, plan_of


def short_jump() -> Clip:
    motion = samples.by_name("jump")[45:115]
    return clip_of(fit(Character.from_motion(motion), motion))


def four(**more: object) -> Plan:
    """2 x 2 members."""
    axes = [{"stage": "ground 2", name: [-0.1, 0.1], "count": 2} for name in ("forward", "left")]
    return plan_of({"rate": 15, "axes": axes, **more}, "four")

"""A family that is solved in seconds: the built-in jump, 19 frames of it."""

from __future__ import annotations

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.families.plan import FamilyPlan, parse_plan


def short_jump() -> EditableClip:
    motion = samples.by_name("jump")[45:115]
    return divide_clip(fit(Character.from_motion(motion), motion))


def four(**more: object) -> FamilyPlan:
    """2 x 2 members."""
    axes = [{"stage": "ground 2", name: [-0.1, 0.1], "count": 2} for name in ("forward", "left")]
    return parse_plan({"fps": 15, "axes": axes, **more}, "four")

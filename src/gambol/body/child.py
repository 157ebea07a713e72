"""A child's build: shorter limbs, larger trunk and head than an adult of the same height (L05 section 3.9.1).

The factors are ours, chosen by eye for a child of about six years. Masses follow from the lengths and the table of
adults that `make_human` takes.
"""

from __future__ import annotations

from dataclasses import replace

from gambol.body.build import Build, make_average_build, scale_build

_SHORTER, _LONGER, _HEAD = 0.86, 1.1, 1.45


def make_child_build(height: float) -> Build:
    """Return the build of a child of a height (m)."""
    adult = make_average_build(height)
    offsets = {}
    for name, offset in adult.offsets.items():
        part = name.removeprefix("left_").removeprefix("right_")
        limb = part in ("forearm", "hand", "shank", "foot")  # the offset of a joint is the length of the part above it
        offsets[name] = offset * (_SHORTER if limb else _LONGER if part in ("spine", "chest", "head") else 1.0)
    tips = {name: tip * (_HEAD if name == "head" else _SHORTER) for name, tip in adult.tips.items()}
    return scale_build(replace(adult, offsets=offsets, tips=tips), height)

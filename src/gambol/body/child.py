"""A child's build: limbs shorter, trunk and head larger than a grown person's of the same height (L05 section 3.9.1).

The factors are ours, drawn to the eye for a child of about six years; the masses follow the lengths by the table of
grown people that `human` is given.
"""

from __future__ import annotations

from dataclasses import replace

from gambol.body.build import Build, average_build, stretched

_SHORTER, _LONGER, _HEAD = 0.86, 1.1, 1.45


def child_build(height: float) -> Build:
    """Lengths of a child of a height (m)."""
    grown = average_build(height)
    offsets = {}
    for name, way in grown.offsets.items():
        part = name.removeprefix("left_").removeprefix("right_")
        along = part in ("forearm", "hand", "shank", "foot")  # the offset of a joint is the length of the part above it
        offsets[name] = way * (_SHORTER if along else _LONGER if part in ("spine", "chest", "head") else 1.0)
    tips = {name: way * (_HEAD if name == "head" else _SHORTER) for name, way in grown.tips.items()}
    return stretched(replace(grown, offsets=offsets, tips=tips), height)

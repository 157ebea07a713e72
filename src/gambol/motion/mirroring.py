"""Mirror images of motions: left becomes right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.motion.motion import Motion
from gambol.motion.rig import Rig

_ACROSS = np.array([1.0, -1.0, 1.0])
"""Signs of vectors in the mirror image across the world's xz plane; axes of turns have the opposite signs."""


def reflect_motion(motion: Motion) -> Motion:
    """Return the mirror image of a motion on the mirrored skeleton: its coordinates stay, its rig changes sides.

    Joints keep their names. It has no skin and no props.
    """
    skeleton = motion.skeleton
    mirrored = replace(
        skeleton,
        offsets=skeleton.offsets * _ACROSS,
        rests=skeleton.rests * np.append(1.0, -_ACROSS),
        dofs=tuple(
            replace(dof, axis=tuple(np.array(dof.axis) * (_ACROSS if dof.kind == "slide" else -_ACROSS)))
            for dof in skeleton.dofs
        ),
    )
    rig = motion.rig and Rig(motion.rig.kind, {_swap_side(part): at for part, at in motion.rig.parts.items()})
    return replace(motion, skeleton=mirrored, rig=rig, skin=None, props=())


def _swap_side(part: str) -> str:
    side, _, rest = part.partition("_")
    return {"left": f"right_{rest}", "right": f"left_{rest}"}.get(side, part)

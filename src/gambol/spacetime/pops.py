"""Undo pops that a viewer sees: a limb, or the whole body, that is elsewhere for a few frames.

Its joints go from where they are before to where they are after. That stays only where the pop is then gone: a foot
that stops dead as it lands is no pop.
"""

from __future__ import annotations

import numpy as np

from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import bridge_line
from gambol.judge.finding import Finding, name_limb
from gambol.judge.pops import POP, TURN_POP, find_pops
from gambol.judge.seen import see_person
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.mending import mend_findings

_KINDS = (POP.name, TURN_POP.name)
_CLEAR = 1.5
"""Severity from which a pop is undone: feet of recordings that strike the floor, and knees that snap, have smaller."""
_LONGEST = 0.07
"""Seconds that a pop lasts, at most; one frame at least."""
_EACH = 0.9
"""Share of the roughness by which a pop of one more frame must be smoother to be taken for one."""


def undo_pops(motion: Motion) -> tuple[Motion, int]:
    """Put limbs that jump where the frames beside have them; return the motion and the number of pops undone."""
    return mend_findings(motion, _find_clear, _bridge_pop)


def _find_clear(motion: Motion) -> list[Finding]:
    return [one for one in find_pops(see_person(motion)) if one.kind.name in _KINDS and one.severity > _CLEAR]


def _bridge_pop(motion: Motion, pop: Finding) -> Motion:
    """Interpolate the joints of a limb, or of all and the root, over the frames in which that makes them smoothest."""
    parts = require_rig(motion).parts
    joints = np.array([joint for part, joint in parts.items() if not pop.limbs or name_limb(part) in pop.limbs])
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    root = motion.placement.positions[:, 0].copy()
    longest, step = max(1, round(_LONGEST / motion.frame_time)), motion.frame_time
    begin, end = max(round(pop.start / step) - 1, 1), min(round(pop.end / step) + 1, len(motion) - 2)
    around = np.arange(max(begin - longest - 3, 0), min(end + longest + 4, len(motion)))
    rough: dict[tuple[int, int], float] = {}
    for first in range(begin, end + 1):
        for last in range(first, min(first + longest, len(motion) - 1)):
            turned, moved = local[np.ix_(around, joints)], root[around]
            quat.bridge(turned, first - 1 - around[0], last + 1 - around[0])
            bridge_line(moved, first - 1 - around[0], last + 1 - around[0])
            both = np.sum(np.diff(turned, 3, axis=0) ** 2) + np.sum(np.diff(moved, 3, axis=0) ** 2)
            rough[first, last] = float(both) / _EACH ** (last - first)
    first, last = min(rough, key=lambda span: rough[span])
    for joint in joints:
        quat.bridge(local[:, joint], first - 1, last + 1)
    bridge_line(root, first - 1, last + 1)
    return replace_rotations(motion, local, None if pop.limbs else root)

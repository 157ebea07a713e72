"""Both legs of many bodies on a rig at once: measures, positions, and inverse kinematics to ankle goals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.features.layout import Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import cross, lengths
from gambol.legs import expressions
from gambol.legs.two_bone import MIN_FLEXION, leg_reach
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Skeleton
from gambol.solve.compiled import Runner, compile_function
from gambol.stages.feet import SIDES

_LOOSE = 0.02
"""Share of the hip-to-hip axis in the axis of a knee: it decides the axis if the mean pose has a straight leg."""


@dataclass(frozen=True, eq=False)
class RigLegs:
    """Measures of both legs of a rig, left side first."""

    joints: NDArray[np.intp]
    """(2, 3): thigh, shank and foot."""
    bones: Array
    """(2, 3, 3) metres: from the root to the hip, from hip to knee, from knee to ankle, in the parts' frames."""
    between: Array
    """(2, 3, 4): rotations of the parent frames of thigh, shank and foot relative to the part before."""
    bend: Array
    """(2, 3) unit axes of the knees in the mean pose, in the thigh's frame and perpendicular to the thigh."""
    soles: Array
    """(2, 2, 3) metres: heel and ball in the foot's frame."""
    floor: float
    """Height (m) of the soles in contact."""

    @cached_property
    def measures(self) -> Array:
        """All measures as one vector (60,), left side first."""
        parts = (self.bones, self.between, self.bend, self.soles)
        return np.concatenate([part[side].ravel() for side in range(2) for part in parts])

    @cached_property
    def straight(self) -> Array:
        """Largest allowed distance (2,) in metres from hip to ankle."""
        return self.find_reach(MIN_FLEXION)

    def find_reach(self, bend: float) -> Array:
        """Return distances (2,) in metres from hip to ankle with knees flexed by `bend` radians."""
        upper, lower = lengths(self.bones[:, 1:]).T
        return np.asarray(leg_reach(upper, lower, bend))


class LegFrames(NamedTuple):
    """World positions and orientations of both legs of n bodies."""

    hips: Array
    """(n, 2, 3) metres."""
    ankles: Array
    """(n, 2, 3) metres."""
    feet: Array
    """(n, 2, 4) orientations of the feet."""


def measure_legs(layout: Layout) -> RigLegs:
    """Measure the legs of a layout."""
    return measure_rig_legs(layout.skeleton, layout.rig, layout.reference, layout.soles, layout.floor)


def measure_rig_legs(skeleton: Skeleton, rig: Rig, reference: Array, soles: Array, floor: float) -> RigLegs:
    """Measure the legs of a rig with soles (2, 2, 3) in the feet's frames that touch at a height `floor` (m).

    Additional joints between their parts are fixed in the mean pose, `reference` (joints, 4) in the parents' frames.
    """
    parts = rig.parts
    joints = np.array([[parts[f"{side}_{part}"] for part in ("thigh", "shank", "foot")] for side in SIDES])
    bones, between = np.zeros((2, 3, 3)), np.zeros((2, 3, 4))
    for side in range(2):
        above = [0, *joints[side, :2]]
        for part, (joint, base) in enumerate(zip(joints[side], above, strict=True)):
            path = skeleton.path_to_root(int(joint))[1:]
            turned, offset = quat.IDENTITY, skeleton.offsets[joint]
            for step in path[: path.index(int(base))]:
                turned = quat.multiply(reference[step], turned)
                offset = skeleton.offsets[step] + quat.rotate(reference[step], offset)
            bones[side, part], between[side, part] = offset, turned
    shanks = quat.rotate(quat.multiply(between[:, 1], reference[joints[:, 1]]), bones[:, 2])
    apart = bones[0, 0] - bones[1, 0]
    thighs = quat.multiply(between[:, 0], reference[joints[:, 0]])
    left = quat.rotate(quat.conjugate(thighs), apart / lengths(apart))
    thigh, shank = (bone / lengths(bone)[:, None] for bone in (bones[:, 1], shanks))
    bend = cross(thigh, shank)
    # The axis points to the left, also if the knees of the mean pose are hyperextended.
    bend = np.sign(np.sum(bend * left, axis=1))[:, None] * bend + _LOOSE * cross(thigh, cross(left, thigh))
    bend /= lengths(bend)[:, None]
    return RigLegs(joints, bones, between, bend, soles, floor)


def place_rig_legs(legs: RigLegs, rotations: Array, places: Array) -> LegFrames:
    """Return the legs of bodies with rotations (n, joints, 4) in the parents' frames and roots at places (n, 3)."""
    count = len(rotations)
    hips, ankles, feet = run_legs(
        "place_legs", rotations[:, 0], places, rotations[:, legs.joints].reshape(count, 24), legs.measures
    )
    return LegFrames(hips.reshape(-1, 2, 3).copy(), ankles.reshape(-1, 2, 3).copy(), feet.reshape(-1, 2, 4).copy())


def reach_ankles(legs: RigLegs, rotations: Array, places: Array, goals: Array, feet: Array) -> Array:
    """Return rotations with ankles at goals (n, 2, 3), or as near as the legs reach, and feet (n, 2, 4) as given."""
    count, out = len(rotations), rotations.copy()
    (turned,) = run_legs(
        "reach_legs",
        rotations[:, 0],
        places,
        rotations[:, legs.joints].reshape(count, 24),
        goals.reshape(count, 6),
        feet.reshape(count, 8),
        legs.measures,
    )
    out[:, legs.joints] = turned.reshape(count, 2, 3, 4)
    return out


def run_legs(name: str, first: Array, *values: Array | float) -> list[Array]:
    """Evaluate a function of `expressions` for n bodies; return its outputs (n, size), which the next call reuses."""
    return _runner(name, len(first)).run(first, *values)


@lru_cache(maxsize=24)
def _runner(name: str, batch: int) -> Runner:
    function = getattr(expressions, name)()
    shared = [n for n in range(function.n_in()) if function.name_in(n) in expressions.SHARED_SIZES]
    return Runner(compile_function(function), batch, shared)

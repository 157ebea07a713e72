"""Points that describe a pose: the centre of mass of every body, but heel and ball of the feet (YL10 section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.body.expressions import Expressions
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.poses.compiled import CompiledPoses
from gambol.solve.compiled import Runner
from gambol.stages.feet import SIDES

HEADING = 3
"""Column of the heading (rad) in the coordinates of a pose; columns 0, 1 and 2 are x, y and z of the root (m)."""
FIRST_JOINT_DOF = 6
"""First column of the joints, after three slides and three turns of the root."""
FOOT_ENDS = tuple(f"{side}_{end}" for side in SIDES for end in ("heel", "ball"))
_ROOT_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class BodyPoints:
    """Points of a character, each in the frame of its joint; made by `find_body_points`."""

    character: Character
    names: tuple[str, ...]
    joints: tuple[int, ...]
    points: Array
    """(points, 3) metres in the joints' frames."""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def feet(self) -> list[int]:
        """Indices of FOOT_ENDS: left heel, left ball, right heel, right ball."""
        return [self.names.index(name) for name in FOOT_ENDS]

    def locate(self, q: Array) -> tuple[Array, Array]:
        """Return world positions (frames, points, 3) and centres of mass (frames, 3) for coordinates (frames, dofs)."""
        # One frame at a time: a batched function takes 80 ms to build, a frame 20 us.
        seen = np.stack([self._runner.run(pose)[0][0].copy() for pose in q]).reshape(len(q), -1, 3)
        return seen[:, :-1], seen[:, -1]

    @cached_property
    def solver(self) -> CompiledPoses:
        """Solves for poses of the character, by positions of all points, then of the centre of mass."""
        return CompiledPoses(self.character.skeleton, self.function)

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self.function, 1)

    @cached_property
    def function(self) -> ca.Function:
        """q -> (3 points + 3,) world positions of all points, then of the centre of mass."""
        expressions = Expressions(self.character)
        q = ca.SX.sym("q", len(self.character.skeleton.dofs))
        frames = expressions.frames(q)
        places = [
            frames[9:, joint] + ca.reshape(frames[:9, joint], 3, 3) @ ca.DM(point)
            for joint, point in zip(self.joints, self.points, strict=True)
        ]
        return ca.Function("body_points", [q], [ca.vertcat(*places, expressions.center_of_mass(q))], {"cse": True})


def find_body_points(character: Character) -> BodyPoints:
    """Return the centres of mass of all bodies but the feet, and heel and ball of both feet."""
    skeleton = character.skeleton
    root = skeleton.dofs[: HEADING + 1]
    upright = np.allclose(skeleton.rests[0], quat.IDENTITY)
    kinds, axes = [dof.kind for dof in root], tuple(dof.axis for dof in root)
    if not upright or kinds != ["slide"] * 3 + ["turn"] or axes != _ROOT_AXES:
        raise InputError(
            "the root of the character does not move along x, y and z and then turn about the vertical",
            fix="fit a clip in which the pelvis stays upright, such as a walk or a run",
        )
    if any(f"{name}_tip" not in skeleton.names for name in FOOT_ENDS):
        raise InputError("the character has no heels and balls of feet", fix="fit a person: `Character.from_motion`")
    bodies = [joint for joint in np.flatnonzero(character.masses) if not skeleton.names[joint].endswith("_foot")]
    tips = [skeleton.names.index(f"{name}_tip") for name in FOOT_ENDS]
    return BodyPoints(
        character,
        (*(skeleton.names[joint] for joint in bodies), *FOOT_ENDS),
        (*map(int, bodies), *(skeleton.parents[tip] for tip in tips)),
        np.concatenate((character.centers[bodies], skeleton.offsets[tips])),
    )

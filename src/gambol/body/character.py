"""A character: a skeleton whose joints carry segments with mass.

Coordinates are translations along and rotations about axes fixed in each joint's frame: a vector space, as in the
papers. A character can have any number of legs; `Character.from_motion` makes people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gambol.body.anatomy import assemble_human
from gambol.body.anthropometry import TABLES, Anthropometry
from gambol.body.body_names import map_joints_to_bodies, resolve_body
from gambol.body.measure import measure_build
from gambol.errors import InputError, make_line
from gambol.geometry.arrays import LONGEST_REPR, Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

_BODY_MASS_INDEX = 22.5
"""kg/m², for the default mass of a person."""


@dataclass(frozen=True, eq=False)
class Character:
    """A skeleton with mass. Segment quantities are in the frame of the joint that moves the segment."""

    skeleton: Skeleton
    masses: Array
    """(joints,) kilograms; 0 for joints that only mark a point."""
    centers: Array
    """(joints, 3) centres of mass, metres."""
    inertias: Array
    """(joints, 3, 3) inertia tensors about the centres of mass, kg m²."""
    name: str = "character"
    rig_joints: Mapping[str, str] = field(default_factory=dict)
    """Body that moves with each joint of the rig that it was made from, by name."""

    def __post_init__(self) -> None:
        count = len(self.skeleton.names)
        for given, shape in (("masses", (count,)), ("centers", (count, 3)), ("inertias", (count, 3, 3))):
            value = np.array(getattr(self, given), dtype=float)
            if value.shape != shape or not np.isfinite(value).all():
                raise InputError(f"{given} must be finite and of shape {shape}, got {value.shape}")
            value.flags.writeable = False
            object.__setattr__(self, given, value)
        if (self.masses < 0.0).any() or self.mass <= 0.0:
            raise InputError(f"masses must not be negative and their sum must be positive, got {self.mass} kg in all")
        moving = {dof.joint for dof in self.skeleton.dofs}
        bodiless = [self.skeleton.names[j] for j in moving if self.masses[j] == 0.0 and not self._carries(j)]
        if bodiless:
            raise InputError(f"joint '{bodiless[0]}' has degrees of freedom but carries no mass")
        for joint in np.flatnonzero(self.masses):
            principal = np.linalg.eigvalsh(self.inertias[joint])
            if principal[0] <= 0.0 or principal[2] > principal[0] + principal[1] + 1e-9:
                raise InputError(
                    f"the principal inertias of '{self.skeleton.names[joint]}' are not physical: {principal}",
                    fix="they must be positive, and none larger than the sum of the other two",
                )

    def __repr__(self) -> str:
        return make_line(f"Character({self.name!r}, {len(self.bodies)} bodies, {self.mass:.1f} kg)", LONGEST_REPR)

    @classmethod
    def from_motion(
        cls, motion: Motion, mass: float | None = None, *, table: str | Anthropometry = "male", toes: bool = False
    ) -> Character:
        """Make a person with the limb lengths of a rig and a mass in kilograms.

        The default mass is that of a body mass index of 22.5 kg/m² at the rig's height. `table` sets how the mass is
        distributed: "male" or "female" (de Leva), "dempster", or an `Anthropometry`. `toes` adds a hinge at the ball of
        each foot.
        """
        if isinstance(table, str):
            if table not in TABLES:
                raise InputError(f"unknown table '{table}'", fix=f"tables: {', '.join(TABLES)}")
            table = TABLES[table]
        build = measure_build(motion)
        if not 0.4 <= build.height <= 2.6:
            raise InputError(
                f"height {build.height:.3g} m is outside 0.4 to 2.6 m", file=motion.name, fix="correct --scale"
            )
        weight = _BODY_MASS_INDEX * build.height**2 if mass is None else mass
        made = cls(*assemble_human(build, weight, table, toes), motion.name)
        return replace(made, rig_joints=map_joints_to_bodies(motion, made.bodies))

    def _carries(self, joint: int) -> bool:
        return any(self.masses[c] > 0.0 or self._carries(c) for c in self.skeleton.children[joint])

    @cached_property
    def mass(self) -> float:
        """Total mass in kilograms."""
        return float(self.masses.sum())

    @cached_property
    def leg_length(self) -> float:
        """Mean length (m) of the legs from hip to ankle."""
        return measure_skeleton_legs(self.skeleton)

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the joints that carry mass."""
        return tuple(self.skeleton.names[j] for j in np.flatnonzero(self.masses))

    def find_body(self, name: str) -> str:
        """Return the body that a name means: its own, that of a joint of the rig, or either in another spelling."""
        return resolve_body(name, self.bodies, self.rig_joints)

    def body(self, name: str) -> int:
        """Joint index of a body by name."""
        return self.skeleton.names.index(self.find_body(name))


def measure_skeleton_legs(skeleton: Skeleton) -> float:
    """Return the mean length (m) of the legs of a character's skeleton, from hip to ankle."""
    bones = [skeleton.index(f"{side}_{part}") for side in ("left", "right") for part in ("shank", "foot")]
    return 0.5 * float(np.linalg.norm(skeleton.offsets[bones], axis=1).sum())

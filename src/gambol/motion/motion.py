"""A motion: generalised coordinates of a skeleton over time, with its rig and the file it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from gambol.errors import InputError, RigError, make_line
from gambol.geometry.arrays import LONGEST_REPR, Array, summarise_fields
from gambol.motion import notebook
from gambol.motion.kinematics import Placement, place
from gambol.motion.rig import Rig, describe_other_body, find_common_joint, match_by_name, unrecognised_rig_error
from gambol.motion.rig_names import find_helpers
from gambol.motion.shapes import Mesh
from gambol.motion.skeleton import Skeleton

CYCLIC = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Rotation matrix from y up, z forward (BVH, glTF) to the world's z up, x forward."""
CYCLIC.flags.writeable = False


POINTS_FORMAT = "points"
"""Format in the origin of a motion of markers to which no person was fitted; its last note is the reason."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The file a motion came from, with that file's unit and axes."""

    __repr__ = summarise_fields

    file: str = ""
    """Path as given by the user; of a model, that beside it, or else the name alone."""
    format: str = ""
    unit: float = 0.01
    """Metres in one unit of length of the file."""
    axes: Array = field(default_factory=lambda: CYCLIC)
    """Rotation matrix from the file's axes to the world's."""
    animation: str = ""
    """Name of the animation, for files that hold several."""
    digest: str = ""
    """SHA-256 hash of the file that a model was learned from; empty of a motion that was read."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Coordinates `q` (frames, dofs) of a skeleton at a fixed frame time. Immutable."""

    skeleton: Skeleton
    q: Array
    frame_time: float
    """Seconds per frame, exactly as in the file."""
    name: str = "motion"
    origin: Origin = Origin()
    notes: tuple[str, ...] = ()
    """Messages for the user about what was detected and decided while loading."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """How the motion was made (command, settings, seed); written to formats that can hold it."""

    rig: Rig | None = None
    """Mapping from body parts to joints; None where the rig is not recognised."""
    skin: Mesh | None = None
    """What it is drawn as; None: a body for its rig, or one segment per bone."""
    props: tuple[Motion, ...] = ()
    """What is drawn with it, such as a drawer that is opened: in the same world and on the same clock."""

    def __post_init__(self) -> None:
        q = np.array(self.q, dtype=float)
        if q.ndim != 2 or q.shape[1] != len(self.skeleton.dofs) or len(q) == 0:
            raise InputError(
                f"q must be (frames, {len(self.skeleton.dofs)}) with at least one frame, got shape {q.shape}"
            )
        if not np.isfinite(q).all():
            frame, column = np.argwhere(~np.isfinite(q))[0]
            joint = self.skeleton.names[self.skeleton.dofs[column].joint]
            raise InputError(f"frame {frame}, joint '{joint}': a coordinate is not a finite number")
        if not (np.isfinite(self.frame_time) and self.frame_time > 0.0):
            raise InputError(f"the frame time must be a positive number of seconds, not {self.frame_time}")
        q.flags.writeable = False
        object.__setattr__(self, "q", q)

    def __repr__(self) -> str:
        rig = "no rig" if self.rig is None else self.rig.kind
        return make_line(f"Motion({self.name!r}, {len(self)} frames, {self.duration:.2f} s, {rig})", LONGEST_REPR)

    def _repr_html_(self) -> str:
        """Return the offline player, for notebooks."""
        return notebook.embed_player(self)

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, frames: slice) -> Motion:
        if not isinstance(frames, slice) or (frames.step or 1) < 1:
            raise InputError(f"index a motion with slices that go forward, such as [10:50] or [::2], not [{frames}]")
        props = tuple(prop[frames] for prop in self.props)
        part = replace(self, q=self.q[frames], frame_time=self.frame_time * (frames.step or 1), props=props)
        if "placement" in vars(self):  # places that are known are not computed again
            positions, rotations = self.placement
            vars(part)["placement"] = Placement(positions[frames], rotations[frames])
        return part

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) * self.frame_time

    @property
    def times(self) -> Array:
        """(frames,) seconds, starting at 0."""
        return np.arange(len(self)) * self.frame_time

    @cached_property
    def placement(self) -> Placement:
        """World positions and orientations of all joints in all frames."""
        return place(self.skeleton, self.q)

    @cached_property
    def mover(self) -> int:
        """The joint that travels with the body: the pelvis, or where the rig is unknown the first joint that branches.

        The root of a file may stay at the origin, or lie on the ground below the body.
        """
        if self.rig is not None:
            return self.rig.parts["pelvis"]
        helpers = find_helpers(self.skeleton.names, self.skeleton.parents)
        joint, below = 0, [0]
        while len(below) == 1:
            joint = below[0]
            below = [child for child in self.skeleton.children[joint] if child not in helpers]
        return joint if below else 0

    @cached_property
    def body_joints(self) -> list[int]:
        """The joints of the body, in order: without helpers, and without what is above or beside it below the root."""
        helpers = find_helpers(self.skeleton.names, self.skeleton.parents)
        tops = {self.mover}
        if self.rig is not None:
            feet = (
                {self.rig.parts["left_foot"], self.rig.parts["right_foot"]} if "left_foot" in self.rig.parts else set()
            )
            tops = feet | {find_common_joint(self.skeleton, [*set(self.rig.parts.values()) - feet])}
        parts = set(self.rig.parts.values()) if self.rig is not None else set()
        below: set[int] = set()
        for joint, parent in enumerate(self.skeleton.parents):
            if joint in tops or parent in below:
                below.add(joint)
        return sorted((below - helpers) | parts)

    def add_notes(self, *notes: str) -> Motion:
        """Return the motion with further notes."""
        return replace(self, notes=self.notes + notes)


def describe_motion_body(motion: Motion) -> str:
    """Return what the body of a motion is that is not a person, such as 'four legs'; empty where that is unknown."""
    at_rest = place(motion.skeleton, np.zeros((1, motion.q.shape[1]))).positions[0]
    return describe_other_body(motion.skeleton, at_rest, np.array([0.0, 0.0, 1.0]))


def explain_missing_rig(motion: Motion, file: str | None = None) -> RigError:
    """Return the error for a motion whose rig is not recognised: what is missing, or what the body is instead."""
    parts = match_by_name(motion.skeleton)[1]
    return unrecognised_rig_error(motion.skeleton, parts, file, describe_motion_body(motion))

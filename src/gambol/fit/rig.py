"""Fit a character's coordinates to the motion of a rig."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.body.character import Character
from gambol.body.measure import Landmarks, find_toe_joint, frames_from_axes, matrices_to_quaternions, restore_thorax
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, find_safest_axes, gimbal_margin
from gambol.geometry.arrays import Array, summarise_fields
from gambol.geometry.vectors import unit_vectors
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Dof
from gambol.poses.guess import guess_poses
from gambol.poses.solve import solve_poses
from gambol.poses.targets import BodyTarget, aim_point

_RESTING = 0.1
"""Share of the frames, the slowest, in which a foot without a toe joint is assumed to be flat."""
_PARALLEL = 1e-6
"""Length of a cross product with a unit vector below which two directions count as parallel."""
_SAFE = 0.35
"""Cosine of the middle angle (70 degrees) below which other axes are chosen."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The motion of a character and the motion of the rig that it follows."""

    __repr__ = summarise_fields

    character: Character
    motion: Motion
    """Coordinates of the character, at the rig's frame time."""
    source: Motion
    errors: Array
    """(frames, points) distances in metres between the joint centres of the character and those of the rig."""

    @property
    def clip(self) -> Motion:
        """The character's motion as a clip on a rig."""
        return as_clip(self.motion)


def as_clip(motion: Motion) -> Motion:
    """Return a character's motion as a clip on a rig of its own bodies, with toes from the balls of the feet."""
    skeleton = motion.skeleton
    names, parents, offsets, ends = (
        list(skeleton.names),
        list(skeleton.parents),
        skeleton.offsets.copy(),
        set(skeleton.ends),
    )
    for side in ("left", "right"):
        if f"{side}_ball_tip" in names and f"{side}_toe_tip" in names and f"{side}_toes" not in names:
            ball, toe = names.index(f"{side}_ball_tip"), names.index(f"{side}_toe_tip")
            names[ball], parents[toe] = f"{side}_toes", ball
            offsets[toe] -= offsets[ball]
            ends.discard(ball)
    skeleton = replace(skeleton, names=tuple(names), parents=tuple(parents), offsets=offsets, ends=frozenset(ends))
    parts = {name: joint for joint, name in enumerate(names) if name in BODY_PARTS}
    rig = Rig("gambol", parts) if "pelvis" in parts else None
    return replace(motion, skeleton=skeleton, rig=rig, origin=Origin(unit=1.0))


def fit(character: Character, motion: Motion) -> Fit:
    """Fit the coordinates of a character to the motion of a rig."""
    repaired = restore_thorax(motion)
    marks = Landmarks(repaired)
    orientations = _orientations(repaired, marks)
    character = choose_safe_axes(character, orientations)
    skeleton = character.skeleton
    targets = _targets(character, marks, orientations)
    start = guess_poses(skeleton, marks.hips, {skeleton.names.index(p): r for p, r in orientations.items()})
    q = solve_poses(skeleton, targets, start, motion.frame_time)
    found = Motion(skeleton, q, motion.frame_time, motion.name, notes=motion.notes)
    placed = found.placement
    points = [
        placed.positions[:, t.joints[0]] + quat.rotate(placed.rotations[:, t.joints[0]], t.points[0])
        for t in targets
        if t.weight == 1.0
    ]
    goals = [t.position for t in targets if t.weight == 1.0]
    errors = np.linalg.norm(np.array(points) - np.array(goals), axis=2).T
    return Fit(character, found, motion, errors)


def choose_safe_axes(character: Character, orientations: dict[str, Array]) -> Character:
    """Return the character with other axes for ball joints (and the root) that would come near gimbal lock."""
    skeleton = character.skeleton
    dofs, rests = list(skeleton.dofs), skeleton.rests.copy()
    for part, orientation in orientations.items():
        joint = skeleton.names.index(part)
        columns = skeleton.columns(joint, "turn")
        if len(columns) < 3:
            continue
        parent = skeleton.parents[joint]
        world = np.broadcast_to(quat.IDENTITY, orientation.shape)
        base = orientations[skeleton.names[parent]] if parent >= 0 else world
        local = quat.make_continuous(quat.multiply(quat.conjugate(base), orientation))
        usual = angles_about(
            np.array([dofs[c].axis for c in columns]), quat.multiply(quat.conjugate(rests[joint]), local)
        )
        if gimbal_margin(usual) > _SAFE:
            continue
        # The root's axes turn with the heading of the clip, so that the result does not depend on it.
        heading = _heading(local) if parent < 0 else quat.IDENTITY
        rest, axes = find_safest_axes(quat.multiply(quat.conjugate(heading), local))
        rests[joint] = quat.multiply(heading, rest)
        for column, (x, y, z) in zip(columns, axes, strict=True):
            dofs[column] = Dof(joint, "turn", (float(x), float(y), float(z)))
    return replace(character, skeleton=replace(skeleton, dofs=tuple(dofs), rests=rests))


def _heading(rotations: Array) -> Array:
    """Return the rotation about the vertical (4,) in the mean of rotations (frames, 4)."""
    w, _, _, z = quat.mean(rotations)
    return quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * np.arctan2(z, w))


def _targets(character: Character, marks: Landmarks, orientations: dict[str, Array]) -> list[BodyTarget]:
    names = character.skeleton.names
    centre = np.zeros(3)
    targets = [
        aim_point(names.index("pelvis"), centre, marks.hips),
        aim_point(names.index("spine"), centre, marks.spine),
        aim_point(names.index("chest"), centre, marks.chest),
        aim_point(names.index("head"), centre, marks.neck),
    ]
    crown = marks.tip("head")
    targets.append(_orientation_target(names.index("head"), [0.2, 0.0, 0.0], marks.neck, orientations["head"]))
    if crown is not None:
        reach = float(np.median(np.linalg.norm(crown - marks.neck, axis=1)))
        targets.append(aim_point(names.index("head"), np.array([0.0, 0.0, reach]), crown, 0.5))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot"):
            if f"{side}_{part}" in marks:
                targets.append(aim_point(names.index(f"{side}_{part}"), centre, marks[f"{side}_{part}"]))
        fingers = marks.tip(f"{side}_hand") if f"{side}_hand" in marks else None
        if fingers is not None:
            reach = float(np.median(np.linalg.norm(fingers - marks[f"{side}_hand"], axis=1)))
            if reach > 0.01:
                targets.append(aim_point(names.index(f"{side}_hand"), np.array([0.0, 0.0, -reach]), fingers, 0.5))
        toe = find_toe_joint(marks, side)
        if toe is not None:
            targets.append(aim_point(names.index(f"{side}_foot"), toe, marks[f"{side}_toes"]))
        foot = orientations[f"{side}_foot"]
        for arm in [[0.0, 0.1 * sign, 0.0], *([[0.1, 0.0, 0.0]] if toe is None else [])]:
            targets.append(_orientation_target(names.index(f"{side}_foot"), arm, marks[f"{side}_foot"], foot))
    return targets


def _orientation_target(joint: int, arm: list[float], base: Array, orientation: Array) -> BodyTarget:
    """Return the target of a point at the end of an arm, for a body's orientation; weight below joint centres."""
    return aim_point(joint, np.array(arm), base + quat.rotate(orientation, arm), 0.3)


def _align_orientation(motion: Motion, joint: int, frames: Array, trust: Array | None = None) -> Array:
    """Return the rig's orientation of a joint (frames, 4), with a constant offset that fits `frames` on average.

    `trust` (frames,) weighs the frames. A joint without rotation channels, as in rigs from markers, has no orientation
    of its own: `frames` are returned.
    """
    shown = quat.from_matrix(frames)
    if not motion.skeleton.columns(joint, "turn"):
        return quat.make_continuous(shown)
    own = motion.placement.rotations[:, joint]
    offsets = quat.multiply(quat.conjugate(own), shown)
    weights = np.ones(len(own)) if trust is None else trust + 1e-3
    _, vectors = np.linalg.eigh((offsets * weights[:, None]).T @ offsets)
    return quat.make_continuous(quat.multiply(own, vectors[:, -1]))


def _orientations(motion: Motion, marks: Landmarks) -> dict[str, Array]:
    """Return every body's orientation on the rig, from its long axis and the plane in which the next joint bends."""
    found = {
        "pelvis": matrices_to_quaternions(marks.pelvis_frame),
        "spine": matrices_to_quaternions(
            frames_from_axes(marks["left_thigh"] - marks["right_thigh"], marks.chest - marks.spine)
        ),
        "chest": matrices_to_quaternions(marks.chest_frame),
        "head": _align_orientation(motion, marks.parts["head"], marks.chest_frame),
    }
    for side in ("left", "right"):
        shoulder, elbow = marks[f"{side}_upper_arm"], marks[f"{side}_forearm"]
        wrist = marks[f"{side}_hand"] if f"{side}_hand" in marks else elbow + (elbow - shoulder)
        found[f"{side}_collar"] = found["chest"]
        across = marks.chest_frame[..., 1]
        for part, bone, trust in _limb(("upper_arm", "forearm"), shoulder, elbow, wrist, across, sign_of_bend=-1.0):
            found[f"{side}_{part}"] = _align_orientation(motion, marks.parts[f"{side}_{part}"], bone, trust)
        hip, knee, ankle = (marks[f"{side}_{part}"] for part in ("thigh", "shank", "foot"))
        across = marks.pelvis_frame[..., 1]
        for part, bone, trust in _limb(("thigh", "shank"), hip, knee, ankle, across, sign_of_bend=1.0):
            found[f"{side}_{part}"] = _align_orientation(motion, marks.parts[f"{side}_{part}"], bone, trust)
        shank = quat.to_matrix(found[f"{side}_shank"])
        found[f"{side}_foot"] = _foot_orientation(motion, marks, side, shank[..., 1])
    return found


def _limb(
    parts: tuple[str, str], top: Array, middle: Array, end: Array, across: Array, sign_of_bend: float
) -> list[tuple[str, Array, Array]]:
    """Return the frames of a limb's two bones, and how reliable they are (0 to 1).

    z points opposite to the bone; y is the axis of the hinge, or `across` where the limb is straight.
    """
    upper, lower = top - middle, middle - end
    hinge = sign_of_bend * np.cross(upper, lower)
    bend = np.linalg.norm(hinge, axis=1) / (np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1))
    unit = unit_vectors(hinge)
    trust = np.clip((bend - 0.1) / 0.3, 0.0, 1.0)
    axis = trust[:, None] * unit + (1.0 - trust[:, None]) * across
    return [(part, _along(bone, axis), trust) for part, bone in zip(parts, (upper, lower), strict=True)]


def _along(bone: Array, across: Array) -> Array:
    """Return frames with z along a bone and y as close to `across` as possible.

    Where the bone is parallel to `across`, as for the arms in a T-pose, x points forward as it does for hanging arms.
    """
    z = unit_vectors(bone)
    x = np.cross(across, z)
    for upright in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)):
        x = np.where(np.linalg.norm(x, axis=1, keepdims=True) > _PARALLEL, x, np.cross(across, upright))
    x = unit_vectors(x)
    return np.stack((x, np.cross(z, x), z), axis=-1)


def _foot_orientation(motion: Motion, marks: Landmarks, side: str, across: Array) -> Array:
    """Return the orientations (frames, 4) of a foot, from its toe joint.

    A foot without a toe joint is assumed to be flat while the ankle is at rest, and to rotate with its own joint, or
    with the shank if that joint does not rotate.
    """
    foot, skeleton = marks.parts[f"{side}_foot"], motion.skeleton
    toe = find_toe_joint(marks, side)
    if toe is not None:
        return _align_orientation(motion, foot, _foot_frame(marks, side, toe, across))
    turning = next((j for j in skeleton.path_to_root(foot) if skeleton.columns(j, "turn")), foot)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), across.shape)
    speeds = np.linalg.norm(np.gradient(marks[f"{side}_foot"], axis=0), axis=1) if len(across) > 1 else np.zeros(1)
    resting = (speeds <= np.quantile(speeds, _RESTING)).astype(float)
    return _align_orientation(motion, turning, _along(up, across), resting)


def _foot_frame(marks: Landmarks, side: str, toe: Array, across: Array) -> Array:
    """Return frames in which the toe joint is at its position `toe` (3,) in a flat foot."""
    forward = unit_vectors(marks[f"{side}_toes"] - marks[f"{side}_foot"])
    y = unit_vectors(across - forward * np.sum(across * forward, axis=1, keepdims=True))
    flat = np.stack((forward, y, np.cross(forward, y)), axis=-1)
    pitch = np.arctan2(-toe[2], toe[0])
    tilt = quat.to_matrix(quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(-pitch)))
    return flat @ tilt

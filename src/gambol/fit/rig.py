"""A character that does what a rig does: its build, its coordinates in every frame, and how near they come."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.body.character import Character
from gambol.body.measure import Landmarks, frames_from_axes, matrices_to_quaternions, find_toe_joint, restore_thorax
from gambol.fit.pose import BodyTarget, guess_poses, solve_poses
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, gimbal_margin, find_safest_axes
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Dof

_RESTING = 0.1
"""Share of the frames, the slowest, in which a foot without a toe joint is taken to be flat."""
_PARALLEL = 1e-6
"""Sine of the angle below which two directions count as parallel."""
_SAFE = 0.35
"""Cosine of the middle angle below which other axes are chosen: 70 degrees."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A motion of a character, and the motion of the rig that it follows."""

    character: Character
    motion: Motion
    """Coordinates of the character, at the rig's frame time."""
    source: Motion
    errors: Array
    """(frames, points) metres between the character's joint centres and the rig's."""

    @property
    def clip(self) -> Motion:
        """The character's motion as a clip on a rig."""
        return as_clip(self.motion)


def as_clip(motion: Motion) -> Motion:
    """A character's motion as a clip on a rig: its own bodies, and toes that begin at the balls of the feet."""
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
    """The coordinates of a character that follow a rig."""
    repaired = restore_thorax(motion)
    marks = Landmarks(repaired)
    orientations = _orientations(repaired, marks)
    character = choose_safe_axes(character, orientations)
    skeleton = character.skeleton
    targets = _targets(character, marks, orientations)
    start = guess_poses(skeleton, marks.hips, {skeleton.names.index(p): r for p, r in orientations.items()})
    q = solve_poses(skeleton, targets, start, motion.frame_time)
    moved = Motion(skeleton, q, motion.frame_time, motion.name, notes=motion.notes)
    placed = moved.placement
    points = [
        placed.positions[:, t.joint] + quat.rotate(placed.rotations[:, t.joint], t.point)
        for t in targets
        if t.weight == 1.0
    ]
    goals = [t.position for t in targets if t.weight == 1.0]
    errors = np.linalg.norm(np.array(points) - np.array(goals), axis=2).T
    return Fit(character, moved, motion, errors)


def choose_safe_axes(character: Character, orientations: dict[str, Array]) -> Character:
    """The same character; ball joints (and the root) that would come near gimbal lock turn about other axes."""
    skeleton = character.skeleton
    dofs, rests = list(skeleton.dofs), skeleton.rests.copy()
    for part, wanted in orientations.items():
        joint = skeleton.names.index(part)
        columns = skeleton.columns(joint, "turn")
        if len(columns) < 3:
            continue
        parent = skeleton.parents[joint]
        base = orientations[skeleton.names[parent]] if parent >= 0 else np.broadcast_to(quat.IDENTITY, wanted.shape)
        local = quat.make_continuous(quat.multiply(quat.conjugate(base), wanted))
        usual = angles_about(
            np.array([dofs[c].axis for c in columns]), quat.multiply(quat.conjugate(rests[joint]), local)
        )
        if gimbal_margin(usual) > _SAFE:
            continue
        # The root's axes turn with the clip, so that nothing depends on where it faces.
        heading = _heading(local) if parent < 0 else quat.IDENTITY
        rest, axes = find_safest_axes(quat.multiply(quat.conjugate(heading), local))
        rests[joint] = quat.multiply(heading, rest)
        for column, (x, y, z) in zip(columns, axes, strict=True):
            dofs[column] = Dof(joint, "turn", (float(x), float(y), float(z)))
    return replace(character, skeleton=replace(skeleton, dofs=tuple(dofs), rests=rests))


def _heading(rotations: Array) -> Array:
    """The turn about the vertical (4,) in the mean of rotations (frames, 4)."""
    w, _, _, z = quat.mean(rotations)
    return quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * np.arctan2(z, w))


def _targets(character: Character, marks: Landmarks, orientations: dict[str, Array]) -> list[BodyTarget]:
    names = character.skeleton.names
    centre = np.zeros(3)
    targets = [
        BodyTarget(names.index("pelvis"), centre, marks.hips),
        BodyTarget(names.index("spine"), centre, marks.spine),
        BodyTarget(names.index("chest"), centre, marks.chest),
        BodyTarget(names.index("head"), centre, marks.neck),
    ]
    crown = marks.tip("head")
    targets.append(_pointing(names.index("head"), [0.2, 0.0, 0.0], marks.neck, orientations["head"]))
    if crown is not None:
        reach = float(np.median(np.linalg.norm(crown - marks.neck, axis=1)))
        targets.append(BodyTarget(names.index("head"), np.array([0.0, 0.0, reach]), crown, 0.5))
    for side in ("left", "right"):
        for part in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot"):
            if f"{side}_{part}" in marks:
                targets.append(BodyTarget(names.index(f"{side}_{part}"), centre, marks[f"{side}_{part}"]))
        fingers = marks.tip(f"{side}_hand") if f"{side}_hand" in marks else None
        if fingers is not None:
            reach = float(np.median(np.linalg.norm(fingers - marks[f"{side}_hand"], axis=1)))
            if reach > 0.01:
                targets.append(BodyTarget(names.index(f"{side}_hand"), np.array([0.0, 0.0, -reach]), fingers, 0.5))
        toe = find_toe_joint(marks, side)
        if toe is not None:
            targets.append(BodyTarget(names.index(f"{side}_foot"), toe, marks[f"{side}_toes"]))
        foot = orientations[f"{side}_foot"]
        targets.append(_pointing(names.index(f"{side}_foot"), [0.0, 0.1, 0.0], marks[f"{side}_foot"], foot))
        if toe is None:
            targets.append(_pointing(names.index(f"{side}_foot"), [0.1, 0.0, 0.0], marks[f"{side}_foot"], foot))
    return targets


def _pointing(joint: int, arm: list[float], base: Array, orientation: Array) -> BodyTarget:
    """A point on an arm that shows where a body is turned to; it yields to the joint centres."""
    return BodyTarget(joint, np.array(arm), base + quat.rotate(orientation, arm), 0.3)


def _turned_as(motion: Motion, joint: int, frames: Array, trust: Array | None = None) -> Array:
    """The rig's own orientation of a joint (frames, 4), offset so that on the average it is that of `frames`.

    `trust` weighs the frames. A joint that does not turn, as those that markers made, shows nothing: there `frames`
    are taken as they are.
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
    """What the rig says of every body's orientation: its long axis, and the plane in which the next joint bends."""
    wanted = {
        "pelvis": matrices_to_quaternions(marks.pelvis_frame),
        "spine": matrices_to_quaternions(frames_from_axes(marks["left_thigh"] - marks["right_thigh"], marks.chest - marks.spine)),
        "chest": matrices_to_quaternions(marks.chest_frame),
        "head": _turned_as(motion, marks.parts["head"], marks.chest_frame),
    }
    for side in ("left", "right"):
        shoulder, elbow = marks[f"{side}_upper_arm"], marks[f"{side}_forearm"]
        wrist = marks[f"{side}_hand"] if f"{side}_hand" in marks else elbow + (elbow - shoulder)
        wanted[f"{side}_collar"] = wanted["chest"]
        across = marks.chest_frame[..., 1]
        for part, bone, trust in _limb(("upper_arm", "forearm"), shoulder, elbow, wrist, across, sign_of_bend=-1.0):
            wanted[f"{side}_{part}"] = _turned_as(motion, marks.parts[f"{side}_{part}"], bone, trust)
        hip, knee, ankle = (marks[f"{side}_{part}"] for part in ("thigh", "shank", "foot"))
        across = marks.pelvis_frame[..., 1]
        for part, bone, trust in _limb(("thigh", "shank"), hip, knee, ankle, across, sign_of_bend=1.0):
            wanted[f"{side}_{part}"] = _turned_as(motion, marks.parts[f"{side}_{part}"], bone, trust)
        shank = quat.to_matrix(wanted[f"{side}_shank"])
        wanted[f"{side}_foot"] = _foot_orientation(motion, marks, side, shank[..., 1])
    return wanted


def _limb(
    parts: tuple[str, str], top: Array, middle: Array, end: Array, across: Array, sign_of_bend: float
) -> list[tuple[str, Array, Array]]:
    """Frames of a limb's two bones, and how far they can be trusted (0 to 1).

    z runs against the bone; y is the hinge's axis, or `across` where the limb is straight and shows none.
    """
    upper, lower = top - middle, middle - end
    hinge = sign_of_bend * np.cross(upper, lower)
    bend = np.linalg.norm(hinge, axis=1) / (np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1))
    unit = hinge / np.maximum(np.linalg.norm(hinge, axis=1, keepdims=True), 1e-12)
    trust = np.clip((bend - 0.1) / 0.3, 0.0, 1.0)
    axis = trust[:, None] * unit + (1.0 - trust[:, None]) * across
    return [(part, _along(bone, axis), trust) for part, bone in zip(parts, (upper, lower), strict=True)]


def _along(bone: Array, across: Array) -> Array:
    """Frames with z along a bone and y as near to `across` as can be.

    Where the bone lies along `across`, as in arms held out in a T-pose, x points forward as it does in arms that hang.
    """
    z = bone / np.linalg.norm(bone, axis=1, keepdims=True)
    x = np.cross(across, z)
    for upright in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)):
        x = np.where(np.linalg.norm(x, axis=1, keepdims=True) > _PARALLEL, x, np.cross(across, upright))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack((x, np.cross(z, x), z), axis=-1)


def _foot_orientation(motion: Motion, marks: Landmarks, side: str, across: Array) -> Array:
    """Orientations (frames, 4) of a foot.

    Its toe joint shows them. A foot without one is taken to be flat while the ankle rests, and to turn with its own
    joint, or with the shank where that joint does not turn.
    """
    foot, skeleton = marks.parts[f"{side}_foot"], motion.skeleton
    toe = find_toe_joint(marks, side)
    if toe is not None:
        return _turned_as(motion, foot, _foot_frame(marks, side, toe, across))
    turning = next((j for j in skeleton.path_to_root(foot) if skeleton.columns(j, "turn")), foot)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), across.shape)
    speeds = np.linalg.norm(np.gradient(marks[f"{side}_foot"], axis=0), axis=1) if len(across) > 1 else np.zeros(1)
    resting = (speeds <= np.quantile(speeds, _RESTING)).astype(float)
    return _turned_as(motion, turning, _along(up, across), resting)


def _foot_frame(marks: Landmarks, side: str, toe: Array, across: Array) -> Array:
    """Frames in which the toe joint is where a flat foot has it."""
    way = marks[f"{side}_toes"] - marks[f"{side}_foot"]
    forward = way / np.linalg.norm(way, axis=1, keepdims=True)
    y = across - forward * np.sum(across * forward, axis=1, keepdims=True)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    flat = np.stack((forward, y, np.cross(forward, y)), axis=-1)
    pitch = np.arctan2(-toe[2], toe[0])
    tilt = quat.to_matrix(quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(-pitch)))
    return flat @ tilt

"""Convert markers to a rig of joint centres by anatomical rules, so that marker recordings can be used like rigs.

Hip centres: Harrington et al., Journal of Biomechanics 40 (2007), from width and depth of the pelvis. Lumbar joint:
Dumas, Cheze and Verriest, Journal of Biomechanics 40 (2007), for men. The numbers are from memory, except those of the
neck and the depth of the hips, which the scripts of another laboratory (HuMoD) have too. They matter: the position of
the trunk's mass decides where the ground force acts. Knees, ankles, elbows and wrists are midway between
their two markers, or half a joint width inward from the outer marker. Short gaps are filled; where too much is missing,
the clip is cut to the longest stretch in which the whole body is visible. Pelvis and legs need markers; what is missing
above them is estimated, see `upper_body`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body.measure import frames_from_axes
from gambol.fit.landmark_paths import _SIDES, LandmarkPaths
from gambol.fit.upper_body import EstimatedUpperBody, find_head
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import unit_vectors
from gambol.motion.motion import Motion, Origin
from gambol.motion.recording import Markers
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton

_LUMBAR = (-0.264, 0.126)
"""Position of the lumbar joint ahead of and above the middle of the front iliac spines, in distances between them."""
_SLANT = 0.025
"""Distance (m) of the second metatarsal's head ahead of the fifth's."""
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class _Centres(NamedTuple):
    """Paths (frames, 3) of joint centres by part, and what was decided."""

    paths: dict[str, Array]
    notes: tuple[str, ...]


def find_visible_frames(markers: Markers, mapping: Mapping[str, str] | None = None) -> slice:
    """Return the longest stretch in which the whole body is visible: the frames of its rig."""
    cloud = LandmarkPaths(markers, mapping)
    return _seen(cloud, _joint_centres(cloud).paths)


def markers_to_rig(markers: Markers, mapping: Mapping[str, str] | None = None) -> Motion:
    """Return a motion whose joints are the joint centres of the recorded person.

    `mapping` gives the marker of a landmark, e.g. {"left_knee": "M17"}, where names are not known.
    """
    cloud = LandmarkPaths(markers, mapping)
    paths, decided = _joint_centres(cloud)
    seen = _seen(cloud, paths)
    notes = markers.notes + decided
    if seen.stop - seen.start < len(markers):
        notes += (f"kept frames {seen.start} to {seen.stop - 1}, in which the whole body is visible",)
    paths = {part: path[seen] for part, path in paths.items()}
    frames = {f"{side}_foot": _foot_frame(cloud, side, seen, paths) for side in _SIDES}
    frames["head"] = _head_frame(cloud, seen, paths)
    # Every joint is a child of the first, which is fixed: its translations are its world position. Only feet and head
    # rotate: the orientations of the other bodies follow from the positions of their joints.
    dofs: list[Dof] = []
    columns: list[Array] = []
    for joint, (part, path) in enumerate(paths.items(), start=1):
        dofs += [Dof(joint, "slide", axis) for axis in _AXES]
        columns.append(path)
        if part in frames:
            dofs += [Dof(joint, "turn", axis) for axis in _AXES[::-1]]
            columns.append(angles_about(np.array(_AXES[::-1]), quat.make_continuous(quat.from_matrix(frames[part]))))
    count = len(paths) + 1
    skeleton = Skeleton(("markers", *paths), (-1, *[0] * len(paths)), np.zeros((count, 3)), tuple(dofs))
    rig = Rig("markers", {part: joint for joint, part in enumerate(paths, start=1)})
    return Motion(skeleton, np.hstack(columns), markers.frame_time, markers.name, Origin(unit=1.0), notes, rig=rig)


def _seen(cloud: LandmarkPaths, paths: Mapping[str, Array]) -> slice:
    seen = _longest_run(np.all([np.isfinite(path).all(axis=1) for path in paths.values()], axis=0))
    if seen.stop - seen.start < 3:
        raise cloud.unseen()
    return seen


def _joint_centres(cloud: LandmarkPaths) -> _Centres:
    notes: tuple[str, ...] = ()
    if _mirrored(cloud):
        cloud.exchange_sides()
        notes += ("markers named left are on the right: sides exchanged",)
    front = {side: cloud.require("asis", side) for side in _SIDES}
    middle = 0.5 * (front["left"] + front["right"])
    rear = _rear(cloud)
    y = unit_vectors(front["left"] - front["right"])
    up = unit_vectors(np.cross(middle - rear, y))
    ahead = np.cross(y, up)
    width, depth = _distance(cloud, front["left"], front["right"]), _distance(cloud, middle, rear)
    hips = middle - (0.24 * depth + 0.0099) * ahead - (0.30 * width + 0.0109) * up
    lumbar = middle + width * (_LUMBAR[0] * ahead + _LUMBAR[1] * up)
    outward = {"left": y, "right": -y}
    legs = {side: _leg(cloud, side, hips + (0.33 * width + 0.0073) * outward[side], outward[side]) for side in _SIDES}
    bones = [
        _distance(cloud, legs[side][f"{side}_{upper}"], legs[side][f"{side}_{lower}"])
        for side in _SIDES
        for upper, lower in (("thigh", "shank"), ("shank", "foot"))
    ]
    above = EstimatedUpperBody(cloud, lumbar, y, up, 0.5 * sum(bones))
    paths = {"pelvis": hips} | above.trunk()
    for side in _SIDES:
        paths |= above.arm(side, outward[side], paths["chest"]) | legs[side]
    if above.estimated:
        notes += (f"without markers, as in an average person at ease: {', '.join(above.estimated)}",)
    return _Centres(paths, notes)


def _mirrored(cloud: LandmarkPaths) -> bool:
    """Return whether left is right: seen from above the ankles, the left iliac spine is on the right of forward."""
    left, right = (cloud.require("asis", side) for side in _SIDES)
    ankles = [path for side in _SIDES if (path := cloud.find("ankle", side)) is not None]
    if not ankles:
        return False
    middle = 0.5 * (left + right)
    above = middle - np.mean(ankles, axis=0)
    handedness = np.sum(np.cross(middle - _rear(cloud), left - right) * above, axis=1)
    return bool(np.nanmedian(handedness) < 0.0) if np.isfinite(handedness).any() else False


def _leg(cloud: LandmarkPaths, side: str, hip: Array, outward: Array) -> dict[str, Array]:
    leg = {f"{side}_thigh": hip}
    for part, landmark in (("shank", "knee"), ("foot", "ankle")):
        centre = cloud.between(landmark, side, outward)
        if centre is None:
            raise cloud.missing(landmark, side)
        leg[f"{side}_{part}"] = centre
    return leg | {f"{side}_toes": _ball(cloud, side)}


def _rear(cloud: LandmarkPaths) -> Array:
    """Return the middle of the rear iliac spines, or the sacrum between them."""
    sacrum = cloud.find("sacrum")
    if sacrum is not None and any(cloud.find("psis", side) is None for side in _SIDES):
        return sacrum
    return 0.5 * (cloud.require("psis", "left") + cloud.require("psis", "right"))


def _distance(cloud: LandmarkPaths, one: Array, other: Array) -> float:
    """Return the distance (m) between two points of one bone."""
    lengths = np.linalg.norm(one - other, axis=1)
    if not np.isfinite(lengths).any():
        raise cloud.unseen()
    return float(np.nanmedian(lengths))


def _head_frame(cloud: LandmarkPaths, seen: slice, paths: Mapping[str, Array]) -> Array:
    """Return the orientation (frames, 3, 3) of the head: from its markers, else from hips and spine.

    Shoulders swing with the arms, heads do not: a head that swings with them would distort the estimated ground moment.
    """
    ends = find_head(cloud)
    if ends is None:
        return frames_from_axes(paths["left_thigh"] - paths["right_thigh"], paths["neck"] - paths["spine"])
    front_left, front_right, back_left, back_right = ends[:, seen]
    across = front_left + back_left - front_right - back_right
    return frames_from_axes(across, np.cross(front_left + front_right - back_left - back_right, across))


def _foot_frame(cloud: LandmarkPaths, side: str, seen: slice, paths: Mapping[str, Array]) -> Array:
    """Return the orientation (frames, 3, 3) of a foot: x from heel (or ankle) to toe, y across the shin."""
    heel = cloud.find("heel", side)
    rear = paths[f"{side}_foot"] if heel is None else heel[seen]
    forward = unit_vectors(_toe(cloud, side)[seen] - rear)
    across = unit_vectors(np.cross(paths[f"{side}_shank"] - paths[f"{side}_foot"], forward))
    return np.stack((forward, across, np.cross(forward, across)), axis=-1)


def _toe(cloud: LandmarkPaths, side: str) -> Array:
    """Return the toe marker, or the outer metatarsal's where that is the only one."""
    outer = cloud.find("ball_out", side) if cloud.find("toe", side) is None else None
    return cloud.require("toe", side) if outer is None else outer


def _ball(cloud: LandmarkPaths, side: str) -> Array:
    """Return the ball of a foot: the toe marker, moved back if it is at the tip, ahead of the outer metatarsal."""
    toe, outer, heel = _toe(cloud, side), cloud.find("ball_out", side), cloud.find("heel", side)
    if outer is None or heel is None:
        return toe
    forward = unit_vectors(toe - heel)
    ahead = np.sum((toe - outer) * forward, axis=1, keepdims=True)
    return toe - np.maximum(ahead - _SLANT, 0.0) * forward


def _longest_run(seen: NDArray[np.bool_]) -> slice:
    first, last = max(find_runs(seen), key=lambda run: run[1] - run[0], default=(0, -1))
    return slice(first, last + 1)

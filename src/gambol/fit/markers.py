"""Convert markers to a rig of joint centres by anatomical rules, so that marker recordings can be used like rigs.

Hip centres: Harrington et al., Journal of Biomechanics 40 (2007), from width and depth of the pelvis. Lumbar joint:
Dumas, Cheze and Verriest, Journal of Biomechanics 40 (2007), for men. Neck: Reed, Manary and Schneider, SAE
1999-01-0959. The numbers of these are from memory, except those of the neck and the depth of the hips, which the
scripts of another laboratory (HuMoD) have too. They matter: the position of the trunk's mass decides where the ground
force acts. Knees, ankles, elbows and wrists are midway between their two markers, or half a joint width inward from the
outer marker. Short gaps are filled; where too much is missing, the clip is cut to the longest stretch in which the
whole body is visible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from gambol.body.measure import frames_from_axes
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion, Origin
from gambol.motion.recording import Markers
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton

# Names of a landmark, without side, separators or subject, the preferred first.
_NAMES = {
    "asis": "ASIS ASI", "psis": "PSIS PSI", "knee": "KNEE KNE LFC", "knee_in": "KNEEMEDIAL MFC KNM KNE2",
    "ankle": "ANKLE ANK LMAL", "ankle_in": "ANKLEMEDIAL MMAL MED ANK2", "heel": "HEEL HEE CAL", "toe": "TOE MT2 MT1",
    "ball_out": "MT5", "shoulder": "SHOULDER SHO ACR", "elbow": "ELBOW ELB", "wrist": "WRIST WRA WRI",
    "wrist_in": "WRB", "head_front": "FHD", "head_back": "BHD",
}  # fmt: skip
_MIDDLE = {"sacrum": "S2 SACR SACRAL VSAC", "vertebra": "C7", "breastbone": "CLAV IJ"}
_HALF_JOINT = {"knee": 0.05, "ankle": 0.035, "elbow": 0.035, "wrist": 0.025}
_LUMBAR = (-0.264, 0.126)
"""Position of the lumbar joint ahead of and above the middle of the front iliac spines, in distances between them."""
_NECK, _NECK_TURN = 0.55, np.radians(8.0)
"""Position of the neck joint on the line from the seventh cervical vertebra to the top of the breastbone, as a share of
its length, and the angle (rad) by which the line is rotated upward."""
_CHEST = 0.47
"""Position of the chest joint as a share of the distance from lumbar joint to neck, as in the average build."""
_SHOULDER = 0.05
"""Distance (m) from a shoulder marker down to the joint."""
_SLANT = 0.025
"""Distance (m) of the second metatarsal's head ahead of the fifth's."""
_SIDES = ("left", "right")
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_LONGEST_GAP = 0.3
"""Longest gap (s) that is interpolated linearly."""


class _Cloud:
    """Markers by landmark, with short gaps filled."""

    def __init__(self, markers: Markers) -> None:
        self.name = markers.name
        bare = {re.sub(r"[^A-Z0-9]", "", name.split(":")[-1].upper()): n for n, name in enumerate(markers.names)}
        longest = int(_LONGEST_GAP / markers.frame_time)
        self._paths = {name: _fill_gaps(markers.positions[:, n], longest) for name, n in bare.items()}

    def find(self, landmark: str, side: str = "") -> Array | None:
        """Return the path (frames, 3) of a landmark, or None without a marker for it."""
        prefixes = [side[0].upper(), side.upper()] if side else [""]
        names = (_NAMES if side else _MIDDLE)[landmark].split()
        return next((self._paths[p + n] for n in names for p in prefixes if p + n in self._paths), None)

    def find_visible(self, landmark: str, side: str = "") -> Array | None:
        """Return the path of an optional landmark, or None if its marker is missing or never visible."""
        found = self.find(landmark, side)
        return None if found is None or not np.isfinite(found).any() else found

    def require(self, landmark: str, side: str) -> Array:
        """Return the path of a landmark; raise an error without a marker for it."""
        found = self.find(landmark, side)
        if found is None:
            known = " or ".join(side[0].upper() + n for n in _NAMES[landmark].split())
            raise InputError(
                f"no {side} {landmark} marker ({known})", file=self.name, fix="markers on both legs and arms are needed"
            )
        return found


def find_visible_frames(markers: Markers) -> slice:
    """Return the longest stretch in which the whole body is visible: the frames of its rig."""
    return _seen(markers.name, _joint_centres(_Cloud(markers)))


def markers_to_rig(markers: Markers) -> Motion:
    """Return a motion whose joints are the joint centres of the recorded person."""
    cloud = _Cloud(markers)
    paths = _joint_centres(cloud)
    seen = _seen(markers.name, paths)
    notes = markers.notes
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


def _seen(name: str, paths: Mapping[str, Array]) -> slice:
    seen = _longest_run(np.all([np.isfinite(path).all(axis=1) for path in paths.values()], axis=0))
    if seen.stop - seen.start < 3:
        raise _unseen(name)
    return seen


def _unseen(name: str) -> InputError:
    return InputError("the markers of the body are never visible together", file=name, fix="fill the gaps first")


def _joint_centres(cloud: _Cloud) -> dict[str, Array]:
    """Return the paths (frames, 3) of joint centres by part."""
    front = {side: cloud.require("asis", side) for side in _SIDES}
    middle = 0.5 * (front["left"] + front["right"])
    rear = _rear(cloud)
    y = _unit(front["left"] - front["right"])
    up = _unit(np.cross(middle - rear, y))
    ahead = np.cross(y, up)
    width, depth = _distance(cloud, front["left"], front["right"]), _distance(cloud, middle, rear)
    hips = middle - (0.24 * depth + 0.0099) * ahead - (0.30 * width + 0.0109) * up
    lumbar = middle + width * (_LUMBAR[0] * ahead + _LUMBAR[1] * up)
    paths = {"pelvis": hips} | _trunk(cloud, lumbar)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        outward = sign * y
        paths[f"{side}_upper_arm"] = cloud.require("shoulder", side) - _SHOULDER * up
        paths[f"{side}_forearm"] = _between(cloud, "elbow", side, outward)
        paths[f"{side}_hand"] = _between(cloud, "wrist", side, outward)
        paths[f"{side}_thigh"] = hips + (0.33 * width + 0.0073) * outward
        paths[f"{side}_shank"] = _between(cloud, "knee", side, outward)
        paths[f"{side}_foot"] = _between(cloud, "ankle", side, outward)
        paths[f"{side}_toes"] = _ball(cloud, side)
    return paths


def _rear(cloud: _Cloud) -> Array:
    """Return the middle of the rear iliac spines, or the sacrum between them."""
    sides = [cloud.find_visible("psis", side) for side in _SIDES]
    sacrum = cloud.find_visible("sacrum")
    if sacrum is not None and any(path is None for path in sides):
        return sacrum
    return 0.5 * (cloud.require("psis", "left") + cloud.require("psis", "right"))


def _trunk(cloud: _Cloud, lumbar: Array) -> dict[str, Array]:
    """Return spine, chest, neck and head, on the line from the lumbar joint through the neck."""
    neck, head = _neck(cloud), _head(cloud)
    return {
        "spine": lumbar,
        "chest": lumbar + _CHEST * (neck - lumbar),
        "neck": neck,
        "head": lumbar + 1.4 * (neck - lumbar) if head is None else head.mean(axis=0),
    }


def _head(cloud: _Cloud) -> Array | None:
    """Return the paths (4, frames, 3) of the head markers (front before back, left before right), if all exist."""
    found = [cloud.find_visible(f"head_{end}", side) for end in ("front", "back") for side in _SIDES]
    seen = [path for path in found if path is not None]
    return np.array(seen) if len(seen) == len(found) else None


def _neck(cloud: _Cloud) -> Array:
    """Return the lowest joint of the neck; the middle of the shoulders without markers near it."""
    left, right = (cloud.require("shoulder", side) for side in _SIDES)
    vertebra, breastbone = cloud.find_visible("vertebra"), cloud.find_visible("breastbone")
    if vertebra is None or breastbone is None:
        return 0.5 * (left + right)
    up = quat.from_axis_angle(_unit(left - right), np.full(len(left), -_NECK_TURN))
    return vertebra + _NECK * quat.rotate(up, breastbone - vertebra)


def _distance(cloud: _Cloud, one: Array, other: Array) -> float:
    """Return the distance (m) between two markers on one bone."""
    lengths = np.linalg.norm(one - other, axis=1)
    if not np.isfinite(lengths).any():
        raise _unseen(cloud.name)
    return float(np.nanmedian(lengths))


def _head_frame(cloud: _Cloud, seen: slice, paths: Mapping[str, Array]) -> Array:
    """Return the orientation (frames, 3, 3) of the head: from its markers, else from hips and spine.

    Shoulders swing with the arms, heads do not: a head that swings with them would distort the estimated ground moment.
    """
    ends = _head(cloud)
    if ends is None:
        return frames_from_axes(paths["left_thigh"] - paths["right_thigh"], paths["neck"] - paths["spine"])
    front_left, front_right, back_left, back_right = ends[:, seen]
    across = front_left + back_left - front_right - back_right
    return frames_from_axes(across, np.cross(front_left + front_right - back_left - back_right, across))


def _foot_frame(cloud: _Cloud, side: str, seen: slice, paths: Mapping[str, Array]) -> Array:
    """Return the orientation (frames, 3, 3) of a foot: x from heel to toe, y across the shin."""
    forward = _unit((cloud.require("toe", side) - cloud.require("heel", side))[seen])
    across = _unit(np.cross(paths[f"{side}_shank"] - paths[f"{side}_foot"], forward))
    return np.stack((forward, across, np.cross(forward, across)), axis=-1)


def _ball(cloud: _Cloud, side: str) -> Array:
    """Return the ball of a foot: the toe marker, moved back if it is at the tip, ahead of the outer metatarsal."""
    toe, outer = cloud.require("toe", side), cloud.find("ball_out", side)
    if outer is None:
        return toe
    forward = _unit(toe - cloud.require("heel", side))
    ahead = np.sum((toe - outer) * forward, axis=1, keepdims=True)
    return toe - np.maximum(ahead - _SLANT, 0.0) * forward


def _unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _between(cloud: _Cloud, landmark: str, side: str, outward: Array) -> Array:
    """Return the centre of a joint between its two markers, or inward of the outer one."""
    outer = cloud.require(landmark, side)
    inner = cloud.find(f"{landmark}_in", side) if f"{landmark}_in" in _NAMES else None
    return outer - _HALF_JOINT[landmark] * outward if inner is None else 0.5 * (outer + inner)


def _fill_gaps(path: Array, longest: int) -> Array:
    """Interpolate gaps of up to `longest` frames linearly."""
    seen = np.flatnonzero(np.isfinite(path[:, 0]))
    if len(seen) < 2:
        return path
    out = path.copy()
    for before, after in pairwise(seen):
        if 1 < after - before <= longest:
            share = np.linspace(0.0, 1.0, after - before + 1)[1:-1, None]
            out[before + 1 : after] = (1.0 - share) * path[before] + share * path[after]
    return out


def _longest_run(seen: Array) -> slice:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], seen, [False])).astype(int)))
    runs = list(zip(edges[::2], edges[1::2], strict=True))
    if not runs:
        return slice(0, 0)
    start, stop = max(runs, key=lambda run: run[1] - run[0])
    return slice(int(start), int(stop))

"""Markers become a rig of joint centres, by anatomical rules, so that all that works on rigs works on them.

Hip centres: Bell, Pedersen and Brand, Journal of Biomechanics 23 (1990), 30 % of the distance between the front iliac
spines down, 14 % inward and 22 % back. Knees, ankles, elbows and wrists lie midway between their two markers, or
half a joint's width inward from the outer one. Gaps are bridged; where too much is missing the clip is cut to the
longest stretch in which the legs are seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from gambol.body.measure import frame_of
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion, Origin
from gambol.motion.recording import Markers
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton

# Names of a landmark, without side, separators or subject, the preferred first.
_NAMES = {
    "asis": "ASIS ASI", "psis": "PSIS PSI", "knee": "KNEE KNE LFC", "knee_in": "KNEEMEDIAL MFC KNM",
    "ankle": "ANKLE ANK LMAL", "ankle_in": "ANKLEMEDIAL MMAL MED", "heel": "HEEL HEE CAL", "toe": "TOE MT2 MT1",
    "ball_out": "MT5", "shoulder": "SHOULDER SHO ACR", "elbow": "ELBOW ELB", "wrist": "WRIST WRA", "wrist_in": "WRB",
    "head_front": "FHD", "head_back": "BHD",
}  # fmt: skip
_MIDDLE = {"sacrum": "S2 SACR SACRAL"}
_HALF_JOINT = {"knee": 0.05, "ankle": 0.035, "elbow": 0.035, "wrist": 0.025}
_SHOULDER = 0.05
"""Metres from a marker on the shoulder down to its joint."""
_SLANT = 0.025
"""Metres that the second metatarsal's head lies ahead of the fifth's."""
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_BRIDGE = 0.3
"""Seconds of a gap that a straight line may bridge."""


class _Cloud:
    """Markers by landmark, gaps bridged."""

    def __init__(self, markers: Markers) -> None:
        self.name = markers.name
        bare = {re.sub(r"[^A-Z0-9]", "", name.split(":")[-1].upper()): n for n, name in enumerate(markers.names)}
        reach = int(_BRIDGE / markers.frame_time)
        self._paths = {name: _bridged(markers.positions[:, n], reach) for name, n in bare.items()}

    def find(self, landmark: str, side: str = "") -> Array | None:
        """Path (frames, 3) of a landmark, if there is a marker for it."""
        prefixes = [side[0].upper(), side.upper()] if side else [""]
        names = (_NAMES if side else _MIDDLE)[landmark].split()
        return next((self._paths[p + n] for n in names for p in prefixes if p + n in self._paths), None)

    def need(self, landmark: str, side: str) -> Array:
        """The same; an error that says what is missing where there is none."""
        found = self.find(landmark, side)
        if found is None:
            known = " or ".join(side[0].upper() + n for n in _NAMES[landmark].split())
            raise InputError(
                f"no {side} {landmark} marker ({known})", file=self.name, fix="a body needs both legs and arms"
            )
        return found


def as_rig(markers: Markers) -> Motion:
    """A motion whose joints are the joint centres of the person who wore the markers."""
    cloud = _Cloud(markers)
    paths = _joint_centres(cloud)
    seen = _longest_run(np.all([np.isfinite(path).all(axis=1) for path in paths.values()], axis=0))
    if seen.stop - seen.start < 3:
        raise _unseen(markers.name)
    notes = markers.notes
    if seen.stop - seen.start < len(markers):
        notes += (f"kept frames {seen.start} to {seen.stop - 1}, in which all parts of the body are seen",)
    paths = {part: path[seen] for part, path in paths.items()}
    pelvis = frame_of(paths["left_thigh"] - paths["right_thigh"], paths["chest"] - paths["pelvis"])
    frames = {f"{side}_foot": _foot_frame(cloud, side, seen, paths) for side in ("left", "right")}
    # Every joint hangs on the first, which never moves: its slides are its place in the world.
    dofs: list[Dof] = []
    columns: list[Array] = []
    for joint, (part, path) in enumerate(paths.items(), start=1):
        rotations = quat.continuous(quat.from_matrix(frames.get(part, pelvis)))
        dofs += [Dof(joint, "slide", axis) for axis in _AXES] + [Dof(joint, "turn", axis) for axis in _AXES[::-1]]
        columns += [path, angles_about(np.array(_AXES[::-1]), rotations)]
    count = len(paths) + 1
    skeleton = Skeleton(("markers", *paths), (-1, *[0] * len(paths)), np.zeros((count, 3)), tuple(dofs))
    rig = Rig("markers", {part: joint for joint, part in enumerate(paths, start=1)})
    return Motion(skeleton, np.hstack(columns), markers.frame_time, markers.name, Origin(unit=1.0), notes, rig=rig)


def _unseen(name: str) -> InputError:
    return InputError("the markers of the body are never seen together", file=name, fix="fill the gaps first")


def _joint_centres(cloud: _Cloud) -> dict[str, Array]:
    """Paths (frames, 3) of joint centres by part."""
    front = {side: cloud.need("asis", side) for side in ("left", "right")}
    sacrum = cloud.find("sacrum")
    rear = sacrum if sacrum is not None else 0.5 * (cloud.need("psis", "left") + cloud.need("psis", "right"))
    middle = 0.5 * (front["left"] + front["right"])
    width = np.linalg.norm(front["left"] - front["right"], axis=1, keepdims=True)
    y = (front["left"] - front["right"]) / width
    up = _unit(np.cross(middle - rear, y))
    base = middle - width * (0.22 * np.cross(y, up) + 0.30 * up)
    paths = {"pelvis": base} | _trunk(cloud, base, up)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        outward = sign * y
        paths[f"{side}_upper_arm"] = cloud.need("shoulder", side) - _SHOULDER * up
        paths[f"{side}_forearm"] = _between(cloud, "elbow", side, outward)
        paths[f"{side}_hand"] = _between(cloud, "wrist", side, outward)
        paths[f"{side}_thigh"] = base + 0.36 * width * outward
        paths[f"{side}_shank"] = _between(cloud, "knee", side, outward)
        paths[f"{side}_foot"] = _between(cloud, "ankle", side, outward)
        paths[f"{side}_toes"] = _ball(cloud, side)
    return paths


def _trunk(cloud: _Cloud, hips: Array, up: Array) -> dict[str, Array]:
    """Spine, chest, neck and head on the line from the hips to the shoulders and beyond."""
    shoulders = 0.5 * (cloud.need("shoulder", "left") + cloud.need("shoulder", "right")) - _SHOULDER * up
    spine = shoulders - hips
    lengths = np.linalg.norm(spine, axis=1)
    if not np.isfinite(lengths).any():
        raise _unseen(cloud.name)
    along = _unit(spine) * float(np.nanmedian(lengths))
    markers = [cloud.find(f"head_{end}", side) for end in ("front", "back") for side in ("left", "right")]
    seen = [m for m in markers if m is not None]
    return {
        "spine": hips + 0.2 * along,
        "chest": hips + 0.55 * along,
        "neck": shoulders + 0.12 * along,
        "head": np.mean(seen, axis=0) if len(seen) == len(markers) else shoulders + 0.47 * along,
    }


def _foot_frame(cloud: _Cloud, side: str, seen: slice, paths: Mapping[str, Array]) -> Array:
    """Orientation (frames, 3, 3) of a foot: x from heel to toe, y across the shin."""
    forward = _unit((cloud.need("toe", side) - cloud.need("heel", side))[seen])
    across = _unit(np.cross(paths[f"{side}_shank"] - paths[f"{side}_foot"], forward))
    return np.stack((forward, across, np.cross(forward, across)), axis=-1)


def _ball(cloud: _Cloud, side: str) -> Array:
    """The ball of a foot: the toe marker, unless that sits at the tip, ahead of the outer metatarsal's."""
    toe, outer = cloud.need("toe", side), cloud.find("ball_out", side)
    if outer is None:
        return toe
    forward = _unit(toe - cloud.need("heel", side))
    ahead = np.sum((toe - outer) * forward, axis=1, keepdims=True)
    return toe - np.maximum(ahead - _SLANT, 0.0) * forward


def _unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _between(cloud: _Cloud, landmark: str, side: str, outward: Array) -> Array:
    """The centre of a joint between its two markers, or inward of the outer one."""
    outer = cloud.need(landmark, side)
    inner = cloud.find(f"{landmark}_in", side) if f"{landmark}_in" in _NAMES else None
    return outer - _HALF_JOINT[landmark] * outward if inner is None else 0.5 * (outer + inner)


def _bridged(path: Array, reach: int) -> Array:
    """A path with gaps of up to `reach` frames bridged by straight lines."""
    seen = np.flatnonzero(np.isfinite(path[:, 0]))
    if len(seen) < 2:
        return path
    out = path.copy()
    for before, after in pairwise(seen):
        if 1 < after - before <= reach:
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

"""Paths of the landmarks of a body in a marker recording, by marker names, with short gaps filled."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from gambol.errors import RigError
from gambol.geometry.arrays import Array
from gambol.motion.marker_names import NEEDED_LANDMARKS, find_landmarks, list_marker_names
from gambol.motion.recording import Markers

_SIDES = ("left", "right")
_HALF_JOINT = {"knee": 0.05, "ankle": 0.035, "elbow": 0.035, "wrist": 0.025}
"""Distance (m) from an outer marker to the centre of its joint."""
_LONGEST_GAP = 0.3
"""Longest gap (s) that is interpolated linearly."""
_FIX = "name them in the file that 'gambol rig FILE -o markers.yaml' writes, and pass --markers markers.yaml"


class LandmarkPaths:
    """Paths (frames, 3) of landmarks; a landmark whose marker is never visible is missing."""

    def __init__(self, markers: Markers, mapping: Mapping[str, str] | None = None) -> None:
        self.name = markers.name
        self._named = find_landmarks(markers.names, mapping)
        longest = int(_LONGEST_GAP / markers.frame_time)
        self._paths: dict[str, Array] = {}
        for landmark, names in self._named.items():
            paths = (markers.positions[:, markers.names.index(name)] for name in names)
            seen = next((path for path in paths if np.isfinite(path).any()), None)
            if seen is not None:
                self._paths[landmark] = fill_gaps(seen, longest)

    def find(self, landmark: str, side: str = "") -> Array | None:
        """Return the path of a landmark, or None without a visible marker for it."""
        return self._paths.get(f"{side}_{landmark}" if side else landmark)

    def require(self, landmark: str, side: str) -> Array:
        """Return the path of a landmark; raise an error without a visible marker for it."""
        found = self.find(landmark, side)
        if found is None:
            raise self.missing(landmark, side)
        return found

    def between(self, landmark: str, side: str, outward: Array) -> Array | None:
        """Return the centre of a joint: between its two markers, inward of the outer one, or as the file has it."""
        outer, inner = self.find(landmark, side), self.find(f"{landmark}_in", side)
        if outer is None:
            return self.find(f"{landmark}_center", side)
        return outer - _HALF_JOINT[landmark] * outward if inner is None else 0.5 * (outer + inner)

    def exchange_sides(self) -> None:
        """Exchange left and right."""
        self._named = {_mirror(landmark): names for landmark, names in self._named.items()}
        self._paths = {_mirror(landmark): path for landmark, path in self._paths.items()}

    def missing(self, landmark: str, side: str) -> RigError:
        """Return the error that a marker is missing, or never visible."""
        if f"{side}_{landmark}" in self._named:
            return self.unseen()
        known = " or ".join(side[0].upper() + name for name in list_marker_names(landmark)[:3])
        others = [name.replace("_", " ") for name in self._needed() if name != f"{side}_{landmark}"]
        nor = f", nor {', '.join(others)}" if others else ""
        return RigError(f"no {side} {landmark} marker ({known}){nor}", file=self.name, fix=_FIX)

    def _needed(self) -> list[str]:
        """Return the landmarks of pelvis and legs that have no marker."""
        needed = [f"{side}_{landmark}" for landmark in NEEDED_LANDMARKS for side in _SIDES]
        return [name for name in needed if name not in self._named and f"{name}_center" not in self._named]

    def unseen(self) -> RigError:
        """Return the error that the markers are not visible in the same frames."""
        return RigError("the markers of the body are never visible together", file=self.name, fix="fill the gaps first")


def _mirror(landmark: str) -> str:
    side, _, rest = landmark.partition("_")
    return f"{_SIDES[1 - _SIDES.index(side)]}_{rest}" if side in _SIDES else landmark


def fill_gaps(path: Array, longest: int) -> Array:
    """Interpolate gaps of a path (frames, 3) of up to `longest` frames linearly."""
    seen = np.flatnonzero(np.isfinite(path[:, 0]))
    if len(seen) < 2:
        return path
    out = path.copy()
    for before, after in pairwise(seen):
        if 1 < after - before <= longest:
            share = np.linspace(0.0, 1.0, after - before + 1)[1:-1, None]
            out[before + 1 : after] = (1.0 - share) * path[before] + share * path[after]
    return out

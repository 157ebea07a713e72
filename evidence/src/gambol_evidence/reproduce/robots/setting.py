"""The robots and clips of the claims, and reference motions made of them.

Clips are chosen by a rule, not by their figures: of every kind of CMU recording the last ones by name, and files of
other rigs and markers. Two seconds in the middle of each are retargeted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gambol.errors import GambolError, InputError
from gambol.fit.load import load
from gambol.metrics.figures import Check
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.verb import ReferenceResult, make_reference
from gambol_evidence.reproduce.recordings import load_cmu_file

ROBOTS = ("jvrc1", "g1", "talos")
"""Robots by name: JVRC-1 of the extra `robot`, Unitree G1 and Talos of the Python package example-robot-data."""
KINDS = {
    "walk": 4,
    "styled_walk": 4,
    "backward_sideways": 2,
    "turn": 3,
    "run": 4,
    "jump_hop_leap": 4,
    "terrain_stairs": 4,
    "dance": 1,
    "sports": 3,
    "one_sided_social": 1,
}
"""Numbers of CMU recordings by folder."""
OTHERS = (
    "wild/cmu1_jacks.bvh",
    "wild/fair1_jumping.bvh",
    "wild/fair1_zombie.bvh",
    "wild/kaykit_knight.glb",
    "wild/pymo_av8walk.bvh",
    "wild/rokoko_dance.bvh",
    "wild/bmc_run.trc",
    "wild/ktk_optitrack.c3d",
    "gait_grf/opensim_rajagopal_walk_fullbody/markers_walk.trc",
    "gait_grf/btk_c3d/PiG_Motion-FlatFoot-One.c3d",
)
"""Clips on other rigs, and of markers."""
_SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of a clip on a robot."""

    clip: str
    result: ReferenceResult | None = None
    judgement: Check | None = None
    """None of a motion that does not exist or is kinematic."""
    reason: str = ""
    """Why it did not come out, or not wholly."""
    explained: bool = True
    """Whether gambol itself says why."""


class RobotsSetting:
    """What the claims share."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._made: dict[tuple[str, str, bool], Attempt] = {}

    @cached_property
    def robots(self) -> dict[str, Biped]:
        """The robots whose packages are installed."""
        return dict(_load_robots())

    @cached_property
    def clips(self) -> dict[str, Path]:
        """Files by name of the clip."""
        folder = self._data / "cmu_bvh"
        files = [file for kind, count in KINDS.items() for file in sorted((folder / kind).glob("*.bvh"))[-count:]]
        return {file.stem: file for file in (*files, *(self._data / other for other in OTHERS))}

    def list_clips(self, kind: str) -> list[str]:
        """Return the names of the clips of a folder."""
        return [name for name, file in self.clips.items() if file.parent.name == kind]

    def load_clip(self, name: str) -> Motion:
        """Load a whole clip."""
        file = self.clips[name]
        return load_cmu_file(file) if self._data / "cmu_bvh" in file.parents else load(file)

    def load_middle(self, name: str) -> Motion:
        """Load two seconds in the middle of a clip, or all of a shorter one."""
        motion = self.load_clip(name)
        count = min(len(motion), round(_SECONDS / motion.frame_time) + 1)
        first = (len(motion) - count) // 2
        return motion[first : first + count]

    def attempt(self, robot: str, clip: str, *, fast: bool = False) -> Attempt:
        """Make the reference motion of a clip, once, and judge it unless it is kinematic."""
        key = (robot, clip, fast)
        if key not in self._made:
            self._made[key] = self._try(robot, clip, fast)
        return self._made[key]

    def _try(self, robot: str, clip: str, fast: bool) -> Attempt:
        try:
            result = make_reference(self.load_middle(clip), self.robots[robot], fast=fast)
        except GambolError as error:
            return Attempt(clip, reason=str(error))
        except Exception as error:
            return Attempt(clip, reason=f"{type(error).__name__}: {error}", explained=False)
        return Attempt(clip, result, None if fast else result.checked, "; ".join(result.unsolved))


def _load_robots() -> Iterator[tuple[str, Biped]]:
    for name in ROBOTS:
        try:
            yield name, load_biped(name)
        except InputError:  # its package is not installed
            continue

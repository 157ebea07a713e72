"""A robot that follows a person frame by frame, for trackers: `make_reference(fast=True)` with a fixed delay.

Every few frames, bodies of the person (`person`) and contacts are found in the last second, soles planned
(`live_soles`), and the frames ahead solved together again from their last solution; frames that were played are fixed.
A pose that is played is within the limits of its joints, and no farther from the one before than their largest speeds
allow.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.geometry.angles import whole_turns
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.motion.motion import Motion
from gambol.poses.together import solve_together
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.hips import find_hip_rise, measure_scale
from gambol.robots.references.kinematic import (
    aim_body,
    find_steps,
    find_stiffness,
    find_widening,
    place_feet,
    pose_robot,
)
from gambol.robots.references.levels import find_levels, measure_height
from gambol.robots.references.live_soles import LiveSoles
from gambol.robots.references.person import PersonBodies, PersonTracker
from gambol.robots.references.separation import SeparatedPoses
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import trace_soles
from gambol.robots.references.verb import check_fps
from gambol.robots.sole_shapes import level_sole
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES, find_foot_points

LIVE_FPS, DELAY = 60.0, 0.3
"""Frames per second, and seconds from a person's frame to the robot's."""
_SHORTEST, _LONGEST = 0.1, 1.0
"""Delay (s)."""
_FEWEST = 3
"""Frames of delay: those ahead are solved with the last two that were played."""
_CONTEXT = 1.0
"""Seconds of played frames in which contacts are found."""
_BLOCK = 1.0 / 15.0
"""Seconds that are solved at once: several frames take hardly longer than one."""
_ROUNDS = 2
"""Steps in which frames ahead are solved, every block."""


class LiveFrame(NamedTuple):
    """A pose of a robot."""

    frame: int
    """Number of the person's frame that it belongs to."""
    q: Array
    """(dofs,) coordinates."""
    contacts: NDArray[np.bool_]
    """(2,) whether the left and the right sole rest."""


class LiveReference:
    """Moves a robot as a person moves, `delay` (s) later.

    `rig` is a clip of the person's rig, on which bodies are measured. Frames come `fps` times per second.
    """

    def __init__(self, rig: Source, robot: StrPath | Biped, *, fps: float = LIVE_FPS, delay: float = DELAY) -> None:
        check_fps(fps)
        if not _SHORTEST <= delay <= _LONGEST:
            raise InputError(f"a delay of {delay:g} s", fix=f"choose {_SHORTEST:g} to {_LONGEST:g}")
        self.biped = (robot if isinstance(robot, Biped) else load_biped(robot)).require_arms()
        self.rig, self.fps = as_motion(rig), fps
        self.delay = max(_FEWEST, round(delay * fps))
        """In frames."""
        self._tracker, self._points = PersonTracker(self.rig), find_foot_points(self.rig)
        self._scale = measure_scale(self._tracker.character, self.biped)
        self._wider = find_widening(self.biped, self._tracker.character, self._scale)
        self._stiff, self._steps = find_stiffness(self.biped, 1.0 / fps), find_steps(self.biped, 1.0 / fps)
        self._block = min(max(1, round(_BLOCK * fps)), self.delay)
        corners = {side: level_sole(self.biped, side) for side in SIDES}
        person = self._tracker.track(self.rig)
        feet = {side: self._scale * person.find_sole_ends(side) for side in SIDES}
        traced = self._trace(self.rig, person)
        heights = [measure_height(path, *stance) for path in traced.values() for stance in path.flat]
        self._floor = float(find_levels(traced, heights, self._scale).min()) * np.eye(len(self.biped.skeleton.dofs))[2]
        """(dofs,) height of the lowest ground of the clip (m), which is at zero for the robot."""
        self._soles = LiveSoles(corners, feet, self._scale, 1.0 / fps, self.delay - self._block + 1, heights)
        self._rows: deque[Array] = deque(maxlen=self.delay + round(_CONTEXT * fps))
        self._count, self._played = 0, 0
        self._poses: Array = np.zeros((0, len(self.biped.skeleton.dofs)))
        """Of the last two frames that were played and those ahead."""
        self._ready: deque[LiveFrame] = deque()

    def step(self, row: Array) -> LiveFrame | None:
        """Take the coordinates (dofs,) of the rig in the next frame; return the robot's pose `delay` frames before."""
        self._rows.append(np.asarray(row, dtype=float))
        self._count += 1
        if self._count % self._block == 0:
            self._advance(self._count - 1 - self.delay + self._block - 1)
        return self._ready.popleft() if self._count > self.delay else None

    def finish(self) -> list[LiveFrame]:
        """Return the poses of the frames that are left, without further ones ahead."""
        if self._count:
            self._advance(self._count - 1)
        left = list(self._ready)
        self._ready.clear()
        return left

    def _advance(self, last: int) -> None:
        """Solve the frames ahead, and play those up to `last`."""
        if last < self._played:
            return
        first = self._count - len(self._rows)
        rig = Motion(self.rig.skeleton, np.array(self._rows), 1.0 / self.fps, self.rig.name, rig=self.rig.rig)
        person = self._tracker.track(rig)
        soles = self._soles.plan(self._trace(rig, person), first, self._played, last)
        ankles = {side: person.positions[f"{side}_foot"][:, 2] for side in SIDES}
        rise = find_hip_rise(self.biped, self._tracker.character, ankles, soles, self._scale, 1.0 / self.fps)
        person = person.shift(rise[:, None] * UP)
        begin = max(self._played - 2, 0)
        ahead = slice(begin - first, None)
        self._poses = self._solve(person.cut(ahead), {side: path.cut(ahead) for side, path in soles.items()})
        for n in range(self._played, last + 1):
            self._play(n - begin)
            rests = np.array([soles[side].touching[n - first] for side in SIDES])
            self._ready.append(LiveFrame(n, self._poses[n - begin] - self._floor, rests))
        self._played = last + 1
        self._poses = self._poses[max(last - 1, 0) - begin :]

    def _trace(self, rig: Motion, person: PersonBodies) -> dict[str, SolePath]:
        """Return the paths of the person's soles, scaled, and when they rest."""
        return trace_soles(person, rig, find_foot_contacts(rig, self._points), self._scale, self._wider)

    def _solve(self, person: PersonBodies, soles: dict[str, SolePath]) -> Array:
        """Return poses of the frames ahead, the first two of them as they were played."""
        known = len(self._poses)
        if not known:
            return pose_robot(self.biped, person, self._scale, soles, 1.0 / self.fps)[0]
        body, start = aim_body(self.biped, person, self._scale)
        targets = [*body, *place_feet(self.biped, soles)]
        start[:, 3:6] += whole_turns(self._poses[0, 3:6] - start[0, 3:6])
        new = np.repeat(self._poses[-1:], len(start) - known, axis=0)
        new[:, :6] += start[known:, :6] - start[known - 1, :6]
        warm = np.vstack((self._poses, new))
        apart, window = SeparatedPoses(self.biped, targets, start, warm[::4]), slice(0, len(warm))
        return solve_together(apart, warm, window, self._stiff, edges=(2, 0), steps=self._steps, rounds=_ROUNDS)

    def _play(self, n: int) -> None:
        """Bring a pose within largest speeds, from the one before."""
        if n:
            before, step = self._poses[n - 1], self._steps
            self._poses[n] = np.clip(self._poses[n], before - step, before + step)

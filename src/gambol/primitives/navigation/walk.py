"""Agents of a scene walk until all have arrived or the time is over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan, to_complex, wall_segments
from gambol.primitives.navigation.segments import nearest_points
from gambol.primitives.navigation.steer import ARRIVAL_DISTANCE, PERCEPTION_INTERVAL, perceive, prepare_floor, steer
from gambol.primitives.navigation.walker import AgentStates, WalkerLimits, advance_agents

WALK_RATE = 60.0
"""Frames a second."""


@dataclass(frozen=True, eq=False)
class WalkRecord:
    """What agents did. Time is the first axis."""

    scene: FloorPlan
    position: Array
    """(frames, n, 2)."""
    heading: Array
    """(frames, n)."""
    speed: Array
    """(frames, n)."""
    arrival: Array
    """(n,) seconds until an agent stood at its goal; infinite for those who did not arrive."""
    notes: tuple[str, ...]
    """A sentence about everyone who did not arrive."""
    rate: float

    @property
    def detour(self) -> float:
        """Metres walked by those who arrived over metres of the straight lines; infinite where nobody went anywhere."""
        return compute_detour(self.position, self.arrival, self.rate)


def simulate_walk(
    scene: FloorPlan, walker: WalkerLimits | None = None, seconds: float = 60.0, rate: float = WALK_RATE
) -> WalkRecord:
    """Lets the agents of a scene walk."""
    walker = WalkerLimits() if walker is None else walker
    course = prepare_floor(scene, walker)
    state, dt, every = scene.state, 1.0 / rate, max(round(PERCEPTION_INTERVAL * rate), 1)
    states: list[AgentStates] = [state]
    arrival = np.full(len(scene.starts), np.inf)
    goals = to_complex(scene.goals)
    for frame in range(round(seconds * rate)):
        if frame % every == 0:
            outlook = perceive(course, state)
        state = advance_agents(state, steer(course, state, outlook, dt), dt)
        states.append(state)
        there = (np.abs(goals - state.place) < ARRIVAL_DISTANCE) & np.isinf(arrival)
        arrival[there] = (frame + 1) * dt
        if (
            not outlook.speed_share.any()
            and not state.speed.any()
            and (np.isfinite(arrival).all() or course.unreachable)
        ):
            break
    missing = (
        f"agent {n} did not arrive: {course.unreachable.get(int(n), f'time was over after {seconds:g} s')}"
        for n in np.flatnonzero(np.isinf(arrival))
    )
    position, heading, speed = (
        np.array([getattr(s, name) for s in states]) for name in ("position", "heading", "speed")
    )
    return WalkRecord(scene, position, heading, speed, arrival, tuple(missing), rate)


def compute_detour(position: Array, arrival: Array, rate: float) -> float:
    """Metres walked until arrival over metres of straight lines, of those who arrived; inf where none went."""
    came = np.flatnonzero(np.isfinite(arrival))
    last = np.round(arrival[came] * rate).astype(int)
    steps = np.linalg.norm(np.diff(position[:, came], axis=0), axis=2)
    walked = (steps * (np.arange(len(steps))[:, None] < last)).sum(axis=0)
    straight = float(np.linalg.norm(position[last, came] - position[0, came], axis=1).sum())
    return float(walked.sum()) / straight if straight > 0.0 else np.inf


def compute_clearance(scene: FloorPlan, position: Array, radius: float) -> float:
    """The least distance in metres between discs, or a disc and a pole or wall, over all frames (frames, n, 2)."""
    least = np.inf
    poles, (start, way) = to_complex(scene.poles), wall_segments(scene)
    for frame in position:
        place = to_complex(frame)
        if len(place) > 1:
            least = min(least, float(cKDTree(frame).query(frame, 2)[0][:, 1].min()) - 2.0 * radius)
        if len(poles):
            least = min(least, float((np.abs(place[:, None] - poles) - scene.poles[:, 2]).min()) - radius)
        if len(start):
            mine, theirs = nearest_points(place[:, None], np.zeros((len(place), 1), complex), start, way)
            least = min(least, float(np.abs(mine - theirs).min()) - radius)
    return least

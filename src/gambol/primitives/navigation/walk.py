"""Simulate agents of a floor plan until all have arrived or time is up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan, to_complex, wall_segments
from gambol.primitives.navigation.segments import nearest_points
from gambol.primitives.navigation.steer import ARRIVAL_DISTANCE, PERCEPTION_INTERVAL, perceive, prepare_floor, steer
from gambol.primitives.navigation.walker import AgentStates, WalkerLimits, advance_agents

WALK_FPS = 60.0
"""Frames per second."""


@dataclass(frozen=True, eq=False)
class WalkRecord:
    """Trajectories of the agents. Time is the first axis."""

    plan: FloorPlan
    position: Array
    """(frames, n, 2)."""
    heading: Array
    """(frames, n)."""
    speed: Array
    """(frames, n)."""
    arrival: Array
    """(n,) seconds until an agent arrived at its goal; infinite if it did not."""
    notes: tuple[str, ...]
    """A sentence about every agent that did not arrive."""
    fps: float

    @property
    def detour(self) -> float:
        """Path length over straight distance of the agents that arrived; infinite if none moved."""
        return compute_detour(self.position, self.arrival, self.fps)


def simulate_walk(
    plan: FloorPlan, walker: WalkerLimits | None = None, seconds: float = 60.0, fps: float = WALK_FPS
) -> WalkRecord:
    """Simulate the agents of a floor plan."""
    walker = WalkerLimits() if walker is None else walker
    floor = prepare_floor(plan, walker)
    state, dt, every = plan.state, 1.0 / fps, max(round(PERCEPTION_INTERVAL * fps), 1)
    states: list[AgentStates] = [state]
    arrival = np.full(len(plan.starts), np.inf)
    goals = to_complex(plan.goals)
    for frame in range(round(seconds * fps)):
        if frame % every == 0:
            perception = perceive(floor, state)
        state = advance_agents(state, steer(floor, state, perception, dt), dt)
        states.append(state)
        there = (np.abs(goals - state.place) < ARRIVAL_DISTANCE) & np.isinf(arrival)
        arrival[there] = (frame + 1) * dt
        if (
            not perception.speed_share.any()
            and not state.speed.any()
            and (np.isfinite(arrival).all() or floor.unreachable)
        ):
            break
    missing = (
        f"agent {n} did not arrive: {floor.unreachable.get(int(n), f'time was up after {seconds:g} s')}"
        for n in np.flatnonzero(np.isinf(arrival))
    )
    position, heading, speed = (
        np.array([getattr(s, name) for s in states]) for name in ("position", "heading", "speed")
    )
    return WalkRecord(plan, position, heading, speed, arrival, tuple(missing), fps)


def compute_detour(position: Array, arrival: Array, fps: float) -> float:
    """Return path length over straight distance of the agents that arrived; infinite if none moved."""
    came = np.flatnonzero(np.isfinite(arrival))
    last = np.round(arrival[came] * fps).astype(int)
    steps = np.linalg.norm(np.diff(position[:, came], axis=0), axis=2)
    walked = (steps * (np.arange(len(steps))[:, None] < last)).sum(axis=0)
    straight = float(np.linalg.norm(position[last, came] - position[0, came], axis=1).sum())
    return float(walked.sum()) / straight if straight > 0.0 else np.inf


def compute_clearance(plan: FloorPlan, position: Array, radius: float) -> float:
    """Return the least distance (metres) between discs, or a disc and a pole or wall, over positions (frames, n, 2)."""
    least = np.inf
    poles, (start, vector) = to_complex(plan.poles), wall_segments(plan)
    for frame in position:
        place = to_complex(frame)
        if len(place) > 1:
            least = min(least, float(cKDTree(frame).query(frame, 2)[0][:, 1].min()) - 2.0 * radius)
        if len(poles):
            least = min(least, float((np.abs(place[:, None] - poles) - plan.poles[:, 2]).min()) - radius)
        if len(start):
            mine, theirs = nearest_points(place[:, None], np.zeros((len(place), 1), complex), start, vector)
            least = min(least, float(np.abs(mine - theirs).min()) - radius)
    return least

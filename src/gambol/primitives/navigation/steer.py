"""Steering: turn rates and speeds of all agents of a scene, from where they are (M17 section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.braking import Borders, find_borders, limit_motion
from gambol.primitives.navigation.doors import control_doors
from gambol.primitives.navigation.floor_plan import (
    FloorPlan,
    check_starts,
    find_free_point,
    find_obstruction,
    to_complex,
)
from gambol.primitives.navigation.heading import Obstacles, approach_targets, avoid_collisions
from gambol.primitives.navigation.routes import Routes, find_routes
from gambol.primitives.navigation.segments import nearest_points
from gambol.primitives.navigation.walker import AgentStates, Flags, Indices, Plane, SteeringCommand, WalkerLimits

ARRIVAL_DISTANCE = 0.25
"""Metres from a goal where an agent has arrived."""
PERCEPTION_INTERVAL = 0.1
"""Seconds after which agents look around again: the time in which people react. Room to stop is minded every frame."""
_HORIZON = 4.0
"""Seconds ahead of the walker that others are looked for; pairs that meet head on see each other at twice that pace."""
_SMOOTH = 0.15
"""Seconds in which a turn rate follows what is wanted: steps do not change at once."""
_STUCK, _SLOW = 0.12, 0.4
"""Metres of room ahead below which a way out is looked for, and the share of top speed below which room towards the
target counts as well: whoever has come to a stop does not turn back into what stopped it."""
_FAN = np.linspace(-np.pi, np.pi, 24, endpoint=False)
"""Directions that are tried for a way out, from that of the target."""


@dataclass(frozen=True, eq=False)
class PreparedFloor:
    """A scene made ready for walkers. Things are numbered: agents, then poles, then walls."""

    scene: FloorPlan
    walker: WalkerLimits
    routes: Routes
    start: Plane
    """(poles + walls,) where a thing that stands still begins."""
    vector: Plane
    """(poles + walls,) from there to its end."""
    radius: Array
    """(things,) metres; that of agents with the margin."""
    unreachable: dict[int, str]
    """Why an agent cannot arrive, by its number."""


@dataclass(frozen=True, eq=False)
class Perception:
    """What agents have seen when they last looked around, and what they made of it."""

    agent: Indices
    """(pairs,) who could touch something before the next look, in rising order."""
    obstacle: Indices
    """(pairs,) what that is."""
    target: Plane
    """(n,) where to go next."""
    avoidance: Array
    """(n,) radians a second away from predicted collisions."""
    speed_share: Array
    """(n,) the share of top speed that is wanted; nought for those who have arrived or wait at a door."""
    queueing: Flags
    """(n,) who follows others into a door: it stays in line and does not turn away from them."""


def prepare_floor(scene: FloorPlan, walker: WalkerLimits) -> PreparedFloor:
    """Checks a scene, finds ways around its walls, and moves goals that nobody can stand on towards the starts.

    Raises an InputError for agents that start inside each other, a pole or a wall.
    """
    check_starts(scene, walker)
    starts, goals, unreachable = to_complex(scene.starts), to_complex(scene.goals), {}
    for n, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        inside = find_obstruction(scene, goal, walker)
        if inside:
            goals[n] = find_free_point(scene, goal, start, walker)
            if abs(goals[n] - goal) > ARRIVAL_DISTANCE:
                unreachable[n] = f"its goal lies inside {inside}"
    ways = find_routes(scene, goals, walker)
    for n in np.flatnonzero(~ways.reachable(starts)).tolist():
        unreachable.setdefault(n, "no way leads to its goal")
        goals[n] = _before_wall(starts[n], goals[n], ways)
    lines, poles = ways.walls, to_complex(scene.poles)
    count = len(starts)
    return PreparedFloor(
        scene,
        walker,
        ways if not unreachable else find_routes(scene, goals, walker),
        np.concatenate([poles, lines[0]]),
        np.concatenate([np.zeros_like(poles), lines[1]]),
        np.concatenate([np.full(count, walker.clear_radius), scene.poles[:, 2], np.zeros(len(lines[0]))]),
        unreachable,
    )


def perceive(course: PreparedFloor, state: AgentStates) -> Perception:
    """Looks around: neighbours and predicted collisions, the next corner, turns at doors. Good for LOOK seconds."""
    walker, place, forward = course.walker, state.place, np.exp(1j * state.heading)
    me, thing = _neighbours(course, state)
    start, way = np.concatenate([place, course.start]), np.concatenate([np.zeros_like(place), course.vector])
    where = start[thing]
    walls = np.flatnonzero(thing >= len(course.radius) - len(course.scene.walls))
    where[walls] = _nearest(place[me[walls]], start[thing[walls]], way[thing[walls]])[1]
    velocity = np.concatenate([state.speed * forward, np.zeros_like(course.start)])

    target, passes = course.routes.next_targets(place)
    arrived = np.abs(course.routes.goals - place) < ARRIVAL_DISTANCE
    pace, queues, waits, aside = control_doors(place, np.where(arrived, 0.0, forward), passes, course.routes, walker)
    target, ends = np.where(waits, aside, target), np.abs(np.where(waits, aside, course.routes.goals) - place)
    away, slower = avoid_collisions(
        Obstacles(me, where, velocity[thing], course.radius[thing]), target, ends, state, walker
    )
    pace = np.minimum(pace, 1.0 - slower)
    pace[ends < ARRIVAL_DISTANCE] = 0.0

    soon = (
        2.0 * (walker.stopping_distance + 1.5 * PERCEPTION_INTERVAL * walker.top_speed)
        + walker.clear_radius
        + course.radius[thing]
    )
    close = np.flatnonzero(np.abs(where - place[me]) < soon)
    return Perception(me[close], thing[close], target, np.where(queues, 0.0, away), pace, queues)


def steer(course: PreparedFloor, state: AgentStates, outlook: Perception, dt: float) -> SteeringCommand:
    """Turn rates and speeds for the next frame of dt seconds, within the walker's limits."""
    walker, me, thing = course.walker, outlook.agent, outlook.obstacle
    turn, speed, distance = approach_targets(outlook.target, state, walker)
    speed = np.minimum(speed, np.sqrt(walker.braking * distance)) * outlook.speed_share
    turn = turn + outlook.avoidance

    forward = np.exp(1j * state.heading)
    stop = state.speed**2 / (2.0 * walker.braking) * forward
    rests = np.concatenate([(outlook.speed_share == 0.0) & (state.speed == 0.0), np.ones(len(course.start), bool)])
    share = np.where(rests[me], 0.0, np.where(rests[thing], 1.0, 0.5))
    others = np.concatenate([state.place, course.start])[thing], np.concatenate([stop, course.vector])[thing]
    limits = find_borders(me, state.place[me], stop[me], others, share, walker.clear_radius + course.radius[thing])
    there = outlook.target - state.place
    ahead, straight = limits.free_length(np.stack([forward, there / np.maximum(distance, 1e-9)]))
    blocked = (ahead < _STUCK) | ((straight < _STUCK) & (state.speed < _SLOW * walker.top_speed))
    stuck = np.flatnonzero(blocked & (outlook.speed_share > _STUCK) & ~outlook.queueing)
    if len(stuck):
        turn[stuck] = _way_out(stuck, limits, outlook.target, state)
    turn = np.where(outlook.speed_share > 0.0, turn, 0.0)
    most = walker.turn_limit(state.speed)
    turn = state.turn + (turn - state.turn) * min(dt / _SMOOTH, 1.0)
    turn = np.minimum(np.maximum(turn, -most), most)
    slowest = np.maximum(state.speed - walker.braking * dt, 0.0)
    speed = np.minimum(np.maximum(speed, slowest), state.speed + walker.acceleration * dt)
    return SteeringCommand(*limit_motion(turn, speed, limits, state, walker, dt))


def _neighbours(course: PreparedFloor, state: AgentStates) -> tuple[Indices, Indices]:
    """Who sees what, in pairs; agents by a tree, poles and walls, of which there are few, one by one."""
    walker, count, things = course.walker, len(state.speed), len(course.radius)
    far = walker.top_speed * _HORIZON + 2.0 * walker.clear_radius
    tree = cKDTree(state.position, balanced_tree=False, compact_nodes=False)
    pairs = tree.query_pairs(far, output_type="ndarray")
    keys = [pairs[:, 0] * things + pairs[:, 1], pairs[:, 1] * things + pairs[:, 0]]
    if len(course.start):
        mine, theirs = _nearest(state.place[:, None], course.start, course.vector)
        who, what = np.nonzero(np.abs(mine - theirs) < far + course.radius[count:])
        keys.append(who * things + what + count)
    me, thing = np.divmod(np.sort(np.concatenate(keys)), things)
    return me, thing


def _way_out(stuck: Indices, limits: Borders, target: Plane, state: AgentStates) -> Array:
    """Turn rates of those with no room ahead, towards the direction that has room and costs least."""
    wanted = np.angle(target[stuck] - state.place[stuck])
    fan = wanted + _FAN[:, None]
    room = limits.select(stuck, len(state.speed)).free_length(np.exp(1j * fan))
    heading = state.heading[stuck]
    score = np.minimum(room, 1.0) * (1.2 + np.cos(_FAN)[:, None]) + 0.4 * np.cos(fan - heading)
    best = np.take_along_axis(fan, np.argmax(score, axis=0)[None], axis=0)[0]
    off = np.angle(np.exp(1j * (best - heading)))
    return 3.0 * off


def _nearest(point: Plane, start: Plane, way: Plane) -> tuple[Plane, Plane]:
    """The nearest points of segments to points."""
    return nearest_points(point, np.zeros_like(point), start, way)


def _before_wall(start: complex, goal: complex, ways: Routes) -> complex:
    """The last place before a wall on the straight way."""
    points = start + np.linspace(0.0, 1.0, 400) * (goal - start)
    mine, theirs = _nearest(points[:, None], *ways.walls)
    near = (np.abs(mine - theirs) < ways.clearance).any(axis=1)
    return complex(points[max(int(np.argmax(near)) - 1, 0)]) if near.any() else goal

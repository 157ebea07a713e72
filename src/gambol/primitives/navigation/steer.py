"""Steer the agents of a floor plan: turn rates and speeds from the current state (M17 section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.braking import Borders, find_borders, find_fastest, limit_motion
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
"""Metres from its goal within which an agent has arrived."""
PERCEPTION_INTERVAL = 0.1
"""Seconds between perceptions, the reaction time of people. Stopping distances are checked every frame."""
_HORIZON = 4.0
"""Seconds ahead within which others are perceived; walkers that meet head on approach at twice the speed."""
_SMOOTH = 0.15
"""Time constant (seconds) of the turn rate: steps do not change at once."""
_STUCK, _SLOW = 0.12, 0.4
"""Free length ahead (metres) below which an agent looks for another direction, and the share of top speed below which
the free length towards its target counts too: an agent that stopped does not turn back towards the obstacle."""
_TURNS, _TURNS_IF_BLOCKED = 0.8, 0.25
"""Turn rate (rad/s) from which one who stands turns: by steps, and not for a few degrees, but where these help."""
_FAN = np.linspace(-np.pi, np.pi, 24, endpoint=False)
"""Directions tried by a blocked agent, relative to its target (radians)."""


@dataclass(frozen=True, eq=False)
class PreparedFloor:
    """A floor plan with routes. Obstacles are numbered: agents, then poles, then walls."""

    plan: FloorPlan
    walker: WalkerLimits
    routes: Routes
    start: Plane
    """(poles + walls,) one end of a fixed obstacle."""
    vector: Plane
    """(poles + walls,) from there to its other end; 0 for poles."""
    radius: Array
    """(obstacles,) metres; that of agents includes the margin."""
    unreachable: dict[int, str]
    """Reasons why agents cannot arrive, by agent."""


@dataclass(frozen=True, eq=False)
class Perception:
    """Neighbours, targets and avoidance of all agents at the last perception."""

    agent: Indices
    """(pairs,) agents that could touch an obstacle before the next perception, in ascending order."""
    obstacle: Indices
    """(pairs,) that obstacle."""
    target: Plane
    """(n,) next point of the route."""
    avoidance: Array
    """(n,) turn rate (rad/s) away from predicted collisions."""
    speed_share: Array
    """(n,) target share of top speed; 0 for agents that have arrived or wait at a door."""
    queueing: Flags
    """(n,) whether an agent follows others into a door: it stays in line and does not avoid them."""


def prepare_floor(plan: FloorPlan, walker: WalkerLimits) -> PreparedFloor:
    """Check a floor plan, find routes around its walls, and move blocked goals towards the starts.

    Raises an InputError for agents that start inside each other, a pole or a wall.
    """
    check_starts(plan, walker)
    starts, goals, unreachable = to_complex(plan.starts), to_complex(plan.goals), {}
    for n, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        inside = find_obstruction(plan, goal, walker)
        if inside:
            goals[n] = find_free_point(plan, goal, start, walker)
            if abs(goals[n] - goal) > ARRIVAL_DISTANCE:
                unreachable[n] = f"its goal lies inside {inside}"
    routes_found = find_routes(plan, goals, walker)
    for n in np.flatnonzero(~routes_found.reachable(starts)).tolist():
        unreachable.setdefault(n, "its goal is not reachable")
        goals[n] = _before_wall(starts[n], goals[n], routes_found)
    lines, poles = routes_found.walls, to_complex(plan.poles)
    count = len(starts)
    return PreparedFloor(
        plan,
        walker,
        routes_found if not unreachable else find_routes(plan, goals, walker),
        np.concatenate([poles, lines[0]]),
        np.concatenate([np.zeros_like(poles), lines[1]]),
        np.concatenate([np.full(count, walker.clear_radius), plan.poles[:, 2], np.zeros(len(lines[0]))]),
        unreachable,
    )


def perceive(floor: PreparedFloor, state: AgentStates) -> Perception:
    """Find neighbours, predicted collisions, next route points and doors; valid for PERCEPTION_INTERVAL seconds."""
    walker, place, forward = floor.walker, state.place, np.exp(1j * state.heading)
    agent, obstacle = _neighbours(floor, state)
    start, vector = np.concatenate([place, floor.start]), np.concatenate([np.zeros_like(place), floor.vector])
    where = start[obstacle]
    walls = np.flatnonzero(obstacle >= len(floor.radius) - len(floor.plan.walls))
    where[walls] = _nearest(place[agent[walls]], start[obstacle[walls]], vector[obstacle[walls]])[1]
    velocity = np.concatenate([state.speed * forward, np.zeros_like(floor.start)])

    target, passes = floor.routes.next_targets(place)
    arrived = np.abs(floor.routes.goals - place) < ARRIVAL_DISTANCE
    pace, queues, waits, aside = control_doors(place, np.where(arrived, 0.0, forward), passes, floor.routes, walker)
    target, ends = np.where(waits, aside, target), np.abs(np.where(waits, aside, floor.routes.goals) - place)
    away, slower = avoid_collisions(
        Obstacles(agent, where, velocity[obstacle], floor.radius[obstacle]), target, ends, state, walker
    )
    pace = np.minimum(pace, 1.0 - slower)
    pace[ends < ARRIVAL_DISTANCE] = 0.0

    soon = (
        2.0 * (walker.stopping_distance + 1.5 * PERCEPTION_INTERVAL * walker.top_speed)
        + walker.clear_radius
        + floor.radius[obstacle]
    )
    close = np.flatnonzero(np.abs(where - place[agent]) < soon)
    return Perception(agent[close], obstacle[close], target, np.where(queues, 0.0, away), pace, queues)


def steer(floor: PreparedFloor, state: AgentStates, perception: Perception, dt: float) -> SteeringCommand:
    """Return turn rates and speeds for the next frame of dt seconds, within the walker's limits."""
    walker, agent, obstacle = floor.walker, perception.agent, perception.obstacle
    turn, speed, distance = approach_targets(perception.target, state, walker)
    # Slower than this nobody walks: what is too sharp a turn for it is one on the spot.
    least = walker.find_least(state.waited)
    slowest, setting_out = least * walker.slowest, least * walker.setting_out
    speed = np.maximum(speed, slowest)
    stopping = np.sqrt(walker.braking * distance)
    speed, pace = (np.minimum(each, stopping) * perception.speed_share for each in (speed, walker.top_speed))
    stands = state.speed == 0.0
    turn = np.where(stands, turn, turn + perception.avoidance)

    forward = np.exp(1j * state.heading)
    stop = state.speed**2 / (2.0 * walker.braking) * forward
    rests = np.concatenate([(perception.speed_share == 0.0) & (state.speed == 0.0), np.ones(len(floor.start), bool)])
    share = np.where(rests[agent], 0.0, np.where(rests[obstacle], 1.0, 0.5))
    others = np.concatenate([state.place, floor.start])[obstacle], np.concatenate([stop, floor.vector])[obstacle]
    limits = find_borders(
        agent, state.place[agent], stop[agent], others, share, walker.clear_radius + floor.radius[obstacle]
    )
    there = perception.target - state.place
    ahead, straight = limits.free_length(np.stack([forward, there / np.maximum(distance, 1e-9)]))
    least = np.where(stands, np.maximum(setting_out, _STUCK), _STUCK)
    helps = np.where(straight < least, _TURNS_IF_BLOCKED, 0.0)
    turn = np.where(stands & (np.abs(turn) < np.where(ahead < least, helps, _TURNS)), 0.0, turn)
    slow = state.speed < _SLOW * walker.top_speed
    blocked = np.where(stands, straight < least, (ahead < least) | ((straight < least) & slow))
    stuck = np.flatnonzero(blocked & (perception.speed_share > _STUCK) & ~perception.queueing)
    if len(stuck):
        turn[stuck] = _turn_to_free(stuck, limits, perception.target, state)
    turn = np.where(perception.speed_share > 0.0, turn, 0.0)
    most = walker.turn_limit(state.speed)
    turn = state.turn + (turn - state.turn) * min(dt / _SMOOTH, 1.0)
    turn = np.minimum(np.maximum(turn, -most), most)
    goes = ~stands | (pace > 2.0 * slowest) & (ahead > setting_out)
    goes &= np.minimum(speed, find_fastest(ahead, walker, dt)) >= slowest
    least = np.maximum(state.speed - walker.braking * dt, 0.0)
    speed = np.minimum(np.maximum(np.where(goes, speed, 0.0), least), state.speed + walker.acceleration * dt)
    return SteeringCommand(*limit_motion(turn, speed, limits, state, walker, dt))


def _neighbours(floor: PreparedFloor, state: AgentStates) -> tuple[Indices, Indices]:
    """Return pairs of agents and near obstacles: agents by a k-d tree, the few poles and walls by brute force."""
    walker, count, obstacles = floor.walker, len(state.speed), len(floor.radius)
    far = walker.top_speed * _HORIZON + 2.0 * walker.clear_radius
    tree = cKDTree(state.position, balanced_tree=False, compact_nodes=False)
    pairs = tree.query_pairs(far, output_type="ndarray")
    keys = [pairs[:, 0] * obstacles + pairs[:, 1], pairs[:, 1] * obstacles + pairs[:, 0]]
    if len(floor.start):
        mine, theirs = _nearest(state.place[:, None], floor.start, floor.vector)
        who, what = np.nonzero(np.abs(mine - theirs) < far + floor.radius[count:])
        keys.append(who * obstacles + what + count)
    agent, obstacle = np.divmod(np.sort(np.concatenate(keys)), obstacles)
    return agent, obstacle


def _turn_to_free(stuck: Indices, limits: Borders, target: Plane, state: AgentStates) -> Array:
    """Return turn rates of blocked agents towards the best direction: free length, nearness to target and heading."""
    towards_target = np.angle(target[stuck] - state.place[stuck])
    fan = towards_target + _FAN[:, None]
    room = limits.select(stuck, len(state.speed)).free_length(np.exp(1j * fan))
    heading = state.heading[stuck]
    score = np.minimum(room, 1.0) * (1.2 + np.cos(_FAN)[:, None])
    score += 0.8 * np.minimum(room / _STUCK, 1.0) * np.cos(fan - heading)  # towards a wall nobody goes on looking
    best = np.take_along_axis(fan, np.argmax(score, axis=0)[None], axis=0)[0]
    off = np.angle(np.exp(1j * (best - heading)))
    return 3.0 * off


def _nearest(point: Plane, start: Plane, vector: Plane) -> tuple[Plane, Plane]:
    """Return the nearest points of segments to points."""
    return nearest_points(point, np.zeros_like(point), start, vector)


def _before_wall(start: complex, goal: complex, routes_found: Routes) -> complex:
    """Return the last position before a wall on the straight line."""
    points = start + np.linspace(0.0, 1.0, 400) * (goal - start)
    mine, theirs = _nearest(points[:, None], *routes_found.walls)
    near = (np.abs(mine - theirs) < routes_found.clearance).any(axis=1)
    return complex(points[max(int(np.argmax(near)) - 1, 0)]) if near.any() else goal

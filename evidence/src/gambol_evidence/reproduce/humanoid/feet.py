"""How far feet slip and tip while they carry weight, and how far planned zero moment points are inside soles."""

from __future__ import annotations

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.jacobians import Jacobians
from gambol.geometry.arrays import Array
from gambol.robots.biped import Biped
from gambol.robots.dynamic_filter import find_zero_moment_points
from gambol.robots.execution import Planner, Run
from gambol.robots.footprints import Footprint, find_support_polygon
from gambol.robots.stabiliser import SensedState
from gambol.robots.walker import TICK, Walker

_LOADED = 0.2
"""Share of the weight that a foot carries at least."""
_LANDED = 10
"""Ticks after a foot was loaded from which on it should not move."""
_SAMPLE = 0.05
"""Seconds between samples of planned zero moment points."""
_RAISED = 0.002
"""Height (m) of a commanded sole that is in the air."""


def measure_soles(run: Run) -> tuple[float, float]:
    """Return how far (m) a loaded sole moves at most, and how high its highest corner is at most."""
    jacobians, weight = Jacobians(run.robot.dynamics), run.robot.character.mass * GRAVITY
    slip = tip = 0.0
    for side, foot in enumerate(run.robot.feet):
        loaded = np.flatnonzero(run.wrenches[:, side, 2] > _LOADED * weight)
        for stance in np.split(loaded, np.flatnonzero(np.diff(loaded) > 1) + 1):
            places = []
            for tick in stance[_LANDED:-_LANDED:4]:
                jacobians.take(run.q[tick])
                sole = foot.place(jacobians)
                places.append(sole.position[:2])
                corners = sole.position[2] + np.abs(sole.rotation[2, :2]) @ foot.half
                tip = max(tip, float(corners))
            if places:
                slip = max(slip, float(np.linalg.norm(np.array(places) - places[0], axis=1).max()))
    return slip, tip


def rehearse(walker: Walker, planner: Planner, seconds: float) -> Array:
    """Return the joint angles (ticks, dofs) of a robot that does exactly what it is told."""
    state, poses = walker.start(), []
    for _ in range(round(seconds / TICK)):
        sensed = SensedState(state.q, np.zeros_like(state.q), np.zeros((2, 6)))
        orders = planner.order(state, sensed)
        if orders.done:
            break
        state = walker.step(state, sensed, *orders[:3])
        poses.append(state.q)
    return np.array(poses)


def measure_margins(robot: Biped, commands: Array) -> Array:
    """Return how far (samples,) zero moment points of commands (ticks, dofs) are inside the soles on the ground (m)."""
    poses = commands[:: round(_SAMPLE / TICK)]
    points = find_zero_moment_points(robot, poses, _SAMPLE)
    jacobians = Jacobians(robot.dynamics)
    margins = []
    for q, point in zip(poses[1:-1], points, strict=True):
        jacobians.take(q)
        soles = [foot.place(jacobians) for foot in robot.feet]
        support = [
            Footprint(side, float(sole.position[0]), float(sole.position[1]), _find_heading(sole.rotation))
            for side, sole in enumerate(soles)
            if sole.position[2] < _RAISED
        ]
        normals, limits = find_support_polygon(support, robot.feet[0].half)
        margins.append(float((limits - normals @ point).min()))
    return np.array(margins)


def _find_heading(rotation: Array) -> float:
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))

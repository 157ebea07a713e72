"""`gambol bench humanoid`: whether the robot's controller keeps up with real time on one core.

A robot walks to a drawer and opens it in the simulation. Times are wall-clock times of single calls: a command (balance
and inverse kinematics) every 5 ms; every 100 ms a plan of steps with such a command, without and with the dynamic
filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from gambol.robots.actions.model import ActionModel
from gambol.robots.biped_file import load_biped
from gambol.robots.drawer import Drawer, DrawerPlanner
from gambol.robots.simulation import Simulation, World
from gambol.robots.verb import learn_robot_actions
from gambol.robots.walker import TICK, Walker
from gambol_evidence.bench.rows import Row

_PERIOD = 100.0
"""Milliseconds between plans."""
_SECONDS = 12.0
_HANDLE = np.array([1.6, 0.1, 0.95])
_WARM = 10
"""Calls that are not counted: libraries are loaded then."""


def run() -> Iterator[Row]:
    """Yield the rows."""
    robot = load_biped()
    with threadpool_limits(1):
        model = learn_robot_actions(robot, ("walk",))
        commands, plans, unsolved = measure_calls(Walker(robot), model)
        _, steps, _ = measure_calls(Walker(robot, filtered=False), model)
    for name, times, budget in (("command", commands, 1e3 * TICK), ("steps", steps, _PERIOD), ("plan", plans, _PERIOD)):
        for share in (50, 99):
            found = 1e3 * float(np.percentile(times[_WARM:], share))
            yield Row(f"{name}-p{share}", found, "ms", "time between calls", budget, budget / found)
    yield Row("unsolved", float(unsolved), f"of {len(plans)} plans")


def measure_calls(walker: Walker, model: ActionModel) -> tuple[list[float], list[float], int]:
    """Return seconds of commands and of plans, and how many plans were not solved."""
    planner = DrawerPlanner(walker, model, Drawer(_HANDLE, _HANDLE - [0.07, 0.22, 0.05]))
    commands: list[float] = []
    plans: list[float] = []
    state = walker.start()
    simulation = Simulation(walker.robot, state.q, World(encoder_noise=5e-4, seed=1))
    while simulation.time < _SECONDS:
        sensed = simulation.sense()
        orders = planner.order(state, sensed)
        if orders.done:
            break
        begun, times = perf_counter(), commands if state.ticks else plans
        state = walker.step(state, sensed, *orders[:3])
        times.append(perf_counter() - begun)
        simulation.advance(state.q, TICK)
    return commands, plans, state.unsolved

"""A robot, and a model of made-up actions, for the tests of this folder."""

from __future__ import annotations

from functools import cache

import numpy as np

from gambol.geometry.arrays import Array
from gambol.robots.actions.model import ACTIONS, ActionModel, ActionTask, LearnedAction
from gambol.robots.actions.regression import fit_local_regression
from gambol.robots.actions.trials import APPROACHING, OPENING, WALKING, ActionTrial, DrawerTask
from gambol.robots.actions.upper_body import UpperBody
from tests.robots.test_whole_body import jvrc

HARMONICS = 12
LENGTHS = {WALKING: (0.2, 0.3), APPROACHING: (0.1, 0.25), OPENING: (0.0, 0.0)}
SOURCES = {WALKING: 2, APPROACHING: 3, OPENING: 3}
LOW, HIGH = (0.4, 0.0, 0.85), (0.5, 0.2, 1.1)
"""Range of handles: the comfortable distance is 0.45 m."""


@cache
def load_body() -> UpperBody:
    return UpperBody(jvrc())


def make_drawer(distance: float = 0.45, left: float = 0.1, height: float = 1.0) -> DrawerTask:
    return DrawerTask((distance, left, height), (distance - 0.1, -0.1, height - 0.02))


def draw_tasks(action: str, count: int, seed: int) -> list[ActionTask]:
    """Tasks of which the first two have the shortest and the longest step, and the nearest and the farthest handle."""
    random = np.random.default_rng(seed)
    tasks = []
    for n in range(count):
        share = random.uniform(size=8) if n > 1 else np.full(8, float(n))
        low, high = LENGTHS[action]
        handle = np.add(LOW, share[:3] * np.subtract(HIGH, LOW))
        item = handle - [0.1, 0.3, 0.05] + share[3:6] * [0.05, 0.2, 0.05]
        duration = 0.9 + 0.2 * (share[7] - 0.5)
        drawer = None if action == WALKING else DrawerTask(tuple(handle.tolist()), tuple(item.tolist()))
        tasks.append(ActionTask(low + share[6] * (high - low), duration, drawer))
    mean = np.mean([task.drawer.handle[0] for task in tasks if task.drawer]) if action != WALKING else 0.0
    return [
        task if task.drawer is None else ActionTask(task.length, task.duration, task.drawer.move_nearer(mean - 0.45))
        for task in tasks
    ]


@cache
def make_model(columns: int, size: float = 0.2, examples: int = 24) -> ActionModel:
    """A model whose means, ramps and weights are linear functions of the task, of some size (rad)."""
    random = np.random.default_rng(0)
    sources = np.zeros((3, HARMONICS), complex)
    for n in range(3):
        sources[n, [n, n + 3]] = (1.0, 0.5j)
    actions = {}
    for seed, action in enumerate(ACTIONS):
        tasks = draw_tasks(action, examples, seed)
        inputs = np.array([task.list_inputs(action) for task in tasks])
        offset = random.normal(size=(columns, 2 + SOURCES[action])) * size
        slope = random.normal(size=(inputs.shape[1], columns, 2 + SOURCES[action])) * size
        if action == WALKING:
            offset[:, 1], slope[:, :, 1] = 0.0, 0.0
        outputs = (offset + np.tensordot(inputs - inputs.mean(axis=0), slope, 1)).reshape(examples, -1)
        actions[action] = LearnedAction(
            random.uniform(-0.5, 0.5, (columns, SOURCES[action])),
            fit_local_regression(inputs, outputs, [f"clip {n % 4}" for n in range(examples)]),
            LENGTHS[action],
            np.array([2.0 if action == OPENING else 0.9, 0.0]),
            1.0,
        )
    return ActionModel(sources.real, sources.imag, actions)


def make_action_trials(model: ActionModel, count: int) -> list[ActionTrial]:
    """Trials of a model."""
    phases = np.linspace(0.0, 1.0, 33)
    path: Array = np.zeros((len(phases), 2))
    return [
        ActionTrial(
            action,
            np.array([model.evaluate(action, phase, task) for phase in phases]),
            path,
            task.length,
            task.duration,
            task.drawer,
            f"clip {n % 4}",
        )
        for seed, action in enumerate(ACTIONS)
        for n, task in enumerate(draw_tasks(action, count, seed + 10))
    ]

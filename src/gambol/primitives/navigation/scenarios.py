"""Random floor plans: six agents among poles, crossing flows, a doorway, a circle, an open field."""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.primitives.navigation.floor_plan import FloorPlan

_APART = 1.0
"""Metres between walkers of a group."""
_WIDER = 1.6
"""Spacing at the goals relative to the start: late walkers must pass between those that have arrived."""
_FIELD = 8.0
"""Metres from the middle to the starts and goals of flows."""
_DOOR = 1.2
"""Width of the door (metres)."""


def make_poles(seed: int) -> FloorPlan:
    """Make a floor with five poles that six agents cross (M17 Fig. 2a)."""
    rng = np.random.default_rng(seed)
    angle = np.arange(6) * np.pi / 3.0 + rng.uniform(-0.3, 0.3, 6)
    starts = _round(angle, rng.uniform(5.0, 6.5, 6))
    goals = _round(angle + np.pi + rng.uniform(-0.3, 0.3, 6), rng.uniform(5.0, 6.5, 6))
    around = np.arange(5) * 0.4 * np.pi + rng.uniform(-0.4, 0.4, 5)
    places = np.column_stack([_round(around, rng.uniform(1.2, 3.5, 5)), rng.uniform(0.1, 0.3, 5)])
    return FloorPlan(starts, _spread(goals), poles=places, name=f"poles {seed}")


def make_crossing(seed: int, degrees: float = 90.0, each: int = 12) -> FloorPlan:
    """Make two groups whose paths cross at an angle; 180 degrees is head on."""
    rng = np.random.default_rng(seed)
    starts, goals = [], []
    for angle in (0.0, np.radians(degrees)):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        block, wide = _block(each, rng)
        starts.append((block - [_FIELD, 0.0]) @ turn)
        goals.append((wide + [_FIELD, 0.0]) @ turn)
    return FloorPlan(np.concatenate(starts), np.concatenate(goals), name=f"crossing {degrees:g} {seed}")


def make_doorway(seed: int, both: bool = False, people: int = 12) -> FloorPlan:
    """Make a wall with a gap of 1.2 m for one group, or for two halves of it from both sides."""
    rng = np.random.default_rng(seed)
    half = _DOOR / 2.0
    walls = np.array([[0.0, half, 0.0, 8.0], [0.0, -8.0, 0.0, -half]])
    sides = (1.0, -1.0) if both else (1.0,)
    starts, goals = [], []
    for side in sides:
        block, wide = _block(people // len(sides), rng)
        starts.append((block - [5.0, 0.0]) * side)
        goals.append((wide + [_FIELD, 0.0]) * side)
    return FloorPlan(np.concatenate(starts), np.concatenate(goals), walls=walls, name=f"doorway {'both ' * both}{seed}")


def make_circle(seed: int, people: int = 12) -> FloorPlan:
    """Make walkers on a circle, each with its goal on the opposite side."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * (np.arange(people) + rng.uniform(-0.1, 0.1, people)) / people
    radius = max(5.0, 1.2 * people / (2.0 * np.pi))
    return FloorPlan(_round(angle, radius), _round(angle + np.pi, radius), name=f"circle {seed}")


def make_field(people: int, seed: int = 0, spacing: float = 2.5) -> FloorPlan:
    """Make walkers at constant density: one per square of `spacing` metres, goals up to eight squares away."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(people)))
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:people] * spacing
    starts = grid + rng.uniform(-0.3, 0.3, (people, 2)) * spacing
    goals = grid + rng.uniform(-8.0, 8.0, (people, 2)) * spacing
    return FloorPlan(starts, goals, name=f"field of {people}")


def _block(people: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return starts in rows of four with random offsets, and goals with wider spacing."""
    rows = np.arange(people)
    wide = min(4, people)
    grid = np.stack([-(rows // wide).astype(float), rows % wide - 0.5 * (wide - 1)], axis=1) * _APART
    starts, goals = rng.uniform(-0.15, 0.15, (2, people, 2))
    return grid + starts, _WIDER * grid + goals


def _round(angle: Array, radius: Array | float) -> Array:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _spread(goals: Array) -> Array:
    """Separate goals that are too close by rotating the later one about the middle."""
    for n in range(len(goals)):
        while n and np.linalg.norm(goals[:n] - goals[n], axis=1).min() < 1.0:
            goals[n] = goals[n] @ np.array([[np.cos(0.1), np.sin(0.1)], [-np.sin(0.1), np.cos(0.1)]])
    return goals

"""Training trials of three actions: recorded walks, retargeted to a robot, with edited reaches (M17 section 3.3).

M17 recorded people who walk up to a drawer. Here only the walks are recorded; all reaches are edited.

- WALKING: a gait cycle, as recorded.
- APPROACHING: the cycle with shorter steps, edited as `primitives.variants` does. In its last step, that of the right
  foot, the left hand leaves its swing for the handle. Reach and step overlap entirely: the hand begins within the first
  fifth of that step and arrives when the foot does.
- OPENING: the robot stands. The left hand holds the handle and pulls the drawer by PULL. Before it is open, the right
  hand begins to reach for the object in it, in an arc from above.

Hands move on minimum-jerk paths relative to the centre of mass. The arm follows by inverse kinematics, the trunk leans
a little with it, and the rest of the body moves as recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.features.strides import find_strides
from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.geometry.vectors import UP
from gambol.motion.motion import Motion
from gambol.primitives.prototypes import prototypes_of
from gambol.primitives.variants import add_variants
from gambol.primitives.variation import Variation
from gambol.robots.actions.retarget import RobotCycle, find_slowdown, retarget_prototype
from gambol.robots.actions.upper_body import UpperBody

WALKING, APPROACHING, OPENING = "walk", "approach", "open"
PULL = 0.15
"""Metres by which JVRC-1 opens the drawer, towards itself."""
_SHORTENED = (0.45, 0.85)
"""Range of step lengths of APPROACHING relative to those of WALKING."""
_EDITED = (0.7, 0.8, 0.9)
"""Step lengths of WALKING relative to the recorded one, where there is only one recording."""
BEGIN = (0.5, 0.6)
"""Range of phases of APPROACHING at which the hand leaves its swing."""
PULLING, REACHING = (0.15, 0.6), (0.4, 1.0)
"""Phases of OPENING in which the left hand pulls and the right hand reaches."""
_ARC = 0.08
"""Metres by which the right hand of JVRC-1 is above the straight line to the object, midway."""
_DURATIONS = (1.8, 2.8)
"""Range of durations (s) of OPENING."""
_ARM_STIFFNESS, _OTHER_STIFFNESS = 0.005, 0.02
"""Costs of angles about the recorded ones (m per rad), of shoulder and elbow, and of trunk and wrist."""
_MISSED = 0.005
"""Largest distance (m) between a hand and its goal at the end of a trial."""


class DrawerTask(NamedTuple):
    """Where a drawer is for a robot that stands before it, relative to the floor midway between its feet (m)."""

    handle: tuple[float, float, float]
    """Ahead, to the left, and height, of the closed drawer."""
    item: tuple[float, float, float]
    """The object in the drawer when it is open, likewise."""

    def move_nearer(self, ahead: float, aside: float = 0.0) -> DrawerTask:
        """Return the drawer for a robot that has walked ahead and to the left (m)."""
        handle, item = ((x - ahead, y - aside, z) for x, y, z in self)
        return DrawerTask(handle, item)


class DrawerRange(NamedTuple):
    """Ranges from which drawers are drawn, in arm lengths; heights are below the shoulders."""

    ahead: tuple[float, float] = (0.54, 0.74)
    left: tuple[float, float] = (0.0, 0.45)
    below: tuple[float, float] = (0.22, 0.8)
    """Of the handle."""
    deeper: tuple[float, float] = (0.06, 0.2)
    """Of the object, from the handle of the open drawer on."""
    right: tuple[float, float] = (0.03, 0.45)
    """Of the object."""
    lower: tuple[float, float] = (0.0, 0.09)
    """Of the object, below the handle."""

    def draw(self, body: UpperBody, random: np.random.Generator) -> DrawerTask:
        """Draw a drawer for a robot."""
        shoulder, arm = body.measure_arm()
        ahead, left, below, deeper, right, lower = (arm * random.uniform(*bounds) for bounds in self)
        height = shoulder - below
        return DrawerTask(
            (ahead, left, height), (ahead - body.robot.size_ratio * PULL + deeper, -right, height - lower)
        )


@dataclass(frozen=True, eq=False)
class ActionTrial:
    """A trial of an action."""

    action: str
    angles: Array
    """(phases + 1, columns) of the upper body."""
    path: Array
    """(phases + 1, 2) of the pelvis: ahead and left (m)."""
    length: float
    """Of a step (m); 0 for OPENING."""
    duration: float
    """Of a step, or of OPENING (s)."""
    drawer: DrawerTask | None = None
    """None for WALKING."""
    source: str = ""
    """Name of the recording."""


def make_trials(
    motions: Sequence[Motion],
    body: UpperBody,
    seed: int = 0,
    reaches: int = 3,
    drawers: DrawerRange = DrawerRange(),
) -> list[ActionTrial]:
    """Return trials of all actions: one WALKING per recorded gait cycle, up to `reaches` times as many of the others.

    Drawers that the robot's hands miss, or reach with faster joints than it has, are left out. From a single recording,
    cycles with edited steps are added to WALKING, and every trial counts as a recording of its own.
    """
    random = np.random.default_rng(seed)
    whole: list[tuple[RobotCycle, str]] = []
    short: list[tuple[RobotCycle, str]] = []
    alone = len(motions) == 1
    for motion in motions:
        for stride in find_strides(motion):
            steps = [*random.uniform(*_SHORTENED, size=reaches), *(_EDITED if alone else ())]
            variants = {str(n): ("stride", Variation(steps=float(step))) for n, step in enumerate(steps)}
            prototypes = add_variants(prototypes_of(motion, {"stride": [stride]}), variants)
            cycles = [(retarget_prototype(prototypes, name, body), motion.name) for name in ("stride", *variants)]
            short += cycles[1 : 1 + reaches]
            whole += [cycles[0], *cycles[1 + reaches :]]
    slowdown = find_slowdown([cycle for cycle, _ in whole], body.robot.fastest, body.robot.longest_step)
    trials = []
    for cycle, source in whole:
        slow = cycle.slow_down(slowdown)
        trials.append(ActionTrial(WALKING, slow.angles, slow.path, slow.length, slow.duration, source=source))
    obstacles: list[str] = []
    for cycle, source in short:
        reach = add_reach(body, cycle.slow_down(slowdown), drawers.draw(body, random), random.uniform(*BEGIN))
        opening = add_opening(body, reach, random.uniform(*_DURATIONS))
        found = [*_list_obstacles(body, reach), *_list_obstacles(body, opening)]
        trials += [] if found else [replace(reach, source=source), replace(opening, source=source)]
        obstacles += found
    if len(trials) == len(whole):
        raise InputError(
            f"the robot '{body.robot.character.name}' reaches into no drawer as people would: {obstacles[0]}",
            fix="change posture or grasping points in a robot file (gambol rig), or let it walk without a drawer",
        )
    return [replace(trial, source=str(n)) for n, trial in enumerate(trials)] if alone else trials


def add_reach(body: UpperBody, cycle: RobotCycle, drawer: DrawerTask, begin: float) -> ActionTrial:
    """Return a cycle whose left hand goes from its swing at a phase to the handle at the end."""
    share = follow_minimum_jerk(_list_phases(cycle.angles), (begin, 1.0))[:, None]
    swung = np.array([body.locate_hands(angles)[0] for angles in cycle.angles])
    angles = _follow_hands(body, cycle.angles, [swung + share * (drawer.handle - swung)])
    return ActionTrial(APPROACHING, angles, cycle.path, cycle.length, cycle.duration, drawer)


def add_opening(body: UpperBody, before: ActionTrial, duration: float) -> ActionTrial:
    """Return a trial of OPENING that begins where one of APPROACHING ends."""
    assert before.drawer is not None
    angles, phases = np.broadcast_to(before.angles[-1], before.angles.shape), _list_phases(before.angles)
    _, right = body.locate_hands(before.angles[-1])
    pulled, share = (follow_minimum_jerk(phases, span)[:, None] for span in (PULLING, REACHING))
    arc, size = 16.0 * share**2 * (1.0 - share) ** 2, body.robot.size_ratio
    left = before.drawer.handle - size * PULL * pulled * [1.0, 0.0, 0.0]
    right = right + share * (before.drawer.item - right) + size * _ARC * arc * UP
    angles = _follow_hands(body, angles, [left, right])
    return ActionTrial(OPENING, angles, np.zeros((len(angles), 2)), 0.0, duration, before.drawer)


def _follow_hands(body: UpperBody, recorded: Array, goals: Sequence[Array]) -> Array:
    """Return angles (phases, columns) near recorded ones with which hands, the left one first, are at their goals."""
    above_wrist = [
        column for arm in body.robot.parts.arms for column in arm.columns[: arm.columns.index(arm.hinge) + 1]
    ]
    stiffness = np.where(np.isin(body.columns, above_wrist), _ARM_STIFFNESS, _OTHER_STIFFNESS)
    return body.solve([body.aim_hand(side, places) for side, places in enumerate(goals)], recorded, stiffness)


def measure_miss(body: UpperBody, trial: ActionTrial) -> float:
    """Return the distance (m) between the hand and its goal at the end of a trial of APPROACHING or OPENING."""
    assert trial.drawer is not None
    side = 0 if trial.action == APPROACHING else 1
    return float(np.linalg.norm(body.locate_hands(trial.angles[-1])[side] - trial.drawer[side]))


def _list_obstacles(body: UpperBody, trial: ActionTrial) -> Iterator[str]:
    """Yield why the robot cannot do a trial: a hand misses its goal, or a joint is not fast enough."""
    miss = measure_miss(body, trial)
    if miss >= _MISSED:
        yield f"a hand stays {1e3 * miss:.0f} mm away"
    seconds = trial.duration if trial.action == OPENING else 2.0 * trial.duration
    rates = np.abs(np.diff(trial.angles, axis=0)).max(axis=0) * (len(trial.angles) - 1) / seconds
    skeleton, limits = body.robot.character.skeleton, body.robot.description.speeds[body.columns]
    worst = int((rates / limits).argmax())
    if rates[worst] > limits[worst]:
        joint = skeleton.names[skeleton.dofs[body.columns[worst]].joint]
        yield f"joint '{joint}' would turn at {rates[worst]:.1f} rad/s, its limit is {limits[worst]:.1f}"


def _list_phases(values: Array) -> Array:
    return np.linspace(0.0, 1.0, len(values))

"""Claims about generated meetings: hands meet, styles grow evenly, and are recognised by what was not edited."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.model import InteractionModel
from gambol.interaction.trials import GroundFrame, Trial
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingTrials

_RUNS = 100
_FAILED = 0.1
"""Distance (m) of hands at the contact from which on a run has failed."""
_STEPS = 5
"""Shares of an emotion, from 0 to 1."""
_HERE = GroundFrame(np.zeros(3), 0.0)


def measure_generated(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield the claims of the model of the first seed."""
    seed = trials.standing[0]
    data = "edited 20_11 and 21_11, standing, first seed"
    random = np.random.default_rng(17)
    plans = [_draw_plan(seed.model, random) for _ in range(_RUNS)]
    gaps = [measure_free_gap(seed.model, plan) for plan in plans]
    yield Claim(
        "free-gap", OUR_BAR, f"{_RUNS} generated meetings: distance of hands at the contact by the poses alone, mean",
        100.0 * float(np.mean(gaps)), "cm", data, Band(high=2.0),
    )  # fmt: skip
    met = [generate_meeting(seed.model, plan, _HERE) for plan in plans]
    yield Claim(
        "free-failures", OUR_BAR, "generated meetings whose hands stay more than 10 cm apart, or that are not finite",
        float(sum(not trial.gap < _FAILED for trial in met)), "meetings", data, Band(high=0.0),
    )  # fmt: skip
    yield from _measure_morphs(seed.model, data)
    known = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    known.fit([describe_gesture(one.trial) for one in seed.learned], [one.style for one in seed.learned])
    names = [next(iter(plan.style), "neutral") for plan in plans]
    share = 100.0 * float(known.score([describe_gesture(trial) for trial in met], names))
    yield Claim(
        "styles-told", OUR_BAR, "generated meetings whose style a classifier of features that were not edited tells",
        share, "%", f"{data}; features: swivel of elbows, orientation of hands, shape of paths", Band(85.0),
    )  # fmt: skip


def measure_free_gap(model: InteractionModel, plan: MeetingPlan) -> float:
    """Return the distance (m) of the hands at phase 0.5 by the mean poses of both people."""
    course = model.course
    goal = course.goal_space.mean if plan.goal is None else plan.goal
    row = course.evaluate(0.5, course.combine(course.share_styles(plan.style), goal))[None]
    one, two = (
        person.arm.locate(person.decode(row[:, columns]))
        for person, columns in zip(model.people, model.columns[:2], strict=True)
    )
    return float(np.linalg.norm(one - two))


def describe_gesture(trial: Trial) -> Array:
    """Return features of both arms that no style edit sets: swivel of elbows, orientation of hands, shape of paths."""
    return np.concatenate([_describe_arm(trial, person) for person in range(2)])


def _describe_arm(trial: Trial, person: int) -> Array:
    motion, arm, path, contact = trial.people[person], trial.arms[person], trial.paths[person], trial.contact
    placed = motion.placement
    shoulder, elbow, wrist = (placed.positions[:, arm.path[arm.elbow + n]] for n in (-1, 0, 1))
    line = wrist - shoulder
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    out = elbow - shoulder
    out -= (out * line).sum(axis=1, keepdims=True) * line
    down = np.array([0.0, 0.0, -1.0]) + line[:, 2:] * line
    across = np.cross(line, down)
    swivel = np.arctan2((out * across).sum(axis=1), (out * down).sum(axis=1))[contact]
    speeds = np.linalg.norm(np.diff(path, axis=0), axis=1)
    upward = quat.to_matrix(placed.rotations[contact, arm.path[-1]])[2]
    straight = np.linalg.norm(path[contact] - path[0]) / max(float(speeds[:contact].sum()), 1e-9)
    half = path[contact // 2] - path[contact]
    peaks = [speeds[:contact].argmax() / contact, speeds.max() / speeds.mean()]
    return np.array([np.sin(swivel), np.cos(swivel), *upward, straight, *half, *peaks])


def _measure_morphs(model: InteractionModel, data: str) -> Iterator[Claim]:
    """Yield whether speed and amplitude grow or shrink evenly from neutral to every emotion.

    Speed is the mean one until the contact: the largest one is that of a single frame, and depends on where it falls.
    """
    curves = []
    for emotion in model.emotions:
        met = [generate_meeting(model, MeetingPlan({emotion: share}), _HERE) for share in np.linspace(0.0, 1.0, _STEPS)]
        paths = [trial.paths[0][: trial.contact + 1] for trial in met]
        curves.append([float(np.linalg.norm(np.diff(path, axis=0), axis=1).mean()) for path in paths])
        curves.append([measure_amplitude(trial) for trial in met])
    steps = np.diff(curves, axis=1)
    even = (steps > 0.0).all(axis=1) | (steps < 0.0).all(axis=1)
    yield Claim(
        "morphs", OUR_BAR, "from neutral to every emotion, mean speed of the hand and amplitude change monotonically",
        100.0 * float(even.mean()), "%", data, Band(100.0),
    )  # fmt: skip


def measure_amplitude(trial: Trial) -> float:
    """Return the mean range (rad) of the rotations of all joints of person 1."""
    turned = trial.local[0].rotations
    apart = quat.angle(quat.multiply(quat.conjugate(turned[:1]), turned))
    return float(apart.max(axis=0).mean())


def _draw_plan(model: InteractionModel, random: np.random.Generator) -> MeetingPlan:
    style = random.choice(["neutral", *model.emotions])
    share = float(random.uniform(0.6, 1.4))
    goal = model.course.goal_space.mean + random.uniform(-0.15, 0.15, 3) * [0.2, 1.0, 1.0]
    return MeetingPlan({} if style == "neutral" else {str(style): share}, goal=goal, seed=int(random.integers(1 << 31)))

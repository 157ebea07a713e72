"""A learned meeting of two people: their rows, the course of both, and how fast it goes (M17 section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes, summarise_fields
from gambol.interaction.course import Course, CourseSamples, GoalSpace, learn_course
from gambol.interaction.registration import register_phases
from gambol.interaction.rows import PLACE, PersonRows, find_person_rows
from gambol.interaction.tracker import HandCourse
from gambol.interaction.trials import Trial
from gambol.io.models import ModelKind, register
from gambol.io.packed import build
from gambol.learn.gaussian import CoefficientProcess
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.poses.reach import Arm, HandPoint

_REGISTRATIONS = 2
_VARIATIONS, _VARIATION_PHASES = 24, 21
"""Number of variations, and phases at which they are known."""
_SLOWEST_FRAMES = 1.0 / 60.0
"""Shortest frame time (s) that is learned from; people move below 15 Hz."""
_SPREAD = 2.0
"""Standard deviation of a measured hand, relative to that of the trials: they differ from their mean for many samples
in a row, which a filter takes as independent."""
_HAND_SPREAD, _RATE_SPREAD, RATE_WALK = 0.03, 0.2, 0.3
"""Standard deviations before any trial is known: of a measured hand (m), of the logarithm of a rate, and of its change
within a second."""
_PRIOR_TRIALS = 10
"""Number of trials that these count as."""
_FASTEST = 5.0
"""Largest logarithm of a rate: 150 meetings per second."""
SEGMENTS = 6
"""Segments of the phase before the contact, and after it, in which paces are known."""
_CLOSED, _TURNED = 0.2, 0.3
"""Distance (m) between the roots at the beginning and at the end, and root mean square of the turns (rad) of the joints
between them, within which a meeting returns to where it began."""


@dataclass(frozen=True, eq=False)
class InteractionModel:
    """Two people who meet; made by `learn_interaction_model`."""

    __repr__ = summarise_fields

    people: tuple[PersonRows, PersonRows]
    course: Course
    """Of columns: rows of person 1, rows of person 2, touching point of person 1, of person 2."""
    log_rates: Array
    """(2, 1 + emotions) mean logarithm of the phase per second before and after the contact: neutral, and what every
    emotion adds."""
    log_rate_spread: float
    log_rate_walk: float
    """Change of the logarithm of the rate within a second (standard deviation)."""
    frame_time: float
    trials: int
    """Number of trials it was learned from."""
    variations: Array
    """(variations, phases, columns) how trials differ from the course, most first, each of standard deviation 1."""
    pace_variations: Array
    """(variations, 2 * SEGMENTS) how the logarithms of the rates of trials differ from the mean in segments of the
    phase, most first, each of standard deviation 1."""

    def __post_init__(self) -> None:
        columns = sum(person.size for person in self.people) + 6
        check_shapes(
            self,
            log_rates=(2, 1 + len(self.emotions)),
            variations=(len(self.variations), _VARIATION_PHASES, columns),
            pace_variations=(len(self.pace_variations), 2 * SEGMENTS),
        )
        check_shapes(self.course, mean=(columns,))
        if not 0.0 < self.frame_time <= 1.0 or self.trials < 1 or np.abs(self.log_rates).max() > _FASTEST:
            raise InputError("a frame time, a number of trials or a rate is not one of people")

    @property
    def emotions(self) -> tuple[str, ...]:
        """Names of the styles beside neutral."""
        return self.course.emotions

    @cached_property
    def columns(self) -> tuple[slice, slice, slice, slice]:
        """Columns of the rows of both people and of their touching points."""
        one, two = (rows.size for rows in self.people)
        return slice(0, one), slice(one, one + two), slice(one + two, one + two + 3), slice(one + two + 3, None)

    @cached_property
    def closed(self) -> bool:
        """Whether person 1 ends where and as it began."""
        first, last = self.course.table[[0, -1], 0, self.columns[0]]
        moved = np.linalg.norm(last[PLACE] - first[PLACE])
        turns = np.linalg.norm((last - first)[3:].reshape(-1, 3), axis=1)
        return bool(moved < _CLOSED and turns[0] < _TURNED and np.sqrt(np.mean(turns**2)) < _TURNED)

    def find_hand_course(self, shares: Array) -> HandCourse:
        """Return the path of the touching point of person 2 in a style given by shares (emotions,)."""
        neutral, styled = (self.course.fix_style(share)[..., self.columns[3]] for share in (0.0 * shares, shares))
        table = np.stack([neutral, styled - neutral])
        slopes = np.gradient(table, 1.0 / (len(neutral) - 1), axis=1)
        spread = _SPREAD * float(self.course.noise[self.columns[3]].mean())
        return HandCourse(
            self.course.goal_space,
            table,
            slopes,
            _pool(spread, self.trials, _HAND_SPREAD),
            np.array([self.log_rates[0, 0], shares @ self.log_rates[0, 1:]]),
            self.log_rate_spread,
            self.log_rate_walk,
        )


def learn_interaction_model(trials: Sequence[Trial]) -> InteractionModel:
    """Learn from trials on equal rigs; emotions are those of their styles."""
    if not trials:
        raise InputError("no trials to learn from", fix="give two clips of one scene, or several such pairs")
    one, two = (find_person_rows(trials, person) for person in range(2))
    emotions = tuple(sorted({emotion for trial in trials for emotion in trial.style}))
    samples = [_sample(trial, (one, two), emotions) for trial in trials]
    course = learn_course(_join(samples), emotions)
    for _ in range(_REGISTRATIONS if len(trials) > 1 else 0):
        course = learn_course(_join([_register(course, sample) for sample in samples]), emotions, course)
    style = np.array([[1.0, *(trial.style.get(emotion, 0.0) for emotion in emotions)] for trial in trials])
    frames = np.array([[max(trial.contact, 1), max(len(trial) - 1 - trial.contact, 1)] for trial in trials])
    rates = -np.log(2.0 * frames * [[trial.frame_time] for trial in trials])
    log_rates = np.linalg.lstsq(style, rates, rcond=None)[0].T
    frame_time = max(trials[0].frame_time, _SLOWEST_FRAMES)
    registered = [_register(course, sample) for sample in samples]
    off = rates - style @ log_rates.T
    paces = np.repeat(off, SEGMENTS, axis=1) + [_find_warp(*each) for each in zip(samples, registered, strict=True)]
    seconds = np.exp(-rates[:, 0]) / 4.0  # from the middle of the first half of the approach to that of the second
    slow, fast = (paces[:, half].mean(axis=1) for half in (slice(0, SEGMENTS // 2), slice(SEGMENTS // 2, SEGMENTS)))
    return InteractionModel(
        (one, two),
        course,
        log_rates,
        _pool(float(off[:, 0].std()), len(trials), _RATE_SPREAD),
        _pool(float(np.sqrt(np.mean((fast - slow) ** 2 / seconds))), len(trials), RATE_WALK),
        frame_time,
        len(trials),
        _find_variations(course, registered),
        _find_components(paces),
    )


def _pool(spread: float, trials: int, before: float) -> float:
    """Return a standard deviation given that of so many trials and the one assumed before: few trials teach little."""
    return float(np.sqrt((_PRIOR_TRIALS * before**2 + trials * spread**2) / (_PRIOR_TRIALS + trials)))


def _find_warp(even: CourseSamples, registered: CourseSamples) -> Array:
    """Return the logarithms (2 * SEGMENTS,) of the rates of registered phases relative to even ones."""
    grid = np.linspace(0.0, 1.0, 2 * SEGMENTS + 1)
    steps = np.diff(np.interp(grid, registered.phases, even.phases))
    return np.log(np.diff(grid) / np.where(steps > 0.0, steps, np.diff(grid)))  # a trial may begin with the contact


def _find_components(values: Array) -> Array:
    """Return principal components (components, columns) of values (trials, columns), each of standard deviation 1."""
    _, sizes, axes = np.linalg.svd(values, full_matrices=False)
    return np.asarray(sizes[:, None] / np.sqrt(len(values)) * axes)


def _find_variations(course: Course, samples: Sequence[CourseSamples]) -> Array:
    """Return principal components of what trials differ from the course by, over phases."""
    grid, curves = np.linspace(0.0, 1.0, _VARIATION_PHASES), []
    for sample in samples:
        shown = course.evaluate_all(sample.phases, course.combine(sample.styles[0], sample.goals[0]))
        curves.append([np.interp(grid, sample.phases, column) for column in (sample.rows - shown).T])
    apart = np.array(curves).transpose(0, 2, 1) / course.noise
    kept = _find_components(apart.reshape(len(samples), -1))[:_VARIATIONS]
    return kept.reshape(-1, _VARIATION_PHASES, apart.shape[2]) * course.noise


def register_trial(model: InteractionModel, trial: Trial) -> Array:
    """Return the phases (frames,) at which the course is most like a trial, at 60 frames per second at most."""
    sample = _sample(trial, model.people, model.emotions)
    return _register(model.course, sample).phases


def _join(samples: Sequence[CourseSamples]) -> CourseSamples:
    return CourseSamples(*(np.concatenate(values) for values in zip(*samples, strict=True)))


def _register(course: Course, sample: CourseSamples) -> CourseSamples:
    features = course.combine(sample.styles[0], sample.goals[0])
    return sample._replace(phases=register_phases(sample.rows, sample.phases, features @ course.table, course.noise))


def _sample(trial: Trial, people: tuple[PersonRows, PersonRows], emotions: Sequence[str]) -> CourseSamples:
    rows = [person.encode(local) for person, local in zip(people, trial.local, strict=True)]
    columns = np.hstack((*rows, *trial.paths))
    step = _SLOWEST_FRAMES / trial.frame_time
    phases = trial.phases
    if step > 1.0 and len(trial) > 4:
        frames = np.arange(0.0, len(trial) - 1 + 1e-9, step)
        columns, phases = (
            CubicSpline(np.arange(len(trial)), columns)(frames),
            np.interp(frames, np.arange(len(trial)), phases),
        )
    style = np.array([trial.style.get(emotion, 0.0) for emotion in emotions])
    return CourseSamples(phases, np.tile(style, (len(phases), 1)), np.tile(trial.place, (len(phases), 1)), columns)


_COURSE = ("goal_space", "emotions", "stretched", "mean", "scales", "noise")
_MODEL = ("people", "log_rates", "log_rate_spread", "frame_time", "trials", "variations")
_ADDED = {"log_rate_walk": RATE_WALK, "pace_variations": np.zeros((0, 2 * SEGMENTS))}
"""What files of gambol 0.1.0 may lack."""


def _pack(model: InteractionModel) -> dict[str, Any]:
    course = {name: getattr(model.course, name) for name in _COURSE}
    values = {name: getattr(model, name) for name in (*_MODEL, *_ADDED)}
    return {**values, "course": {**course, "process": model.course.process.to_values()}}


def _unpack(values: dict[str, Any]) -> InteractionModel:
    course = values["course"]
    process = CoefficientProcess.from_values(course["process"])
    parts = {name: course[name] for name in _COURSE} | {"emotions": tuple(course["emotions"])}
    made = build(Course, {"process": process, **parts})
    rest = {name: values[name] for name in _MODEL} | {name: values.get(name, value) for name, value in _ADDED.items()}
    return build(InteractionModel, {"course": made, **rest, "people": tuple(rest["people"])})


_CLASSES = (Arm, Dof, GoalSpace, HandPoint, Origin, PersonRows, Rig, Skeleton)
_FIX = "'gambol interaction learn A B -o FILE' makes one"
register(ModelKind(InteractionModel, "interaction", 1, _FIX, _CLASSES, _pack, _unpack))

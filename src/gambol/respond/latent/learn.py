"""Learn a walker from a normal walk and pushed examples: one model, or several that share the walk (YL10 section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from gambol.errors import InputError
from gambol.progress import Progress, silent
from gambol.respond.latent.decode import learn_decoder
from gambol.respond.latent.examples import ExamplePush, NormalWalk, SolvedExample
from gambol.respond.latent.features import FeatureKind, FeatureLayout, compute_features, compute_loop_features
from gambol.respond.latent.gate import DataGate, PushedExample, judge_training_data
from gambol.respond.latent.responder import LatentWalker, PushForm
from gambol.respond.latent.walk_model import TrainingOptions, WalkModel, learn_walk_model

Grouping = Literal["phase", "direction", "none"]
"""Which examples are learned in one model."""
_TOGETHER = 4
"""So many examples, or fewer, are learned in one model."""
PHASES, DIRECTIONS, SPEED = 8, 4, 0.5
"""Phases and directions of the examples that are made where none are given, and what their pushes give (m/s)."""


def plan_examples(phases: int = PHASES, directions: int = DIRECTIONS, speed: float = SPEED) -> list[ExamplePush]:
    """Return pushes at even phases of the cycle and in even directions."""
    if phases < 1 or directions < 1:
        raise InputError(f"{phases} phases and {directions} directions", fix="choose 1 or more of each")
    if not 0.0 < speed <= 1.5:
        raise InputError(f"pushes of {speed:g} m/s", fix="choose up to 1.5 m/s")
    return [
        ExamplePush(phase / phases, 360.0 * direction / directions, speed)
        for phase in range(phases)
        for direction in range(directions)
    ]


def describe_push(push: ExamplePush) -> str:
    """Return the name of an example, by its push."""
    return f"{push.direction:.0f} degrees at {100.0 * push.phase:.0f} % of the cycle"


def judge_examples(walk: NormalWalk, examples: Sequence[SolvedExample], features: FeatureKind = "points") -> DataGate:
    """Judge whether a walk and examples can train a walker."""
    layout = FeatureLayout(walk.character, features)
    pushed = [
        PushedExample(one.name or describe_push(one.push), compute_features(layout, one.poses), one.push.direction)
        for one in examples
    ]
    return judge_training_data(compute_loop_features(layout, walk.loop), pushed)


def group_examples(examples: Sequence[SolvedExample], by: Grouping = "phase") -> list[list[SolvedExample]]:
    """Divide examples into those of one model each, by the phase or the direction of their pushes."""
    if by not in get_args(Grouping):
        raise InputError(f"unknown grouping '{by}'", fix=f"choose {', '.join(get_args(Grouping))}")
    if by == "none" or len(examples) <= _TOGETHER:
        return [list(examples)]
    groups: dict[int, list[SolvedExample]] = {}
    for example in examples:
        phase, direction = example.push.phase * PHASES, example.push.direction / 360.0 * DIRECTIONS
        key = int(phase + 0.5) % PHASES if by == "phase" else int(direction + 0.5) % DIRECTIONS
        groups.setdefault(key, []).append(example)
    return [groups[key] for key in sorted(groups)]


def fit_walker(
    walk: NormalWalk,
    examples: Sequence[SolvedExample],
    options: TrainingOptions = TrainingOptions(),
    *,
    by: Grouping = "phase",
    features: FeatureKind = "points",
    form: PushForm = "lean",
    progress: Progress = silent,
) -> LatentWalker:
    """Learn a walker; `by` says which examples share a model.

    Models by phase hold pushes in all directions at about one phase, and interpolate between directions. The paper has
    models by direction.
    """
    layout = FeatureLayout(walk.character, features)
    for example in examples:
        if example.poses.ndim != 2 or example.poses.shape[1] != len(walk.character.skeleton.dofs):
            raise InputError(
                f"an example has poses of shape {example.poses.shape}, the walker {len(walk.character.skeleton.dofs)} "
                "coordinates",
                fix="use examples of the same character",
            )
    normal = compute_loop_features(layout, walk.loop)
    groups = group_examples(examples, by)
    models: list[WalkModel] = []
    for group in groups:
        progress("learning models", len(models), len(groups))
        models.append(learn_walk_model(layout, normal, group, options))
    decoder = learn_decoder(layout, walk.loop.at(np.arange(len(walk.loop))), [example.poses for example in examples])
    return LatentWalker(walk, decoder, tuple(models), form)

"""Public functions as answers to a changed clip: places of joints, as they would be for the unchanged one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import gambol as gb
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from tests.metamorphic.changes import SAME, Change

_AWAY = 0.5
"""Seconds from the ends of a clip that was cut within which answers may differ."""
Answer = dict[str, Array]
"""Values (frames, 3) by joint, or (1,) by figure."""


def push(clip: Motion, change: Change, method: gb.PushMethod = gb.NearUnactuated()) -> Answer:
    """Push the chest obliquely from behind in the middle of the clip."""
    shove = gb.Push("chest", change.vector((150.0, 120.0, 0.0)), 0.5 * clip.duration - change.cut, 0.2)
    return change.undo(gb.push(change.apply(clip), [shove], method=method).motion)


def push_replan(clip: Motion, change: Change) -> Answer:
    """The same, answered by the whole body."""
    return push(clip, change, gb.Replan())


def fix(clip: Motion, change: Change) -> Answer:
    return change.undo(gb.fix(change.apply(clip)).motion)


def edit(clip: Motion, change: Change) -> Answer:
    """Make a jump higher."""
    return change.undo(gb.edit(change.apply(clip), changes=[{"stage": "flight 1", "higher": 0.1}]).motion)


def loop(clip: Motion, change: Change) -> Answer:
    return change.undo(gb.loop(change.apply(clip)).motion)


def join(clip: Motion, change: Change) -> Answer:
    return change.undo(gb.join(change.apply(clip), change.apply(clip)).motion)


def retarget(clip: Motion, change: Change) -> Answer:
    """Put a clip on the rig of the built-in run made larger by a fifth, which is mirrored alike."""
    run = gb.samples.run()
    q = run.q.copy()
    q[:, run.skeleton.columns(0, "slide")] *= 1.2
    larger = replace(run, skeleton=replace(run.skeleton, offsets=1.2 * run.skeleton.offsets), q=q)
    onto = Change("target", mirrored=change.mirrored).apply(larger)
    made = gb.retarget(change.apply(clip), to=onto).motion
    return Change("answer", change.degrees, change.shift, change.mirrored).undo(made)


def retarget_onto(clip: Motion, change: Change) -> Answer:
    """Put the built-in run on the rig of the changed clip; where and how that stands says nothing."""
    made = gb.retarget(Change("source", mirrored=change.mirrored).apply(gb.samples.run()), to=change.apply(clip)).motion
    return Change("answer", mirrored=change.mirrored, renamed=change.renamed).undo(made)


def check(clip: Motion, change: Change) -> Answer:
    figures = gb.check(change.apply(clip)).figures
    return {name: np.array([value]) for name, value in figures.items() if np.isfinite(value)}


def primitives(clip: Motion, change: Change) -> Answer:
    """Learn primitives of a walk, and walk on."""
    made = gb.play_primitives(gb.learn_primitives(change.apply(clip)).model, seconds=1.0).motion
    return Change("answer", mirrored=change.mirrored, renamed=change.renamed).undo(made)


def crowd(clip: Motion, change: Change) -> Answer:
    """Let a crowd walk as a clip does."""
    made = gb.crowd("doorway", walk=change.apply(clip), seconds=1.0).motions[0]
    return Change("answer", mirrored=change.mirrored, renamed=change.renamed).undo(made)


def measure_size(answer: Answer, clip: Motion) -> float:
    """Return how far (m) an answer is from the clip at most, in the frames that both have."""
    places = SAME.undo(clip)
    pairs = [(values, places[name]) for name, values in answer.items()]
    return max(float(np.abs(new[: len(old)] - old[: len(new)]).max()) for new, old in pairs)


def measure_change(same: Answer, answer: Answer, change: Change, frame_time: float) -> float:
    """Return the largest difference between answers: in metres, figures as a share.

    Compared are the times that both have, of a clip that was cut those that are away from its ends.
    """
    assert same.keys() == answer.keys()
    if all(len(values) == 1 for values in same.values()):
        return max(abs(float(answer[name][0] / value[0]) - 1.0) if value[0] else 0.0 for name, value in same.items())
    end, away = round(change.cut / frame_time), round(_AWAY / frame_time) if change.cut else 0
    frames = slice(end + away, len(next(iter(same.values()))) - end - away, change.every)
    inside = slice(away, None if not away else -away)
    return max(float(np.abs(answer[name][inside] - values[frames]).max()) for name, values in same.items())

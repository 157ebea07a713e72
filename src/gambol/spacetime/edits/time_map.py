"""The time of an edited clip: which second of the recording each of its seconds shows, and how flights fall.

A flight of T seconds under gravity g rises by g T² / 8 above the line from its beginning to its end. Of height, time
and gravity two can be chosen (L05 sections 4.4.2 and 4.5.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.body.character import GRAVITY
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.parts import EditableClip, Part


@dataclass(frozen=True, eq=False)
class TimeMap:
    """Seconds of the recording and of the edited clip at the borders of stages, and gravity between them."""

    shown: Array
    """(stages + 1,) seconds of the recording"""
    at: Array
    """(stages + 1,) seconds of the edited clip"""
    gravity: Array
    """(stages,) metres a second squared"""
    rise: Array
    """(stages,) metres that flights rise more than recorded, above the line from their beginning to their end"""

    def back(self, times: Array) -> Array:
        """Seconds of the recording that are shown at times of the edited clip."""
        return np.interp(times, self.at, self.shown) + np.maximum(times - self.at[-1], 0.0)

    def forth(self, shown: Array) -> Array:
        """Times of the edited clip at which seconds of the recording are shown."""
        return np.interp(shown, self.shown, self.at) + np.maximum(shown - self.shown[-1], 0.0)

    def stage(self, times: Array) -> Array:
        """The number of the stage at times of the edited clip."""
        return np.clip(np.searchsorted(self.at, times, side="right") - 1, 0, len(self.gravity) - 1)

    def risen(self, times: Array) -> Array:
        """Metres that the body is higher at times of the edited clip."""
        stage = self.stage(times)
        part = (times - self.at[stage]) / (self.at[stage + 1] - self.at[stage])
        return self.rise[stage] * 4.0 * part * (1.0 - part)

    @property
    def is_recorded(self) -> bool:
        """Whether no stage is longer or shorter."""
        return bool(np.array_equal(self.shown, self.at))


def map_times(clip: EditableClip, edit: Edit) -> TimeMap:
    """How long the stages of an edited clip last."""
    changes = {change.stage: change for change in edit.changes}
    for change in edit.changes:
        _check(clip.part(change.stage), change)
    edges = np.array([stage.first for stage in clip.stages] + [clip.stages[-1].last]) * clip.frame_time
    lengths, gravity, rise = np.diff(edges), [], []
    for n, stage in enumerate(clip.stages):
        change = changes.get(stage.name, Change(stage.name))
        pull = edit.gravity
        if stage.kind == "flight":
            lengths[n], pull, more = _flown(stage, lengths[n], edit, change)
            rise.append(more)
        else:
            lengths[n] *= change.longer
            rise.append(0.0)
        gravity.append(pull)
    at = np.concatenate(([0.0], np.cumsum(lengths)))
    if np.allclose(lengths, np.diff(edges)):
        at = edges
    return TimeMap(edges, at, np.array(gravity), np.array(rise))


def _check(stage: Part, change: Change) -> None:
    if stage.kind == "step" and change.longer != 1.0:
        raise InputError(f"'{stage.name}' lasts as long as its ground", fix="make the ground longer")
    if stage.kind != "flight" and change.higher:
        raise InputError(f"'{stage.name}' cannot be higher", fix="flights can; ground goes 'up'")
    if stage.kind == "flight" and change.moves:
        raise InputError(f"'{stage.name}' touches nothing that could be moved", fix="move the ground beside it")


def _flown(stage: Part, recorded: float, edit: Edit, change: Change) -> tuple[float, float, float]:
    """Seconds, gravity and further rise of a flight."""
    was = GRAVITY * recorded**2 / 8.0
    seconds = recorded * (GRAVITY / edit.gravity) ** {"speed": 1.0, "height": 0.5, "time": 0.0}[edit.keep]
    height = edit.gravity * seconds**2 / 8.0 + change.higher
    if height <= 0.02 * was:
        raise InputError(f"'{stage.name}' rises {was:.2f} m and cannot rise {-change.higher:.2f} m less")
    if change.by == "gravity":
        seconds *= change.longer
        return seconds, 8.0 * height / seconds**2, height - was
    seconds = np.sqrt(8.0 * height / edit.gravity) * change.longer
    return seconds, edit.gravity, edit.gravity * seconds**2 / 8.0 - was

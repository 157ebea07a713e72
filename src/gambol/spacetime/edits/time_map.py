"""Map the time of an edited clip to the time of the recording, and set the gravity of its flights.

A flight of T seconds under gravity g rises by g T² / 8 above the line from take-off to landing. Two of height, time and
gravity can be chosen (L05 sections 4.4.2 and 4.5.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.edit import Change, Edit, KeptQuantity
from gambol.spacetime.edits.parts import EditableClip, Part


@dataclass(frozen=True, eq=False)
class TimeMap:
    """Times of the recording and of the edited clip at the stage boundaries, and the gravity of each stage."""

    source_times: Array
    """(stages + 1,) seconds of the recording"""
    times: Array
    """(stages + 1,) seconds of the edited clip"""
    gravity: Array
    """(stages,) m/s²"""
    extra_rise: Array
    """(stages,) metres that a flight rises more than recorded above the line from take-off to landing"""

    def to_source(self, times: Array) -> Array:
        """Return the times (s) of the recording that the edited clip shows at these times (s)."""
        return np.interp(times, self.times, self.source_times) + np.maximum(times - self.times[-1], 0.0)

    def from_source(self, source_times: Array) -> Array:
        """Return the times (s) of the edited clip that show these times (s) of the recording."""
        after = np.maximum(source_times - self.source_times[-1], 0.0)
        return np.interp(source_times, self.source_times, self.times) + after

    def stage_at(self, times: Array) -> Array:
        """Return the stage index at times of the edited clip."""
        return np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.gravity) - 1)

    def extra_height(self, times: Array) -> Array:
        """Return how much higher than recorded (m) the body is at times of the edited clip."""
        stage = self.stage_at(times)
        phase = (times - self.times[stage]) / (self.times[stage + 1] - self.times[stage])
        return self.extra_rise[stage] * 4.0 * phase * (1.0 - phase)

    @property
    def is_recorded(self) -> bool:
        """Whether every stage keeps its recorded duration."""
        return bool(np.array_equal(self.source_times, self.times))


def map_times(clip: EditableClip, edit: Edit) -> TimeMap:
    """Compute the duration and gravity of every stage of an edited clip."""
    changes = {change.stage: change for change in edit.changes}
    for change in edit.changes:
        _check(clip.part(change.stage), change)
    edges = np.array([stage.first for stage in clip.stages] + [clip.stages[-1].last]) * clip.frame_time
    lengths, gravity, rise = np.diff(edges), [], []
    everywhere = clip.gravity if edit.gravity is None else edit.gravity
    for n, stage in enumerate(clip.stages):
        change = changes.get(stage.name, Change(stage.name))
        stage_gravity = everywhere
        if stage.kind == "flight":
            lengths[n], stage_gravity, extra = _plan_flight(
                stage, lengths[n], clip.gravity, everywhere, edit.keep, change
            )
            rise.append(extra)
        else:
            lengths[n] *= change.longer
            rise.append(0.0)
        gravity.append(stage_gravity)
    times = np.concatenate(([0.0], np.cumsum(lengths)))
    if np.allclose(lengths, np.diff(edges)):
        times = edges
    return TimeMap(edges, times, np.array(gravity), np.array(rise))


def _check(stage: Part, change: Change) -> None:
    if stage.kind == "step" and change.longer != 1.0:
        raise InputError(f"'{stage.name}' is a step and cannot last longer", fix="make its ground stage longer")
    if stage.kind != "flight" and change.higher:
        raise InputError(f"'{stage.name}' cannot be higher: it is not a flight", fix="use 'up' for ground and steps")
    if stage.kind == "flight" and change.is_move:
        raise InputError(f"'{stage.name}' is a flight and has no contacts to move", fix="move a ground stage beside it")


def _plan_flight(
    stage: Part, recorded: float, recorded_gravity: float, gravity: float, keep: KeptQuantity, change: Change
) -> tuple[float, float, float]:
    """Return the duration (s), gravity (m/s²) and extra rise (m) of a flight; it was recorded with another gravity."""
    recorded_height = recorded_gravity * recorded**2 / 8.0
    seconds = recorded * (recorded_gravity / gravity) ** {"speed": 1.0, "height": 0.5, "time": 0.0}[keep]
    height = gravity * seconds**2 / 8.0 + change.higher
    if height <= 0.02 * recorded_height:
        raise InputError(f"'{stage.name}' rises {recorded_height:.2f} m and cannot be {-change.higher:.2f} m lower")
    if change.by == "gravity":
        seconds *= change.longer
        return seconds, 8.0 * height / seconds**2, height - recorded_height
    seconds = np.sqrt(8.0 * height / gravity) * change.longer
    return seconds, gravity, gravity * seconds**2 / 8.0 - recorded_height

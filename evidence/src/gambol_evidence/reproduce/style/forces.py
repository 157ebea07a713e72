"""Claims about ground forces of fitted motions (L05 eq. 5.27), against force plates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.fit.markers import find_visible_frames, markers_to_rig
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.metrics.figures import Band
from gambol.motion.recording import ForcePlate
from gambol.spacetime.edits.verb import prepare_clip
from gambol.stages.feet import feet_of_markers
from gambol.styles.scene import fit_scene
from gambol.styles.task import StyleTask, draft_task, make_scene
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.plate_steps import find_plate_steps
from gambol_evidence.reproduce.plates import PLATED_BODIES, markers_and_plates
from gambol_evidence.reproduce.style.setting import StyleSetting

_LATE = 0.07
"""Seconds before toe-off at which forces should have nearly gone."""


class _StepForces(NamedTuple):
    """Forces of one step, in body weights, at the frames of its stance."""

    estimated: Array
    """(frames, 2) upward and along the way"""
    measured: Array
    late: float
    """Estimated upward force shortly before toe-off."""


def measure_forces(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    steps = [step for name, mass in PLATED_BODIES.items() for step in _compare(setting, name, mass)]
    data = f"{len(steps)} steps on plates of {', '.join(PLATED_BODIES)}"
    up, along = (
        [float(np.sqrt(np.mean((step.estimated - step.measured)[:, axis] ** 2))) for step in steps] for axis in (0, 1)
    )
    peaks = [abs(step.estimated[:, 0].max() / step.measured[:, 0].max() - 1.0) for step in steps]
    for row, words, figures, unit, limit in (
        ("vertical", "vertical force over a stance: rms error, median step", up, "body weights", 0.08),
        ("forward", "force along the way over a stance: rms error, median step", along, "body weights", 0.05),
        ("peak", "largest vertical force: relative error, median step", peaks, "1", 0.1),
        ("taper", "vertical force 0.07 s before toe-off, median step", [step.late for step in steps], "body weights",
         0.5),
    ):  # fmt: skip
        found = float(np.median(figures))
        yield Claim(
            f"plates-{row}", "force plates", words, found, unit, f"{data}: to {max(figures):.2f}", Band(high=limit)
        )


def _compare(setting: StyleSetting, name: str, mass: float) -> Iterator[_StepForces]:
    """Yield the steps of a recording that are entirely on a plate."""
    markers, plates = markers_and_plates(setting.data / "gait_grf" / name)
    first = find_visible_frames(markers).start
    clip, _ = prepare_clip(markers_to_rig(markers), mass=mass, calibrate="off")
    scene = make_scene(draft_task(clip, StyleTask()))
    solved = fit_scene(scene)
    if not solved.solution.converged:
        return
    times = scene.frame_time * np.arange(len(scene.reference)) + first * markers.frame_time
    way = scene.reference[-1, :3] - scene.reference[0, :3]
    ahead = way * [1.0, 1.0, 0.0] / np.linalg.norm(way[:2])
    axes = np.array([UP, ahead])
    for step in find_plate_steps(feet_of_markers(markers), plates):
        stance = (times >= step.strike) & (times <= step.toe_off) & (times > times[0]) & (times < times[-1])
        if stance.sum() < 0.9 * (step.toe_off - step.strike) / scene.frame_time:
            continue
        force = solved.find_ground_force(f"{step.side}_foot") @ axes.T / (mass * GRAVITY)
        measured = _sample(plates[step.plate], times) @ axes.T / (mass * GRAVITY)
        late = float(np.interp(step.toe_off - _LATE, times, force[:, 0]))
        yield _StepForces(force[stance], measured[stance], late)


def _sample(plate: ForcePlate, times: Array) -> Array:
    """Return the forces (times, 3) of a plate."""
    at = np.arange(len(plate.force)) * plate.frame_time
    return np.stack([np.interp(times, at, column) for column in plate.force.T], axis=1)

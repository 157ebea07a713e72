"""Edited trials of two people, in place of M17's 105 recorded high fives (section 4.4): no public data have emotions.

One recorded pair is edited: standing or walking, in four styles, with contacts on a grid of 3 x 3 places and seeded
variation. Accuracy on such trials is not accuracy on recordings of other people.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.interaction.trials import Trial, parse_style
from gambol.interaction.variations import grid_shifts, move_contact
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol_evidence.reproduce.interaction.standing import make_standing
from gambol_evidence.reproduce.interaction.styles import EMOTION_EDITS, StyleEdit, apply_posture
from gambol_evidence.reproduce.interaction.upper_body import PersonUpperBody, find_upper_body
from gambol_evidence.reproduce.interaction.warps import warp_trial

TRIAL_RATE = 30.0
"""Frames per second."""
GRID = [shift - [0.0, 0.0, 0.06] for shift in grid_shifts(0.15, 0.15)]
"""Shifts (3,) of the recorded contact in metres, one per cell; its middle is lower so that all are within reach."""
_HARMONICS = 3
"""Number of sines of noise; its shortest period is 2/3 of the trial."""

_TOGETHER = 5e-4
"""Largest distance (m) between hands that touch."""


@dataclass(frozen=True)
class TrialSpread:
    """How trials vary: half ranges of uniform distributions where nothing else is said."""

    intensities: tuple[float, float] = (0.6, 1.4)
    """Lowest and highest intensity of a style."""
    place: float = 0.03
    """Metres across, up and in depth around the cell's contact."""
    duration: float = 0.1
    """Share, of the times before and after the contact each."""
    skew: float = 0.06
    """Share of these times by which their middle moves."""
    amplitude: float = 0.06
    """Share, of each person's movement."""
    noise: float = 1.5
    """Degrees: full range of each of the terms of noise, in every joint of the upper body and about every axis."""


SHIFTED = TrialSpread((1.2, 1.8), place=0.05, duration=0.18, skew=0.1, amplitude=0.12, noise=2.5)
"""Stronger styles and more variation than learned from: tests whether a model serves other people."""


@dataclass(frozen=True, eq=False)
class EditedTrial:
    """An edited recording, and how it was edited."""

    trial: Trial
    """Its style has the share 1 whatever the intensity, as with labels that actors are given."""
    cell: int
    """Index of the contact in `GRID`."""
    style: str
    intensity: float
    """0 if neutral."""
    walking: bool


def make_edited_trials(
    pair: Trial,
    seed: int,
    *,
    walking: bool = False,
    spread: TrialSpread | None = None,
    repetitions: int = 3,
    cells: Collection[int] = range(len(GRID)),
) -> list[EditedTrial]:
    """Return edited trials: the cells in every style, a few times; the trials of a seed are always the same."""
    source = pair if walking else make_standing(pair)
    bodies = [find_upper_body(person) for person in source.people]
    cases = [(cell, style) for _ in range(repetitions) for cell in range(len(GRID)) for style in EMOTION_EDITS]
    seeds = np.random.SeedSequence(seed).spawn(len(cases))
    out = []
    for (cell, style), one in zip(cases, seeds, strict=True):
        if cell not in cells:
            continue
        random, used = np.random.default_rng(one), spread or TrialSpread()
        intensity = 0.0 if style == "neutral" else float(random.uniform(*used.intensities))
        trial = _edit(source, bodies, EMOTION_EDITS[style].scale(intensity), GRID[cell], used, random)
        out.append(EditedTrial(replace(trial, style=parse_style(style)), cell, style, intensity, walking))
    return out


def _edit(
    source: Trial,
    bodies: Sequence[PersonUpperBody],
    edit: StyleEdit,
    shift: Array,
    spread: TrialSpread,
    random: np.random.Generator,
) -> Trial:
    """Return an edited trial whose contact is moved by a shift (3,) in metres: last, so that hands meet."""
    durations = edit.duration * (1.0 + random.uniform(-spread.duration, spread.duration, 2))
    trial = warp_trial(source, durations, random.uniform(-spread.skew, spread.skew, 2), 1.0 / TRIAL_RATE)
    people = []
    for person, body, hand in zip(trial.people, bodies, trial.hands, strict=True):
        own = replace(edit, amplitude=edit.amplitude * (1.0 + random.uniform(-spread.amplitude, spread.amplitude)))
        rotations = apply_posture(local_frames(person.skeleton, person.q).rotations, body, own, hand.side, trial.phases)
        noise = make_noise(len(person), body, np.radians(spread.noise), random)
        people.append(replace_rotations(person, quat.multiply(rotations, quat.exp(noise))))
    trial = replace(trial, people=(people[0], people[1]))
    place = source.place + shift + random.uniform(-spread.place, spread.place, 3)
    trial = move_contact(trial, place - trial.place)
    # Near the limit of reach, hands approach their goals slowly.
    return trial if trial.gap < _TOGETHER else move_contact(trial, place - trial.place)


def make_noise(frames: int, body: PersonUpperBody, size: float, random: np.random.Generator) -> Array:
    """Return rotation vectors (frames, joints, 3) in radians: a constant, and sines that are zero at both ends.

    All body parts above the pelvis but the hands have noise; each of its four terms is at most half the size.
    """
    joints = [joint for part, joint in body.parts.items() if joint in body.joints and not part.endswith("hand")]
    phases = np.linspace(0.0, np.pi, frames)
    shapes = np.stack([np.ones(frames), *(np.sin(n * phases) for n in range(1, _HARMONICS + 1))])
    out = np.zeros((frames, len(body.rest), 3))
    out[:, joints] = size * np.einsum("nf,njx->fjx", shapes, random.uniform(-0.5, 0.5, (len(shapes), len(joints), 3)))
    return out

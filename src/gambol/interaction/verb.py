"""`learn_interaction`, `generate_interaction` and `react`: two people who meet (M17 section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gambol.clips.result import ModelResult, Result
from gambol.drawing import STRIPS, render
from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.geometry.arrays import Array
from gambol.interaction.generation import MeetingPlan, generate_meeting
from gambol.interaction.model import InteractionModel, learn_interaction_model
from gambol.interaction.partner import Partner
from gambol.interaction.trials import GroundFrame, Trial, find_trial, parse_style, shorten_hands
from gambol.interaction.variations import grid_shifts, move_contact
from gambol.io.models import as_model
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.kinematics import Placement
from gambol.progress import Progress, silent

_VARY = 0.12
"""Metres across and up by which recorded contacts are moved, where few pairs are given."""
_NOTED = 0.005
"""Metres outside of the learned contacts from which on this is noted."""
_MOMENTS = 4
_FEW = 5
"""Pairs below which contacts are moved."""
StyleShares = str | Mapping[str, float]
"""A style, or shares of several: "happy", "happy=0.5", or {"happy": 0.5}."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MeetingResult(Result):
    """Both people of a meeting."""

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write the motions, or draw them; still pictures show both people together at four moments."""
        if Path(path).suffix.lower() in STRIPS:
            return [render(self.motions, path, moments=_MOMENTS, overwrite=overwrite)]
        return super().save(path, overwrite=overwrite)


def learn_interaction(
    pairs: Sequence[tuple[Source, Source]],
    styles: Sequence[StyleShares] = (),
    *,
    vary: float | None = None,
    progress: Progress = silent,
) -> ModelResult[InteractionModel]:
    """Learn how two people meet from pairs of clips: person 1, who will react, and person 2, whose hand is observed.

    `styles` has one for every pair, or one for all ("happy"; default: neutral). `vary`: metres across and up by which
    the contacts are also moved, by editing, on a grid of 3 x 3; default: 0.12 where there are fewer than 5 pairs.

    >>> pairs = [("18_01.bvh", "19_01.bvh"), ("18_02.bvh", "19_02.bvh")]  # doctest: +SKIP
    >>> gb.learn_interaction(pairs).save("handshake.npz")  # doctest: +SKIP
    """
    if not pairs:
        raise InputError("no pairs of clips", fix="give two clips of one scene, or several such pairs")
    if len(styles) not in (0, 1, len(pairs)):
        raise InputError(f"{len(styles)} styles for {len(pairs)} pairs", fix="give one style, or one for every pair")
    named = list(styles) * (len(pairs) if len(styles) == 1 else 1) or ["neutral"] * len(pairs)
    trials = [find_trial(as_motion(one), as_motion(two), style) for (one, two), style in zip(pairs, named, strict=True)]
    width = (_VARY if len(pairs) < _FEW else 0.0) if vary is None else vary
    if not 0.0 <= width <= 0.5:
        raise InputError(f"contacts moved by {width:g} m", fix="choose 0 to 0.5")
    shifts = grid_shifts(width, width) if width else [np.zeros(3)]
    edited: list[Trial] = []
    for trial in trials:
        progress("moving contacts", len(edited), len(trials) * len(shifts))
        edited += [move_contact(shorten_hands(trial), shift) for shift in shifts]
    progress(f"learning from {len(edited)} trials", 0, None)
    model = learn_interaction_model(edited)
    notes = [_describe(trial) for trial in trials]
    if width:
        notes.append(
            f"contacts are also moved by {100.0 * width:g} cm across and up: {len(edited)} trials, made by editing"
        )
    return ModelResult(
        motions=Ensemble(trials[0].people, trials[0].people[0].name),
        figures={
            "trials": len(edited),
            "frames": float(sum(len(trial) for trial in edited)),
            "gap_cm": 100.0 * max(t.gap for t in trials),
        },
        notes=tuple(notes),
        model=model,
    )


def generate_interaction(
    model: InteractionModel | StrPath,
    style: StyleShares = "neutral",
    *,
    until: StyleShares | None = None,
    contact: ArrayLike | None = None,
    pace: float = 1.0,
    seed: int | None = None,
) -> MeetingResult:
    """Generate both people: in a style, or from a style to another one `until` the end.

    `contact` (3,) is where hands meet, in metres from where person 1 begins: towards person 2, to the left, up. `pace`
    is relative to that of the style. A `seed` makes the people differ from their mean, as trials do.

    >>> gb.generate_interaction("handshake.npz", seed=3).save("met.glb")  # doctest: +SKIP
    """
    if not 0.1 <= pace <= 10.0:
        raise InputError(f"pace of {pace:g}", fix="choose 0.1 to 10")
    learned = as_model(model, InteractionModel)
    goal = None if contact is None else _check_three(contact, "a contact", "give x, y, z in metres")
    plan = MeetingPlan(_parse(style), None if until is None else _parse(until), goal, pace, seed)
    trial = generate_meeting(learned, plan, GroundFrame(np.zeros(3), 0.0))
    notes = []
    if goal is not None:
        away = float(np.linalg.norm(goal - learned.course.goal_space.clamp(goal)))
        if away >= _NOTED:
            notes.append(f"the contact is {100.0 * away:.0f} cm outside of those learned: the nearest of these is used")
    seconds = trial.contact * trial.frame_time
    return MeetingResult(
        motions=Ensemble(trial.people, "meeting"),
        figures={"contact_s": seconds, "hands_apart_mm": 1e3 * trial.gap},
        notes=tuple(notes),
    )


def react(
    model: InteractionModel | StrPath,
    hand: ArrayLike,
    style: StyleShares = "neutral",
    *,
    fps: float | None = None,
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Result:
    """Answer the path of a hand (samples, 3): person 1 frame by frame, from past samples only.

    Rows with NaN are missing samples. `fps` are samples per second (default: as of the model). `place` is where person
    1 begins in the world of the samples: x and y in metres, direction in degrees.

    >>> partner = gb.react("handshake.npz", hand=[(0.9, 0.1, 1.0), (0.9, 0.1, 1.1)], fps=2.0)  # doctest: +SKIP
    """
    learned = as_model(model, InteractionModel)
    samples = np.asarray(hand, float)
    if samples.ndim != 2 or samples.shape[1] != 3 or len(samples) == 0:
        raise InputError(f"a path of shape {samples.shape}", fix="give samples (n, 3) in metres")
    if fps is not None and not 1.0 <= fps <= 10_000.0:
        raise InputError(f"{fps:g} samples per second", fix="choose 1 to 10,000")
    step = learned.frame_time if fps is None else 1.0 / fps
    x, y, direction = _check_three(place, "a place", "give x and y in metres and a direction in degrees")
    frame = GroundFrame(np.array([x, y, 0.0]), float(np.radians(direction)))
    seen = frame.from_world(samples)
    partner, shares = Partner(learned), _parse(style)
    state, frames = partner.start(shares), []
    for sample in seen:
        state, answer = partner.step(state, sample if np.isfinite(sample).all() else None, shares, step)
        frames.append(answer)
    local = Placement(*(np.concatenate([getattr(f.local, name) for f in frames]) for name in Placement._fields))
    motion = learned.people[0].make_motion(local, frame, step, "reaction")
    apart = np.linalg.norm(learned.people[0].arm.locate(local) - seen, axis=1)
    outside = max(f.outside for f in frames)
    missing = int((~np.isfinite(seen).all(axis=1)).sum())
    notes = [f"{missing} of {len(seen)} samples are missing"] if missing else []
    if outside:
        notes.append(f"the hand is up to {outside:.2f} m from where a meeting that was learned would have it")
    return Result(
        motions=as_ensemble(motion),
        figures={"nearest_hands_mm": float(1e3 * np.nanmin(apart)) if missing < len(seen) else np.nan},
        notes=tuple(notes),
    )


def _parse(style: StyleShares) -> Mapping[str, float]:
    return parse_style(style) if isinstance(style, str) else style


def _check_three(numbers: ArrayLike, what: str, fix: str) -> Array:
    values = np.asarray(numbers, float)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise InputError(f"{what} is not three finite numbers", fix=fix)
    return values


def _describe(trial: Trial) -> str:
    one, two = trial.people
    seconds = trial.contact * trial.frame_time
    sides = f"{trial.hands[0].side} and {trial.hands[1].side}"
    return f"'{one.name}' and '{two.name}': {sides} hand touch at {seconds:.2f} s, {100.0 * trial.gap:.1f} cm apart"

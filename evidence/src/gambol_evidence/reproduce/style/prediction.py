"""Claims about styles on other footprints of the same person: other speeds, stairs, a turn (L05 section 5.7.4).

Beside the learned style: uniform preferences, the style of another person, and motion warping, which copies the joint
angles of the learned recording between matching touchdowns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.contacts.timeline import Contacts, group_stances
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.stages.feet import SIDES
from gambol.styles.learning import measure_moment
from gambol.styles.scene import StyleScene, generate_motion
from gambol.styles.verb import StyleResult
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.style.setting import StyleSetting

_PREDICTED = (("16_31", "16_47"), ("16_31", "16_58"), ("35_01", "35_28"), ("07_01", "07_05"))
"""Recordings of one person: a style is learned from the first, the other has another speed."""
_STRANGERS = {"16": "35_01", "35": "16_31", "07": "16_31", "143": "16_31"}
_LEVEL = ("143_14", 0.3, 2.8)
"""A part of a recording on level ground: name, and seconds."""
_GROUNDS = {"stairs": ("143_17", 0.4, 2.9), "turn": ("143_14", 3.5, 6.0)}
"""Parts of recordings of the same person: two steps up, and half a turn."""
_RIVALS = {
    "uniform": "uniform preferences",
    "stranger": "the style of another person",
    "warped": "motion warping of the learned recording",
}


def measure_prediction(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    every = [_compare(setting, setting.learn(known), setting.fit(new)) for known, new in _PREDICTED]
    pairs = ", ".join(f"{known} to {new}" for known, new in _PREDICTED)
    data = "; ".join(f"{name} {', '.join(f'{one[name]:.1f}' for one in every)}" for name in every[0])
    for rival, words in _RIVALS.items():
        yield Claim(
            f"predicted-{rival}", OUR_BAR,
            f"joint angles predicted by the learned style are nearer to the recording than by {words}, mean",
            float(np.mean([one[rival] - one["learned"] for one in every])), "degrees", f"{pairs}: {data}",
            Band(low=0.0),
        )  # fmt: skip
    for ground, part in _GROUNDS.items():
        errors = _compare(setting, setting.learn(*_LEVEL), setting.fit(*part))
        found = ", ".join(f"{name} {error:.1f}" for name, error in errors.items())
        for rival, words in _RIVALS.items():
            yield Claim(
                f"{ground}-{rival}", "L05 figure 5.11",
                f"{ground} in a style learned on the level: joint angles are nearer to the recording than by {words}",
                errors[rival] - errors["learned"], "degrees",
                f"{_LEVEL[0]}, {_LEVEL[1]} to {_LEVEL[2]} s, to {part[0]}, {part[1]} to {part[2]} s: {found}",
                Band(low=0.0),
            )  # fmt: skip


def _compare(setting: StyleSetting, known: StyleResult, scene: StyleScene) -> dict[str, float]:
    """Return the errors (degrees) of predictions of a recording, the reference of a scene."""
    learned = known.learned
    other = setting.learn(_STRANGERS[known.model.name.partition("_")[0]]).learned
    asked = {
        "learned": learned.parameters,
        "uniform": learned.start.make_uniform(),
        "stranger": other.parameters,
    }
    errors = {name: _predict(scene, parameters) for name, parameters in asked.items()}
    return {**errors, "warped": measure_moment(warp_motion(learned.clips[0].scene, scene), scene).error_deg}


def _predict(scene: StyleScene, parameters: Array) -> float:
    """Return how far (degrees) the motion of a style is from the reference; NaN if none was found."""
    found = generate_motion(scene, parameters)
    return measure_moment(found.q, scene).error_deg if found.solution.converged else np.nan


def warp_motion(known: StyleScene, new: StyleScene) -> Array:
    """Return poses (frames, dofs) on the footprints of a scene: joint angles of another one at matching times."""
    ours, theirs = (_find_touchdowns(scene.contacts) for scene in (known, new))
    shift = next((n for n in range(2) if ours[n][0] == theirs[0][0]), 0)
    count = min(len(ours) - shift, len(theirs))
    source, goal = ([frame for _, frame in events[:count]] for events in (ours[shift:], theirs))
    frames = np.arange(len(new.reference))
    pace = (source[-1] - source[0]) / (goal[-1] - goal[0])
    times = np.interp(frames, goal, source)
    times = np.where(frames < goal[0], source[0] + pace * (frames - goal[0]), times)
    times = np.where(frames > goal[-1], source[-1] + pace * (frames - goal[-1]), times)
    times = np.clip(times, 0, len(known.reference) - 1)
    warped = new.reference.copy()
    joints = [n for n, dof in enumerate(new.character.skeleton.dofs) if dof.joint]
    for column in joints:
        warped[:, column] = np.interp(times, np.arange(len(known.reference)), known.reference[:, column])
    return warped


def _find_touchdowns(plan: Contacts) -> list[tuple[str, int]]:
    """Return sides and frames of touchdowns after the first frame, in order."""
    events = []
    for side in SIDES:
        contacts = [one for one in plan.items if one.part.startswith(side)]
        events += [(side, min(one.first for one in stay)) for stay in group_stances(contacts)]
    return sorted((event for event in events if event[1] > 0), key=lambda event: event[1])

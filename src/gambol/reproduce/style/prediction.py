"""Claims about styles on footprints of other recordings of the same person, at other speeds (L05 section 5.7.4).

Beside the learned style: uniform preferences, the style of another person, and motion warping, which copies the joint
angles of the learned recording between matching touchdowns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.reproduce.claims import OUR_BAR, Claim
from gambol.reproduce.style.setting import StyleSetting
from gambol.spacetime.contact_plan import ContactPlan, group_stays
from gambol.stages.feet import SIDES
from gambol.styles.learning import measure_moment
from gambol.styles.scene import StyleScene, generate_motion

_PREDICTED = (("16_31", "16_47"), ("16_31", "16_58"), ("35_01", "35_28"), ("07_01", "07_05"))
"""Recordings of one person: a style is learned from the first, the other has another speed."""
_STRANGERS = {"16": "35_01", "35": "16_31", "07": "16_31"}


def measure_prediction(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    errors: dict[str, list[float]] = {"learned": [], "uniform": [], "stranger": [], "warped": []}
    for known, new in _PREDICTED:
        one, scene = setting.learn(known).learned, setting.fit(new)
        other = setting.learn(_STRANGERS[known[:2]]).learned
        uniform = one.start.make_uniform()
        for name, parameters in (
            ("learned", one.parameters),
            ("uniform", uniform),
            ("stranger", other.parameters),
        ):
            found = generate_motion(scene, parameters)
            errors[name].append(measure_moment(found.q, scene).error_deg)
        errors["warped"].append(measure_moment(warp_motion(one.clips[0].scene, scene), scene).error_deg)
    pairs = ", ".join(f"{known} to {new}" for known, new in _PREDICTED)
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    data = "; ".join(f"{name} {', '.join(f'{value:.1f}' for value in values)}" for name, values in errors.items())
    for name, words in (
        ("uniform", "uniform preferences"),
        ("stranger", "the style of another person"),
        ("warped", "motion warping of the learned recording"),
    ):
        yield Claim(
            f"predicted-{name}", OUR_BAR,
            f"joint angles predicted by the learned style are nearer to the recording than by {words}, mean",
            means[name] - means["learned"], "degrees", f"{pairs}: {data}", Band(low=0.0),
        )  # fmt: skip


def warp_motion(known: StyleScene, new: StyleScene) -> Array:
    """Return poses (frames, dofs) on the footprints of a scene: joint angles of another one at matching times."""
    ours, theirs = (_find_touchdowns(scene.contact_plan) for scene in (known, new))
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


def _find_touchdowns(plan: ContactPlan) -> list[tuple[str, int]]:
    """Return sides and frames of touchdowns after the first frame, in order."""
    events = []
    for side in SIDES:
        contacts = [one for one in plan.foot_contacts if one.point.name.startswith(side)]
        events += [(side, min(one.first for one in stay)) for stay in group_stays(contacts)]
    return sorted((event for event in events if event[1] > 0), key=lambda event: event[1])

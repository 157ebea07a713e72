"""Claims about walks that become runs: the body dips and leans ahead before it runs (L05 section 6.4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.composition.composition import Action, Composition, Person
from gambol.composition.verb import ComposeResult, compose
from gambol.geometry import quaternions as quat
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.reproduce.claims import Claim
from gambol.reproduce.recordings import find_cmu_file

_SOURCE = "L05 section 6.4.2"
_CLIPS = (("02_01", "02_03"), ("16_31", "16_35"), ("35_01", "09_01"))
"""Walks and runs: two of the same person, and one of different people."""
_AROUND = 0.6
"""Seconds before and after the seam in which the transition is looked at."""


def measure_transitions(data: Path) -> Iterator[Claim]:
    """Yield the claims: dip and lean of the least."""
    dips, leans, unsolved = [], [], 0
    for names in (*_CLIPS, ("walk", "run")):
        clips = [name if name in ("walk", "run") else str(find_cmu_file(data, name)) for name in names]
        actions = (Action(clips[0], steps=4), Action(clips[1], steps=4))
        result = compose(Composition("walk to run", (Person("anna", actions),)))
        unsolved += sum(not row.converged for row in result.rows)
        dip, lean = _measure(result)
        dips.append(dip)
        leans.append(lean)
    words = f"{', '.join(f'{one} to {two}' for one, two in _CLIPS)}, built-in walk to run, least"
    yield Claim("transition-solved", _SOURCE, "blocks without a solution", float(unsolved), "1", words, Band(high=0.0))
    yield Claim(
        "transition-dip", _SOURCE, "centimetres that the pelvis is lower at the seam than in the lowest of the walk",
        min(dips), "cm", words, Band(low=0.0),
    )  # fmt: skip
    yield Claim(
        "transition-lean", _SOURCE, "degrees that the trunk leans ahead more at the seam than in the walk", min(leans),
        "degrees", words, Band(low=0.0),
    )  # fmt: skip


def _measure(result: ComposeResult) -> tuple[float, float]:
    role = result.cast.roles["anna"]
    skeleton, q = role.draft.character.skeleton, result.take.tracks["anna"].q
    placed = place(skeleton, q)
    up = quat.rotate(placed.rotations[:, skeleton.index("chest")], (0.0, 0.0, 1.0))
    way = np.gradient(placed.positions[:, 0], axis=0) * [1.0, 1.0, 0.0]
    way /= np.linalg.norm(way, axis=1)[:, None]
    lean = np.degrees(np.arctan2(np.sum(up * way, axis=1), up[:, 2]))
    seam = role.seams[0]
    walk, around = role.clip_times < seam - _AROUND, np.abs(role.clip_times - seam) <= _AROUND
    heights = placed.positions[:, 0, 2]
    return 100.0 * float(heights[walk].min() - heights[around].min()), float(lean[around].max() - lean[walk].mean())

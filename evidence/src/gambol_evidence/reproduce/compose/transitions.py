"""Claims about walks that become runs: the body dips and leans ahead before it runs (L05 section 6.4.2).

Runs are lower than walks and lean ahead, and so do drafts, which know no physics. So a dip with likeness is one below
the draft; with the effort of muscles, which the thesis minimises, one below everything in the walk and in the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.composition.composition import Action, Composition, Person
from gambol.composition.roles import Role
from gambol.composition.verb import compose
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.recordings import find_cmu_file

_SOURCE = "L05 section 6.4.2"
_BUILT_IN = ("walk", "run")
_CLIPS = (("02_01", "02_03"), ("16_31", "16_35"), ("35_01", "09_01"), _BUILT_IN)
"""Walks and runs: two of the same person, one of different people, and the built-in ones."""
_AROUND = 0.6
"""Seconds before and after the seam in which the transition is looked at."""


class Posture(NamedTuple):
    """How low the pelvis is at least (m), and how far the trunk leans ahead at most (degrees)."""

    height: float
    lean: float


def measure_transitions(data: Path) -> Iterator[Claim]:
    """Yield the claims: medians of dip and lean with likeness, and with effort."""
    words = f"{', '.join(f'{one} to {two}' for one, two in _CLIPS)}, median"
    for energy, beyond in (("likeness", "in the draft"), ("effort", "anywhere in the walk or the run")):
        dips, leans, unsolved = [], [], 0
        for names in _CLIPS:
            clips = names if names == _BUILT_IN else [str(find_cmu_file(data, name)) for name in names]
            actions = tuple(Action(clip, steps=4) for clip in clips)
            result = compose(Composition("walk to run", (Person("anna", actions, energy=energy),)))
            unsolved += sum(not row.converged for row in result.rows)
            role, q = result.cast.roles["anna"], result.take.tracks["anna"].q
            seam, elsewhere = (_measure(role, q, around) for around in (True, False))
            other = _measure(role, role.draft.motion.q, True) if energy == "likeness" else elsewhere
            dips.append(100.0 * (other.height - seam.height))
            leans.append(seam.lean - other.lean)
        row = f"transition-{energy}"
        yield Claim(f"{row}-solved", _SOURCE, "blocks without a solution", float(unsolved), "1", words, Band(high=0.0))
        claim = f"centimetres that the pelvis is lower at the seam than {beyond}"
        yield Claim(f"{row}-dip", _SOURCE, claim, float(np.median(dips)), "cm", words, Band(low=0.5))
        claim = f"degrees that the trunk leans ahead more at the seam than {beyond}"
        yield Claim(f"{row}-lean", _SOURCE, claim, float(np.median(leans)), "degrees", words, Band(low=1.0))


def _measure(role: Role, q: Array, around: bool) -> Posture:
    """Return the posture around the seam, or before and after it."""
    skeleton = role.draft.character.skeleton
    placed = place(skeleton, q)
    up = quat.rotate(placed.rotations[:, skeleton.index("chest")], (0.0, 0.0, 1.0))
    way = np.gradient(placed.positions[:, 0], axis=0) * [1.0, 1.0, 0.0]
    way /= np.linalg.norm(way, axis=1)[:, None]
    lean = np.degrees(np.arctan2(np.sum(up * way, axis=1), up[:, 2]))
    frames = (np.abs(role.clip_times - role.seams[0]) <= _AROUND) == around
    return Posture(float(placed.positions[frames, 0, 2].min()), float(lean[frames].max()))

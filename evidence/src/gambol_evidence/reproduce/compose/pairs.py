"""Claims about recorded people who walk hand in hand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from gambol.composition.composition import COMPOSITION_FPS, Action, Composition, Person
from gambol.composition.conditions import BodyPart, Hold
from gambol.composition.roles import draft_role
from gambol.composition.verb import compose
from gambol.metrics.figures import Band
from gambol.spacetime.recovery.crossing import make_sides
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.compose.measures import measure_scene
from gambol_evidence.reproduce.recordings import find_cmu_file

_TURNS = ("16_11", "16_14", "16_17", "16_19")
"""Walks of one person around corners."""
_WALKS = ("35_01", "07_01", "16_31", "12_01", "37_01", "02_01")
"""Walks of six people: each holds hands with the next."""


def measure_pairs(data: Path) -> Iterator[Claim]:
    """Yield the claims: the worst of all pairs."""
    found, unsolved, forces = [], 0, []
    for one, other in pairwise(_WALKS):
        clips = [str(find_cmu_file(data, name)) for name in (one, other)]
        hold = Hold(BodyPart("one", "right_hand"), BodyPart("other", "left_hand"))
        scene = Composition(
            f"{one} and {other}",
            (
                Person("one", (Action(clips[0], steps=4),), heading=0.0),
                Person("other", (Action(clips[1], steps=4),), (0.0, -0.8), 0.0),
            ),
            (hold,),
        )
        result = compose(scene)
        unsolved += sum(not row.converged for row in result.rows)
        found.append(measure_scene(result))
        forces.append(float(np.median(np.linalg.norm(result.take.forces[hold][:, 0], axis=1))))
    data_words = f"CMU walks {', '.join(_WALKS)}: each hand in hand with the next, worst"
    for row, words, figure, unit, most in (
        ("solved", "blocks without a solution", float(unsolved), "1", 0.0),
        ("slip", "largest distance of a foot of the rig from where it stands",
         max(one.slip_mm for one in found), "mm", 1.0),
        ("hands", "largest distance between hands", max(one.gap_mm for one in found), "mm", 5.0),
        ("intersection", "depth to which bodies intersect", max(one.depth_mm for one in found), "mm", 10.0),
        ("opposite", "difference of the forces that both need, relative to the largest",
         max(one.imbalance for one in found), "1", 0.01),
        ("force", "force between hands, median of the scene, largest of all pairs", max(forces), "N", 60.0),
    ):  # fmt: skip
        yield Claim(f"recorded-{row}", OUR_BAR, words, figure, unit, data_words, Band(high=most))


def measure_sides(data: Path) -> Iterator[Claim]:
    """Yield the claim about feet on their own sides of the pelvis."""
    shares = []
    for name in (*_WALKS, *_TURNS):
        draft = draft_role(Person(name, (Action(str(find_cmu_file(data, name))),)), COMPOSITION_FPS).draft
        rule, places = make_sides(draft), draft.motion.placement.positions
        left, right = (places[:, draft.motion.skeleton.index(foot)] for foot in rule.bodies)
        shares.append(float(np.mean(np.sum((left - right) * rule.directions, axis=1) < 0.0)))
    words = "share of the frames of a recording in which a foot is on the other's side of the pelvis, largest"
    yield Claim(
        "sides", "L05 (6.3)", words, max(shares), "1", f"CMU {', '.join((*_WALKS, *_TURNS))}", Band(high=0.0)
    )  # fmt: skip

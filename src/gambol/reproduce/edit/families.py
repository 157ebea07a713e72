"""Blends between the members of families, inverse control, and active sampling (L05 sections 4.4.3, 4.5.3, 4.6)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.reproduce.claims import Claim
from gambol.reproduce.edit.clips import load_jump, measure_joint_difference
from gambol.reproduce.edit.table import RATE, plan_landing_grid, solve_pairs, solve_slam
from gambol.spacetime.edits.solving import SolvedEdit, solve_draft
from gambol.spacetime.evaluate import evaluate_frames
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import find_point, reach
from gambol.spacetime.families.populate import populate
from gambol.spacetime.families.sampling import GridIndex, sample_adaptively

Values = tuple[float, ...]
_BLENDS = (
    ("fall", "centre of mass off free fall", "m/s²", 0.1),
    ("spin", "drift of angular momentum in flight", "kg m²/s", 0.1),
    ("feet", "feet off their places, before they are put there", "mm", 2.0),
    ("joints", "joints off those of the motion that is solved there, root mean square", "deg", 0.5),
)
_GOALS, _PLACES = 30, 3


def run(data: Path) -> Iterator[Claim]:
    """Blends of a grid, a hand brought to places, and what active sampling saves."""
    clip = load_jump(data, "13_11")
    family = populate(clip.clip, plan_landing_grid(clip.landing, RATE))
    told = "13_11, 3 x 3 landings, centres of the four cells"
    yield from blend_claims("blend", family, _solved(family, cell_centres(family)), told)
    yield from _inverse(solve_slam(data)[0])
    yield from _active(solve_pairs(data)[0])


def cell_centres(family: Family) -> list[Values]:
    """The middles of all cells."""
    middles = [0.5 * (axis.values[1:] + axis.values[:-1]) for axis in family.plan.axes]
    return [tuple(map(float, values)) for values in itertools.product(*middles)]


def blend_claims(row: str, family: Family, found: Mapping[Values, SolvedEdit], data: str) -> Iterator[Claim]:
    """The worst of the blends at places of a family for which there are solved motions."""
    worst = np.max([measure_blend(family, values, there) for values, there in found.items()], axis=0)
    for (name, text, unit, most), value in zip(_BLENDS, worst, strict=True):
        yield Claim(f"{row}-{name}", "L05", f"blends: {text}", float(value), unit, data, Band(high=most))


def measure_blend(family: Family, values: Values, found: SolvedEdit) -> tuple[float, float, float, float]:
    """How a blend falls and spins, where its feet are (mm), and how far it is off what is solved (degrees)."""
    draft, (_, q) = found.draft, family.coordinates(values)
    motion = Motion(family.character.skeleton, q, 1.0 / family.plan.rate)
    verdict = evaluate_frames(
        family.character, motion, draft.contact_plan.constraints, draft.contact_plan.force_contacts, draft.gravity
    )
    return (
        verdict.fall,
        verdict.spin,
        1e3 * verdict.contact,
        measure_joint_difference(family.character, found.outcome.motion.q, q),
    )


def _solved(family: Family, places: Sequence[Values]) -> dict[Values, SolvedEdit]:
    return {values: solve_draft(family.draft(values)) for values in places}


def _inverse(family: Family) -> Iterator[Claim]:
    """The hand of a jump is brought to where it is somewhere in the family, at the top of the flight."""
    body, point = find_point(family.character, "right hand")
    flight = max((part for part in family.clip.parts if part.kind == "flight"), key=len)
    top = 0.5 * (flight.first + flight.last) * family.clip.frame_time
    random, misses, seconds = np.random.default_rng(0), [], []
    for _ in range(_GOALS):
        values = [random.uniform(*axis.ranges[axis.measure]) for axis in family.plan.axes]
        goal = _where(family, body, point, values, top)
        begun = time.perf_counter()
        found = reach(family, body, point, goal.tolist(), top)
        seconds.append(time.perf_counter() - begun)
        misses.append(float(np.linalg.norm(_where(family, body, point, found.values, top) - goal)))
    told = f"124_05, 3 x 3 landings, right hand in mid-flight, {_GOALS} places"
    text = "inverse control: the hand misses its place, worst"
    yield Claim("inverse-miss", "L05", text, 1e3 * max(misses), "mm", told, Band(high=10.0))
    text = "inverse control is immediate: median"
    yield Claim("inverse-time", "L05", text, 1e3 * float(np.median(seconds)), "ms", told, Band(high=5.0))


def _where(family: Family, body: str, point: Array, values: Sequence[float], seconds: float) -> Array:
    """(3,) metres: a point of a body at a time."""
    placed = place(family.character.skeleton, family.pose(values, seconds)[None])
    joint = family.character.skeleton.index(body)
    return np.asarray(placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], point))


def _active(family: Family) -> Iterator[Claim]:
    """Members are asked for one after the other as if they were not solved yet."""

    def known(members: list[GridIndex]) -> list[tuple[Array, Array] | None]:
        return [(family.times[member], family.q[member]) for member in members]

    times, q, asked = sample_adaptively(family.plan, known)
    told = f"two jumps, {asked.sum()} of {asked.size} members solved"
    text = "active sampling may significantly reduce the number of samples: share that is solved"
    yield Claim("active-solves", "L05", text, float(asked.mean()), "", told, Band(high=0.5))
    places = cell_centres(family)
    picked = [places[n] for n in np.random.default_rng(0).choice(len(places), _PLACES, replace=False)]
    found = _solved(family, picked)
    told = f"{told}, centres of {_PLACES} cells"
    yield from blend_claims("full-blend", family, found, "two jumps, all members solved, the same centres")
    yield from blend_claims("active-blend", replace(family, times=times, q=q, solved=asked), found, told)

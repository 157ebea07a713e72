"""Measure blends of the members of families, inverse control and adaptive sampling (L05 sections 4.4.3 and 4.6)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.contacts.views import list_constraints, list_loads
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from gambol.spacetime.edits.solve_edit import SolvedEdit, solve_draft
from gambol.spacetime.evaluate import evaluate_frames
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import find_point, reach
from gambol.spacetime.families.populate import populate
from gambol.spacetime.families.sampling import GridIndex, sample_adaptively
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim
from gambol_evidence.reproduce.edit.clips import load_jump, measure_joint_difference
from gambol_evidence.reproduce.edit.table import RATE, plan_landing_grid, solve_pairs, solve_slam

Values = tuple[float, ...]
_BLEND_SOURCE = f"L05 §4.4.3 (blend very well, foot glide imperceptible); {OUR_BAR}"
_BLENDS = (
    ("fall", "largest deviation from free fall in flight", "m/s²", 0.1),
    ("spin", "largest drift of angular momentum in flight", "kg m²/s", 0.1),
    ("feet", "largest distance of a foot from its place, without correction", "mm", 2.0),
    ("joints", "root mean square difference of joint angles from the motion solved there", "deg", 0.5),
)
_GOALS, _PLACES = 6, 3
"""Targets of the hand, and cells at whose centres motions are solved."""


def measure_blends(data: Path) -> Iterator[Claim]:
    """Compare the blends at the centres of all cells of a grid with the motions that are solved there."""
    clip = load_jump(data, "13_11")
    family = populate(clip.clip, plan_landing_grid(clip.landing, RATE))
    about = "CMU 13_11, 3 x 3 landings, centres of the four cells"
    yield from blend_claims("blend", family, _solve_places(family, cell_centres(family)), about)


def cell_centres(family: Family) -> list[Values]:
    """Return the axis values at the centres of all cells."""
    middles = [0.5 * (axis.values[1:] + axis.values[:-1]) for axis in family.plan.axes]
    return [tuple(map(float, values)) for values in itertools.product(*middles)]


def blend_claims(row: str, family: Family, solved: Mapping[Values, SolvedEdit], data: str) -> Iterator[Claim]:
    """Yield claims about the worst blend at places of a family for which there are solved motions."""
    worst = np.max([measure_blend(family, values, there) for values, there in solved.items()], axis=0)
    for (name, text, unit, most), value in zip(_BLENDS, worst, strict=True):
        yield Claim(f"{row}-{name}", _BLEND_SOURCE, f"linear blends: {text}", float(value), unit, data, Band(high=most))


def measure_blend(family: Family, values: Values, solved: SolvedEdit) -> tuple[float, float, float, float]:
    """Return errors of free fall (m/s²), angular momentum (kg m²/s), feet (mm) and joint angles (degrees) of a blend.

    Joint angles are compared with the motion that is solved at the same axis values.
    """
    draft, (_, q) = solved.draft, family.coordinates(values)
    motion = Motion(family.character.skeleton, q, 1.0 / family.plan.fps)
    verdict = evaluate_frames(
        family.character,
        motion,
        list_constraints(draft.contacts),
        list_loads(draft.contacts, family.character),
        draft.gravity,
    )
    return (
        verdict.fall,
        verdict.spin,
        1e3 * verdict.contact,
        measure_joint_difference(family.character, solved.outcome.motion.q, q),
    )


def _solve_places(family: Family, places: Sequence[Values]) -> dict[Values, SolvedEdit]:
    return {values: solve_draft(family.draft(values)) for values in places}


def measure_inverse_control(data: Path) -> Iterator[Claim]:
    """Bring the hand of a jump, in mid-flight, to where it is in motions that are solved at random landings.

    The targets come from solved motions and not from blends: no blend is known to reach them.
    """
    family, random, misses, seconds = solve_slam(data)[0], np.random.default_rng(0), [], []
    body, point = find_point(family.character, "right hand")
    flight = max((part for part in family.clip.parts if part.kind == "flight"), key=len)
    top = 0.5 * (flight.first + flight.last) * family.clip.frame_time
    for _ in range(_GOALS):
        landing = tuple(float(random.uniform(*axis.ranges[axis.measure])) for axis in family.plan.axes)
        motion = solve_draft(family.draft(landing)).outcome.motion
        pose = np.array([np.interp(top, motion.times, angles) for angles in motion.q.T])
        goal = _locate(family, body, point, pose)
        begun = time.process_time()
        found = reach(family, body, point, goal.tolist(), top)
        seconds.append(time.process_time() - begun)
        misses.append(float(np.linalg.norm(_locate(family, body, point, family.pose(found.values, top)) - goal)))
    about = f"CMU 124_05, 3 x 3 landings, right hand in mid-flight, targets from {_GOALS} motions solved in between"
    text = "inverse control: largest distance of the hand from its target"
    yield Claim(
        "inverse-miss", f"L05 p. 58; {OUR_BAR}", text, 1e3 * float(np.max(misses)), "mm", about, Band(high=10.0)
    )
    text = "inverse control is immediate: median processor time on this machine"
    milliseconds = 1e3 * float(np.median(seconds))
    yield Claim("inverse-time", f"L05 p. 58; {OUR_BAR}", text, milliseconds, "ms", about, Band(high=5.0), THIS_MACHINE)


def _locate(family: Family, body: str, point: Array, pose: Array) -> Array:
    """Return the position (3,) in metres of a point of a body in a pose (dofs,)."""
    placed = place(family.character.skeleton, pose[None])
    joint = family.character.skeleton.index(body)
    return np.asarray(placed.positions[0, joint] + quat.rotate(placed.rotations[0, joint], point))


def measure_adaptive_sampling(data: Path) -> Iterator[Claim]:
    """Choose members of a solved family adaptively, and compare blends of these with blends of all members."""
    family = solve_pairs(data)[0]

    def known(members: list[GridIndex]) -> list[tuple[Array, Array] | None]:
        return [(family.times[member], family.q[member]) for member in members]

    times, q, asked = sample_adaptively(family.plan, known)
    about = f"two jumps (CMU 13_11 joined to 13_13), {asked.sum()} of {asked.size} members solved"
    text = "active sampling reduces the number of samples: share of members that is solved"
    share = float(asked.mean())
    yield Claim("active-solves", f"L05 p. 62; {OUR_BAR}", text, share, "", about, Band(high=0.5))
    places = cell_centres(family)
    picked = [places[n] for n in np.random.default_rng(0).choice(len(places), _PLACES, replace=False)]
    solved = _solve_places(family, picked)
    centres = f"centres of {_PLACES} cells"
    yield from blend_claims("full-blend", family, solved, f"two jumps, all members solved, {centres}")
    sampled = replace(family, times=times, q=q, solved=asked)
    yield from blend_claims("active-blend", sampled, solved, f"{about}, the same {centres}")

"""What is measured of composed scenes: by the motions themselves, not by what the solver says."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.composition.block_person import move_contacts_to
from gambol.composition.blocks import (
    BlockProblem,
    Cast,
    PersonTrack,
    Take,
    solve_problem,
    track_part,
)
from gambol.composition.clearance import measure_depth
from gambol.composition.conditions import Hold
from gambol.composition.verb import ComposeResult
from gambol.contacts.contact import Contact
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.stages.feet import find_foot_points, track_point
from gambol.terms.momentum import sum_contact_forces
from gambol.terms.space import Space

_FINE = 4
"""Times as many frames at which feet and hands are looked at."""


class SceneMeasures(NamedTuple):
    """Of a scene, the worst of everybody."""

    slip_mm: float
    """By which a heel or ball of the rig on the ground leaves its place."""
    gap_mm: float
    """Between parts that hold each other, between frames too; 0 without."""
    depth_mm: float
    """By which bodies of different people intersect."""
    residual: float
    """Force that neither ground, gravity nor others explain, in body weights."""
    imbalance: float
    """Difference of the forces that two people who hold each other need, relative to the largest; 0 without."""


def measure_scene(result: ComposeResult) -> SceneMeasures:
    """Measure a solved scene."""
    cast, take = result.cast, result.take
    residual, imbalance = _measure_forces(cast, take)
    depth = 1e3 * measure_depth(cast, take) if len(cast.roles) > 1 else 0.0
    slip = max(_measure_slip(result, name, motion) for name, motion in zip(cast.roles, result.motions, strict=True))
    return SceneMeasures(slip, _measure_gap(cast, take), depth, residual, imbalance)


def _measure_slip(result: ComposeResult, name: str, motion: Motion) -> float:
    """Return how far (mm) heels and balls of the rig go from their median places in contacts."""
    points = {point.name: point for point in find_foot_points(motion)}
    step, times, worst = motion.frame_time, result.take.frame_times, 0.0
    plan = move_contacts_to(result.cast.roles[name], result.take.tracks[name])
    for contact in (one for one in plan.items if one.fixed and one.part in points):
        first, last = int(np.ceil(times[contact.first] / step)), int(times[contact.last] / step)
        path = track_point(motion, points[contact.part])[first : last + 1]
        if len(path):
            worst = max(worst, float(np.linalg.norm(path - np.median(path, axis=0), axis=1).max()))
    return 1e3 * worst


def _measure_gap(cast: Cast, take: Take) -> float:
    frames = np.linspace(0, cast.frames - 1, 1 + _FINE * (cast.frames - 1))
    tracks = {name: PersonTrack(_sample(track.q, frames), track.shifts) for name, track in take.tracks.items()}
    made = BlockProblem(cast, take, cast.whole)
    fine, worst = replace(take, tracks=tracks), 0.0
    for hold in (one for one in cast.conditions if isinstance(one, Hold)):
        first, last = (_FINE * frame for frame in made.find_frames(hold.start, hold.end))
        one, other = (track_part(cast, fine, part) for part in (hold.one, hold.other))
        worst = max(worst, float(np.linalg.norm(one - other, axis=1)[first : last + 1].max()))
    return 1e3 * worst


def _sample(q: Array, frames: Array) -> Array:
    """Return coordinates between frames, by cubic splines, as motions are re-sampled."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(np.arange(len(q)), q)(frames))


def _measure_forces(cast: Cast, take: Take) -> tuple[float, float]:
    """Solve the scene again from its solution, and return what Newton's laws of everybody leave unexplained."""
    made = BlockProblem(cast, take, cast.whole)
    found = solve_problem(made)
    steps, worst, imbalance = take.step_times, 0.0, 0.0
    needed = {}
    for name, space in made.spaces.items():
        places = Dynamics(space.character).center_of_mass(found.take.tracks[name].q)
        rates = np.diff(places, axis=0) / steps[:, None]
        falling = np.diff(rates, axis=0) / (0.5 * (steps[1:] + steps[:-1]))[:, None] + [0.0, 0.0, GRAVITY]
        ground = sum_contact_forces(space, _find_contacts(space), found.solution.x)[1:-1]
        needed[name] = space.character.mass * falling - ground
    for name, force in needed.items():
        weight = GRAVITY * made.spaces[name].character.mass
        explained = sum(
            (values[1:-1, one.people.index(name)] for one, values in found.take.forces.items() if name in one.people),
            np.zeros(force.shape),
        )
        worst = max(worst, float(np.abs(force - explained).max()) / weight)
    for hold in (one for one in cast.conditions if isinstance(one, Hold)):
        if len(cast.roles) == 2:
            one, other = (needed[name] for name in hold.people)
            imbalance = max(imbalance, float(np.abs(one + other).max() / max(np.abs(one).max(), 1e-9)))
    return worst, imbalance


def _find_contacts(space: Space) -> list[Contact]:
    """Return the contacts that have forces in a space."""
    owners = space.problem.shared_by(tuple)
    return [owner[-1] for owner in owners if owner[0] is space and isinstance(owner[-1], Contact)]

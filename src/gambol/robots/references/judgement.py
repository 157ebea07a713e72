"""Judge a reference motion: soles, limits of joints, forces, flights, self-collision, links in the ground."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from gambol.assumptions import GRAVITY
from gambol.body.robot_description import JOINTS
from gambol.geometry.arrays import Array, find_runs
from gambol.geometry.vectors import cross, lengths
from gambol.judge.judgement import Judgement
from gambol.metrics.figures import Band, Check, Figure, list_values
from gambol.metrics.leg_faults import POP_ANGLE
from gambol.motion.ensemble import as_ensemble
from gambol.robots.capsules import find_self_contacts
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.seen import judge_robot
from gambol.robots.sole_shapes import find_normals, locate_soles
from gambol.stages.feet import SIDES

LOADS = ("joint speed", "joint torque")
"""Figures that are shares of limits of the robot."""
_OURS = "our choice"
_LIMITS = "the robot's description"
_SHORTEST = 3
"""Frames of the shortest stance that is measured."""
_FLIGHT = 0.1
"""Shortest flight (s) that is measured."""
_INNER = slice(1, -1)
"""Frames with one before and one after, which an acceleration needs."""
_BASE_STEP = 0.6
"""Speed (m/s) of the base from one frame to the next, beyond the speeds around. References with forces have up to 0.3
at 50 frames per second, and landings up to 0.53 at 30."""
_DEEP = 0.01
"""Depth (m) from which links collide: capsules are rounder than links are."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceCheck(Check):
    """The figures of a reference motion with their bands."""

    reference: ReferenceMotion

    @cached_property
    def _judgement(self) -> Judgement:
        return judge_robot(self.reference.biped, self.reference.motion)


@lru_cache(maxsize=1)
def judge_reference(reference: ReferenceMotion) -> ReferenceCheck:
    """Measure a reference motion; `notes` name the joints and frames that exceed their limits."""
    measures = (
        *_judge_soles(reference),
        *_judge_joints(reference),
        judge_base(reference),
        *_judge_forces(reference),
        judge_flights(reference),
        _judge_self_contact(reference),
        _judge_links_below(reference),
    )
    notes = (*_list_exceeded(reference), *_list_base_steps(reference))
    return ReferenceCheck(
        motions=as_ensemble(reference.motion),
        figures=list_values(measures),
        notes=notes,
        measures=measures,
        reference=reference,
    )


def _judge_soles(reference: ReferenceMotion) -> Iterator[Figure]:
    corners, resting = locate_soles(reference.biped, reference.motion.placement), reference.touching
    below = np.concatenate((corners[..., :2], reference.ground[..., None]), axis=-1)
    above = (corners - below)[..., 2].min(axis=2)
    slips, tilts = [], []
    for side in range(len(SIDES)):
        for first, last in find_runs(reference.flat[:, side]):
            if last - first + 1 < _SHORTEST:
                continue
            sole = corners[first : last + 1, side]
            away = (sole - np.median(sole, axis=0))[..., :2]
            slips.append(1000.0 * float(np.linalg.norm(away, axis=2).max()))
            tilts.append(_measure_tilt(sole, below[first : last + 1, side]))
    none = "" if slips else "no flat stance"
    rests = "" if resting.any() else "no contact"
    floats = 1000.0 * np.maximum(above[resting], 0.0)
    yield Figure("slip", _mean(slips), "mm per flat stance, mean", _OURS, Band(high=2.0), none)
    yield Figure("largest slips", _percentile(slips), "mm, 95th percentile", _OURS, Band(high=5.0), none)
    yield Figure(
        "sole tilt", _percentile(tilts), "degrees in flat stances, 95th percentile", _OURS, Band(high=2.0), none
    )
    yield Figure("float", _percentile(floats), "mm in stances, 95th percentile", _OURS, Band(high=2.0), rests)
    yield Figure("penetration", 1000.0 * max(0.0, -float(above.min())), "mm, deepest", _OURS, Band(high=2.0))


def _measure_tilt(sole: Array, ground: Array) -> float:
    """Return the mean angle (degrees) of a sole (frames, 4, 3) from the ground below its corners (frames, 4, 3)."""
    sine = lengths(cross(find_normals(sole), find_normals(ground)))
    return float(np.degrees(np.arcsin(np.minimum(sine, 1.0))).mean())


def _judge_joints(reference: ReferenceMotion) -> Iterator[Figure]:
    beyond = max(0.0, float(_find_excess(reference).max(initial=0.0)))
    yield Figure("beyond joint limits", np.degrees(beyond), "degrees, largest", _LIMITS, Band(high=0.01))
    for name, used in _list_loads(reference):
        limited = np.isfinite(used)
        most, absent = float(used[limited].max(initial=0.0)), ""
        if not limited.any():
            most, absent = np.nan, "the description has none"
        yield Figure(name, most, "of the limit, largest", _LIMITS, Band(high=1.0), absent)
    yield Figure("one-frame jumps", float(count_jumps(reference)), "joints and frames", _OURS, Band(high=0.0))


def _find_excess(reference: ReferenceMotion) -> Array:
    """Return how far (frames, joints) angles are beyond their limits (rad); negative within them."""
    skeleton, q = reference.biped.skeleton, reference.motion.q[:, JOINTS]
    return np.maximum(skeleton.lower[JOINTS] - q, q - skeleton.upper[JOINTS])


def _list_loads(reference: ReferenceMotion) -> Iterator[tuple[str, Array]]:
    """Yield speed and torque (frames, joints) as shares of their limits; NaN where a joint has none.

    Torques of the first and the last frame are left out.
    """
    limits, torques = reference.biped.description, np.full_like(reference.torques, np.nan)
    torques[_INNER] = reference.torques[_INNER]
    kinds = (reference.speeds, limits.speeds), (torques, limits.strongest)
    for name, (used, most) in zip(LOADS, kinds, strict=True):
        yield name, np.abs(used) / np.where(np.isfinite(most), most, np.nan)[JOINTS]


def count_jumps(reference: ReferenceMotion) -> int:
    """Count joints and frames with a step unlike those around it by more than a leg may jump."""
    return int((np.abs(_find_odd_steps(reference.motion.q[:, JOINTS])) > POP_ANGLE).sum())


def judge_base(reference: ReferenceMotion) -> Figure:
    """Measure the largest step of the base from one frame to the next that those before and after do not explain."""
    largest = float(_find_base_steps(reference).max(initial=0.0))
    return Figure("base steps", largest, "m/s beyond the speeds around, largest", _OURS, Band(high=_BASE_STEP))


def _find_base_steps(reference: ReferenceMotion) -> Array:
    """Return how fast (frames - 1,) the base moves from every frame to the next, beyond the speeds around (m/s)."""
    return lengths(_find_odd_steps(reference.motion.placement.positions[:, 0])) / reference.motion.frame_time


def _find_odd_steps(values: Array) -> Array:
    """Return how values (frames, numbers) change from frame to frame, beyond the median of the steps around."""
    steps = np.diff(values, axis=0)
    return np.asarray(steps - median_filter(steps, (5, 1), mode="nearest"))


def _judge_forces(reference: ReferenceMotion) -> Iterator[Figure]:
    weight, found = GRAVITY * reference.biped.description.character.mass, reference.forces
    moment = found.missing_moment / reference.biped.leg_length
    for name, missing, unit in (
        ("root residual", found.missing_force, ""),
        ("root moment", moment, " times the length of a leg"),
    ):
        size = float(np.sqrt(np.mean(lengths(missing[_INNER]) ** 2))) / weight
        yield Figure(name, size, f"body weights{unit}, root mean square", _OURS, Band(high=0.05))


def judge_flights(reference: ReferenceMotion) -> Figure:
    """Measure the vertical acceleration of the centre of mass in flights."""
    step, fall = reference.motion.frame_time, []
    heights = reference.forces.center_of_mass[:, 2]
    for first, last in find_runs(np.asarray(~reference.touching.any(axis=1))):
        if (last - first) * step >= _FLIGHT:
            times = step * np.arange(last - first + 1)
            fall.append(2.0 * float(np.polyfit(times, heights[first : last + 1], 2)[0]))
    band = Band(-GRAVITY - 0.5, -GRAVITY + 0.5)
    return Figure("fall in flight", _mean(fall), "m/s²", "g = 9.81 m/s²", band, "" if fall else "no flight")


def _judge_self_contact(reference: ReferenceMotion) -> Figure:
    depth = find_self_contacts(reference.biped).find_nearest(reference.motion.placement).depth
    unit, absent = f"% of frames deeper than {1000.0 * _DEEP:g} mm", "" if depth.shape[1] else "the robot has no shapes"
    share = 100.0 * float((depth.max(axis=1) > _DEEP).mean()) if depth.shape[1] else np.nan
    return Figure("self-collision", share, unit, _OURS, Band(high=0.0), absent)


def _judge_links_below(reference: ReferenceMotion) -> Figure:
    """Measure links other than feet below the ground, as a hand of somebody who lies: the robot stands on feet only."""
    biped, capsules = reference.biped, find_self_contacts(reference.biped)
    feet = {biped.places[f"{side}_foot"].joint for side in SIDES}
    others = [n for n, joint in enumerate(capsules.joints) if feet.isdisjoint(biped.skeleton.path_to_root(joint))]
    lowest = capsules.locate_ends(reference.motion.placement)[..., 2].min(axis=2)[:, others]
    deep = lowest - capsules.radii[others] < reference.ground.min(axis=(1, 2))[:, None] - _DEEP
    unit, absent = f"% of frames deeper than {1000.0 * _DEEP:g} mm", "" if others else "the robot has no shapes"
    share = 100.0 * float(deep.any(axis=1).mean()) if others else np.nan
    return Figure("links below the ground", share, unit, _OURS, Band(high=0.0), absent)


def _list_exceeded(reference: ReferenceMotion) -> Iterator[str]:
    """Yield the worst joint and frame of every kind of limit that is exceeded, and the others' names."""
    names = reference.biped.description.joint_names
    excess = _find_excess(reference)
    kinds = [("joint limit", excess, np.radians(0.01), lambda x: f"{np.degrees(x):.2g} degrees beyond it")]
    kinds += [(name, used, 1.0, lambda x: f"{x:.3g} times the limit") for name, used in _list_loads(reference)]
    for name, used, limit, words in kinds:
        worst = np.nan_to_num(used, nan=0.0)
        over = np.flatnonzero(worst.max(axis=0, initial=0.0) > limit)
        if not len(over):
            continue
        frame, joint = np.unravel_index(int(worst.argmax()), worst.shape)
        others = [names[n] for n in over if n != joint]
        more = f"; also {', '.join(others)}" if others else ""
        share = 100.0 * float((worst > limit).any(axis=1).mean())
        yield f"{name}: {names[joint]} in frame {frame} {words(worst[frame, joint])}, {share:.0f} % of frames{more}"


def _list_base_steps(reference: ReferenceMotion) -> Iterator[str]:
    """Yield where the base steps farthest, if that is beyond the band."""
    speeds = _find_base_steps(reference)
    if (speeds > _BASE_STEP).any():
        worst, share = int(speeds.argmax()), 100.0 * float((speeds > _BASE_STEP).mean())
        far = 1000.0 * speeds[worst] * reference.motion.frame_time
        yield f"base step: {far:.3g} mm beyond the steps around in frame {worst + 1}, {share:.2g} % of frames"


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else np.nan


def _percentile(values: list[float] | NDArray[np.float64]) -> float:
    return float(np.percentile(values, 95.0)) if len(values) else np.nan

"""`make_reference`: a clip of a person as a reference motion of a humanoid robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.fit.load import Source, StrPath, as_motion
from gambol.io.output import check_writable
from gambol.motion.contacts import Contacts
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.disturbances import add_variation_loads, vary_clip
from gambol.robots.references.dynamic import make_robot_physical
from gambol.robots.references.feasible import find_feasible_variation
from gambol.robots.references.footholds import move_footholds
from gambol.robots.references.hips import measure_scale, raise_hips
from gambol.robots.references.judgement import ReferenceJudgement, judge_reference
from gambol.robots.references.kinematic import plan_robot_soles, pose_robot
from gambol.robots.references.levels import find_floor
from gambol.robots.references.person import track_person
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.slabs import add_slabs
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import find_unsupported
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.skin import load_skin
from gambol.robots.sole_shapes import level_sole, locate_soles
from gambol.spacetime.solved_windows import SolvedWindow
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from gambol.stages.speed import find_runs

RATE = 50.0
"""Frames per second of a reference, as most controllers run."""
_FEWEST = 3
"""Frames that an acceleration needs."""
_UNSUPPORTED = 0.3
"""Seconds without a foot on the ground, and without a fall, that are told."""
_UNVARIED = ReferenceVariation()


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceResult(Result):
    """A reference motion of a robot."""

    reference: ReferenceMotion
    unsolved: tuple[str, ...] = ()
    """Parts that stayed without forces, and why."""

    @property
    def judgement(self) -> ReferenceJudgement:
        """Its figures with their bands; of a fast motion they are measured when they are asked for."""
        return judge_reference(self.reference)

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write .npz with all fields, .csv with base and joints, or whatever motions are written as."""
        file = Path(path)
        if file.suffix.lower() == ".npz":
            check_writable(file, overwrite)
            self.reference.save(file)
            return [file]
        if file.suffix.lower() == ".csv":
            return [self.reference.save_table(file, overwrite)]
        return super().save(path, overwrite=overwrite)


def make_reference(
    clip: Source,
    robot: StrPath | Biped,
    *,
    fast: bool = False,
    keep_time: bool = False,
    rate: float = RATE,
    feasible: bool = False,
    variation: ReferenceVariation = _UNVARIED,
    progress: Progress = silent,
) -> ReferenceResult:
    """Move a clip of a person to a robot (URDF, MJCF or mapping file), scaled by its hips' height, its soles flat.

    Time is scaled by the square root of size, so that falls and swings look right, unless `keep_time` is set. `fast`
    leaves out the second step, in which forces and momentum become feasible. `rate` is in frames per second.
    `feasible` slows the motion and shortens its steps until joints are below their largest speeds and torques.
    `variation` changes terrain, steps, pace and more.

    >>> made = gb.make_reference("walk", "jvrc1", fast=True)  # doctest: +SKIP
    >>> made.save("walk.npz")  # doctest: +SKIP
    """
    check_rate(rate)
    biped = robot if isinstance(robot, Biped) else load_biped(Path(robot))
    make = partial(_make_variation, as_motion(clip), biped, fast, keep_time, rate, progress)
    if not feasible:
        return make(variation)
    made: dict[ReferenceVariation, ReferenceResult] = {}

    def judge(one: ReferenceVariation) -> ReferenceJudgement:
        made[one] = make(one)
        return made[one].judgement

    chosen, note = find_feasible_variation(variation, judge)
    return replace(made[chosen], notes=(*([note] if note else ()), *made[chosen].notes))


def _make_variation(
    clip: Motion,
    robot: Biped,
    fast: bool,
    keep_time: bool,
    rate: float,
    progress: Progress,
    variation: ReferenceVariation,
) -> ReferenceResult:
    progress("posing the robot", 0, None)
    biped = add_variation_loads(robot, variation)
    motion = vary_clip(clip, variation, biped)
    person = track_person(motion)
    scale = measure_scale(person.character, biped)
    slower = (1.0 if keep_time else scale**0.5) / variation.pace
    seconds = np.arange(int(motion.duration * slower * rate + 1e-6) + 1) / (rate * slower)
    if len(seconds) < _FEWEST:
        shortest = (_FEWEST - 1) / (rate * slower)
        raise InputError(f"'{motion.name}' lasts {motion.duration:.2g} s", fix=f"give at least {shortest:.2g} s")
    person = person.sample(seconds, 1.0 / (rate * slower))
    contacts = find_foot_contacts(person.rig)
    planned = plan_robot_soles(biped, person, contacts, scale)
    # The lowest ground of the clip is where trackers have theirs: at a height of zero.
    floor = find_floor(planned)
    person, planned = move_footholds(biped, raise_hips(biped, person, planned, scale), planned, scale, variation)
    q, soles = pose_robot(biped, person.bodies, scale, planned, 1.0 / rate)
    q[:, 2] -= floor
    soles = {side: path.lift(-floor) for side, path in soles.items()}
    posed = Motion(biped.skeleton, q, 1.0 / rate, motion.name)
    notes = biped.description.notes + _list_unsupported(person.rig, contacts, rate)
    windows: list[SolvedWindow] = []
    if not fast:
        progress("solving frames", 0, len(posed))
        q, windows = make_robot_physical(
            biped,
            posed,
            soles,
            tell=lambda text: progress(text, 0, None),
            done=lambda window: progress("solving frames", window.last + 1, len(posed)),
        )
    failed = [window for window in windows if not window.converged]
    unsolved = tuple(f"poses only from frame {w.first} to {w.last}, without forces: {w.status}" for w in failed)
    made = {**motion.made, "verb": "retarget", "onto": biped.description.character.name}
    made |= {"variation": changed} if (changed := variation.describe()) else {}
    moved = replace(posed, q=q, skin=load_skin(biped.description), made=made)
    reference = add_slabs(_add_contacts(biped, moved, soles))
    figures, notes = {"scale": scale}, notes + unsolved
    if not fast:
        progress("judging the reference", 0, None)
        judged = judge_reference(reference)
        figures, notes = figures | judged.values, notes + judged.notes
    ensemble = as_ensemble(reference.motion)
    return ReferenceResult(motions=ensemble, figures=figures, notes=notes, reference=reference, unsolved=unsolved)


def _add_contacts(biped: Biped, motion: Motion, soles: Mapping[str, SolePath]) -> ReferenceMotion:
    """Return a motion of a robot with the contacts and the ground of its soles."""
    paths, corners = [soles[side] for side in SIDES], locate_soles(biped, motion.placement)
    touching, flat = (np.stack(each, axis=1) for each in zip(*((p.touching, p.level) for p in paths), strict=True))
    below = [soles[side].find_ground(level_sole(biped, side), corners[:, n]) for n, side in enumerate(SIDES)]
    return ReferenceMotion(biped, motion, touching, flat, np.stack(below, axis=1))


def _list_unsupported(motion: Motion, contacts: Contacts, rate: float) -> tuple[str, ...]:
    """Return notes about times at which something else than feet carries the person."""
    spans = find_runs(find_unsupported(motion, contacts))
    long = [(first / rate, last / rate) for first, last in spans if last - first >= _UNSUPPORTED * rate]
    times = ", ".join(f"{first:.1f}-{last:.1f} s" for first, last in long)
    return (f"{times}: the person is not carried by the feet; the robot has no other contacts",) if long else ()


def check_rate(rate: float) -> None:
    """Refuse frames per second that no controller runs at."""
    if not 10.0 <= rate <= 500.0:
        raise InputError(f"rate must be 10 to 500 frames per second, not {rate:g}")

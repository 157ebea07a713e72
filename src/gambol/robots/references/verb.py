"""`retarget`: a motion on another rig, or a reference motion of a humanoid robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.clips.result import Result
from gambol.clips.retarget import retarget_to_rig
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import fit
from gambol.geometry.arrays import find_runs
from gambol.io.output import check_writable
from gambol.judge.judgement import Judgement
from gambol.metrics.figures import Check
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.descriptions import is_robot
from gambol.robots.references.disturbances import add_variation_loads, vary_clip
from gambol.robots.references.dynamic import make_robot_physical
from gambol.robots.references.feasible import find_feasible_variation
from gambol.robots.references.footholds import move_footholds
from gambol.robots.references.hips import measure_scale, raise_hips
from gambol.robots.references.judgement import judge_reference
from gambol.robots.references.kinematic import plan_robot_soles, pose_robot
from gambol.robots.references.levels import find_floor
from gambol.robots.references.person import track_person
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.references.seen import judge_robot
from gambol.robots.references.slabs import add_slabs
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import find_unsupported
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.skin import load_skin
from gambol.robots.sole_shapes import level_sole, locate_soles, note_estimates
from gambol.spacetime.solved_windows import SolvedWindow
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES

REFERENCE_FPS = 50.0
"""Frames per second of a reference, as most controllers run."""
_FEWEST = 3
"""Frames that an acceleration needs."""
_UNSUPPORTED = 0.3
"""Report gaps in foot support, without a fall, that are longer than this (s)."""
_UNVARIED = ReferenceVariation()


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceResult(Result):
    """A reference motion of a robot."""

    reference: ReferenceMotion
    unsolved: tuple[str, ...] = ()
    """Parts that stayed without forces, and why."""

    @cached_property
    def _judgement(self) -> Judgement:
        return judge_robot(self.reference.biped, self.reference.motion)

    @property
    def checked(self) -> Check:
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


def retarget(
    clip: Source,
    to: Source | Biped,
    *,
    fast: bool = False,
    keep_time: bool = False,
    output_fps: float | None = None,
    feasible: bool = False,
    contacts: GivenContacts | None = None,
    variation: ReferenceVariation = _UNVARIED,
    progress: Progress = silent,
) -> Result:
    """Move a motion to another rig, or to a humanoid robot.

    `to` is a clip or a glTF character, of which only the rig matters; or a robot: a URDF, MJCF or robot file, or a name
    such as "jvrc1". On a rig, orientations are kept, steps scaled to the legs, and feet brought to their places.

    A robot gets a `ReferenceResult`: the motion scaled by the height of its hips, its soles flat. Time is scaled by the
    square root of size, so that falls and swings look right, unless `keep_time` is set. `fast` leaves out the second
    step, in which forces and momentum become feasible. `output_fps` is in frames per second (default: 50). `feasible`
    slows the motion and shortens its steps until joints are below their largest speeds and torques. `contacts`
    replaces those found on the clip, which decide where soles rest. `variation` changes terrain, steps, pace and more.

    >>> retargeted = gb.retarget("walk", "run")
    >>> retargeted.save("walk_on_my_rig.glb")  # doctest: +SKIP
    >>> gb.retarget("walk", "jvrc1", fast=True).save("walk.npz")  # doctest: +SKIP
    """
    if isinstance(to, Biped) or (not isinstance(to, Motion) and is_robot(Path(to))):
        fps = REFERENCE_FPS if output_fps is None else output_fps
        return make_reference(
            clip,
            to,
            fast=fast,
            keep_time=keep_time,
            fps=fps,
            feasible=feasible,
            contacts=contacts,
            variation=variation,
            progress=progress,
        )
    asked = {
        "fast": fast,
        "keep_time": keep_time,
        "output_fps": output_fps is not None,
        "feasible": feasible,
        "contacts": contacts is not None,
        "variation": variation != _UNVARIED,
    }
    if given := [name for name, is_given in asked.items() if is_given]:
        raise InputError(f"for robots only: {', '.join(given)}", fix="leave it out, or give a robot (.urdf, .xml)")
    return retarget_to_rig(clip, to)


def make_reference(
    clip: Source,
    robot: StrPath | Biped,
    *,
    fast: bool = False,
    keep_time: bool = False,
    fps: float = REFERENCE_FPS,
    feasible: bool = False,
    contacts: GivenContacts | None = None,
    variation: ReferenceVariation = _UNVARIED,
    progress: Progress = silent,
) -> ReferenceResult:
    """Return a clip of a person as a reference motion of a robot, as `retarget` describes."""
    check_fps(fps)
    biped = (robot if isinstance(robot, Biped) else load_biped(robot)).require_arms()
    motion = as_motion(clip)
    given = None if contacts is None else use_contacts(fit(Character.from_motion(motion), motion), contacts)
    make = partial(_make_variation, motion, biped, fast, keep_time, fps, given, progress)
    if not feasible:
        return make(variation)
    made: dict[ReferenceVariation, ReferenceResult] = {}

    def judge(one: ReferenceVariation) -> Check:
        made[one] = make(one)
        return made[one].checked

    chosen, note = find_feasible_variation(variation, judge)
    return replace(made[chosen], notes=(*([note] if note else ()), *made[chosen].notes))


def _make_variation(
    clip: Motion,
    robot: Biped,
    fast: bool,
    keep_time: bool,
    fps: float,
    given: Contacts | None,
    progress: Progress,
    variation: ReferenceVariation,
) -> ReferenceResult:
    progress("posing the robot", 0, None)
    biped = add_variation_loads(robot, variation)
    if given is not None and (variation.mirror or variation.push):
        raise InputError("given contacts are not those of a mirrored or pushed clip", fix="leave out mirror and push")
    motion = vary_clip(clip, variation, biped)
    person = track_person(motion)
    scale = measure_scale(person.character, biped)
    slower = (1.0 if keep_time else scale**0.5) / variation.pace
    seconds = np.arange(int(motion.duration * slower * fps + 1e-6) + 1) / (fps * slower)
    if len(seconds) < _FEWEST:
        shortest = (_FEWEST - 1) / (fps * slower)
        raise InputError(f"'{motion.name}' lasts {motion.duration:.2g} s", fix=f"give at least {shortest:.2g} s")
    person = person.sample(seconds, 1.0 / (fps * slower))
    contacts = find_foot_contacts(person.rig) if given is None else given.sample(seconds, person.rig.frame_time)
    planned = plan_robot_soles(biped, person, contacts, scale)
    # The lowest ground of the clip is where trackers have theirs: at a height of zero.
    floor = find_floor(planned)
    person, planned = move_footholds(biped, raise_hips(biped, person, planned, scale), planned, scale, variation)
    q, soles = pose_robot(biped, person.bodies, scale, planned, 1.0 / fps)
    q[:, 2] -= floor
    soles = {side: path.lift(-floor) for side, path in soles.items()}
    posed = Motion(biped.skeleton, q, 1.0 / fps, motion.name)
    notes = biped.description.notes + note_estimates(biped)
    notes += _list_unsupported(person.rig, contacts, fps)
    windows: list[SolvedWindow] = []
    if not fast:
        q, windows = make_robot_physical(biped, posed, soles, progress)
    failed = [window for window in windows if not window.converged]
    unsolved = tuple(f"poses only from frame {w.first} to {w.last}, without forces: {w.status}" for w in failed)
    made = {**motion.made, "verb": "retarget", "onto": biped.description.character.name}
    made |= {"variation": changed} if (changed := variation.describe()) else {}
    moved = replace(posed, q=q, skin=load_skin(biped.description), made=made)
    reference = add_slabs(_add_contacts(biped, moved, soles))
    figures, notes = {"scale_ratio": scale}, notes + unsolved
    if not fast:
        progress("judging the reference", 0, None)
        judged = judge_reference(reference)
        figures, notes = {**figures, **judged.figures}, notes + judged.notes
    ensemble = as_ensemble(reference.motion)
    return ReferenceResult(motions=ensemble, figures=figures, notes=notes, reference=reference, unsolved=unsolved)


def _add_contacts(biped: Biped, motion: Motion, soles: Mapping[str, SolePath]) -> ReferenceMotion:
    """Return a motion of a robot with the contacts and the ground of its soles."""
    paths, corners = [soles[side] for side in SIDES], locate_soles(biped, motion.placement)
    touching, flat = (np.stack(each, axis=1) for each in zip(*((p.touching, p.level) for p in paths), strict=True))
    below = [soles[side].find_ground(level_sole(biped, side), corners[:, n]) for n, side in enumerate(SIDES)]
    return ReferenceMotion(biped, motion, touching, flat, np.stack(below, axis=1))


def _list_unsupported(motion: Motion, contacts: Contacts, fps: float) -> tuple[str, ...]:
    """Return notes about times at which something else than feet carries the person."""
    spans = find_runs(find_unsupported(motion, contacts))
    long = [(first / fps, last / fps) for first, last in spans if last - first >= _UNSUPPORTED * fps]
    times = ", ".join(f"{first:.1f}-{last:.1f} s" for first, last in long)
    return (f"{times}: the person is not carried by the feet; the robot has no other contacts",) if long else ()


def check_fps(fps: float) -> None:
    """Refuse frames per second that no controller runs at."""
    if not 10.0 <= fps <= 500.0:
        raise InputError(f"{fps:g} frames per second", fix="10 to 500 frames per second")

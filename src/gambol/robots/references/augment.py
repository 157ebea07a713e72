"""`augment`: a folder of reference motions from a few clips, varied in terrain, steps, pace, loads and pushes.

Every member is judged. A run that was stopped goes on where it was; the files are the same to the last bit for any
number of workers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol.body.character import Character
from gambol.clips.result import FolderResult, finite_or_none
from gambol.contacts.timeline import Contacts
from gambol.errors import GambolError, InputError, StrPath
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import fit
from gambol.io.lock import lock_output
from gambol.io.manifest import KEPT, MANIFEST, Manifest, make_folder
from gambol.io.packed import digest
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.augment_plan import AugmentPlan
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.references.verb import REFERENCE_FPS, ReferenceResult, check_fps, make_reference
from gambol.solve.ipopt import on_one_thread
from gambol.solve.workers import check_workers, open_cluster, solve_all
from gambol.version import __version__

OUTSIDE = "outside"
"""Folder of members with a figure outside its band."""
_CANNOT = (GambolError, ArithmeticError, np.linalg.LinAlgError)
"""What may happen to a member that cannot be solved."""


class _Settings(NamedTuple):
    biped: Biped
    clips: tuple[Motion, ...]
    fast: bool
    keep_time: bool
    fps: float
    contacts: Contacts | None


class _Member(NamedTuple):
    number: int
    clip: int
    variation: ReferenceVariation
    key: str
    """Digest of everything that determines it."""


def augment(
    clips: Sequence[Source],
    robot: StrPath | Biped,
    folder: StrPath,
    plan: AugmentPlan,
    *,
    fast: bool = False,
    keep_time: bool = False,
    output_fps: float = REFERENCE_FPS,
    contacts: GivenContacts | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> FolderResult:
    """Make a family of reference motions of a robot, evenly of all clips, into FOLDER/CLIP_NUMBER.npz.

    FOLDER/manifest.jsonl has a row per member: file, status, values of axes, figures. Members with a figure outside its
    band are in FOLDER/outside; those that cannot be made have no file and say why. Members that are there are not
    solved again; those of another plan are replaced with `overwrite` only. `fast`, `keep_time`, `output_fps` and
    `contacts`, of a single clip, are those of `retarget`, `workers` and `scheduler` those of `family`.

    >>> plan = gb.AugmentPlan({"stairs": (0.08, 0.15), "turn": (-40, 40)}, members=20)
    >>> gb.augment(["walk"], "g1.urdf", "references", plan, workers=2)  # doctest: +SKIP
    """
    check_workers(workers, scheduler)
    check_fps(output_fps)
    biped = (robot if isinstance(robot, Biped) else load_biped(robot)).require_arms()
    motions = tuple(as_motion(clip) for clip in clips)
    if not motions:
        raise InputError("no clip to augment", fix="give one or more")
    given = None if contacts is None else _read_contacts(motions, contacts, plan)
    settings = _Settings(biped, motions, fast, keep_time, output_fps, given)
    place, members = Path(folder), _list_members(settings, plan)
    make_folder(place / OUTSIDE)
    with lock_output(place / MANIFEST):
        manifest = Manifest(place, int)
        todo = [one for one in members if not _is_done(manifest.rows.get(one.number), one, place, overwrite)]
        done = len(members) - len(todo)
        if done:
            progress(f"{done} of {len(members)} members were solved before", 0, None)
        with open_cluster(workers, scheduler) as client:
            for member, found in solve_all(client, _solve_member, settings, todo):
                replaced = manifest.rows.get(member.number, {}).get("file")
                row = _store_member(place, settings, member, found)
                if replaced not in (None, row["file"]):
                    (place / replaced).unlink(missing_ok=True)
                manifest.add(row)
                done += 1
                progress("solving references", done, len(members))
        manifest.sort()
    rows = [manifest.rows[one.number] for one in members]
    kept = {str(row["member"]): place / row["file"] for row in rows if row["status"] == KEPT}
    return FolderResult(
        motions=as_ensemble(settings.clips),
        figures={"members": len(members), "kept_members": len(kept)},
        files=kept,
        refused={str(row["member"]): row["status"] for row in rows if row["status"] != KEPT},
    )


def _read_contacts(clips: tuple[Motion, ...], contacts: GivenContacts, plan: AugmentPlan) -> Contacts:
    if len(clips) > 1:
        raise InputError(f"contacts of one clip for {len(clips)}", fix="augment one clip")
    if plan.mirror or "push" in plan.ranges:
        raise InputError("given contacts are not those of a mirrored or pushed clip", fix="leave out mirror and push")
    return use_contacts(fit(Character.from_motion(clips[0]), clips[0]), contacts)


def _list_members(settings: _Settings, plan: AugmentPlan) -> list[_Member]:
    robot, options = settings.biped.description.character, (settings.fast, settings.keep_time, settings.fps)
    given = () if settings.contacts is None else (settings.contacts,)
    clips = [digest(__version__, m.q, m.frame_time, m.skeleton, m.rig, robot, options, *given) for m in settings.clips]
    return [
        _Member(number, clip, variation, digest(clips[clip], variation)[:32])
        for number, (clip, variation) in enumerate(plan.list_members(len(clips)))
    ]


def _is_done(row: dict[str, Any] | None, member: _Member, place: Path, overwrite: bool) -> bool:
    """Return whether a member was solved before; refuse to replace one that is something else."""
    if row is None:
        return False
    if row["key"] != member.key:
        if overwrite:
            return False
        raise InputError(
            f"member {member.number} is of another plan, clip or robot",
            file=place / MANIFEST,
            fix="choose another folder, or pass --overwrite to replace it",
        )
    return row["file"] is None or (place / row["file"]).is_file()


def _solve_member(settings: _Settings, member: _Member) -> ReferenceResult | str:
    """Return a member, or why there is none; the result is identical to the last bit in any process."""
    try:
        with on_one_thread():
            return make_reference(
                settings.clips[member.clip],
                settings.biped,
                fast=settings.fast,
                keep_time=settings.keep_time,
                fps=settings.fps,
                contacts=settings.contacts,
                variation=member.variation,
            )
    except _CANNOT as error:
        return error.problem if isinstance(error, InputError) else str(error)


def _store_member(place: Path, settings: _Settings, member: _Member, found: ReferenceResult | str) -> dict[str, Any]:
    """Write the file of a member; return its row."""
    clip, values = settings.clips[member.clip].name, asdict(member.variation)
    row = {"member": member.number, "file": None, "clip": clip, "status": found, **values, "key": member.key}
    if isinstance(found, str):
        return row
    judged = found.checked
    name = re.sub(r"[^\w.-]+", "_", clip) + f"_{member.number:05d}.npz"
    row |= {"file": name if judged.passes else f"{OUTSIDE}/{name}", "status": KEPT if judged.passes else judged.verdict}
    row |= {name: finite_or_none(value) for name, value in {**found.figures, **judged.figures}.items()}
    found.reference.save(place / row["file"], {f"axis_{name}": np.array(value) for name, value in values.items()})
    return row

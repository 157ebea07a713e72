"""`family`: a clip edited on a grid of values, with blends between the members (L05 section 4.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from gambol.clips.result import ModelResult, Result
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_motion
from gambol.io.lock import lock_output
from gambol.io.models import as_model
from gambol.io.yamls import check_choice
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol.spacetime.edits.verb import prepare_clip
from gambol.spacetime.families import library
from gambol.spacetime.families.chain_to_rig import return_chain_to_rig
from gambol.spacetime.families.controller import Controller
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import ReachSolution, find_point, reach
from gambol.spacetime.families.plan import FamilyPlan, parse_plan, read_plan
from gambol.spacetime.families.populate import populate


def family(
    clip: Source,
    plan: FamilyPlan | Mapping[str, Any] | StrPath,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    active: bool = False,
    store: StrPath | None = None,
    start: float | None = None,
    end: float | None = None,
    calibrate: Literal["time", "off"] = "time",
    contacts: GivenContacts | None = None,
    mass: float | None = None,
    progress: Progress = silent,
) -> ModelResult[Family]:
    """Solve the members of a family: edits of a clip on a grid of values.

    `plan` says what varies: a YAML file, the same as a mapping, or the name of a built-in family (line, grid, circle,
    steer). Members are solved by `workers` processes, or by the Dask cluster at the address `scheduler`; they are kept
    in the folder `store`, so that an interrupted run resumes. `active` is adaptive sampling: a member is solved only
    where interpolation is not good enough. `start` and `end` (s) cut the clip first; `calibrate` corrects the frame
    time if flights do not fall at 9.81 m/s², or nothing ("off"); `contacts` replaces those found.

    >>> made = gb.family("jump", "grid", workers=2, store="jumps")  # doctest: +SKIP
    >>> made.save("jumps.npz")  # doctest: +SKIP
    """
    if isinstance(plan, Mapping):
        asked = parse_plan(plan, "family")
    else:
        asked = plan if isinstance(plan, FamilyPlan) else read_plan(library.find(plan))
    check_choice(calibrate, "calibrate", ("time", "off"))
    material, notes = prepare_clip(as_motion(clip), start, end, mass, calibrate, contacts)

    progress("solving members", 0, None)
    folder = None if store is None else Path(store)
    with lock_output(folder):
        made = populate(
            material,
            asked,
            active=active,
            workers=workers,
            scheduler=scheduler,
            store=folder,
            progress=progress,
        )
    ends = [[float(axis.values[n]) for axis in asked.axes] for n in (0, -1)]
    return ModelResult(
        motions=Ensemble(tuple(play_family(made, values).motion for values in ends), asked.name),
        figures={"members": made.solved.size, "solved_members": int(made.solved.sum())},
        notes=notes,
        model=made,
    )


def play_family(family: Family | StrPath, values: Sequence[float]) -> Result:
    """Return the motion of a family at one value per axis, on the clip's own rig and at its own frame rate.

    >>> gb.play_family("jumps.npz", [0.2, -0.1]).save("further.bvh")  # doctest: +SKIP
    """
    found = as_model(family, Family)
    if len(values) != len(found.plan.axes):
        example = " ".join(f"{axis.values.mean():g}" for axis in found.plan.axes)
        raise InputError(
            f"the family has {len(found.plan.axes)} axes, and {len(values)} values are given",
            fix=f"one value per axis, such as {example}",
        )
    return Result(motions=as_ensemble(_member(found, values, "family play")))


@dataclass(frozen=True, eq=False, kw_only=True)
class ReachResult(Result):
    """The motion of a family that comes nearest to a target."""

    reached: ReachSolution


def reach_family(family: Family | StrPath, part: str, target: Sequence[float], time: float) -> ReachResult:
    """Find the motion that brings a part of the body ("right hand") to a target (m, world) at a time (s).

    >>> gb.reach_family("jumps.npz", "right hand", (0.9, 0.1, 2.2), time=1.4).save("slam.bvh")  # doctest: +SKIP
    """
    chosen = as_model(family, Family)
    body, point = find_point(chosen.character, part)
    found = reach(chosen, body, point, target, time)
    x, y, z = found.position
    near = f"out of reach: the nearest point of this family is {x:.2f} {y:.2f} {z:.2f}"
    return ReachResult(
        motions=as_ensemble(_member(chosen, found.values, "family reach")),
        figures={"miss_m": found.miss, **dict(zip((axis.key for axis in chosen.plan.axes), found.values, strict=True))},
        notes=() if found.hit else (near,),
        reached=found,
    )


def drive_family(family: Family | StrPath, directions: Sequence[tuple[float, float]], fps: float = 60.0) -> Result:
    """Steer a family of two jumps: one jump per direction (forward, left), each from -1 to 1.

    >>> gb.drive_family("twice.npz", [(0.0, 1.0), (0.5, 0.0)]).save("driven.bvh")  # doctest: +SKIP
    """
    found = as_model(family, Family)
    clip = return_chain_to_rig(found, list(Controller(found, fps).jumps(directions)), fps)
    made = {"verb": "family drive", "directions": [list(direction) for direction in directions]}
    return Result(
        motions=as_ensemble(replace(clip, made={**clip.made, **made})),
        notes=(f"{len(directions)} jumps in {clip.duration:.1f} s",),
    )


def _member(family: Family, values: Sequence[float], verb: str) -> Motion:
    draft, motion = family.motion(values)
    on_rig = return_to_rig(draft, motion.q)
    made = {"verb": verb, "edit": str(draft.edit), "values": [round(float(value), 6) for value in values]}
    return replace(on_rig, made={**on_rig.made, **made})

"""`family`: a clip edited on a grid of values, with blends between the members (L05 section 4.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.fit.load import Source, StrPath, as_motion
from gambol.io.lock import lock_output
from gambol.io.output import check_writable
from gambol.io.yamls import check_choice
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.spacetime.edits.editing import prepare_clip
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol.spacetime.families import library
from gambol.spacetime.families.chain_to_rig import return_chain_to_rig
from gambol.spacetime.families.controller import Controller
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.inverse import ReachSolution, find_point, reach
from gambol.spacetime.families.plan import FamilyPlan, parse_plan, read_plan
from gambol.spacetime.families.populate import FamilyProgress, populate
from gambol.spacetime.families.store import save_family


@dataclass(frozen=True, eq=False, kw_only=True)
class FamilyResult(Result):
    """A family; its motions are the first and the last member."""

    family: Family

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write the family as .npz, or its first and last member as motions or pictures."""
        if Path(path).suffix.lower() != ".npz":
            return super().save(path, overwrite=overwrite)
        check_writable(Path(path), overwrite)
        save_family(self.family, Path(path))
        return [Path(path)]


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
    mass: float | None = None,
    progress: Progress = silent,
) -> FamilyResult:
    """Solve the members of a family: edits of a clip on a grid of values.

    `plan` says what varies: a YAML file, the same as a mapping, or the name of a built-in family (line, grid, circle,
    steer). Members are solved by `workers` processes, or by the Dask cluster at the address `scheduler`; they are kept
    in the folder `store`, so that an interrupted run resumes. `active` is adaptive sampling: a member is solved only
    where interpolation is not good enough. `start` and `end` (s) cut the clip first; `calibrate` corrects the frame
    time if flights do not fall at 9.81 m/s², or nothing ("off").

    >>> made = gb.family("jump", "grid", workers=2, store="jumps")  # doctest: +SKIP
    >>> made.save("jumps.npz")  # doctest: +SKIP
    """
    if isinstance(plan, Mapping):
        asked = parse_plan(plan, "family")
    else:
        asked = plan if isinstance(plan, FamilyPlan) else read_plan(library.find(plan))
    check_choice(calibrate, "calibrate", ("time", "off"))
    material, notes = prepare_clip(as_motion(clip), start, end, mass, calibrate)

    def solved(state: FamilyProgress) -> None:
        progress("solving members", state.done, state.total)

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
            progress=solved,
            tell=lambda text: progress(text, 0, None),
        )
    ends = [[float(axis.values[n]) for axis in asked.axes] for n in (0, -1)]
    return FamilyResult(
        motions=Ensemble(tuple(play_family(made, values).motion for values in ends), asked.name),
        figures={"members": made.solved.size, "solved": int(made.solved.sum())},
        notes=notes,
        family=made,
    )


def play_family(family: Family, values: Sequence[float]) -> Result:
    """Return the motion of a family at one value per axis, on the clip's own rig and at its own rate.

    >>> jumps = gb.load_family("jumps.npz")  # doctest: +SKIP
    >>> gb.play_family(jumps, [0.2, -0.1]).save("further.bvh")  # doctest: +SKIP
    """
    if len(values) != len(family.plan.axes):
        example = " ".join(f"{axis.values.mean():g}" for axis in family.plan.axes)
        raise InputError(
            f"the family has {len(family.plan.axes)} axes, and {len(values)} values are given",
            fix=f"one value per axis, such as {example}",
        )
    return Result(motions=as_ensemble(_member(family, values, "family play")))


@dataclass(frozen=True, eq=False, kw_only=True)
class ReachResult(Result):
    """The motion of a family that comes nearest to a target."""

    reached: ReachSolution


def reach_with_family(family: Family, part: str, target: Sequence[float], time: float) -> ReachResult:
    """Find the motion that brings a part of the body ("right hand") to a target (m, world) at a time (s).

    >>> jumps = gb.load_family("jumps.npz")  # doctest: +SKIP
    >>> gb.reach_with_family(jumps, "right hand", (0.9, 0.1, 2.2), time=1.4).save("slam.bvh")  # doctest: +SKIP
    """
    body, point = find_point(family.character, part)
    found = reach(family, body, point, target, time)
    x, y, z = found.position
    near = f"out of reach: the nearest point of this family is {x:.2f} {y:.2f} {z:.2f}"
    return ReachResult(
        motions=as_ensemble(_member(family, found.values, "family reach")),
        figures={"miss_m": found.miss, **{f"value_{n}": v for n, v in enumerate(found.values, 1)}},
        notes=() if found.hit else (near,),
        reached=found,
    )


def drive_family(family: Family, directions: Sequence[tuple[float, float]], rate: float = 60.0) -> Result:
    """Steer a family of two jumps: one jump per direction (forward, left), each from -1 to 1.

    >>> twice = gb.load_family("twice.npz")  # doctest: +SKIP
    >>> gb.drive_family(twice, [(0.0, 1.0), (0.5, 0.0)]).save("driven.bvh")  # doctest: +SKIP
    """
    clip = return_chain_to_rig(family, list(Controller(family, rate).jumps(directions)), rate)
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

"""`compose`: scenes of several actions and several people in one physics (L05 chapter 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.clips.result import Result
from gambol.composition import library
from gambol.composition.block_person import move_contacts_to
from gambol.composition.blocks import Cast, Take
from gambol.composition.carrying import Carry
from gambol.composition.cast import make_cast
from gambol.composition.clearance import find_intersections, measure_depth
from gambol.composition.composition import Composition
from gambol.composition.composition_file import parse_composition, read_composition
from gambol.composition.conditions import BodyPart, find_opponents
from gambol.composition.phases import choose_delays
from gambol.composition.runner import BlockRow, ScheduleRunner
from gambol.composition.schedules import SCHEDULES, Schedule, choose_schedule
from gambol.composition.step_count import choose_step_counts
from gambol.errors import InputError, StrPath
from gambol.io.lock import lock_output
from gambol.judge.finding import name_limb
from gambol.judge.judgement import Original
from gambol.motion.ensemble import Ensemble
from gambol.progress import Progress, accept_stop, silent
from gambol.solve.workers import check_workers, open_cluster
from gambol.terms.space import Term, check_terms

_INSIDE = 0.08
"""Metres by which bodies intersect at the start that are taken for a mistake."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ComposeResult(Result):
    """A composed scene."""

    cast: Cast
    take: Take
    rows: tuple[BlockRow, ...]
    """Blocks of the schedule in the order in which they were solved."""
    stopped: bool = False
    """Whether it was interrupted: it is the best so far."""


def compose(
    scene: Composition | Mapping[str, Any] | StrPath,
    *,
    schedule: str | Schedule = "auto",
    clips: Mapping[str, str] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    store: StrPath | None = None,
    terms: Sequence[Term] | Mapping[str, Sequence[Term]] = (),
    progress: Progress = silent,
) -> ComposeResult:
    """Compose a scene: a YAML file, the same as a mapping, the name of a built-in scene, or a `Composition`.

    Where feet land, forces between people, and, if the scene asks for it, times are found. `schedule` is one of
    `SCHEDULES`, or an object of your own; "auto" solves everybody at once, long scenes in parts, and opponents in turn.
    `clips` replaces clips by name of the person. Blocks that do not depend on each other are solved by `workers`, or on
    the Dask cluster at `scheduler`. `store` keeps the state after every block, from which a stopped run goes on.
    `terms` of your own are added to the problem for everybody, or for the people that a mapping names.

    >>> composed = gb.compose("hand-in-hand")  # doctest: +SKIP
    >>> composed.save("hands.glb")  # doctest: +SKIP
    """
    check_workers(workers, scheduler)
    asked = _replace_clips(as_composition(scene), clips or {})
    stopped = False
    place = None if store is None else Path(store)
    with lock_output(place), open_cluster(workers, scheduler) as client:
        progress("drafting", 0, None)
        asked, counted = choose_step_counts(asked, client, progress)
        asked, delayed = choose_delays(asked, client, progress)
        cast, found = make_cast(asked, progress)
        cast = replace(cast, terms=_find_terms(asked, terms))
        notes, take = (*found, *counted, *delayed), cast.draft()
        _check_times(cast)
        _check_start(cast, take)
        chosen = _as_schedule(schedule, cast, asked)
        runner = ScheduleRunner(cast, client, place, progress, repr(chosen))
        take = runner.resume() or take
        try:
            take = chosen.run(cast, take, runner)
        except KeyboardInterrupt as stop:
            if runner.take is None:
                raise
            accept_stop(stop)
            take, stopped = runner.take, True
            notes = (*notes, f"stopped after {len(runner.rows)} blocks: this is the best so far")
    if not any(row.converged for row in runner.rows) and runner.worst is not None:
        name, status = runner.worst
        raise InputError(f"this scene has no solution ({status}); farthest from satisfied: {name}", fix="ask for less")
    if runner.rows and not runner.rows[-1].converged and runner.worst is not None:
        notes = (*notes, f"the last block has no solution ({runner.worst[0]}): the plan before it is kept")
    motions = _make_motions(asked, cast, take)
    return ComposeResult(
        motions=motions,
        originals=_find_originals(asked, cast, take, motions),
        figures=_measure(cast, take, runner.rows),
        notes=notes,
        cast=cast,
        take=take,
        rows=tuple(runner.rows),
        stopped=stopped,
    )


def as_composition(scene: Composition | Mapping[str, Any] | StrPath) -> Composition:
    """Return a scene that is a file, a mapping, or the name of a built-in one."""
    if isinstance(scene, Composition):
        return scene
    return parse_composition(scene, "scene") if isinstance(scene, Mapping) else read_composition(library.find(scene))


def _replace_clips(asked: Composition, clips: Mapping[str, str]) -> Composition:
    _check_names(clips, [person.name for person in asked.people])

    def change(actions: Any, clip: str) -> Any:
        return tuple(replace(one, clip=clip) for one in actions)

    people = tuple(
        replace(person, actions=change(person.actions, clips[person.name])) if person.name in clips else person
        for person in asked.people
    )
    return replace(asked, people=people)


def _check_names(given: Iterable[str], names: Sequence[str]) -> None:
    """Refuse names of nobody."""
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        raise InputError(f"nobody is called '{unknown}'", fix=f"one of {', '.join(names)}")


def _find_terms(
    asked: Composition, terms: Sequence[Term] | Mapping[str, Sequence[Term]]
) -> dict[str, tuple[Term, ...]]:
    """Return the further terms of everybody, by name."""
    names = [person.name for person in asked.people]
    given = terms if isinstance(terms, Mapping) else dict.fromkeys(names, terms)
    _check_names(given, names)
    return {name: check_terms(some) for name, some in given.items() if some}


def _as_schedule(given: str | Schedule, cast: Cast, asked: Composition) -> Schedule:
    if not isinstance(given, str):
        return given
    if given == "auto":
        return choose_schedule(cast, asked.timing, asked.order)
    if given not in SCHEDULES:
        raise InputError(f"no schedule '{given}'", fix=f"one of auto, {', '.join(SCHEDULES)}")
    return SCHEDULES[given]


def _check_times(cast: Cast) -> None:
    """Refuse conditions that begin after the scene ends."""
    end = (cast.frames - 1) * cast.frame_time
    for one in cast.conditions:
        if one.span[0] > end:
            what = f"a condition of {' and '.join(one.people)} begins at {one.span[0]:g} s"
            raise InputError(f"{what}, and the scene ends at {end:.2f} s", fix="give more steps, or an earlier time")


def _check_start(cast: Cast, take: Take) -> None:
    """Refuse people who begin inside each other."""
    for one in find_intersections(cast, take, deeper=_INSIDE):
        if one.frames[0] == 0:
            raise InputError(
                f"{one.one} begins inside {one.other}", fix="move one of them with 'at', such as at: [0, 0.6]"
            )


def _make_motions(asked: Composition, cast: Cast, take: Take) -> Ensemble:
    motions = []
    for name, role in cast.roles.items():
        track = take.tracks[name]
        motion = role.return_to_rig(track.q, move_contacts_to(role, track), take.frame_times)
        made = {"verb": "compose", "scene": asked.name, "person": name}
        motions.append(replace(motion, name=name, made={**motion.made, **made}))
    loads = tuple(
        one.make_motion(_sample(take, take.loads[one], motions[0].frame_time), motions[0].frame_time)
        for one in cast.conditions
        if isinstance(one, Carry) and one in take.loads
    )
    motions[0] = replace(motions[0], props=(*motions[0].props, *loads))
    return Ensemble(tuple(motions), asked.name)


def _find_originals(asked: Composition, cast: Cast, take: Take, motions: Ensemble) -> tuple[Original, ...]:
    """Return everybody with their own clip; who is hit, or has an opponent, moves otherwise."""
    others = {name for one in asked.conditions if one.hits for name in one.people} | find_opponents(asked.conditions)
    alike = (one for one in motions if one.name not in others)
    return tuple(
        Original(one, cast.roles[one.name].show_original(take.frame_times), busy=_find_busy(asked, one.name))
        for one in alike
    )


def _find_busy(asked: Composition, person: str) -> frozenset[str]:
    """Return the limbs of a person that conditions are about, such as arms whose hands hold somebody."""
    parts = [part for one in asked.conditions for part in vars(one).values() if isinstance(part, BodyPart)]
    limbs = {name_limb(part.body) for part in parts if part.person == person}
    carries = any(isinstance(one, Carry) and person in one.people for one in asked.conditions)
    return frozenset(limbs - {""} | ({"left_arm", "right_arm"} if carries else set()))


def _sample(take: Take, values: Any, step: float) -> Any:
    from scipy.interpolate import CubicSpline

    times = step * np.arange(int(take.frame_times[-1] / step + 1e-6) + 1)
    return CubicSpline(take.frame_times, values)(times)


def _measure(cast: Cast, take: Take, rows: list[BlockRow]) -> dict[str, float]:
    figures: dict[str, float] = {"duration_s": float(take.frame_times[-1])}
    if rows:
        last = next((row for row in reversed(rows) if row.converged), rows[-1])
        figures |= {"cost": last.objective, "blocks": len(rows), "iterations": sum(row.iterations for row in rows)}
        figures["solve_s"] = sum(row.seconds for row in rows)
    shifts = [np.linalg.norm(track.shifts, axis=1).max(initial=0.0) for track in take.tracks.values()]
    figures["footstep_shift_m"] = float(max(shifts))
    sizes = [np.linalg.norm(values, axis=-1) for values in take.forces.values()]
    if any(one.any() for one in sizes):
        figures["force_n"] = float(np.median(np.concatenate([one[one > 0.0] for one in sizes])))
        figures["largest_force_n"] = float(max(one.max() for one in sizes))
    if len(cast.roles) > 1:
        figures["intersection_m"] = max(measure_depth(cast, take), 0.0)
    return figures

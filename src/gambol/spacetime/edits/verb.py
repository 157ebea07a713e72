"""`edit`: move, turn and raise the stages of a clip, or change gravity, and replan the whole body (L05 chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.clips.result import Result
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import fit
from gambol.geometry.arrays import find_runs
from gambol.io.yamls import check_choice
from gambol.judge.judgement import Original
from gambol.judge.likeness import compare_likeness
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.motion.own_frame import OwnFrame, enter_own_frame, find_own_frame
from gambol.progress import Progress, silent
from gambol.spacetime.artefacts import remove_artefacts
from gambol.spacetime.edits import library
from gambol.spacetime.edits.edit import Edit, parse_change, parse_edit, read_edit
from gambol.spacetime.edits.parts import EditableClip, divide_clip
from gambol.spacetime.edits.solve_edit import EDIT_FPS, SolvedEdit, find_feasible_share, solve_edit
from gambol.spacetime.edits.to_rig import return_to_rig, show_original
from gambol.stages.frame_rate import estimate_frame_rate
from gambol.terms.space import Term, check_terms

Calibration = Literal["time", "gravity", "off"]
"""What is corrected if the flights of a clip do not fall at 9.81 m/s²."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EditResult(Result):
    """An edited clip."""

    edited: SolvedEdit
    draft: Motion
    """The clip with its stages moved, before physics, on its own rig."""


def edit(
    clip: Source,
    edit: Edit | Mapping[str, Any] | StrPath | None = None,
    *,
    changes: Sequence[Mapping[str, Any]] = (),
    gravity: float | None = None,
    start: float | None = None,
    end: float | None = None,
    solve_fps: float = EDIT_FPS,
    soft: bool = False,
    printed: bool = False,
    calibrate: Calibration = "time",
    contacts: GivenContacts | None = None,
    mass: float | None = None,
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> EditResult:
    """Edit the stages of a clip and replan the whole body.

    `edit` is a YAML file, the same as a mapping, or the name of a built-in edit; `changes` such as
    `{"stage": "ground 2", "forward": 0.5}` (metres, degrees) and `gravity` (m/s²) are added to it. `start` and `end`
    (s) cut the clip first. The edit is solved at `solve_fps` frames per second; the output keeps the clip's frame rate.
    `soft` allows residual forces on the ground, at a cost; `printed` takes momentum from the thesis's splines instead
    of contact forces. Where flights do not fall at 9.81 m/s² within noise, `calibrate` corrects the frame "time" or the
    "gravity" of the clip, or nothing ("off"). `contacts` replaces those found: a YAML file that `gambol contacts`
    wrote and a person corrected, or its content. `terms` of your own are added to the problem. An edit without a
    solution raises an InputError that names the largest feasible share of it.

    >>> edited = gb.edit("jump", changes=[{"stage": "ground 2", "forward": 0.5}])  # doctest: +SKIP
    >>> edited.figures["change_deg"], edited.save("farther.bvh")  # doctest: +SKIP
    """
    if not 10.0 <= solve_fps <= 240.0:
        raise InputError(f"'solve_fps' is {solve_fps:g}", fix="10 to 240 frames per second")
    if soft and printed:
        raise InputError("soft and printed exclude each other", fix="choose one of them")
    asked, given_terms = combine(edit, changes, gravity), check_terms(terms)
    given = as_motion(clip)
    material, notes = prepare_clip(enter_own_frame(given), start, end, mass, calibrate, contacts, find_own_frame(given))

    found = solve_edit(material, asked, fps=solve_fps, soft=soft, printed=printed, terms=given_terms, progress=progress)
    if not found.outcome.solution.converged:
        fix = "ask for less" if soft or printed else "ask for less, or pass --soft"
        _refuse(material, asked, found, fix, given_terms, progress)
    made = {"verb": "edit", "edit": str(asked), "change_deg": round(found.change_deg, 3)}
    motion, draft = (
        replace(on_rig, skeleton=given.skeleton, made={**on_rig.made, **made})
        for on_rig in (return_to_rig(found.draft, q) for q in (found.outcome.motion.q, found.draft.reference.q))
    )
    shown = show_original(found.draft)
    return EditResult(
        motions=as_ensemble(motion),
        figures={
            "change_deg": found.change_deg,
            "iterations": found.outcome.solution.iterations,
            **({} if (fall := material.gravity_estimate) is None else {"flight_gravity_m_s2": fall.value}),
        },
        notes=(*notes, *found.notes),
        edited=found,
        draft=draft,
        sources=(given,),
        originals=(Original(motion, replace(shown, skeleton=given.skeleton), (compare_likeness,)),),
    )


def combine(
    given: Edit | Mapping[str, Any] | StrPath | None, changes: Sequence[Mapping[str, Any]], gravity: float | None
) -> Edit:
    """Return the edit that is named or given, with further changes."""
    if given is None and not changes and gravity is None:
        raise InputError("no edit", fix="give a YAML file, a name of 'gambol edit --list', or changes")
    if given is None:
        asked = Edit("edit")
    elif isinstance(given, Edit):
        asked = given
    else:
        asked = parse_edit(dict(given), "edit") if isinstance(given, Mapping) else read_edit(library.find(given))
    asked = replace(asked, changes=(*asked.changes, *(parse_change(dict(change)) for change in changes)))
    return asked if gravity is None else replace(asked, gravity=gravity)


def prepare_clip(
    motion: Motion,
    start: float | None = None,
    end: float | None = None,
    mass: float | None = None,
    calibrate: Calibration = "time",
    contacts: GivenContacts | None = None,
    own: OwnFrame = OwnFrame(),
) -> tuple[EditableClip, tuple[str, ...]]:
    """Cut a clip to two times (s), repair it, fit a character and divide it into stages; also return notes.

    `calibrate` says what is corrected if flights do not fall at 9.81 m/s² (L05 section 4.4.1); `contacts` replaces
    those found, its times in seconds of the clip as it is; `own` is the frame of the clip, if it is not the world.
    """
    check_choice(calibrate, "calibrate", get_args(Calibration))
    motion = cut_clip(motion, start, end)
    cleaned = remove_artefacts(motion)
    found, notes = estimate_frame_rate(cleaned.motion), list[str]()
    if found.by_flights and calibrate == "time":
        rates = f"from {found.stated:.4g} to {found.fps:.4g} frames per second"
        notes.append(f"{found.why}: frame rate corrected {rates} (if not, --calibrate off)")
        cleaned = remove_artefacts(replace(motion, frame_time=found.ratio * motion.frame_time))
        found = estimate_frame_rate(cleaned.motion)
    fitted = fit(Character.from_motion(cleaned.motion, mass), cleaned.motion)
    begin = start or (None if end is None else 0.0)
    touching = use_contacts(fitted, contacts, begin, own, motion.frame_time)
    if contacts is not None:
        found = estimate_frame_rate(cleaned.motion, find_runs(touching.flight))
    weight = found.gravity.value if found.gravity is not None and found.by_flights else GRAVITY
    made = divide_clip(fitted, weight if calibrate == "gravity" else GRAVITY, touching)
    if found.by_flights:
        words = "taken as the gravity of the clip" if calibrate == "gravity" else "frame rate or scale are wrong"
        notes.append(f"{found.why}: {words}")
    elif found.is_wrong:
        fps = f"{found.fps:.4g}"
        notes.append(f"{found.why}: probably recorded at {fps} frames per second; if so, pass --fps {fps}")
    notes = [*cleaned.notes, *notes]
    step = made.frame_time
    for first, last in find_runs(made.contacts.unseen):
        when = f"{first * step:.2f}-{(last + 1) * step:.2f} s"
        notes.append(f"{when}: supported by something other than feet and hands")
    return made, tuple(notes)


def cut_clip(motion: Motion, start: float | None, end: float | None) -> Motion:
    """Return the part of a clip between two times (s); without them, from its start or to its end."""
    step = motion.frame_time
    first, last = round((start or 0.0) / step), len(motion) - 1 if end is None else round(end / step)
    if not 0 <= first < last or first >= len(motion):
        raise InputError(
            f"no frames from {start or 0:g} to {motion.duration if end is None else end:g} s",
            file=motion.name,
            fix=f"the clip lasts {motion.duration:.2f} s",
        )
    return motion[first : last + 1]


def _refuse(
    clip: EditableClip, asked: Edit, found: SolvedEdit, fix: str, terms: Sequence[Term], progress: Progress
) -> None:
    """Raise an error that says how much of the edit is feasible."""
    progress("no solution: searching for how far the edit can go", 0, None)
    share = find_feasible_share(clip, asked, terms)
    feasible = str(asked.scale(share)) if share > 0.0 else "no share of it"
    raise InputError(
        f"this edit has no solution ({found.outcome.solution.status}); feasible: {feasible}",
        file=Path(clip.fitted.source.name),
        fix=fix,
    )

"""`fix`: the smallest change that makes a clip physical, with the figures of `check` before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gambol.body.character import Character
from gambol.clips.result import Result
from gambol.contacts.move import enter_frame
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import fit as fit_character
from gambol.io.lock import lock_output
from gambol.io.output import write_text
from gambol.judge.judgement import Original
from gambol.metrics.check import check
from gambol.metrics.figures import Check, Figure
from gambol.metrics.report import check_report_html, make_table
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.motion.own_frame import enter_own_frame, find_own_frame
from gambol.progress import Progress, silent
from gambol.solve.ipopt import on_one_thread
from gambol.spacetime.artefacts import CleanedClip, remove_artefacts
from gambol.spacetime.chosen_repairs import REPAIRS, repair_only
from gambol.spacetime.planted import PlantedStance, count_expected, list_planted
from gambol.spacetime.steadying import remove_drift
from gambol.spacetime.windows import LONG, Repair, choose_solved_frames, make_physical, skip_frames
from gambol.stages.frame_rate import estimate_frame_rate
from gambol.terms.space import Term, check_terms

_WORSE = 1.05
"""Factor by which a figure must be farther outside its band to be called worse."""
_PER_SOLVED, _PER_FRAME = 0.045, 0.003
"""Seconds that a frame takes which is solved and checked, and any other, on one core of a server of 2023."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FixResult(Result):
    """A repaired clip."""

    repair: Repair
    before: Check
    after: Check
    stances: tuple[PlantedStance, ...]
    """Those in which feet are planted, with how they moved before and after."""

    @property
    def worse(self) -> tuple[str, ...]:
        """Figures that lie farther outside their bands than before."""
        pairs = zip(self.before.measures, self.after.measures, strict=True)
        return tuple(new.name for old, new in pairs if _excess(new) > _WORSE * _excess(old))

    def report(self, path: StrPath, *, overwrite: bool = True) -> Path:
        """Write an HTML page with stances, figures and curves before and after."""
        name = self.motion.name
        checks = [(f"{name}, before", self.before), (f"{name}, after", self.after)]
        return write_text(Path(path), check_report_html(checks, self._tabulate_stances()), overwrite)

    def _tabulate_stances(self) -> str:
        """Return the stances as a section of a page."""
        heads = ("foot", "from", "to", "certainty", "slide before", "after", "top speed before", "after")
        rows = [
            (
                one.side,
                f"{one.start:.2f} s",
                f"{one.end:.2f} s",
                f"{100.0 * one.certainty:.0f} %",
                *(f"{slide:.1f} cm" for slide in one.slides),
                *(f"{speed:.2f} m/s" for speed in one.speeds),
            )
            for one in self.stances
        ]
        return make_table("Stances that are planted", heads, rows) if rows else ""


def fix(
    clip: Source,
    *,
    only: Sequence[str] = (),
    retime: bool = False,
    keep_path: bool = False,
    mass: float | None = None,
    contacts: GivenContacts | None = None,
    terms: Sequence[Term] = (),
    store: StrPath | None = None,
    progress: Progress = silent,
) -> FixResult:
    """Plant the feet, put flights on parabolas and conserve momentum, changing the clip as little as possible.

    Lost and uneven frames, swaps, flips, pops and noise are removed first. Where feet skate or float, the path changes
    so that they stand, unless `keep_path` is set. `only` does some of this and leaves the rest: "jitter" removes noise
    and lost frames, "rate" corrects the frame rate, "feet" plants the feet, "flight" puts flights on parabolas.
    `retime` corrects the frame rate, too, if flights or steps show that it is wrong; `mass` is in kilograms. `contacts`
    replaces those found: a YAML file of `gambol contacts` that somebody corrected, or its content. `terms` of your own
    are added to the problem. `store` is a file that keeps the windows of a long clip that are solved, from which a
    stopped run goes on. Notes say where forces are needed that contacts cannot give.

    >>> fixed = gb.fix("captured.bvh")  # doctest: +SKIP
    >>> fixed.notes, fixed.save("fixed.bvh")  # doctest: +SKIP
    """
    place = None if store is None else Path(store)
    with lock_output(place), on_one_thread():
        return _fix(
            as_motion(clip),
            choose_repairs(only, retime, terms),
            keep_path,
            mass,
            contacts,
            check_terms(terms),
            place,
            progress,
        )


def choose_repairs(only: Sequence[str], retime: bool, terms: Sequence[Term]) -> frozenset[str]:
    """Return what is repaired: "everything" is the whole repair, to which "rate" may come."""
    if only and terms:
        raise InputError("terms of your own are solved in the whole repair", fix="leave out 'only', or the terms")
    unknown = sorted(set(only) - set(REPAIRS))
    if unknown:
        raise InputError(f"unknown repair '{unknown[0]}'", fix=f"choose from {', '.join(REPAIRS)}")
    return frozenset(only or ("jitter", "feet", "everything")) | ({"rate"} if retime else set())


def _fix(
    motion: Motion,
    chosen: frozenset[str],
    keep_path: bool,
    mass: float | None,
    contacts: GivenContacts | None,
    terms: Sequence[Term],
    store: Path | None,
    progress: Progress,
) -> FixResult:
    own, framed = find_own_frame(motion), enter_own_frame(motion)
    cleaned = remove_artefacts(framed) if "jitter" in chosen else CleanedClip(framed, ())
    source, notes = _retime(cleaned.motion) if "rate" in chosen else (cleaned.motion, ())
    fitted = fit_character(Character.from_motion(source, mass), source)
    if "feet" in chosen and not keep_path:
        fitted, drifted = remove_drift(fitted)
        notes = (*notes, *drifted)
    touching = use_contacts(fitted, contacts, own=own, frame_time=motion.frame_time)
    judged = None if contacts is None else enter_frame(own).inverse().table(touching)
    before = _check(motion, mass, judged, progress)
    if "everything" in chosen:
        repair = make_physical(fitted, touching, terms=terms, store=store, progress=progress)
    else:
        repair = repair_only(fitted, touching, chosen, progress)
    expected, found = count_expected(fitted, touching)
    made = {"verb": "fix", "change_deg": round(repair.change, 3), "notes": list(repair.notes)}
    fixed = replace(repair.motion, skeleton=motion.skeleton, made={**repair.motion.made, **made})
    result = FixResult(
        motions=as_ensemble(fixed),
        figures={
            "change_deg": repair.change,
            "help_body_weights": float(repair.residual.max()),
            "stances_expected_count": float(expected),
            "stances_found_count": float(found),
        },
        notes=(*before.notes, *cleaned.notes, *notes, *repair.notes),
        repair=repair,
        before=before,
        after=_check(fixed, mass, judged, progress),
        stances=list_planted(framed, repair.motion, touching),
        originals=(Original(fixed, source),),
    )
    worse = (f"worse than before: {', '.join(result.worse)}; look at the result",) if result.worse else ()
    return replace(result, notes=(*result.notes, *worse))


def estimate_seconds(motion: Motion) -> float | None:
    """Estimate how long the repair of a long clip takes (s); None for others."""
    if motion.duration < LONG:
        return None
    solved = len(motion) / choose_solved_frames(motion)
    return _PER_SOLVED * solved + _PER_FRAME * len(motion)


def _check(motion: Motion, mass: float | None, contacts: Contacts | None, progress: Progress) -> Check:
    """Check a motion by the contacts that are given; of a long one, the frames that are solved."""
    every = choose_solved_frames(motion) if motion.duration >= LONG else 1
    thin = None if contacts is None else contacts.thin(every)
    return check(skip_frames(motion, every), contacts=thin, mass=mass, progress=progress)


def _retime(motion: Motion) -> tuple[Motion, tuple[str, ...]]:
    """Correct the frame rate by flights, or else by steps; return the motion and a note."""
    found = estimate_frame_rate(motion)
    if not found.is_wrong:
        return motion, (f"frame rate unchanged: {found.why}",)
    note = f"{found.why}: frame rate corrected from {found.stated:.4g} to {found.fps:.4g} frames per second"
    return replace(motion, frame_time=found.ratio * motion.frame_time), (note,)


def _excess(figure: Figure) -> float:
    """Return how far a figure is outside its band."""
    return 0.0 if figure.passes else max(figure.band.low - figure.value, figure.value - figure.band.high)

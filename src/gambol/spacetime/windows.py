"""Solve the smallest change that makes a clip physical: fixed feet, feasible contact forces, ballistic flight.

The clip is the reference and the start; contacts come from `spacetime.contacts`. Long clips are solved in windows
that overlap: each begins with two pinned frames of the window before, so that positions and velocities are continuous.
Of fast clips every second frame, or fewer, is solved; the change is interpolated, so that their detail is kept.
On the ground, residual force has a cost instead of being forbidden, since chairs, partners and pushed objects are not
in a clip; it shows where they were. In flight it is not allowed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array, find_runs, join_runs
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.motion.motion import Motion
from gambol.progress import Progress, pass_messages, silent
from gambol.solve.windows import split_windows
from gambol.spacetime.nearest import RESIDUAL_WEIGHT, nearest_terms
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.resampling import FASTEST, choose_every, sample_curves
from gambol.spacetime.solved_windows import SolvedWindow, read_windows, write_windows
from gambol.terms.contacts import Clearance
from gambol.terms.deviation import KeptCoordinates
from gambol.terms.space import Term

_WINDOW, _OVERLAP, _PINNED = 360, 0.5, 2
"""Frames of a window, seconds of overlap, frames of the previous window that are pinned in the next."""
LONG, _LONG_RATE = 15.0, 30.0
"""Duration (s) of a long clip, and frames per second of one that are solved at most."""
_ITERATIONS = 100
_REPORTED = 0.1
"""Residual force (body weights) above which it is reported."""
FEWEST_FRAMES = 10
_PART, _BESIDE = 10_000, 1.0
"""Frames that are brought back to the rig at once, and half the overlap of such parts in seconds."""


@dataclass(frozen=True, eq=False)
class Repair:
    """A clip made physical, with contacts and solved windows."""

    motion: Motion
    """The repaired motion on the clip's own rig."""
    fitted: Fit
    """The character's motion before the repair."""
    q: Array
    """(frames, dofs) coordinates of the character after the repair."""
    contacts: Contacts
    windows: tuple[SolvedWindow, ...]
    """In frames that were solved."""
    every: int
    """Frames of the clip from one that was solved to the next."""

    @property
    def change(self) -> float:
        """Change of the character's joint angles (degrees), root mean square over joints and frames."""
        turns = [n for n, dof in enumerate(self.fitted.character.skeleton.dofs) if dof.kind == "turn"]
        return float(np.degrees(np.sqrt(np.mean((self.q - self.fitted.motion.q)[:, turns] ** 2))))

    @property
    def residual(self) -> Array:
        """(frames,) residual force and moment, in body weights (and metres)."""
        out = np.zeros(-(-len(self.q) // self.every))
        for window in self.windows:
            out[window.first : window.last + 1] = window.residual
        return np.repeat(out, self.every)[: len(self.q)]

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages: windows that did not converge, residual forces, and unseen support."""
        step = self.motion.frame_time

        def when(first: int, last: int) -> str:
            return f"{first * step:.2f}-{(last + 1) * step:.2f} s"

        out = [
            f"{when(self.every * w.first, self.every * w.last)}: {w.status}" for w in self.windows if not w.converged
        ]
        for first, last in join_runs(self.residual > _REPORTED, round(0.1 / step) - 1):
            most = self.residual[first : last + 1].max()
            out.append(f"{when(first, last)}: needs {most:.2f} body weights of force that contacts cannot give")
        for first, last in find_runs(self.contacts.unseen):
            out.append(f"{when(first, last)}: supported by something other than feet and hands")
        return tuple(out)


_Further = Callable[[Array, Contacts, Sequence[Outcome]], Sequence[Term] | None]


def make_physical(
    fitted: Fit,
    contacts: Contacts | None = None,
    *,
    window: int = _WINDOW,
    terms: Sequence[Term] = (),
    store: Path | None = None,
    progress: Progress = silent,
) -> Repair:
    """Repair a fitted clip; by default, its contacts are found. `terms` are added to those of the repair.

    `store` is a file that keeps the solved windows; those that it has already are not solved again.
    """
    if len(fitted.motion) < FEWEST_FRAMES:
        raise InputError(
            f"{len(fitted.motion)} frames are too few to repair",
            file=fitted.source.name,
            fix=f"{FEWEST_FRAMES} or more are needed",
        )
    contacts, every = contacts or detect_contacts(fitted), choose_solved_frames(fitted.motion)
    solved = replace(fitted, motion=skip_frames(fitted.motion, every))
    thin = contacts.thin(every)
    q, windows = solve_windows(
        fitted.character, solved.motion, thin, window=window, terms=terms, store=store, progress=progress
    )
    change = sample_curves(solved.motion, q - solved.motion.q, fitted.motion.times)
    q = fitted.motion.q + change if every > 1 else q
    return Repair(move_to_rig(fitted, q, contacts), fitted, q, contacts, tuple(windows), every)


def choose_solved_frames(motion: Motion) -> int:
    """Return how many frames are skipped to the next that is solved: more in long clips."""
    return choose_every(motion.frame_time, FASTEST if motion.duration < LONG else _LONG_RATE)


def skip_frames(motion: Motion, every: int) -> Motion:
    """Return every so many frames of a motion."""
    return replace(motion, q=motion.q[::every], frame_time=every * motion.frame_time)


def move_to_rig(fitted: Fit, q: Array, contacts: Contacts) -> Motion:
    """Bring coordinates (frames, dofs) back to the rig; a long clip in parts that overlap, which take less memory."""
    half = round(_BESIDE / fitted.motion.frame_time)
    out = np.empty_like(fitted.source.q)
    for first, last in split_windows(len(q), max(_PART, 4 * half), 2 * half):
        span = slice(first, last + 1)
        part = replace(fitted, motion=fitted.motion[span], source=fitted.source[span], errors=fitted.errors[span])
        feet = contacts.cut(first, last).items
        played = lift_toes(plant_feet(map_to_rig(part, q[span]), feet), part.source, feet, contacts.floor)
        kept = first + half if first else 0
        out[kept : last + 1] = played.q[kept - first :]
    return replace(played, q=out, props=fitted.source.props)


def solve_windows(
    character: Character,
    motion: Motion,
    contacts: Contacts,
    *,
    clearances: Sequence[Clearance] = (),
    window: int = _WINDOW,
    bodies: Sequence[str] = (),
    kept: Sequence[int] = (),
    terms: Sequence[Term] = (),
    further: _Further | None = None,
    residual_weight: float = RESIDUAL_WEIGHT,
    least_barrier: float = 0.0,
    store: Path | None = None,
    progress: Progress = silent,
) -> tuple[Array, list[SolvedWindow]]:
    """Solve one window after the other; return coordinates (frames, dofs) and the windows.

    `motion` is the reference, in coordinates of the character, of which those `kept` stay as they are; `bodies` have
    contacts and no soles that are known. `terms` are added in every window; they may use points of all bodies.
    `further` returns terms of a window beside those of `nearest_terms`, from its start, its contacts and the outcomes
    of earlier attempts; None if the last of these stands. `residual_weight` is that of residual force on the ground,
    `least_barrier` that of `solve.ipopt.solve`.
    """
    q, step, more = motion.q.copy(), motion.frame_time, further or _add_nothing
    solve = partial(
        optimise,
        character,
        frame_time=step,
        name=motion.name,
        iterations=_ITERATIONS,
        least_barrier=least_barrier,
        bodies=character.bodies if terms else bodies,
        progress=pass_messages(progress),
    )
    overlap = max(_PINNED + 1, round(_OVERLAP / step))
    spans = list(split_windows(len(q), max(window, 2 * overlap), overlap))
    given = (step, spans, character.mass, *map(_describe, contacts.items), *terms)
    problem = sha256(q.tobytes() + repr(given).encode()).hexdigest()
    windows = [] if store is None else read_windows(store, problem)
    for one in windows:
        q[one.first : one.last + 1] = one.q
    progress("solving frames", windows[-1].last + 1 if windows else 0, len(q))
    for first, last in spans[len(windows) :]:
        pinned = q[first : first + _PINNED] if first > 0 else q[:0]
        part = contacts.cut(first, last)
        above = [one.cut(first, last + 1) for one in clearances]
        above = [replace(one, frames=one.frames - first) for one in above]
        found = _solve_window(
            partial(solve, begin=first * step),
            character,
            motion.q[first : last + 1],
            part,
            above,
            pinned,
            KeptCoordinates(motion.q[first : last + 1], kept, len(pinned)),
            terms,
            more,
            residual_weight,
        )
        q[first : last + 1] = found.motion.q
        windows.append(_make_window(found, first, last))
        if store is not None:
            write_windows(store, problem, windows)
        progress("solving frames", last + 1, len(q))
        gc.collect()  # a problem and its space refer to each other: tens of megabytes per window
    return q, windows


def _describe(contact: Contact) -> tuple[object, ...]:
    slide = None if contact.slide is None else contact.slide.tobytes()
    return (contact.part, contact.first, contact.last, contact.kind, slide, contact.grip, contact.places.tobytes())


def _make_window(found: Outcome, first: int, last: int) -> SolvedWindow:
    none, solution = np.zeros(last + 1 - first), found.solution
    residual = np.hypot(*(found.marks.get(f"residual {kind}", none) for kind in ("force", "moment")))
    return SolvedWindow(first, last, solution.converged, solution.status, solution.iterations, residual, found.motion.q)


def _solve_window(
    solve: Callable[..., Outcome],
    character: Character,
    reference: Array,
    contacts: Contacts,
    clearances: Sequence[Clearance],
    pinned: Array,
    kept: Term,
    given: Sequence[Term],
    further: _Further,
    residual_weight: float,
) -> Outcome:
    """Solve a window, as often as there are further terms; if it does not converge, with residual force in flight."""
    start = np.concatenate((pinned, reference[len(pinned) :]))
    on_ground, everywhere = np.where(contacts.flight, np.inf, residual_weight), np.full(len(start), residual_weight)
    nearest = partial(nearest_terms, character, reference, contacts, pinned=pinned, clearances=clearances)

    def attempt(begin: Array, more: Sequence[Term], weight: Array) -> Outcome:
        return solve(begin, terms=[*nearest(residual_weight=weight), kept, *given, *more])

    tried: list[Outcome] = []
    solved: list[Outcome] = []
    while (more := further(start, contacts, tried)) is not None:
        terms = more
        tried.append(attempt(solved[-1].motion.q if solved else start, terms, on_ground))
        solved = [one for one in tried if one.solution.converged]
    return solved[-1] if solved else attempt(start, terms, everywhere)


def _add_nothing(start: Array, contacts: Contacts, tried: Sequence[Outcome]) -> Sequence[Term] | None:
    """Return no terms for the only attempt."""
    return None if tried else ()

"""The least change that makes a clip physical: feet that stay, forces that feet can give, flight on its parabola.

The clip is the reference and the start; contacts come from `spacetime.contact_plan`. Long clips are solved in windows that
overlap: each begins with two frames of the one before, pinned, so that places and velocities run on. On the ground
momentum from nowhere has a price instead of being forbidden: chairs, partners and things that are pushed are not in a
clip, and it tells where they were. In flight there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gambol.errors import InputError
from gambol.fit.rig_mapping import map_to_rig
from gambol.fit.rig import Fit
from gambol.geometry.arrays import Array
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.motion.motion import Motion
from gambol.spacetime.nearest import RESIDUAL_WEIGHT, nearest_terms, clip_clearance
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.contact_plan import ContactPlan, Mask, plan_contacts
from gambol.stages.speed import find_runs
from gambol.terms.contacts import ContactConstraint

_WINDOW, _OVERLAP, _PINNED = 360, 0.5, 2
"""Frames of a window, seconds of overlap, frames of the window before that begin the next."""
_ITERATIONS = 100
_TOLD = 0.1
"""Body weights of help that are worth a word."""
_LEAST_FRAMES = 10


@dataclass(frozen=True, eq=False)
class SolvedWindow:
    """What became of some frames."""

    first: int
    last: int
    converged: bool
    status: str
    """In words."""
    iterations: int
    help: Array
    """(frames,) body weights (and metres) of force and moment that no foot explains."""


@dataclass(frozen=True, eq=False)
class Repair:
    """A clip made physical, and what that took."""

    motion: Motion
    """On the rig it came on."""
    fitted: Fit
    """The character's motion before."""
    q: Array
    """(frames, dofs) of the character after."""
    contact_plan: ContactPlan
    windows: tuple[SolvedWindow, ...]

    @property
    def change(self) -> float:
        """Degrees that the character's joints were turned, root mean square over joints and frames."""
        turns = [n for n, dof in enumerate(self.fitted.character.skeleton.dofs) if dof.kind == "turn"]
        return float(np.degrees(np.sqrt(np.mean((self.q - self.fitted.motion.q)[:, turns] ** 2))))

    @property
    def helped(self) -> Array:
        """(frames,) body weights (and metres) of force and moment from nowhere."""
        out = np.zeros(len(self.q))
        for window in self.windows:
            out[window.first : window.last + 1] = window.help
        return out

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: windows that did not converge, help that was needed, what carries unseen."""
        step = self.motion.frame_time

        def when(first: int, last: int) -> str:
            return f"{first * step:.2f}-{(last + 1) * step:.2f} s"

        out = [f"{when(w.first, w.last)}: {w.status}" for w in self.windows if not w.converged]
        for first, last in _joined(self.helped > _TOLD, round(0.1 / step)):
            most = self.helped[first : last + 1].max()
            out.append(f"{when(first, last)}: needs {most:.2f} body weights that neither feet nor hands give")
        for first, last in find_runs(self.contact_plan.unseen_support):
            out.append(f"{when(first, last)}: carried by something that is neither foot nor hand")
        return tuple(out)


Tell = Callable[[str], None]
Done = Callable[[SolvedWindow], None]


def make_physical(fitted: Fit, *, window: int = _WINDOW, tell: Tell | None = None, done: Done | None = None) -> Repair:
    """Repair a clip. `tell` hears of slow first times, `done` of every window that was solved."""
    if len(fitted.motion) < _LEAST_FRAMES:
        raise InputError(
            f"{len(fitted.motion)} frames are too few to repair", file=fitted.source.name, fix="ten or more are needed"
        )
    stands = plan_contacts(fitted)
    overlap = max(_PINNED + 1, round(_OVERLAP / fitted.motion.frame_time))
    q, windows = fitted.motion.q.copy(), []
    for first, last in split_windows(len(q), max(window, 2 * overlap), overlap):
        pinned = q[first : first + _PINNED] if first > 0 else q[:0]
        found = _solved(fitted, _cut(stands, first, last), first, last, pinned, tell)
        q[first : last + 1] = found.motion.q
        windows.append(_window(found, first, last))
        if done is not None:
            done(windows[-1])
    motion = lift_toes(plant_feet(map_to_rig(fitted, q), stands.foot_contacts), fitted.source, stands.foot_contacts, stands.floor)
    return Repair(motion, fitted, q, stands, tuple(windows))


def _window(found: Outcome, first: int, last: int) -> SolvedWindow:
    none, solution = np.zeros(last + 1 - first), found.solution
    help = np.hypot(*(found.marks.get(f"help {kind}", none) for kind in ("force", "moment")))
    return SolvedWindow(first, last, solution.converged, solution.status, solution.iterations, help)


def split_windows(frames: int, window: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First and last frames of windows of about the same length that overlap; one where the clip is short."""
    count = 1 if frames <= 1.5 * window else -(-(frames - overlap) // (window - overlap))
    edges = np.linspace(0, frames - overlap, count + 1).astype(int)
    for first, end in pairwise(map(int, edges)):
        yield first, min(end + overlap, frames) - 1


def _solved(fitted: Fit, stands: ContactPlan, first: int, last: int, pinned: Array, tell: Tell | None) -> Outcome:
    """A window; where it cannot be solved otherwise, with help in flight too."""
    character, motion = fitted.character, fitted.motion
    like = motion.q[first : last + 1]
    start = np.concatenate((pinned, like[len(pinned) :]))
    for soft in (np.where(stands.flight, np.inf, RESIDUAL_WEIGHT), np.full(len(like), RESIDUAL_WEIGHT)):
        terms = nearest_terms(character, like, stands, soft=soft, pinned=pinned)
        found = optimise(
            character, start, motion.frame_time, terms, name=motion.name, iterations=_ITERATIONS, tell=tell
        )
        if found.solution.converged:
            break
    return found


def _cut(stands: ContactPlan, first: int, last: int) -> ContactPlan:
    """The footing of some frames, counted from the first of them."""

    def cut(holds: Sequence[ContactConstraint]) -> tuple[ContactConstraint, ...]:
        inside = (hold for hold in holds if hold.first <= last and hold.last >= first)
        return tuple(replace(h, first=max(h.first, first) - first, last=min(h.last, last) - first) for h in inside)

    clear = (replace(c, frames=c.frames - first) for c in (clip_clearance(c, first, last + 1) for c in stands.clearances))
    frames = slice(first, last + 1)
    return replace(
        stands,
        holds=cut(stands.constraints),
        pushes=cut(stands.force_contacts),
        clear=tuple(clear),
        flight=stands.flight[frames],
        carried=stands.unseen_support[frames],
    )


def _joined(mask: Mask, gap: int) -> list[tuple[int, int]]:
    """Stretches of frames, those with short gaps between them as one."""
    out: list[tuple[int, int]] = []
    for first, last in find_runs(mask):
        if out and first - out[-1][1] <= gap:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return out

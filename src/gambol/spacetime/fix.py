"""The least change that makes a clip physical: feet that stay, forces that feet can give, flight on its parabola.

The clip is the reference and the start; contacts come from `spacetime.stances`. Long clips are solved in windows that
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
from gambol.fit.home import to_rig
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.filters import faded
from gambol.geometry.quaternions import Array
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.nearest import nearest, within
from gambol.spacetime.program import Outcome, optimise
from gambol.spacetime.repairs import with_rotations
from gambol.spacetime.stances import Footing, Mask, Rest, footing
from gambol.spacetime.toes import lifted
from gambol.stages.feet import foot_points
from gambol.stages.speed import runs
from gambol.terms.holds import Hold

_SOFT = 300.0
"""Price of momentum from nowhere on the ground, squared body weights times seconds."""
_WINDOW, _OVERLAP, _PINNED = 360, 0.5, 2
"""Frames of a window, seconds of overlap, frames of the window before that begin the next."""
_ITERATIONS = 100
_TOLD = 0.1
"""Body weights of help that are worth a word."""
_BLEND = 0.1
"""Seconds over which a foot of the rig is turned to where it is planted."""
_LEAST_FRAMES = 10


@dataclass(frozen=True, eq=False)
class Window:
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
class Fixed:
    """A clip that was repaired."""

    motion: Motion
    """On the rig it came on."""
    fitted: Fit
    """The character's motion before."""
    q: Array
    """(frames, dofs) of the character after."""
    footing: Footing
    windows: tuple[Window, ...]

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
        for first, last in runs(self.footing.carried):
            out.append(f"{when(first, last)}: carried by something that is neither foot nor hand")
        return tuple(out)


Tell = Callable[[str], None]
Done = Callable[[Window], None]


def fix(fitted: Fit, *, window: int = _WINDOW, tell: Tell | None = None, done: Done | None = None) -> Fixed:
    """Repair a clip. `tell` hears of slow first times, `done` of every window that was solved."""
    if len(fitted.motion) < _LEAST_FRAMES:
        raise InputError(
            f"{len(fitted.motion)} frames are too few to repair", file=fitted.source.name, fix="ten or more are needed"
        )
    stands = footing(fitted)
    overlap = max(_PINNED + 1, round(_OVERLAP / fitted.motion.frame_time))
    q, windows = fitted.motion.q.copy(), []
    for first, last in spans(len(q), max(window, 2 * overlap), overlap):
        pinned = q[first : first + _PINNED] if first > 0 else q[:0]
        found = _solved(fitted, _cut(stands, first, last), first, last, pinned, tell)
        q[first : last + 1] = found.motion.q
        windows.append(_window(found, first, last))
        if done is not None:
            done(windows[-1])
    motion = lifted(planted(to_rig(fitted, q), stands.rests), fitted.source, stands)
    return Fixed(motion, fitted, q, stands, tuple(windows))


def _window(found: Outcome, first: int, last: int) -> Window:
    none, solution = np.zeros(last + 1 - first), found.solution
    help = np.hypot(*(found.marks.get(f"help {kind}", none) for kind in ("force", "moment")))
    return Window(first, last, solution.converged, solution.status, solution.iterations, help)


def spans(frames: int, window: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First and last frames of windows of about the same length that overlap; one where the clip is short."""
    count = 1 if frames <= 1.5 * window else -(-(frames - overlap) // (window - overlap))
    edges = np.linspace(0, frames - overlap, count + 1).astype(int)
    for first, end in pairwise(map(int, edges)):
        yield first, min(end + overlap, frames) - 1


def _solved(fitted: Fit, stands: Footing, first: int, last: int, pinned: Array, tell: Tell | None) -> Outcome:
    """A window; where it cannot be solved otherwise, with help in flight too."""
    character, motion = fitted.character, fitted.motion
    like = motion.q[first : last + 1]
    start = np.concatenate((pinned, like[len(pinned) :]))
    for soft in (np.where(stands.flight, np.inf, _SOFT), np.full(len(like), _SOFT)):
        terms = nearest(character, like, stands, soft=soft, pinned=pinned)
        found = optimise(
            character, start, motion.frame_time, terms, name=motion.name, iterations=_ITERATIONS, tell=tell
        )
        if found.solution.converged:
            break
    return found


def _cut(stands: Footing, first: int, last: int) -> Footing:
    """The footing of some frames, counted from the first of them."""

    def cut(holds: Sequence[Hold]) -> tuple[Hold, ...]:
        inside = (hold for hold in holds if hold.first <= last and hold.last >= first)
        return tuple(replace(h, first=max(h.first, first) - first, last=min(h.last, last) - first) for h in inside)

    clear = (replace(c, frames=c.frames - first) for c in (within(c, first, last + 1) for c in stands.clear))
    frames = slice(first, last + 1)
    return replace(
        stands,
        holds=cut(stands.holds),
        pushes=cut(stands.pushes),
        clear=tuple(clear),
        flight=stands.flight[frames],
        carried=stands.carried[frames],
    )


def planted(motion: Motion, rests: Sequence[Rest]) -> Motion:
    """The rig with its feet turned so that their heels and balls stay where they rest on the average.

    A rig's ankle may turn in ways that the character's does not have: what it did so, it still does.
    """
    points = {point.name: point for point in foot_points(motion)}
    local = local_frames(motion.skeleton, motion.q).rotations
    placed, reach = motion.placement, max(1, round(_BLEND / motion.frame_time))
    for foot in dict.fromkeys(point.body for point in points.values()):
        joint = motion.skeleton.index(foot)
        mine = [r for r in rests if r.held and r.point.name in points and points[r.point.name].body == foot]
        if not mine:
            continue
        turn: Array = np.zeros((len(motion), 3))
        for _ in range(2):
            turn += _turn_to(motion, joint, [(points[r.point.name].point, r) for r in mine], turn)
        resting = np.zeros(len(motion), dtype=bool)
        for rest in mine:
            resting[rest.frames] = True
        wanted = quat.multiply(_rotation(faded(turn, resting, reach)), placed.rotations[:, joint])
        parent = motion.skeleton.parents[joint]
        local[:, joint] = quat.multiply(quat.conjugate(placed.rotations[:, parent]), wanted)
    return with_rotations(motion, local)


def _turn_to(motion: Motion, joint: int, rests: Sequence[tuple[Array, Rest]], turn: Array) -> Array:
    """(frames, 3) further turn of a joint about itself that brings points to their mean places, in frames they rest."""
    placed = motion.placement
    turned = quat.multiply(_rotation(turn), placed.rotations[:, joint])
    matrix = np.tile(1e-4 * np.eye(3), (len(motion), 1, 1))
    wanted: Array = np.zeros((len(motion), 3))
    for point, rest in rests:
        arm = quat.rotate(turned[rest.frames], point)
        original = placed.positions[rest.frames, joint] + quat.rotate(placed.rotations[rest.frames, joint], point)
        off = np.median(original, axis=0) - placed.positions[rest.frames, joint] - arm
        cross = np.cross(np.eye(3), arm[:, None, :])  # rows: axis x arm
        matrix[rest.frames] += cross @ cross.transpose(0, 2, 1)
        wanted[rest.frames] += np.einsum("fac,fc->fa", cross, off)
    return np.linalg.solve(matrix, wanted[..., None])[..., 0]


def _rotation(turn: Array) -> Array:
    """Quaternions (frames, 4) of turns (frames, 3): axes as long as the angle."""
    angle = np.linalg.norm(turn, axis=1)
    return quat.about_axis(turn / np.maximum(angle, 1e-12)[:, None], angle)


def _joined(mask: Mask, gap: int) -> list[tuple[int, int]]:
    """Stretches of frames, those with short gaps between them as one."""
    out: list[tuple[int, int]] = []
    for first, last in runs(mask):
        if out and first - out[-1][1] <= gap:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return out

"""Answer pushes one after the other: where the feet land, when, and how the whole body moves.

The clip is first made physical in the frames of the answer, so that without a push nothing changes; the difference
between the pushed and the unpushed solution is what the push does, and is added to the clip. The next step may land
earlier or later than in the clip, which then keeps the shifted phase: the touchdown with the least cost is searched by
solving a few times. Feet in contact end where the solution puts them, at every frame of the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.contacts.views import find_side
from gambol.geometry.arrays import Array
from gambol.legs.character import find_character_legs
from gambol.motion.pushes import Push
from gambol.progress import Progress, silent
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.recovery.apply_answer import add_answer, find_shifts, sample_deviation
from gambol.spacetime.recovery.solve_answer import SolvedAnswer, solve_window
from gambol.spacetime.recovery.standing import insert_steps, is_standing
from gambol.spacetime.recovery.window import LEAST_CLOSED, REACTION, cut_window
from gambol.spacetime.resampling import sample_curves

RECOVERY_FPS = 30.0
"""Frames per second that are solved."""
HORIZON = 2.5
"""Seconds after the end of a push in which the clip is met again."""
_LEAST_SWING = 0.15
"""Seconds from the reaction to the first touchdown whose time may change: a foot about to land lands."""
_HASTE = 0.35
"""Largest share by which a step is quickened or slowed."""
_TRIAL = 1.4
"""Seconds after the end of a push in which touchdowns are compared."""
_SAME_STEP = 0.05
"""Shift of the footholds (m) below which the timing of the clip is kept."""
_ANKLES = np.radians(12.0)
"""Deviation of a leg's joint (rad) from which somebody who stands takes a step instead."""
_TOGETHER = 0.1
"""Seconds between onsets within which pushes are answered together."""
_ROOM = 0.2
"""Seconds at the end of the clip that stay free for steps that land earlier."""
_FINE, _COARSE = 1e-5, 1e-4
"""Final barriers of the solver: footholds within 2 mm in 17 iterations instead of 24, and within 15 mm in 13, which is
enough to compare touchdowns."""

Style = Callable[[GroundedMotion, Sequence[Push]], Array]
"""Returns the deviation (frames, dofs) from a motion under pushes that the answer should resemble."""


@dataclass(frozen=True, eq=False)
class Step:
    """A foothold after a push."""

    side: str
    time: float
    """Touchdown (s)."""
    shift: Array
    """(3,) metres from its place in the clip."""
    earlier: float
    """Seconds by which it lands earlier than in the clip."""


@dataclass(frozen=True, eq=False)
class PushAnswer:
    """The answer to pushes."""

    motion: GroundedMotion
    """At the frame rate of the clip."""
    times: Array
    """(frames,) seconds of the clip that are shown."""
    solved: tuple[SolvedAnswer, ...]
    """One for every push, or for pushes that begin together; the last one without forces if the clip itself has no
    physical motion near it."""
    steps: tuple[Step, ...]

    @property
    def converged(self) -> bool:
        """Whether every push was answered."""
        return all(one.outcome.solution.converged for one in self.solved)


def recover(
    clip: GroundedMotion,
    pushes: Sequence[Push],
    *,
    style: Style | None = None,
    fps: float = RECOVERY_FPS,
    horizon: float = HORIZON,
    timing: bool = True,
    progress: Progress = silent,
) -> PushAnswer:
    """Answer pushes in the order of their onsets, up to the first that has no answer.

    `style` says how trunk and arms move under the pushes. `timing` lets steps land earlier or later than in the clip.
    """
    found = PushAnswer(clip, clip.motion.times, (), ())
    for group in group_pushes(pushes):
        found = _answer(found, group, style, fps, horizon, timing, progress)
        if not found.converged:
            break
    return found


def group_pushes(pushes: Sequence[Push]) -> list[list[Push]]:
    """Group pushes that begin at about the same time."""
    groups: list[list[Push]] = []
    for push in sorted(pushes, key=lambda one: one.start):
        if groups and push.start - groups[-1][0].start <= _TOGETHER:
            groups[-1].append(push)
        else:
            groups.append([push])
    return groups


def _answer(
    before: PushAnswer,
    pushes: Sequence[Push],
    style: Style | None,
    fps: float,
    horizon: float,
    timing: bool,
    progress: Progress,
) -> PushAnswer:
    """Answer pushes that begin together, in the motion that answers the pushes before."""
    clip, onset = before.motion, pushes[0].start
    step = clip.motion.frame_time
    left, wished = clip.motion.duration - onset, max(push.end for push in pushes) - onset + horizon
    seconds = min(wished, left - _ROOM)
    closed = seconds >= LEAST_CLOSED  # else too short to meet the clip again, and to change the timing of steps
    seconds = seconds if closed else min(wished, left)
    unpushed = solve_window(cut_window(clip, onset, seconds, fps), (), barrier=_FINE, progress=progress)
    if not unpushed.outcome.solution.converged:
        return replace(before, solved=(*before.solved, unpushed))
    settled = clip.move(sample_deviation(clip, unpushed), find_shifts(clip, unpushed))
    if is_standing(clip, onset) and not _stands(solve_window(cut_window(settled, onset, seconds, fps), pushes)):
        impulse = np.sum([push.duration * np.array(push.force) for push in pushes], axis=0)
        clip, settled = (insert_steps(one, onset, impulse) for one in (clip, settled))
    landing = _find_movable_landing(clip, onset) if closed else None

    def attempt(earlier: float, lasting: float, barrier: float) -> SolvedAnswer:
        base = settled.sample(_retime(clip, onset, landing, earlier), step)
        window = cut_window(base, onset, lasting, fps)
        wanted = 0.0 if style is None else sample_curves(base.motion, style(base, pushes), window.times)
        return solve_window(window, pushes, style=wanted, barrier=barrier, apart=barrier < _COARSE, progress=progress)

    earlier = 0.0
    if timing and landing is not None:
        brief = min(seconds, wished - horizon + _TRIAL)
        earlier = _choose_timing(lambda by: attempt(by, brief, _COARSE), landing - onset - REACTION)
    found = attempt(earlier, seconds, _FINE)
    times = _retime(clip, onset, landing, earlier)
    base = clip.sample(times, step)
    shifts = find_shifts(base, found)
    steps = [
        Step(find_side(stance), stance.first * step, shift, earlier)
        for stance, shift in shifts.items()
        if found.window.start + 1.0 / fps < stance.first * step <= onset + seconds
    ]
    return PushAnswer(
        add_answer(base, found, shifts),
        np.interp(times, clip.motion.times, before.times),
        (*before.solved, found),
        (*(one for one in before.steps if one.time <= onset), *steps),
    )


def _stands(found: SolvedAnswer) -> bool:
    """Whether an answer without steps is one by the ankles: the legs hardly bend."""
    legs = [column for leg in find_character_legs(found.outcome.character) for column in leg.columns]
    return found.outcome.solution.converged and float(np.abs(found.deviation[:, legs]).max()) < _ANKLES


def _find_movable_landing(clip: GroundedMotion, onset: float) -> float | None:
    """Return the first touchdown (s) that a push can move in time; None if no foot lands."""
    times = (stance.first * clip.motion.frame_time for stance in clip.stances)
    return next((time for time in times if time >= onset + REACTION + _LEAST_SWING), None)


def _retime(clip: GroundedMotion, onset: float, landing: float | None, earlier: float) -> Array:
    """Return the times (frames,) of the clip that are shown if a landing is `earlier` by some seconds."""
    step, duration = clip.motion.frame_time, clip.motion.duration
    if landing is None or not earlier:
        return clip.motion.times
    times = step * np.arange(int((duration - earlier) / step + 1e-6) + 1)
    begin = onset + REACTION
    phase = np.clip((times - begin) / (landing - earlier - begin), 0.0, 1.0)
    shown = times + earlier * (phase - np.sin(2.0 * np.pi * phase) / (2.0 * np.pi))
    return np.minimum(shown, duration)


def _largest_shift(found: SolvedAnswer) -> float:
    return max((float(np.linalg.norm(shift)) for shift in found.shifts.values()), default=0.0)


def _choose_timing(attempt: Callable[[float], SolvedAnswer], swing: float) -> float:
    """Return by how many seconds the touchdown should be earlier: the minimum of a parabola through three costs.

    `swing` are the seconds until the touchdown in the clip. If no foothold moves, its time stays; if there is no answer
    at one of those times, the earliest that people manage is tried too, and the least cost counts.
    """
    most, found = _HASTE / (1.0 + _HASTE) * swing, attempt(0.0)
    if _largest_shift(found) < _SAME_STEP:
        return 0.0
    tried = {0.0: found, **{earlier: attempt(earlier) for earlier in (-0.5 * most, 0.5 * most)}}
    costs = {earlier: one.outcome.solution.cost for earlier, one in tried.items() if one.outcome.solution.converged}
    if len(costs) < len(tried):
        hasty = attempt(most).outcome.solution
        costs |= {most: hasty.cost} if hasty.converged else {}
        return min(costs, key=lambda earlier: costs[earlier], default=0.0)
    bend, slope, _ = np.polyfit([*costs], [*costs.values()], 2)
    lowest = -0.5 * slope / bend if bend > 0.0 else -np.sign(slope) * most
    return float(np.clip(lowest, -0.5 * most, most))

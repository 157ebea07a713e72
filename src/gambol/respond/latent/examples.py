"""Make pushed examples from one normal walk: no public recording shows a pushed walker (YL10 recorded 14 of them).

The walk is closed into a loop; `spacetime.recovery` answers pushes of given phase, direction and strength. An example
is the loop plus what the push changed, so it begins exactly on the loop, and its last frames are on it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.contact_file import GivenContacts, use_contacts
from gambol.fit.contacts import place_contacts
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.io.checkpoint import read_checkpoint, write_checkpoint
from gambol.io.packed import digest
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.progress import Progress, silent
from gambol.respond.endless import EndlessClip, make_endless
from gambol.respond.latent.features import FRAME_TIME, resample_loop
from gambol.respond.model import ResponseModel, learn_response
from gambol.respond.whole_body import give_way
from gambol.solve.ipopt import on_one_thread
from gambol.solve.workers import check_workers, open_cluster, solve_all
from gambol.spacetime.grounded import GroundedMotion, ground_motion
from gambol.spacetime.recovery.recover import HORIZON, PushAnswer, recover
from gambol.spacetime.resampling import sample_curves
from gambol.version import __version__

_WHAT, _VERSION = "pushed walk", 1
_LEAD = 0.4
"""Seconds of the loop before the push in every example."""
_DURATION = 0.2
"""Seconds that the pushes of examples last."""


@dataclass(frozen=True)
class ExamplePush:
    """A push in the terms of a walk."""

    phase: float
    """Share of the cycle at the onset, 0 to 1."""
    direction: float
    """Degrees from the direction of travel, 90 to the left."""
    speed: float
    """Change of the velocity of the centre of mass, m/s."""
    body: str = "chest"

    def measure_turn(self, direction: float) -> float:
        """Return the angle from this push to another direction, -180 to 180 degrees."""
        return (direction - self.direction + 180.0) % 360.0 - 180.0

    def measure_lateness(self, phase: float) -> float:
        """Return the share of the cycle from this push to another phase (0 to 1), -0.5 to 0.5."""
        return (phase - self.phase + 0.5) % 1.0 - 0.5

    def measure_difference(self, direction: float, phase: float) -> float:
        """Return the difference from another direction and phase: half a turn, or half a cycle, is 1."""
        return float(np.hypot(self.measure_turn(direction) / 180.0, 2.0 * self.measure_lateness(phase)))


@dataclass(frozen=True, eq=False)
class NormalWalk:
    """A walk closed into a loop."""

    fitted: Fit
    """The loop, repeated, at the frame rate of the clip."""
    period: int
    """Frames of one round at that rate."""
    contacts: Contacts | None = None
    """Contacts of the repeated loop that were given; None for those found."""

    @cached_property
    def loop(self) -> EndlessClip:
        """One round at multiples of FRAME_TIME."""
        return resample_loop(make_endless(self.fitted, slice(0, self.period)), self.fitted.motion.frame_time)

    @property
    def character(self) -> Character:
        """The walker."""
        return self.fitted.character

    @cached_property
    def grounded(self) -> GroundedMotion:
        """The repeated loop with its contacts."""
        return ground_motion(self.fitted, self.contacts)

    @property
    def forward(self) -> Array:
        """(3,) direction of travel."""
        ahead = self.loop.travel / max(float(np.linalg.norm(self.loop.travel)), 1e-9)
        return np.array([ahead[0], ahead[1], 0.0])

    def find_direction(self, degrees: float) -> Array:
        """Return the unit vector (3,) at an angle to the left of the direction of travel."""
        angle, ahead = np.radians(degrees), self.forward
        return np.asarray(np.cos(angle) * ahead + np.sin(angle) * np.array([-ahead[1], ahead[0], 0.0]))

    def convert_push(self, push: ExamplePush) -> Push:
        """Return a push of an example as a force on the repeated loop, in its second round."""
        force = push.speed * self.character.mass / _DURATION * self.find_direction(push.direction)
        onset = (1.0 + push.phase) * self.period * self.fitted.motion.frame_time
        return Push(push.body, (float(force[0]), float(force[1]), 0.0), onset, _DURATION)


@dataclass(frozen=True, eq=False)
class SolvedExample:
    """A pushed walk at multiples of FRAME_TIME."""

    push: ExamplePush
    poses: Array
    """(frames, dofs)"""
    onset: int
    """Frame in which the push begins."""
    start: int
    """Frame of the loop that its first frame is."""
    name: str = ""
    """Of the recording; examples that are made have none."""


def make_normal_walk(clip: Motion, mass: float | None = None, contacts: GivenContacts | None = None) -> NormalWalk:
    """Close the best cycle of a walk, and repeat it for as long as an example lasts.

    `contacts` of the clip replaces those found.
    """
    person, cycle = Character.from_motion(clip, mass), find_cycle(clip)
    closed = close_cycle(clip, cycle)
    period = len(closed)
    rounds = 3 + int(np.ceil((_DURATION + HORIZON) / (period * clip.frame_time)))
    repeated = repeat_cycle(closed, rounds)
    walk = NormalWalk(fit(person, repeated), period)
    if contacts is None:
        return walk
    given = use_contacts(fit(person, clip), contacts).cut(cycle.start, cycle.stop - 1)
    return replace(walk, contacts=_repeat_contacts(given, walk.fitted, rounds))


def _repeat_contacts(given: Contacts, loop: Fit, rounds: int) -> Contacts:
    """Return the contacts of one cycle in every round of a loop, where the loop has them."""
    spans = sorted(
        (one.part, n * given.frames + one.first, n * given.frames + one.last, one.kind == "fixed")
        for n in range(rounds)
        for one in given.items
    )
    joined = spans[:1]
    for part, first, last, fixed in spans[1:]:
        before = joined[-1]
        if first % given.frames == 0 and before[::3] == (part, fixed) and before[2] == first - 1:
            joined[-1] = (part, before[1], last, fixed)  # it goes on into the next round
        else:
            joined.append((part, first, last, fixed))
    return place_contacts(loop, joined, np.tile(given.flight, rounds))


def recover_walk(walk: NormalWalk, push: ExamplePush, *, timing: bool = True) -> PushAnswer:
    """Answer one push of the repeated loop by steps."""
    with on_one_thread():
        style = partial(give_way, _learn_model(walk))
        return recover(walk.grounded, [walk.convert_push(push)], style=style, timing=timing)


def make_example(walk: NormalWalk, push: ExamplePush) -> SolvedExample | None:
    """Answer one push by steps; None if it has no answer. The result is the same in any process."""
    clip, force, found = walk.grounded, walk.convert_push(push), recover_walk(walk, push)
    if not found.converged:
        return None
    change = found.motion.motion.q - sample_curves(clip.motion, clip.motion.q, found.times)
    # The loop has a whole number of frames: its time runs slower or faster than the clip's by half a frame per round.
    count, step = len(walk.loop), clip.motion.frame_time
    frame = walk.period * step / count
    onset = round(force.start / frame)
    start = max(0, onset - round(_LEAD / FRAME_TIME))
    seconds = frame * np.arange(start, int((force.end + HORIZON) / frame) + 1)
    seconds = seconds[seconds <= found.motion.motion.duration]
    shown = np.interp(seconds, found.motion.motion.times, found.times) / frame
    return SolvedExample(
        push, _sample_loop(walk.loop, shown) + sample_curves(found.motion.motion, change, seconds), onset - start, start
    )


def make_examples(
    walk: NormalWalk,
    pushes: Sequence[ExamplePush],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    store: Path | None = None,
    progress: Progress = silent,
) -> list[SolvedExample]:
    """Answer pushes, in parallel if asked; those without an answer are left out.

    Solved examples are kept in the folder `store`, so that an interrupted run resumes.
    """
    check_workers(workers, scheduler)
    files = {push: _find_file(walk, push, store) for push in pushes}
    found = {push: _find_example(file) for push, file in files.items()}
    missing = [push for push in pushes if found[push] is None]
    done = len(pushes) - len(missing)
    progress("answering pushes", done, len(pushes))
    with open_cluster(workers, scheduler) as client:
        for push, example in solve_all(client, make_example, walk, missing):
            found[push] = example
            if example is not None and (file := files[push]) is not None:
                file.parent.mkdir(exist_ok=True)
                write_solved_example(file, example)
            done += 1
            progress("answering pushes", done, len(pushes))
    return [example for push in pushes if (example := found[push]) is not None]


@lru_cache(maxsize=4)
def _learn_model(walk: NormalWalk) -> ResponseModel:
    """Learn how trunk and arms give way; not kept in the walk, since its functions cannot be sent to other workers."""
    return learn_response(walk.fitted, cycle=slice(0, walk.period))


def _sample_loop(loop: EndlessClip, frames: Array) -> Array:
    """Return poses (n, dofs) of a loop at fractional frames."""
    from scipy.interpolate import CubicSpline

    whole = np.arange(int(frames.min()) - 3, int(frames.max()) + 4)
    return np.asarray(CubicSpline(whole, loop.at(whole))(frames))


def _find_file(walk: NormalWalk, push: ExamplePush, store: Path | None) -> Path | None:
    if store is None:
        return None
    if store.exists() and not store.is_dir():
        raise InputError("a file has the name of the folder for examples", file=store, fix="remove it")
    given = () if walk.contacts is None else (walk.contacts,)
    return store / f"{digest(__version__, walk.fitted, walk.period, *astuple(push), *given)[:32]}.npz"


def _find_example(file: Path | None) -> SolvedExample | None:
    """Return an example if its file is there and undamaged."""
    try:
        return None if file is None else read_solved_example(file)
    except InputError:
        return None


def write_solved_example(path: Path, example: SolvedExample) -> None:
    """Write an example to a file."""
    write_checkpoint(path, _WHAT, _VERSION, example)


def read_solved_example(path: Path) -> SolvedExample:
    """Read an example from a file."""
    example: SolvedExample = read_checkpoint(path, _WHAT, _VERSION, (ExamplePush, SolvedExample))
    return example

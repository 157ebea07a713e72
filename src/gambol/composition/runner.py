"""Run a schedule: solve its blocks here or on a cluster, report each, and store the state of the scene after each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gambol.composition.approaching import draft_approaches
from gambol.composition.blocks import Block, Cast, PersonTrack, SolvedBlock, Take, solve_block
from gambol.composition.looking import turn_heads
from gambol.composition.timing import find_timing
from gambol.geometry.arrays import Array
from gambol.io.checkpoint import read_checkpoint, write_checkpoint
from gambol.progress import Progress, silent
from gambol.solve.ipopt import SolverState
from gambol.solve.workers import solve_all

_WHAT, _VERSION = "scene that was stopped", 2


@dataclass(frozen=True)
class BlockRow:
    """A solved block of a schedule, as it is reported."""

    label: str
    iterations: int
    objective: float
    residual: float
    """Largest violation of a constraint."""
    seconds: float
    status: str
    converged: bool

    def __str__(self) -> str:
        return (
            f"{self.label:<28} {self.iterations:>10} {self.objective:>9.4g} {self.residual:>8.0e} "
            f"{self.seconds:>7.1f}  {self.status}"
        )


BLOCK_COLUMNS = f"{'block':<28} {'iterations':>10} {'cost':>9} {'residual':>8} {'seconds':>7}  outcome"
"""What the columns of rows are."""


@dataclass(eq=False)
class ScheduleRunner:
    """Solves blocks for a schedule; one that has no solution leaves the scene as it was."""

    cast: Cast
    client: Any = None
    """A Dask client; None solves in this process."""
    store: Path | None = None
    """File for the state of the scene, from which an interrupted run goes on."""
    progress: Progress = silent
    schedule: str = ""
    """What asks for blocks: the state that another schedule stored is not used."""
    rows: list[BlockRow] = field(default_factory=list)
    take: Take | None = None
    """The last state that was solved."""
    worst: tuple[str, str] | None = None
    """The constraint that is farthest from satisfied in the last block without a solution, and why that has none."""
    _states: dict[tuple[tuple[str, ...], int, int, int], SolverState] = field(default_factory=dict)
    """Solutions of blocks, from which the same people and frames, with as many pressed bodies, are solved again."""
    _calls: int = 0
    """How often the schedule asked for something."""
    _done: int = 0
    """How much of that an earlier run has done, and stored."""
    _stored: Take | None = None

    def __call__(self, take: Take, block: Block, *, label: str = "") -> Take:
        """Return the state after a block is solved."""
        return self.solve_all(take, [block], label=label)

    def solve_all(self, take: Take, blocks: Sequence[Block], *, label: str = "") -> Take:
        """Return the state after blocks are solved that do not depend on each other."""
        if self._is_stored():
            return self._restore(take)
        pressed = sum(one.cause is not None for one in take.separations)
        asked = [(block, self._states.get((block.people, block.first, block.last, pressed))) for block in blocks]
        solve = _solve if self.client is not None else partial(_solve, progress=partial(self._show, label))
        begun = take
        for (block, _), solved in list(solve_all(self.client, solve, (self.cast, begun), asked)):
            self._note(solved, label)
            if solved.solution.converged:
                take = _merge(take, begun, solved.take, block)
                self._states[block.people, block.first, block.last, pressed] = solved.solution.state
        self._save(take)
        return take

    def find_timing(self, take: Take, block: Block, rounds: int) -> Take:
        """Return the state after times are found too."""
        if self._is_stored():
            return self._restore(take)
        take = _draft(self.cast, take, block)
        take = find_timing(self.cast, take, block, rounds, lambda solved: self._note(solved, "times"))
        self._save(take)
        return take

    def resume(self) -> Take | None:
        """Return the stored state of a run of the same scene, if there is one."""
        if self.store is None or not self.store.exists():
            return None
        stored = read_state(self.store)
        if stored["scene"] != self._fingerprint():
            return None
        self._stored, self._done = _unpack(self.cast, stored["state"]), stored["calls"]
        self._calls = self._done
        return self._stored

    def _fingerprint(self) -> str:
        """Return a number that differs between scenes and between schedules."""
        roles = self.cast.roles.values()
        terms = [repr(self.cast.terms)] if self.cast.terms else []
        words = [self.schedule, str(self.cast.conditions), *terms, *(str(astuple(role.person)) for role in roles)]
        parts = [*(word.encode() for word in words), *(role.draft.motion.q.tobytes() for role in roles)]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def _restore(self, take: Take) -> Take:
        """Return the stored state as a new one: the same one would mean that a block has no solution."""
        return replace(self._stored or take)

    def _is_stored(self) -> bool:
        self._done -= 1
        return self._done >= 0

    def _note(self, solved: SolvedBlock, label: str) -> None:
        solution, block = solved.solution, solved.block
        if not solution.converged:
            name = max(solution.residuals, key=lambda one: solution.residuals[one])
            self.worst = (name, solution.status)
        step = self.cast.frame_time
        where = f"{block.first * step:.1f}-{block.last * step:.1f} s"
        row = BlockRow(
            f"{label}, {where}" if label else where,
            solution.iterations,
            solved.objective,
            max(solution.residuals.values(), default=0.0),
            sum(solution.seconds.values()),
            solution.status,
            solution.converged,
        )
        self.rows.append(row)

    def _show(self, label: str, what: str, done: int, total: int | None) -> None:
        """Show how far the solver is with a block."""
        self.progress(f"{label}: {what}", done, total)

    def _save(self, take: Take) -> None:
        self._calls += 1
        self.take = take
        if self.store is None:
            return
        state = {"scene": self._fingerprint(), "calls": self._calls, "state": _pack(self.cast, take)}
        write_state(self.store, state)


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Write the state of a scene, which scene that is, and how much of its schedule is done."""
    write_checkpoint(path, _WHAT, _VERSION, state)


def read_state(path: Path) -> dict[str, Any]:
    """Read what `write_state` wrote."""
    state: dict[str, Any] = read_checkpoint(path, _WHAT, _VERSION)
    return state


def _draft(cast: Cast, take: Take, block: Block) -> Take:
    """Return the state with what people of a block do before physics: reach for what they are asked, and look there."""
    return turn_heads(cast, draft_approaches(cast, take, block), block)


def _solve(
    given: tuple[Cast, Take], asked: tuple[Block, SolverState | None], progress: Progress = silent
) -> SolvedBlock:
    (cast, take), (block, state) = given, asked
    return solve_block(cast, _draft(cast, take, block), block, state, progress=progress)


def _merge(take: Take, begun: Take, solved: Take, block: Block) -> Take:
    """Return the state with what a block, which began with another, changed: its people in its frames."""
    frames = slice(block.first, block.last + 1)
    for name in block.people:
        before, after = take.tracks[name], solved.tracks[name]
        q = before.q.copy()
        q[frames] = after.q[frames]
        moved = np.abs(after.shifts - begun.tracks[name].shifts).max(axis=1) > 0.0
        take = take.move(name, PersonTrack(q, np.where(moved[:, None], after.shifts, before.shifts)))
    forces, loads = dict(take.forces), dict(take.loads)
    end = len(take.step_times)  # forces at the ends of a block are those of the blocks beside it
    inner = slice(block.first + (block.first > 0), block.last + (block.last == end))
    for mine, theirs, changed in ((forces, solved.forces, inner), (loads, solved.loads, frames)):
        for condition, values in theirs.items():
            whole = mine[condition].copy() if condition in mine else np.zeros_like(values)
            whole[changed] = values[changed]
            mine[condition] = whole
    references = {**take.references, **{n: q for n, q in solved.references.items() if n in block.people}}
    return replace(take, forces=forces, loads=loads, references=references)


def _pack(cast: Cast, take: Take) -> dict[str, Array]:
    """Return the arrays of a state by name."""
    found: dict[str, Array] = {"step_times": take.step_times}
    for number, track in enumerate(take.tracks.values()):
        found |= {f"q{number}": track.q, f"shifts{number}": track.shifts}
    for number, condition in enumerate(cast.conditions):
        for what, values in (("force", take.forces), ("load", take.loads)):
            if condition in values:
                found[f"{what}{number}"] = values[condition]
    return found


def _unpack(cast: Cast, stored: Any) -> Take:
    tracks = {name: PersonTrack(stored[f"q{n}"], stored[f"shifts{n}"]) for n, name in enumerate(cast.roles)}
    forces, loads = (
        {one: stored[f"{what}{n}"] for n, one in enumerate(cast.conditions) if f"{what}{n}" in stored}
        for what in ("force", "load")
    )
    return Take(tracks, stored["step_times"], forces, loads)

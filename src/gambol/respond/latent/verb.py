"""`learn_walker`: a walker that takes steps when pushed, learned from one walk (YL10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.clips.result import ModelResult
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_motion
from gambol.fit.rig_mapping import map_to_rig
from gambol.io.lock import lock_output
from gambol.motion.cycles import find_cycle
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.respond.latent.examples import NormalWalk, SolvedExample, make_examples, make_normal_walk
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.gate import LEAD_IN, DataGate
from gambol.respond.latent.learn import (
    DIRECTIONS,
    PHASES,
    SPEED,
    Grouping,
    describe_push,
    fit_walker,
    judge_examples,
    plan_examples,
)
from gambol.respond.latent.recorded import read_example
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.latent.walk_model import TrainingOptions

_SLOWEST = 0.2
"""Speed of a normal walk in m/s; the direction of travel, from which directions of pushes count, must be known."""
_LISTED = 4
"""More examples that begin on the normal walk are not listed one by one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkerResult(ModelResult[LatentWalker]):
    """A learned walker; its motion is the normal walk."""

    gate: DataGate


def learn_walker(
    clip: Source,
    examples: Sequence[Source] = (),
    *,
    phases: int = PHASES,
    directions: int = DIRECTIONS,
    speed: float = SPEED,
    dimensions: int = 3,
    order: int = 1,
    by: Grouping = "phase",
    mass: float | None = None,
    contacts: GivenContacts | None = None,
    workers: int = 1,
    store: StrPath | None = None,
    progress: Progress = silent,
) -> WalkerResult:
    """Learn a walker that takes steps when pushed, from one walk.

    `examples` are clips of the same person, each pushed once while walking. Where none are given they are made:
    `push(..., method=Replan())` answers pushes at some `phases` of the cycle and in some `directions`, each of a
    `speed` (m/s, impulse / mass), with several `workers`; the folder `store` keeps them, so that an interrupted run
    resumes. `dimensions` of the latents are 2, 3 or 4, `order` of the dynamics 1 or 2. `by` divides examples among
    models. `contacts` of the walk replaces those found, on which examples are made. Notes of the result say what was
    found about the examples; `progress` gets them before training.

    >>> learned = gb.learn_walker("walk", workers=2)  # doctest: +SKIP
    >>> learned.save("walker.npz")  # doctest: +SKIP
    """
    if contacts is not None and examples:
        raise InputError("contacts are for examples that are made", fix="leave out the contacts, or the examples")
    motion = as_motion(clip)
    try:
        find_cycle(motion)
    except InputError as error:
        raise InputError("no normal walk: the clip has no cycle", file=motion.name, fix=error.fix) from None
    walk = make_normal_walk(motion, mass, contacts)
    speed_of_walk = float(np.linalg.norm(walk.loop.travel)) / (len(walk.loop) * FRAME_TIME)
    if speed_of_walk < _SLOWEST:
        raise InputError(
            f"no normal walk: the best cycle of the clip travels at {speed_of_walk:.2f} m/s (at least {_SLOWEST:g})",
            file=motion.name,
            fix="give a walk over the ground: not in place, on a treadmill or standing",
        )
    recorded = [read_example(walk, as_motion(one)) for one in examples]
    if not examples:
        plan = plan_examples(phases, directions, speed)
        place = None if store is None else Path(store)
        with lock_output(place):
            recorded = make_examples(walk, plan, workers=workers, store=place, progress=progress)
        if not recorded:
            raise InputError("no push of the examples has an answer", file=motion.name, fix="choose a smaller speed")
    gate = judge_examples(walk, recorded)
    notes = (*(_describe(recorded) if examples else ()), *describe_gate(gate))
    # Directions that no example shows are a matter of choice: the walker answers the others.
    failed = [one for one in gate.findings if not one.passes and one.name != "direction_gap"]
    for line in notes:
        progress(line, 0, None)
    if failed:
        raise InputError(failed[0].verdict, file=motion.name, fix=failed[0].advice)
    walker = fit_walker(walk, recorded, TrainingOptions(dimensions, order), by=by, progress=progress)
    return WalkerResult(
        motions=as_ensemble(_show(walk)),
        figures={"examples": len(recorded), "models": len(walker.models), "frames": gate.value("frames")},
        notes=notes,
        model=walker,
        gate=gate,
    )


def describe_gate(gate: DataGate) -> list[str]:
    """Return what was found about training data, a line each, with what to record where something is missing.

    Many examples that begin on the normal walk have one line together.
    """
    on_walk = [one for one in gate.findings if one.name.startswith(LEAD_IN) and one.passes]
    if len(on_walk) <= _LISTED:
        on_walk = []
    lines = [f"{one.verdict}{f': {one.advice}' if one.advice else ''}" for one in gate.findings if one not in on_walk]
    if on_walk:
        farthest = max(one.value for one in on_walk)
        lines.append(f"{len(on_walk)} examples begin within {farthest:.1f} frame distances of the normal walk")
    return lines


def _describe(examples: Sequence[SolvedExample]) -> list[str]:
    return [f"'{one.name}': pushed towards {describe_push(one.push)}, {one.push.speed:.2f} m/s" for one in examples]


def _show(walk: NormalWalk) -> Motion:
    """Return the closed walk on its rig."""
    return map_to_rig(walk.fitted, np.asarray(walk.fitted.motion.q))

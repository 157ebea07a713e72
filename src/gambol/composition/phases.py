"""Find at which phase somebody walks beside a partner: the delay at which hands that hold each other move least apart.

Several delays within a cycle are drafted, and none is solved: how much the hands move against each other in the drafts
ranks delays as the cost of the solved scene does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.composition.blocks import track_part
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition, Person
from gambol.composition.conditions import Hold
from gambol.errors import InputError
from gambol.fit.load import as_motion
from gambol.motion.cycles import find_cycle
from gambol.solve.workers import solve_all

_DELAYS = 12
"""Delays within a cycle that are drafted."""


def choose_delays(
    asked: Composition, client: Any = None, tell: Callable[[str], None] | None = None
) -> tuple[Composition, tuple[str, ...]]:
    """Return the composition with the delays that were to be found, and notes about them."""
    notes: list[str] = []
    for person in (one for one in asked.people if one.delay is None):
        if not any(isinstance(one, Hold) and person.name in one.people for one in asked.conditions):
            raise InputError(f"the delay of '{person.name}' cannot be found", fix="it needs a 'hold' condition")
        if tell is not None:
            tell(f"looking for the delay of {person.name}")
        clip = as_motion(person.actions[0].clip)
        cycle = find_cycle(clip)
        seconds = (cycle.stop - cycle.start) * clip.frame_time / person.actions[0].pace
        delays = [float(delay) for delay in np.arange(_DELAYS) * seconds / _DELAYS]
        spreads = dict(solve_all(client, _measure_spread, (asked, person), delays))
        best = min(delays, key=lambda delay: spreads[delay])
        notes.append(f"{person.name}: with a delay of {best:.2f} s hands move {100.0 * spreads[best]:.0f} cm apart")
        asked = _enter(asked, person, best)
    return asked, tuple(notes)


def _enter(asked: Composition, person: Person, delay: float) -> Composition:
    """Return the composition with the delay of a person."""
    people = tuple(replace(one, delay=delay) if one.name == person.name else one for one in asked.people)
    return replace(asked, people=people)


def _measure_spread(given: tuple[Composition, Person], delay: float) -> float:
    """Return how much hands that should hold each other move against each other in drafts (m), root mean square."""
    asked, person = given
    cast, _ = make_cast(_enter(asked, person, delay))
    take, holds = cast.draft(), [one for one in cast.conditions if isinstance(one, Hold)]
    apart = [track_part(cast, take, one.one) - track_part(cast, take, one.other) for one in holds]
    return float(np.sqrt(sum(np.var(one, axis=0).sum() for one in apart)))

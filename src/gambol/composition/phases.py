"""Find at which phase somebody walks beside a partner: several delays within a cycle are solved, the least cost wins.

How much hands swing against each other in the drafts does not tell: of recorded pairs it ranks delays otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gambol.composition.blocks import solve_block
from gambol.composition.cast import make_cast
from gambol.composition.composition import Composition, Person
from gambol.composition.conditions import Hold
from gambol.errors import InputError
from gambol.fit.load import as_motion
from gambol.motion.cycles import find_cycle
from gambol.progress import Progress, silent
from gambol.solve.workers import solve_all

_DELAYS = 6
"""Delays within a cycle that are solved."""


def choose_delays(
    asked: Composition, client: Any = None, progress: Progress = silent
) -> tuple[Composition, tuple[str, ...]]:
    """Return the composition with the delays that were to be found, and notes about them."""
    notes: list[str] = []
    for person in (one for one in asked.people if one.delay is None):
        if not any(isinstance(one, Hold) and person.name in one.people for one in asked.conditions):
            raise InputError(f"the delay of '{person.name}' cannot be found", fix="it needs a 'hold' condition")
        clip = as_motion(person.actions[0].clip)
        cycle = find_cycle(clip)
        seconds = (cycle.stop - cycle.start) * clip.frame_time / person.actions[0].pace
        delays = [float(delay) for delay in np.arange(_DELAYS) * seconds / _DELAYS]
        costs: dict[float, float] = {}
        for delay, cost in solve_all(client, _try_delay, (asked, person), delays):
            costs[delay] = cost
            progress(f"{person.name}: a delay of {delay:.2f} s costs {cost:.3g}", 0, None)
        best = min(costs, key=lambda delay: costs[delay])
        others = ", ".join(f"{delay:.2f}: {costs[delay]:.3g}" for delay in delays)
        notes.append(f"{person.name}: a delay of {best:.2f} s costs least ({others})")
        asked = _enter(asked, person, best)
    return asked, tuple(notes)


def _enter(asked: Composition, person: Person, delay: float) -> Composition:
    """Return the composition with the delay of a person."""
    people = tuple(replace(one, delay=delay) if one.name == person.name else one for one in asked.people)
    return replace(asked, people=people)


def _try_delay(given: tuple[Composition, Person], delay: float) -> float:
    """Return the cost of the scene with a delay; infinity if it has no solution."""
    cast, _ = make_cast(_enter(*given, delay))
    found = solve_block(cast, cast.draft(), cast.whole)
    return found.objective if found.solution.converged else float("inf")

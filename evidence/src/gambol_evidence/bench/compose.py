"""`gambol bench compose`: seconds to solve scenes, in one problem and by the schedules of L05."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from time import perf_counter

from gambol.composition.blocks import Cast
from gambol.composition.cast import make_cast
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import BodyPart, Hold
from gambol.composition.runner import ScheduleRunner
from gambol.composition.schedules import Alternating, Cleared, Schedule, TimeLayered, Together
from gambol_evidence.bench.rows import Row

_PEER = "alternating, L05 section 6.4.3"
_STEPS = 8
"""Steps of the built-in walk: 4.3 s."""
_LAYERED_STEPS = 20
"""Steps of a scene of five parts in time and four across their seams. Two parts have one seam, less than their share:
longer scenes are solved 1.9 times over in every round, and that one 1.5 times."""
_APART = 0.75
"""Metres between people side by side."""


def run() -> Iterator[Row]:
    """Yield the rows."""
    pair, row_of_three = (_make_row(count, _STEPS) for count in (2, 3))
    _time(_make_row(2, 2), Together())  # compiles and loads
    alternating = _time(pair, Alternating(1e2, 100.0, 3))
    together = _time(pair, Together())
    yield Row("two-people", together, "s", _PEER, alternating, alternating / together)
    yield Row("two-people-cleared", _time(pair, Cleared(Together())), "s")
    three = _time(row_of_three, Together())
    yield Row("three-people", three, "s", "two people, times 1.5", 1.5 * together, 1.5 * together / three)
    short, long = (_time(_make_row(1, steps), TimeLayered()) for steps in (_LAYERED_STEPS, 4 * _LAYERED_STEPS))
    yield Row("layered-four-times-as-long", long, "s", "one quarter of it, times 4", 4.0 * short, 4.0 * short / long)


def _make_row(count: int, steps: int) -> Cast:
    """Return people side by side, each hand in hand with the next."""
    names = [f"person {number + 1}" for number in range(count)]
    walk = (Action("walk", steps=steps),)
    people = tuple(Person(name, walk, (0.0, -_APART * n), 0.0, delay=0.1 * n) for n, name in enumerate(names))
    holds = tuple(Hold(BodyPart(one, "right_hand"), BodyPart(other, "left_hand")) for one, other in pairwise(names))
    return make_cast(Composition("row", people, holds))[0]


def _time(cast: Cast, schedule: Schedule) -> float:
    runner = ScheduleRunner(cast)
    begun = perf_counter()
    schedule.run(cast, replace(cast.draft()), runner)
    return perf_counter() - begun

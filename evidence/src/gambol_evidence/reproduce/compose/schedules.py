"""Claims about schedules and times: one problem against alternation, with and without continuation and warp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.composition.blocks import BlockProblem, Cast, Take, solve_problem
from gambol.composition.cast import make_cast
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.composition_file import read_composition
from gambol.composition.conditions import BodyPart, Hold
from gambol.composition.energies import Likeness
from gambol.composition.library import find
from gambol.composition.phases import choose_delays
from gambol.composition.runner import BlockRow, ScheduleRunner
from gambol.composition.schedules import Alternating, Schedule, TimeLayered, TimeWarped, Together
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.recordings import find_cmu_file

_PAIR = "hand-in-hand"
_WALKERS = ("35_01", "07_01")


def measure_schedules() -> Iterator[Claim]:
    """Yield the claims about one scene of two people, solved in several ways."""
    cast, _ = make_cast(read_composition(find(_PAIR)))
    data = f"scene {_PAIR}"
    together, rows = _run(cast, Together())
    best = rows[-1].objective
    yield Claim(
        "together", "L05 section 6.4", "distance of hands in one problem of everybody, largest",
        1e3 * _find_gap(cast, together), "mm", data, Band(high=5.0),
    )  # fmt: skip
    for factor, cycles in ((100.0, 3), (10.0, 5)):
        taken, rows = _run(cast, Alternating(1e2, factor, cycles))
        yield Claim(
            f"alternating-{factor:.0f}-cost", "L05 section 6.4.3",
            f"cost of alternating with a rubber band times {factor:.0f}, relative to that of one problem",
            sum(row.objective for row in rows[-2:]) / best, "1", data, Band(high=1.0),
        )  # fmt: skip
        yield Claim(
            f"alternating-{factor:.0f}-hands", "L05 section 6.4.3", f"distance of hands after {cycles} cycles, largest",
            1e3 * _find_gap(cast, taken), "mm", data, Band(high=5.0),
        )  # fmt: skip
    once, _ = _run(cast, Alternating(1e6, 1.0, 1))
    moved = [_find_change(cast, once, name) for name in ("adult", "child")]
    yield Claim(
        "continuation-none", "L05 section 6.4",
        "without continuation, who is solved first gives way more: change of the first over that of the second",
        moved[0] / moved[1], "1", data, Band(low=1.5),
    )  # fmt: skip
    layered, rows = _run(cast, TimeLayered(seconds=2.0, rounds=2))
    parts = [[row.objective for row in rows if row.label.startswith(f"round {n}, parts")] for n in (1, 2)]
    yield Claim(
        "layered-falls", "L05 section 6.4.2", "cost of the parts in the second round, relative to that in the first",
        sum(parts[1]) / sum(parts[0]), "1", data, Band(high=1.0),
    )  # fmt: skip
    again = solve_problem(BlockProblem(cast, layered, cast.whole))
    yield Claim(
        "layered-change", "L05 section 6.4.2",
        "change of angles by one problem of everybody after two rounds of layers, root mean square",
        float(np.degrees(_find_difference(layered, again.take))), "degrees", data, Band(high=1.0),
    )  # fmt: skip
    firm = replace(cast, energies={"adult": Likeness(5.0), "child": Likeness(1.0)})
    change = [_find_change(cast, one, "adult") for one in (together, _run(firm, Together())[0])]
    yield Claim(
        "share", "L05 section 6.4.3", "change of the adult with a share of 5, relative to that with a share of 1",
        change[1] / change[0], "1", data, Band(high=0.7),
    )  # fmt: skip


def measure_phases(data: Path) -> Iterator[Claim]:
    """Yield the claim about the phase that is found."""
    clips = [str(find_cmu_file(data, name)) for name in _WALKERS]
    hold = Hold(BodyPart("one", "right_hand"), BodyPart("other", "left_hand"))
    people = [
        Person(name, (Action(clip, steps=4),), heading=0.0) for name, clip in zip(hold.people, clips, strict=True)
    ]
    beside = replace(people[1], at=(0.0, -0.8), delay=None)
    found, _ = choose_delays(Composition("phase", (people[0], beside), (hold,)))
    delay = found.people[1].delay or 0.0
    costs = []
    for later in (0.0, 0.25, 0.5, 0.75):
        moved = replace(found, people=(people[0], replace(beside, delay=(delay + later) % 1.1)))
        cast, _ = make_cast(moved)
        costs.append(_run(cast, Together())[1][-1].objective)
    yield Claim(
        "phase", OUR_BAR, "cost at the phase that is found, relative to the least of three others",
        costs[0] / min(costs[1:]), "1", f"CMU walks {' and '.join(_WALKERS)} hand in hand", Band(high=1.0),
    )  # fmt: skip


def measure_warps() -> Iterator[Claim]:
    """Yield the claims about times that are found."""
    for name in ("walk-to-run", "run-to-stop"):
        cast, _ = make_cast(read_composition(find(name)))
        plain = _run(cast, Together())[1][-1].objective
        for relaxed, row in ((False, "times"), (True, "times-printed")):
            _, rows = _run(cast, TimeWarped(relaxed=relaxed))
            words = "found without dynamics first, as printed" if relaxed else "found with dynamics"
            words = f"cost with times {words}, relative to that with times of the draft"
            ratio, data = rows[-1].objective / plain, f"scene {name}"
            yield Claim(f"{name}-{row}", "L05 section 6.3", words, ratio, "1", data, Band(high=0.95))


def _run(cast: Cast, schedule: Schedule) -> tuple[Take, list[BlockRow]]:
    runner = ScheduleRunner(cast)
    return schedule.run(cast, cast.draft(), runner), runner.rows


def _find_gap(cast: Cast, take: Take) -> float:
    made = BlockProblem(cast, take, cast.whole)
    hold = next(one for one in cast.conditions if isinstance(one, Hold))
    return float(np.linalg.norm(made.track(hold.one) - made.track(hold.other), axis=1).max())


def _find_change(cast: Cast, take: Take, name: str) -> float:
    """Return by how much the angles of a person differ from the draft (rad), root mean square."""
    away = take.tracks[name].q - cast.roles[name].draft.motion.q
    return float(np.sqrt(np.mean(away[:, 6:] ** 2)))


def _find_difference(one: Take, other: Take) -> float:
    """Return by how much angles of two states differ (rad), root mean square over everybody."""
    away = [one.tracks[name].q[:, 6:] - other.tracks[name].q[:, 6:] for name in one.tracks]
    return float(np.sqrt(np.mean(np.concatenate([part.ravel() for part in away]) ** 2)))

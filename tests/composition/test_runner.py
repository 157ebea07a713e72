"""Running schedules: states are merged, reported, stored after every block, and taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.composition import runner as module
from gambol.composition import schedules
from gambol.composition.blocks import Block, Cast, PersonTrack, SolvedBlock, Take
from gambol.composition.conditions import BodyPart, Meet, Tackle
from gambol.composition.runner import BlockRow, ScheduleRunner
from gambol.composition.schedules import Alternating, Surprise
from gambol.solve.ipopt import Solution, SolverState
from tests.composition.scenes import HANDS


def _pretend(converged: bool = True, calls: list[Block] | None = None):
    """Return a solver that adds 1 to the coordinates, and 0.5 m to the shifts, of the people of a block."""

    def solve(given: tuple[Cast, Take], asked: tuple[Block, SolverState | None], **_: object) -> SolvedBlock:
        (cast, take), (block, _) = given, asked
        if calls is not None:
            calls.append(block)
        for name in block.people:
            track = take.tracks[name]
            take = take.move(name, PersonTrack(track.q + 1.0, track.shifts + 0.5))
        take = replace(take, forces={HANDS: np.ones((cast.frames, 2, 3))})
        none = SolverState(np.zeros(0), np.zeros(0), np.zeros(0))
        status = "converged" if converged else "the constraints contradict each other"
        residuals = {"hands": 0.25, "feet": 0.1}
        solution = Solution(np.zeros(0), converged, status, 7, 3.0, {}, residuals, {"solver": 0.5}, none)
        return SolvedBlock(block, take, solution, 2.0)

    return solve


def test_a_block_changes_its_people_in_its_frames_only(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_solve", _pretend())
    take, runner = pair.draft(), ScheduleRunner(pair)
    found = runner(take, Block(("ben",), 10, 20), label="test")
    change = found.tracks["ben"].q - take.tracks["ben"].q
    np.testing.assert_allclose(change[10:21], 1.0)
    assert not change[:10].any()
    assert not change[21:].any()
    assert found.tracks["anna"] is take.tracks["anna"]
    np.testing.assert_array_equal(found.forces[HANDS][:, 0, 0].nonzero()[0], np.arange(11, 20))  # no laws at its ends
    assert runner.rows == [BlockRow("test, 0.3-0.7 s", 7, 2.0, 0.25, 0.5, "converged", True)]
    assert str(runner.rows[0]).split() == ["test,", "0.3-0.7", "s", "7", "2", "2e-01", "0.5", "converged"]


def test_blocks_beside_each_other_are_all_kept(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_solve", _pretend())
    take = pair.draft()
    found = ScheduleRunner(pair).solve_all(
        take, [Block(("ben",), 0, 9), Block(("ben",), 10, 20), Block(("anna",), 0, 5)]
    )
    for name, last in (("ben", 20), ("anna", 5)):
        changed = (found.tracks[name].q != take.tracks[name].q).any(axis=1)
        np.testing.assert_array_equal(changed.nonzero()[0], np.arange(last + 1))


def test_blocks_that_are_solved_at_once_do_not_undo_what_others_changed(
    pair: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each moves one foothold, and finds the forces of its frames but the ends, which it shares with the other."""

    def solve(given: tuple[Cast, Take], asked: tuple[Block, SolverState | None], **_: object) -> SolvedBlock:
        (_, take), (block, _) = given, asked
        track, number = take.tracks["ben"], int(block.first > 0)
        shifts, force = track.shifts.copy(), np.zeros((pair.frames, 3))
        shifts[number] = 1.0 + number
        force[block.first + number : block.last + number] = 1.0 + number
        solved = _pretend()(given, asked)
        return replace(solved, take=replace(take.move("ben", replace(track, shifts=shifts)), forces={HANDS: force}))

    monkeypatch.setattr(module, "_solve", solve)
    last = pair.frames - 1
    found = ScheduleRunner(pair).solve_all(pair.draft(), [Block(("ben",), 0, 21), Block(("ben",), 20, last)])
    np.testing.assert_array_equal(found.tracks["ben"].shifts[:2, 0], [1.0, 2.0])
    np.testing.assert_array_equal(found.forces[HANDS][:, 0], np.repeat([1.0, 2.0], [21, last - 20]))


def test_a_block_without_a_solution_leaves_the_scene_as_it_was(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_solve", _pretend(False))
    runner, take = ScheduleRunner(pair), pair.draft()
    assert runner(take, pair.whole) is take
    assert runner.worst == ("hands", "the constraints contradict each other")


def test_a_stopped_run_goes_on_where_it_was(pair: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule, store, solve = Alternating(cycles=2), tmp_path / "state.part", _pretend()
    monkeypatch.setattr(module, "_solve", solve)
    whole = schedule.run(pair, pair.draft(), ScheduleRunner(pair))

    def stop(given: tuple[Cast, Take], asked: tuple[Block, SolverState | None], **_: object) -> SolvedBlock:
        if asked[0].stiffness is not None and asked[0].stiffness > 1e3:
            raise KeyboardInterrupt
        return solve(given, asked)

    monkeypatch.setattr(module, "_solve", stop)
    first = ScheduleRunner(pair, store=store)
    with pytest.raises(KeyboardInterrupt):
        schedule.run(pair, pair.draft(), first)
    assert len(first.rows) == 2
    calls: list[Block] = []
    monkeypatch.setattr(module, "_solve", _pretend(calls=calls))
    second = ScheduleRunner(pair, store=store)
    stored = second.resume()
    assert stored is not None
    found = schedule.run(pair, stored, second)
    assert len(calls) == 2  # of four
    for name, track in whole.tracks.items():
        np.testing.assert_array_equal(found.tracks[name].q, track.q)
        np.testing.assert_array_equal(found.tracks[name].shifts, track.shifts)
    np.testing.assert_array_equal(found.forces[HANDS], whole.forces[HANDS])


def test_a_stopped_surprise_goes_on(pair: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that an earlier run solved are not taken for blocks without a solution."""
    chests = [BodyPart(name, "chest") for name in ("anna", "ben")]
    hit = replace(pair, conditions=(Tackle(Meet(chests[0], chests[1], 1.0, goal_of="anna")),))
    monkeypatch.setattr(schedules, "_keep_apart", lambda cast, take: take)
    solve, store = _pretend(), tmp_path / "state.part"

    def stop(given: tuple[Cast, Take], asked: tuple[Block, SolverState | None], **_: object) -> SolvedBlock:
        if len(asked[0].people) == 2:
            raise KeyboardInterrupt
        return solve(given, asked)

    monkeypatch.setattr(module, "_solve", stop)
    with pytest.raises(KeyboardInterrupt):
        Surprise().run(hit, hit.draft(), ScheduleRunner(hit, store=store))
    monkeypatch.setattr(module, "_solve", solve)
    second = ScheduleRunner(hit, store=store)
    stored = second.resume()
    assert stored is not None
    Surprise().run(hit, stored, second)
    assert len(second.rows) == 1


def test_the_state_of_another_scene_is_not_taken_up(
    pair: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_solve", _pretend())
    store = tmp_path / "state.part"
    ScheduleRunner(pair, store=store)(pair.draft(), pair.whole)
    assert ScheduleRunner(pair, store=store).resume() is not None
    assert ScheduleRunner(replace(pair, conditions=()), store=store).resume() is None
    assert ScheduleRunner(pair, store=store, schedule="another").resume() is None
    assert ScheduleRunner(pair, store=tmp_path / "none.part").resume() is None

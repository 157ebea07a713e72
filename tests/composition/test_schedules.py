"""Schedules: which blocks they ask for, in which order, without solving any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest

from gambol.composition import schedules
from gambol.composition.block_person import KEPT_FRAMES
from gambol.composition.blocks import Block, Cast, Take
from gambol.composition.conditions import TOUCH, Avoid, BodyPart, Meet, Tackle
from gambol.composition.schedules import (
    SCHEDULES,
    Alternating,
    Cleared,
    DecreasingHorizon,
    Surprise,
    TimeLayered,
    TimeWarped,
    Together,
    choose_schedule,
)
from gambol.errors import InputError
from tests.composition.scenes import PAIR

CHEST = [BodyPart(name, "chest") for name in ("anna", "ben")]
HIT = Meet(CHEST[0], CHEST[1], 1.0, goal_of="anna")
DODGE = Avoid(CHEST[1], CHEST[0], 0.8, 1.2, 0.6, goal_of="ben")


@dataclass
class Recorder:
    """Solves nothing, and writes down what it was asked for."""

    blocks: list[Block] = field(default_factory=list)
    together: list[int] = field(default_factory=list)
    timed: list[tuple[Block, int]] = field(default_factory=list)

    def __call__(self, take: Take, block: Block, *, label: str = "") -> Take:
        return self.solve_all(take, [block], label=label)

    def solve_all(self, take: Take, blocks: list[Block], *, label: str = "") -> Take:
        assert label
        self.blocks += blocks
        self.together.append(len(blocks))
        return replace(take)

    def find_timing(self, take: Take, block: Block, rounds: int) -> Take:
        self.timed.append((block, rounds))
        return replace(take)


def _pretend(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], list[str]]) -> None:
    """Let bodies intersect as often as the answers say, and legs not at all."""
    monkeypatch.setattr(schedules, "find_intersections", lambda cast, take: answer())
    monkeypatch.setattr(schedules, "find_crossings", lambda draft, q: [])


def _run(schedule: schedules.Schedule, cast: Cast) -> Recorder:
    recorder = Recorder()
    schedule.run(cast, cast.draft(), recorder)
    return recorder


def test_together_is_everybody_in_all_frames(pair: Cast) -> None:
    assert _run(Together(), pair).blocks == [Block(("anna", "ben"), 0, pair.frames - 1)]


def test_layers_cover_all_frames_and_every_seam_is_inside_a_part(pair: Cast) -> None:
    recorder = _run(TimeLayered(seconds=0.4, rounds=1), pair)
    parts, seams = (recorder.blocks[: recorder.together[0]], recorder.blocks[recorder.together[0] :])
    covered = np.concatenate([np.arange(one.first, one.last + 1) for one in parts])
    assert set(covered) == set(range(pair.frames))
    for before, after in pairwise(parts):
        assert before.last - after.first + 1 == KEPT_FRAMES  # they share what both keep, and change nothing else twice
        assert any(one.first + 2 < before.last < one.last - 2 for one in seams)
    assert _run(TimeLayered(seconds=0.4, rounds=3), pair).together == 3 * recorder.together


@pytest.mark.parametrize("seconds", [0.8, 0.5, 0.25])
def test_layers_solve_every_frame_twice_however_many_parts_there_are(pair: Cast, seconds: float) -> None:
    blocks = _run(TimeLayered(seconds, rounds=1), pair).blocks
    lengths = np.array([one.last - one.first + 1 for one in blocks])
    assert lengths.sum() <= 2 * pair.frames + KEPT_FRAMES * len(blocks)
    assert lengths.max() <= 1.5 * seconds / pair.frame_time + KEPT_FRAMES


def test_bands_grow_stiffer_in_every_cycle(pair: Cast) -> None:
    blocks = _run(Alternating(10.0, 100.0, 3, ("ben", "anna")), pair).blocks
    assert [one.people for one in blocks] == [("ben",), ("anna",)] * 3
    assert [one.stiffness for one in blocks] == [10.0, 10.0, 1e3, 1e3, 1e5, 1e5]


def test_the_horizon_is_halved_and_the_last_in_the_order_plans_last(
    pair: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "_LEAD", 0.0)
    blocks = _run(DecreasingHorizon(("ben", "anna"), 2), replace(pair, conditions=(HIT,))).blocks
    last = pair.frames - 1
    assert blocks[:2] == [Block((name,), 0, last, goals=False) for name in ("ben", "anna")]
    first, blocks = blocks[:2], blocks[2:]
    assert [(one.people[0], one.last) for one in blocks] == [("ben", last), ("anna", last)] * 2
    begins = np.array([one.first for one in blocks]) * pair.frame_time
    np.testing.assert_allclose(begins, [0.0, 0.5, 0.5, 0.75], atol=0.02)  # of the second until they meet
    monkeypatch.setattr(schedules, "_LEAD", 0.5)
    short = _run(DecreasingHorizon(("ben", "anna"), 2), replace(pair, conditions=(HIT,))).blocks
    assert short == [*first, *blocks[:2]]  # nobody can answer in a quarter of a second


def test_somebody_who_dodges_is_solved_again_apart_from_the_other(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["collide"], ["still"], []]
    _pretend(monkeypatch, lambda: answers.pop(0))
    blocks = _run(DecreasingHorizon(("anna", "ben"), 1), replace(pair, conditions=(HIT, DODGE))).blocks
    assert [one.people for one in blocks[2:]] == [("anna",), ("ben",), ("ben",), ("ben",)]
    assert blocks[3] == blocks[4] == blocks[5]


def test_clearing_ends_when_nothing_intersects_or_there_is_no_solution(
    pair: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [["collide"], []]
    _pretend(monkeypatch, lambda: answers.pop(0))
    assert len(_run(Cleared(Together()), pair).blocks) == 2

    class Stuck(Recorder):
        def solve_all(self, take: Take, blocks: list[Block], *, label: str = "") -> Take:
            super().solve_all(take, blocks, label=label)
            return take

    _pretend(monkeypatch, lambda: ["collide"])
    recorder, take = Stuck(), pair.draft()
    assert Cleared(Together()).run(pair, take, recorder) is take
    assert len(recorder.blocks) == 2


def test_times_are_found_first_where_laws_are_relaxed(pair: Cast) -> None:
    plain, printed = _run(TimeWarped(rounds=3), pair), _run(TimeWarped(rounds=3, relaxed=True), pair)
    assert plain.timed == [(pair.whole, 3)]
    assert printed.timed == [(replace(pair.whole, relaxed=True), 3)]
    assert printed.blocks == [pair.whole]


def test_somebody_who_does_not_expect_a_hit_changes_nothing_before_it(
    pair: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, list)
    hit = replace(pair, conditions=(Tackle(HIT),))
    assert choose_schedule(hit, False) == Surprise()
    blocks, last = _run(Surprise(), hit).blocks, pair.frames - 1
    assert blocks[:2] == [Block((name,), 0, last, goals=False) for name in ("anna", "ben")]
    assert blocks[2] == Block(("anna",), 0, last)
    assert blocks[3].people == ("anna", "ben")
    assert (blocks[3].first + KEPT_FRAMES) * pair.frame_time == pytest.approx(1.0 - TOUCH, abs=0.02)
    assert len(blocks) == 4
    with pytest.raises(InputError, match="by surprise"):
        _run(Surprise(), pair)


def test_whose_goal_a_hit_is_plans_it(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, list)
    blocks = _run(Surprise(), replace(pair, conditions=(Tackle(replace(HIT, goal_of="ben")),))).blocks
    assert blocks[2].people == ("ben",)


def test_a_hit_that_is_out_of_reach_is_refused(pair: Cast) -> None:
    class Stuck(Recorder):
        def __call__(self, take: Take, block: Block, *, label: str = "") -> Take:
            return take

    with pytest.raises(InputError, match="'anna' cannot hit 'ben' at 1 s"):
        Surprise().run(replace(pair, conditions=(Tackle(HIT),)), pair.draft(), Stuck())


def test_the_schedule_follows_from_the_scene(pair: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_schedule(pair, False) == Cleared(Together())
    assert choose_schedule(pair, True) == Cleared(TimeWarped(Together()))
    alone = replace(pair, roles={"anna": pair.roles["anna"]}, conditions=())
    assert choose_schedule(alone, False) == Cleared(Together())
    rivals = replace(pair, conditions=(HIT, DODGE))
    assert choose_schedule(rivals, False, ("ben", "anna")) == DecreasingHorizon(("ben", "anna"))
    monkeypatch.setattr(schedules, "_MOST", 50)
    assert choose_schedule(pair, False) == Cleared(TimeLayered())
    assert {"together", "timed", "layered", "alternating", "horizon", "surprise"} == set(SCHEDULES)
    assert PAIR.order == ()

"""All members of a plan: the same with any workers, whatever is killed, and nothing solved twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.solve import workers as cluster
from gambol.solve.ipopt import SolverState
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.solve_edit import WarmStart, solve_draft
from gambol.spacetime.families import memory, workers
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.member import Member, MemberStore, remove_members, solve_member
from gambol.spacetime.families.plan import parse_plan
from gambol.spacetime.families.populate import populate, set_up_family
from tests.spacetime.families.short_jump import four, short_jump
from tests.waiting import wait_for

CLIP, PLAN = short_jump(), four()
PROGRAM = """
import sys
from pathlib import Path
from gambol.spacetime.families.populate import populate
from tests.spacetime.families.short_jump import four, short_jump
def show(what, done, total):
    if what == "solving members":
        print(done, flush=True)
    if done == 2:
        sys.stdin.read()
if __name__ == "__main__":
    populate(short_jump(), four(), store=Path(sys.argv[1]), progress=show)
"""


@pytest.fixture(scope="module")
def made() -> Family:
    """By this process alone."""
    return populate(CLIP, PLAN)


def assert_same(one: Family, other: Family) -> None:
    for name in ("source_times", "times", "q", "solved"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.character.skeleton.dofs == other.character.skeleton.dofs


def test_members_are_the_edits_of_the_plan(made: Family) -> None:
    assert made.q.shape == (2, 2, len(made.source_times), len(made.character.skeleton.dofs))
    assert made.times.shape == (2, 2, len(made.source_times))
    assert made.solved.all()
    alone = solve_draft(draft_edit(CLIP, PLAN.edit((1, 0)), PLAN.fps)).outcome.motion
    assert np.abs(made.q[1, 0] - alone.q).max() < 1e-6
    last = made.q[:, :, -1, :2]
    assert np.abs(last[1] - last[0] - [0.2, 0.0]).max() < 0.03  # forward is x, and the body lands there
    assert np.abs(last[:, 1] - last[:, 0] - [0.0, 0.2]).max() < 0.03


def test_two_workers_make_the_same(made: Family) -> None:
    told: list[tuple[str, int, int | None]] = []
    assert_same(populate(CLIP, PLAN, workers=2, progress=lambda *report: told.append(report)), made)
    assert [report for report in told if report[1]] == [("solving members", done, 4) for done in (1, 2, 3, 4)]
    assert any("4 members of 19 frames" in what for what, *_ in told)


def test_a_worker_that_is_killed_changes_nothing(made: Family, monkeypatch) -> None:
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=None, dashboard_address=":0"
    ) as cluster:

        def list_pids() -> set[int]:
            return {worker.process.pid for worker in cluster.workers.values()}

        first = list_pids()

        def kill(what: str, done: int, total: int | None) -> None:
            if done == 1:  # others are not
                for pid in first:
                    os.kill(pid, signal.SIGKILL)

        found = populate(CLIP, PLAN, scheduler=cluster.scheduler_address, progress=kill)
        assert wait_for(lambda: not first & list_pids())
    assert_same(found, made)


def test_a_killed_program_goes_on_where_it_was(made: Family, tmp_path: Path) -> None:
    folder = tmp_path / "family.npz.part"
    here = Path(__file__).parents[3]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=here,
    )
    assert program.stdout is not None
    assert [program.stdout.readline() for _ in range(2)] == ["1\n", "2\n"]
    program.kill()
    program.communicate()
    kept = {file: file.stat().st_mtime_ns for file in folder.glob("[!.]*.npz")}
    assert len(kept) == 2
    told: list[str] = []
    assert_same(populate(CLIP, PLAN, store=folder, progress=lambda what, *_: told.append(what)), made)
    assert "2 of 4 members were solved before" in told
    assert all(file.stat().st_mtime_ns == when for file, when in kept.items())
    assert len(list(folder.glob("[!.]*.npz"))) == 4
    remove_members(folder)
    assert not folder.exists()


def test_what_is_kept_belongs_to_one_clip_and_one_edit(tmp_path: Path, monkeypatch) -> None:
    setup = set_up_family(CLIP, PLAN, warm_starts=False)
    start = WarmStart(np.ones((2, 3)), SolverState(np.arange(3.0), np.zeros(3), np.ones(1)))
    member = Member(np.zeros(2), np.ones((2, 3)), True, "converged", 7, 1.5, start)
    kept = MemberStore(tmp_path, setup)
    kept.put((0, 1), member)
    again = kept.get((0, 1))
    assert again is not None
    assert (again.converged, again.status, again.iterations, again.seconds) == (True, "converged", 7, 1.5)
    assert all(np.array_equal(a, b) for a, b in zip(again.warm_start.warm, start.warm, strict=True))
    assert kept.get((1, 0)) is None
    for other in (four(gravity=5.0), four(fps=16)):
        assert MemberStore(tmp_path, set_up_family(CLIP, other, warm_starts=False)).get((0, 1)) is None
    assert MemberStore(tmp_path, set_up_family(CLIP, PLAN)).get((0, 1)) is None  # begins with a neighbour
    renamed = parse_plan(
        {"fps": 15, "axes": [{"stage": "ground 2", n: [-0.1, 0.1], "count": 3} for n in ("forward", "left")]}, "nine"
    )
    finer = MemberStore(tmp_path, set_up_family(CLIP, renamed, warm_starts=False))
    assert finer.get((0, 2)) is not None  # the same edit on a finer grid
    file = next(tmp_path.glob("*.npz"))
    file.write_bytes(file.read_bytes()[:200])
    assert kept.get((0, 1)) is None


def test_all_members_turn_about_the_same_axes() -> None:
    rolls = parse_plan({"fps": 15, "axes": [{"stage": "ground 2", "turn": [-90, 90], "count": 3}]}, "turns")
    setup = set_up_family(CLIP, rolls)
    names = {id(setup.character)}
    drafts = [draft_edit(CLIP, rolls.edit((n,)), 15.0, setup.character) for n in range(3)]
    assert {id(draft.character) for draft in drafts} == names
    assert len(setup.source_times) == max(len(draft.reference) for draft in drafts)


def test_frames_are_those_of_the_longest_member() -> None:
    longer = parse_plan({"fps": 15, "axes": [{"stage": "flight 1", "longer": [0.8, 1.5], "count": 2}]}, "longer")
    setup = set_up_family(CLIP, longer)
    lengths = [len(draft_edit(CLIP, longer.edit((n,)), 15.0).reference) for n in range(2)]
    assert len(setup.source_times) == lengths[1] > lengths[0]


def test_members_without_a_solution_are_told_by_their_values(tmp_path: Path, monkeypatch) -> None:
    def fails(setup: object, index: tuple[int, ...], parent: Member | None) -> Member:
        times, q = np.zeros(18), np.zeros((18, 3))
        start = WarmStart(q, SolverState(times, times, times))
        return Member(times, q, index != (1, 0), "the constraints contradict each other", 9, 0.1, start)

    monkeypatch.setattr(workers, "solve_member", fails)
    with pytest.raises(
        InputError, match=r"1 of 4 members have no solution: ground 2 forward 0\.1, ground 2 left -0\.1: the"
    ):
        populate(CLIP, PLAN, store=tmp_path / "part")
    assert len(list((tmp_path / "part").glob("*.npz"))) == 4


def test_too_large_a_family_is_refused_before_anything_is_solved(monkeypatch) -> None:
    monkeypatch.setattr(workers, "solve_member", lambda *_: pytest.fail("was solved"))
    axes = [{"stage": "ground 2", n: [-0.1, 0.1], "count": 1000} for n in ("forward", "left", "up", "turn")]
    with pytest.raises(InputError, match=r"1000000000000 members of 19 frames take .* GB.*at most \d+ members fit"):
        populate(CLIP, parse_plan({"fps": 15, "axes": axes}, "huge"))
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match="at most 0 members fit"):
        populate(CLIP, PLAN)


@pytest.mark.parametrize(
    ("more", "told"), [({"workers": 0}, "workers"), ({"scheduler": "tcp://127.0.0.1:9"}, "no Dask cluster answers")]
)
def test_workers_that_cannot_be(more: dict[str, object], told: str, monkeypatch) -> None:
    monkeypatch.setattr(cluster, "_TIMEOUT", "1s")
    with pytest.raises(InputError, match=told):
        populate(CLIP, PLAN, **more)  # type: ignore[arg-type]


def test_without_the_extra_the_way_is_told(monkeypatch) -> None:
    from gambol.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gambol\[cluster\]'"):
        populate(CLIP, PLAN, workers=2)


def test_a_member_does_not_depend_on_threads() -> None:
    from threadpoolctl import threadpool_limits

    setup = set_up_family(CLIP, PLAN)
    with threadpool_limits(4):
        many = solve_member(setup, (1, 1))
    with threadpool_limits(1):
        one = solve_member(setup, (1, 1))
    assert np.array_equal(many.q, one.q)


def test_members_begin_with_their_neighbour_towards_the_middle() -> None:
    line = parse_plan({"fps": 15, "axes": [{"stage": "ground 2", "forward": [-0.1, 0.1], "count": 5}]}, "line")
    setup = set_up_family(CLIP, line)
    assert [setup.ancestry((n,)) for n in (0, 2, 4)] == [[(0,), (1,), (2,)], [(2,)], [(4,), (3,), (2,)]]
    middle = solve_member(setup, (2,))
    cold, warm = solve_member(setup, (3,)), solve_member(setup, (3,), middle)
    assert warm.iterations <= 0.7 * cold.iterations
    assert np.abs(warm.q - cold.q).max() < 1e-4


def test_an_active_family_solves_few_and_blends_the_rest() -> None:
    line = parse_plan({"fps": 15, "axes": [{"stage": "ground 2", "left": [-0.05, 0.05], "count": 9}]}, "line")
    family = populate(CLIP, line, active=True)
    assert 3 <= family.solved.sum() < 9
    assert family.solved[[0, 4, 8]].all()
    assert np.isfinite(family.q).all()

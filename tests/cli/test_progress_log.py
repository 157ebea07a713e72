"""Progress in a log: a line at every stage, with what remains, and no 10 seconds without one."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gambol.cli.progress_log import SILENCE, ProgressLog
from tests.waiting import LIMIT


class Log:
    """A log with a clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.times: list[float] = []
        self.progress = ProgressLog(self.write, lambda: self.now)

    def write(self, line: str) -> None:
        self.lines.append(line)
        self.times.append(self.now)


@pytest.fixture
def log() -> Log:
    return Log()


def test_stages_and_messages_are_printed_and_their_steps_are_not(log: Log) -> None:
    log.progress.report("answering pushes", 0, 32)
    for step in range(1, 4):
        log.progress.report("answering pushes", step, 32)
    log.progress.report("learning (4.1 degrees away): step", 0, 25)
    log.progress.report("learning (3.9 degrees away): step", 1, 25)
    for size in (2, 3):
        log.progress.report(f"{size} of 5 members were solved before", 0, None)
    assert log.lines == [
        "answering pushes 0 of 32",
        "learning (4.1 degrees away): step 0 of 25",
        "2 of 5 members were solved before",
        "3 of 5 members were solved before",
    ]


def test_a_silent_stage_is_repeated_with_what_remains(log: Log) -> None:
    log.progress.report("answering pushes", 2, 32)  # two were solved before
    log.now = 60.0
    log.progress.report("answering pushes", 5, 32)
    assert log.lines[1:] == ["answering pushes 5 of 32 (60 s so far, about 540 s left)"]
    log.now += SILENCE
    assert log.progress.repeat() == SILENCE
    assert log.lines[2:] == ["answering pushes 5 of 32 (68 s so far, about 532 s left)"]
    log.progress.report("solving (cost 3.1, residual 2e-05): iteration", 4, None)
    assert log.lines[3:] == ["solving (cost 3.1, residual 2e-05): iteration 4"]


def test_no_ten_seconds_pass_without_a_line(log: Log) -> None:
    """Whatever is reported when; between repetitions a library may keep the interpreter for a second."""
    random = np.random.default_rng(0)
    log.progress.begin("preparing")
    due = log.progress.repeat()
    while log.now < 2000.0:
        wait = random.exponential(3.0)
        if wait < due:
            log.now += wait
            due -= wait
            log.progress.report(random.choice(["one", "two"]), int(log.now), 2000)
        else:
            log.now += due + random.uniform(0.0, 1.0)
            due = log.progress.repeat()
    assert np.diff([0.0, *log.times, log.now]).max() < 10.0


def test_a_command_that_waits_for_somebody_is_silent(log: Log) -> None:
    log.progress.begin("")
    log.now = 100.0
    log.progress.repeat()
    assert log.lines == []


def test_a_thread_repeats_what_a_long_step_does_not_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gambol.cli.progress_log.SILENCE", 0.05)
    printed, clock = threading.Event(), iter([0.0] * 3 + [100.0] * 100)
    log = ProgressLog(lambda _: printed.set(), lambda: next(clock))
    log.begin("compiling")
    before = threading.active_count()
    with log.repeated():
        assert printed.wait(LIMIT)
    assert threading.active_count() == before

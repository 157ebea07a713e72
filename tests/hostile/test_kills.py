"""Commands end on Ctrl-C and SIGTERM with one line; what would be wrong is noticed."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.hostile.attempt import Attempt, LongCommand
from tests.hostile.kills import COMMANDS, Endings, prepare, stop
from tests.waiting import wait_for

GAMBOL = "from gambol.cli import main; main()"


@pytest.mark.parametrize(("name", "number"), [("edit", signal.SIGINT), ("push --live", signal.SIGTERM)])
def test_a_command_is_stopped(name: str, number: signal.Signals, tmp_path: Path) -> None:
    prepare(COMMANDS[name], tmp_path / "inputs")
    found = Endings(name)
    with Attempt(COMMANDS[name], tmp_path / "inputs", (sys.executable, "-c", GAMBOL)) as run:
        assert wait_for(lambda: run.read_processor_time() >= 1.0)
        stop(run, 0.0, number, {}, found)
    assert len(found.to_stop) == 1
    assert not found.failures


BAD = """
import signal, sys, time
from pathlib import Path
def end(*_):
    time.sleep(0.2)
    print("Traceback (most recent call last):", file=sys.stderr)
    sys.exit(1)
signal.signal(signal.SIGINT, end)
Path(".out-half.bvh").touch()
print("ready", file=sys.stderr, flush=True)
time.sleep(600)
"""


def test_a_command_that_ends_badly_is_noticed(tmp_path: Path) -> None:
    found = Endings("bad")
    with Attempt(LongCommand(""), tmp_path, (sys.executable, "-c", BAD)) as run:
        assert wait_for(lambda: "ready" in run.said)
        stop(run, 0.0, signal.SIGINT, {}, found)
    assert found.to_stop[0] >= 0.2
    assert [failure.partition(": ")[2].split()[0] for failure in found.failures] == ["code", "says", "leaves"]

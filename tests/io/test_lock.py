"""One run at a time works on an output; the second is told who does, and a dead one does not count."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.io.lock import lock_output

HOLD = """
import sys
from pathlib import Path
from gambol.io.lock import lock_output
with lock_output(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_run_is_told_who_holds_the_output(tmp_path: Path) -> None:
    output = tmp_path / "jumps.npz"
    with lock_output(output):
        with pytest.raises(InputError) as refused, lock_output(output):
            pass
        assert f"jumps.npz: in use by process {os.getpid()} on {socket.gethostname()} since 2" in str(refused.value)
        with pytest.raises(InputError), lock_output(output):  # the refused run has not removed the lock
            pass
        with lock_output(tmp_path / "other.npz"):
            pass
    assert [*tmp_path.iterdir()] == []


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    output = tmp_path / "jumps.npz"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(output)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match=f"process {other.pid} on"), lock_output(output):
            pass
        other.kill()
        other.wait()
    assert [file.name for file in tmp_path.iterdir()] == ["jumps.npz.lock"]
    with lock_output(output):
        assert f"process {os.getpid()} " in (tmp_path / "jumps.npz.lock").read_text()
    assert [*tmp_path.iterdir()] == []


def test_a_lock_file_that_was_removed_while_it_was_opened_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run ends between the opening and the locking of the second: a third must not get a lock of its own."""
    output, opened = tmp_path / "jumps.npz", Path.open
    path = tmp_path / "jumps.npz.lock"

    def end_of_the_first_run(self: Path, mode: str) -> object:
        file = opened(self, mode)
        monkeypatch.undo()
        path.unlink()
        return file

    monkeypatch.setattr(Path, "open", end_of_the_first_run)
    with lock_output(output), pytest.raises(InputError, match="in use"), lock_output(output):
        pass


def test_a_file_system_without_locks_is_used_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("gambol.io.lock.fcntl.flock", unsupported)
    with lock_output(tmp_path / "jumps.npz"):
        pass
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "words",
    [
        ("family", "jump", "line", "-o", "made.npz"),
        ("fix", "walk", "-o", "made.bvh"),
        ("walker", "learn", "walk", "-o", "made.npz"),
        ("compose", "punch", "-o", "made.bvh"),
    ],
)
def test_commands_that_can_be_resumed_leave_the_output_of_another_run_alone(
    gambol, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with lock_output(Path(words[-1])):
        code, out, err = gambol(*words)
        assert (code, out) == (2, "")
        assert err.splitlines()[-1].startswith(f"gambol: {words[-1]}: in use by process {os.getpid()} on ")
        assert [file.name for file in tmp_path.iterdir()] == [f"{words[-1]}.lock"]


@pytest.mark.parametrize(
    ("verb", "words", "store"),
    [
        (gb.family, ("jump", "line"), {"store": "made.npz.part"}),
        (gb.fix, ("walk",), {"store": "made.bvh.part"}),
        (gb.learn_walker, ("walk",), {"store": "made.examples"}),
        (gb.compose, ("punch",), {"store": "made.bvh.part"}),
        (gb.learn_each_style, ("walk",), {"folder": "styles"}),
    ],
)
def test_verbs_leave_the_store_of_another_run_alone(
    verb: Callable[..., object], words: tuple[str, ...], store: dict[str, str], tmp_path: Path
) -> None:
    """Another process holds it: a run of the command line, or a program that calls the verb."""
    (option, name) = next(iter(store.items()))
    held = tmp_path / name if option == "store" else tmp_path / name / "styles"
    held.parent.mkdir(exist_ok=True)
    with lock_output(held):
        with pytest.raises(InputError, match=f"^{held.name}: in use by process {os.getpid()} on "):
            verb(*words, **{option: tmp_path / name})
        assert [file.name for file in held.parent.iterdir()] == [f"{held.name}.lock"]


def test_a_lock_in_a_folder_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the folder .* does not exist"), lock_output(tmp_path / "none" / "jumps.npz"):
        pass
    with lock_output(None):
        pass

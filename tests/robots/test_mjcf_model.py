"""MJCF that would take hours or all memory, and a compiler that crashes: one line each, and no process is left."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gambol.errors import InputError
from gambol.robots import mjcf_model
from gambol.robots.mjcf_model import compile_mjcf
from tests.robots.mjcf import HUMANOID

COPIES = '<replicate count="1000000" offset="1 0 0"><body><geom size="1"/></body></replicate></worldbody>'
FIELD = '<asset><hfield name="field" nrow="99999" ncol="99999" size="1 1 1 1"/></asset><worldbody>'


def write(tmp_path: Path, old: str = "", new: str = "") -> Path:
    path = tmp_path / "made.xml"
    path.write_text(HUMANOID.replace(old, new))
    return path


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Copies of this process that a test makes; none may be left."""
    made, fork = [], os.fork

    def note() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", note)
    yield made
    for copy in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(copy, os.WNOHANG)


def test_the_model_is_mujocos(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'gambol[robot]'")
    path = write(tmp_path)
    model, notes = compile_mjcf(path)
    direct = mujoco.MjModel.from_xml_path(str(path))
    assert [model.body(n).name for n in range(model.nbody)] == [direct.body(n).name for n in range(direct.nbody)]
    assert (model.body_inertia == direct.body_inertia).all()
    assert notes == ()


def test_a_file_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_model, "MOST_SECONDS", 0.3)
    with pytest.raises(InputError, match=r"made.xml: compiling it takes longer than 0.3 s; check its counts"):
        compile_mjcf(write(tmp_path, "</worldbody>", COPIES))


def test_a_file_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"made.xml: compiling it needs more than 4 GB of memory; check its counts"):
        compile_mjcf(write(tmp_path, "<worldbody>", FIELD))


def test_a_crash_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copies: list[int]) -> None:
    monkeypatch.setattr(mjcf_model, "_compile", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(InputError, match="MuJoCo's compiler crashes on it"):
        compile_mjcf(write(tmp_path))
    assert len(copies) == 1


class Stopped(Exception):
    """What the handler of a signal raises."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it(tmp_path: Path, number: signal.Signals) -> None:
    def stop(*_: Any) -> None:
        raise Stopped

    before = signal.signal(number, stop)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
    timer.start()
    try:
        with pytest.raises(Stopped):
            compile_mjcf(write(tmp_path, "</worldbody>", COPIES))
    finally:
        timer.join()
        signal.signal(number, before)

"""Notes and progress on a terminal."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from gambol.cli.console import Console
from gambol.motion.motion import Motion
from tests.motion.bodies import person


class Screen(io.TextIOWrapper):
    """A terminal; like a real one it has a buffer of bytes, which `typer.echo` would write to."""

    def isatty(self) -> bool:
        return True


def test_notes_are_printed_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    console = Console()
    with console.progress() as progress:
        progress("learning", 0, 2)
        console.note("what was found")
        Console(quiet=True).note("nothing")
        progress("learning", 1, 2)
    text = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
    before, found, after = text.partition("what was found\n")
    assert found
    assert before.endswith("\r\x1b[2K")  # the line of the bar is cleared first
    assert "learning" in after
    assert "nothing" not in text


def test_long_runs_begin_with_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    long = Motion(person(), np.zeros((100_000, len(person().dofs))), 1 / 120, "long")
    Console().announce_duration("check", long)
    Console().announce_duration("check", long[:1000])
    Console(quiet=True).announce_duration("push", long)
    assert capsys.readouterr().err == "long: 100000 frames, about 400 s\n"

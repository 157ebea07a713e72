"""Commands of other packages, found through the entry points `gambol.commands`."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from tests.packages import make_package

HOP = '''
import typer

from gambol.cli.options import Writing

def hop(writing: Writing, times: int = 2) -> None:
    """Hop on one leg."""
    writing.line("hop " * times)

skips = typer.Typer(help="Skip in two ways.")

@skips.command("high")
def skip_high() -> None:
    """Skip high."""
    print("high")

@skips.command("far")
def skip_far() -> None:
    """Skip far."""
    print("far")
'''


def test_a_package_adds_commands(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_package(tmp_path, monkeypatch, "hop-skip", {"gambol.commands": {"hop": "hop", "skip": "skips"}}, HOP)
    code, out, err = gambol("--help")
    assert (code, err) == (0, "")
    assert "From hop-skip" in out
    assert "Hop on one leg." in out
    assert "Skip in two ways." in out
    assert gambol("hop", "--times", 3) == (0, "hop hop hop \n", "")
    assert gambol("skip", "far") == (0, "far\n", "")
    assert gambol("hop", "--times", "many")[0] == 2
    assert gambol("hop", "--help")[1].count("--overwrite") == 1


def test_a_broken_package_costs_one_line(gambol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_package(tmp_path, monkeypatch, "broken", {"gambol.commands": {"hop": "hop"}}, "import missing_module")
    make_package(tmp_path, monkeypatch, "odd", {"gambol.commands": {"odd": "odd"}}, "odd = 3")
    make_package(tmp_path, monkeypatch, "same", {"gambol.commands": {"info": "info"}}, "def info() -> None: ...")
    code, out, err = gambol("--help")
    assert code == 0
    assert "retarget" in out
    assert "hop" not in out
    assert err.splitlines() == [
        "gambol: 'info' of same is ignored: gambol has one of that name",
        "gambol: 'hop' of broken cannot be loaded: ModuleNotFoundError: No module named 'missing_module'; "
        "update or uninstall broken",
        "gambol: 'odd' of odd cannot be loaded: TypeError: expected a function or a typer.Typer; "
        "update or uninstall odd",
    ]
    assert gambol("hop")[::2] == (2, err.splitlines()[1] + "\n")
    code, out, err = gambol("info", "walk")
    assert (code, err) == (0, "")
    assert "frames" in out


@pytest.mark.parametrize("name", ["reproduce", "bench"])
def test_evidence_that_is_not_installed_is_named(gambol, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    code, out, err = gambol("--help")
    assert (code, err) == (0, "")
    assert f" {name} " not in out
    problem = f"gambol: '{name}' is a command of gambol-evidence; pip install gambol-evidence\n"
    assert gambol(name, "--help") == (2, "", problem)

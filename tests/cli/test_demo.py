"""How to get `gambol` on the PATH is said where it is not there, and only there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gambol.cli import demo


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs of a virtual environment below the current folder, which this one seems to be."""
    found = tmp_path / ".venv" / "bin"
    found.mkdir(parents=True)
    (found / "activate").touch()
    (found / "gambol").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    return found


def test_the_script_of_an_environment_that_is_not_active_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("PATH", str(other))
    assert demo._find_activation() == ".venv/bin/activate"
    (other / "gambol").touch(0o755)
    assert demo._find_activation() == ".venv/bin/activate", "another gambol is on the PATH"


def test_nothing_is_said_where_gambol_is_on_the_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    assert demo._find_activation() is None
    (tmp_path / "gambol").symlink_to(folder / "gambol")  # as pipx and uv do
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo._find_activation() is None


def test_nothing_is_said_without_a_virtual_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "activate").unlink()
    monkeypatch.setenv("PATH", "")
    assert demo._find_activation() is None

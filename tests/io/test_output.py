"""Outputs: complete or not there, and a full disk is reported as what it is."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from gambol.drawing import render
from gambol.errors import InputError
from gambol.io import samples, save
from gambol.io.archive import write_archive
from gambol.io.output import atomic_write, write_text

WALK = samples.walk()[:40]
WRITERS: dict[str, Callable[[Path], object]] = {
    **dict.fromkeys((".bvh", ".glb", ".gltf", ".usda", ".usdc", ".mot", ".csv"), lambda path: save(WALK, path)),
    **dict.fromkeys((".png", ".html"), lambda path: render(WALK, path)),
    ".mp4": lambda path: render(WALK[:4], path),
    ".npz": lambda path: write_archive(path, "test", 1, {"a": np.ones(9999)}),
    ".yaml": lambda path: write_text(path, "a" * 9999),
}


@contextmanager
def small_disk(size: int = 2000) -> Iterator[None]:
    """Let the system refuse to write more than so many bytes into a file, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("suffix", WRITERS)
def test_what_the_system_says_is_reported_by_every_writer(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    path.write_text("before")
    with small_disk(), pytest.raises(InputError, match=rf"out{suffix}: cannot be written: File too large; choose"):
        WRITERS[suffix](path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "before"


def test_no_space_for_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "touch", fail)
    with pytest.raises(InputError, match="x: cannot be written: No space left on device"):
        write_text(tmp_path / "x", "text")


def test_errors_about_other_files_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="texture"), atomic_write(tmp_path / "x"):
        (tmp_path / "texture").read_bytes()


@pytest.mark.parametrize("overwrite", [False, True])
def test_devices_and_pipes_are_not_replaced(tmp_path: Path, overwrite: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(InputError, match="not an ordinary file"):
            write_text(path, "text", overwrite)
        assert not path.is_file()


def test_a_signal_as_the_file_is_created_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Path.touch

    def touch(path: Path, mode: int, exist_ok: bool) -> None:
        create(path, mode, exist_ok)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "touch", touch)
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "film.gif"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_block_that_is_never_entered_leaves_nothing(tmp_path: Path) -> None:
    """As when a signal arrives between the file's creation and the first line of the block."""
    writing = atomic_write(tmp_path / "film.gif")
    assert writing.__enter__().is_file()
    del writing
    assert not list(tmp_path.iterdir())

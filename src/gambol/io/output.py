"""Write files under a temporary name and rename them, so that an interrupted run leaves no partial file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gambol.errors import InputError


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path that is renamed to `path` when the block succeeds, and deleted when it fails.

    An error of the system while writing, such as a full disk, is an InputError that names `path`.
    """
    check_writable(path)
    # The name is chosen before the file exists: a signal at any moment after that finds the `finally` entered.
    temporary = path.parent / f".{path.stem}-{secrets.token_hex(4)}{path.suffix}"
    try:
        temporary.touch(0o600, exist_ok=False)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary), temporary):
            raise
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path, overwrite: bool = True) -> None:
    """Raise InputError if an output cannot be written, or exists and must not be replaced."""
    if path.is_dir():
        raise InputError("this is a folder", file=path, fix="give the name of a file to write")
    if path.exists() and not path.is_file():
        raise InputError("this is not an ordinary file", file=path, fix="give the name of a file to write")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist", file=path, fix="create it first")
    if (path.is_file() or path.is_symlink()) and not overwrite:
        raise InputError("exists already", file=path, fix="choose another name, or pass --overwrite to replace it")
    target = path if path.exists() else path.parent
    if not os.access(target, os.W_OK):
        raise InputError("cannot be written: permission denied", file=path, fix="choose another place")


def write_text(path: Path, text: str, overwrite: bool = True) -> Path:
    """Write a text file atomically and return its path."""
    check_writable(path, overwrite)
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(f"cannot be written: {error.strerror}", file=path, fix="choose another place")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

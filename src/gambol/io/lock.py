"""Lock an output or a store while a run that can be resumed works on it, so that a second run does not disturb it.

The lock is the operating system's, on a file beside the output: it ends with its process, however that ends. The file
says who holds it.
"""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from gambol.errors import InputError
from gambol.io.output import check_writable


@contextmanager
def lock_output(output: Path | None) -> Iterator[None]:
    """Lock a file or folder, which need not exist, until the block ends; None locks nothing.

    Raises InputError if another run has locked it.
    """
    if output is None:
        yield
        return
    path = output.with_name(f"{output.name}.lock")
    with _open_locked(path, output) as file:
        try:
            file.truncate(0)
            now = datetime.now().astimezone()
            file.write(f"process {os.getpid()} on {socket.gethostname()} since {now:%Y-%m-%d %H:%M:%S %Z}".encode())
            file.flush()
            yield
        finally:
            path.unlink(missing_ok=True)


def _open_locked(path: Path, output: Path) -> BinaryIO:
    """Open a lock file and lock it; one that a stopped run left behind is taken over."""
    check_writable(path)
    while True:
        file = path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                file.seek(0)
                holder = file.read(200).decode(errors="replace") or "another process"
            raise InputError(
                f"in use by {holder}", file=output, fix="wait until it has ended, or choose another name"
            ) from None
        except OSError:  # a file system without locks
            pass
        # The run that held the lock may have removed the file after it was opened here: then it locks nothing.
        with suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                return file
        file.close()

"""A command that is run on a terminal in a folder of its own, to be stopped and started again."""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import LIMIT

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass(frozen=True)
class LongCommand:
    """A command that takes seconds; what it writes is called `out`."""

    words: str
    parts: str = ""
    """Pattern of the files from which it resumes."""
    journal: str = ""
    """A file that grows as parts are stored."""
    interim: bool = False
    """Whether Ctrl-C writes the best so far."""
    page: bool = False
    """Whether it serves a page until it is stopped."""


class Attempt:
    """A run of a command in a folder of its own, on a terminal of its own; it can be started again."""

    def __init__(self, command: LongCommand, inputs: Path, program: Sequence[str] = ("gambol",)) -> None:
        self.command, self._program = command, program
        self._inputs = {path.name for path in inputs.iterdir()}
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(inputs, self.folder, dirs_exist_ok=True)

    def __enter__(self) -> Attempt:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.wait(LIMIT)
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start the command."""
        ours, theirs = os.openpty()
        self._before = measure_children()
        self._begun = time.monotonic()
        self._process = subprocess.Popen(
            [*self._program, *shlex.split(self.command.words)],
            cwd=self.folder,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        )
        os.close(theirs)
        self._said: list[bytes] = []
        self._reader = threading.Thread(target=self._read, args=(ours,))
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process, and the group of all that it starts."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    @property
    def said(self) -> str:
        """What was printed on the terminal, without the codes that move its cursor."""
        return _ESCAPES.sub("", b"".join(self._said).decode(errors="replace")).replace("\r", "\n")

    def wait(self, seconds: float) -> float:
        """Wait some seconds after the start, or until all processes have ended; return how long it ran."""
        try:
            self._process.wait(max(seconds - (time.monotonic() - self._begun), 0.0) if seconds < LIMIT else LIMIT)
        except subprocess.TimeoutExpired:
            return seconds
        while self._is_alive():
            time.sleep(0.01)
        self._reader.join()
        return time.monotonic() - self._begun

    def read_processor_time(self) -> float:
        """Return the processor time of the command and of what it waited for (s)."""
        if self.code is not None:
            return measure_children() - self._before
        return read_processor_time(self.pid)

    def wait_for_parts(self, known: dict[str, int]) -> float:
        """Wait until other parts are stored than those known, or the command has ended; return how long it has run."""
        while self.code is None and self.read_parts() == known:
            time.sleep(0.05)
        return time.monotonic() - self._begun

    def read_outputs(self) -> dict[str, bytes]:
        """Return the content of the files that are outputs, by name."""
        parts = self.read_parts()
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.name[0] != "."]
        names = {path.relative_to(self.folder).as_posix(): path for path in files if path.suffix != ".lock"}
        kept = () if self.command.parts.startswith("out/") else parts
        return {n: path.read_bytes() for n, path in names.items() if n not in kept and n not in self._inputs}

    def read_parts(self) -> dict[str, int]:
        """Return when the files were written from which the command resumes (ns), by name."""
        found = {}
        for path in self.folder.glob(self.command.parts) if self.command.parts else ():
            with suppress(FileNotFoundError):  # it is removed when the output is complete
                if path.name[0] != ".":
                    found[path.relative_to(self.folder).as_posix()] = path.stat().st_mtime_ns
        return found

    def find_leftovers(self, expected: dict[str, bytes]) -> list[str]:
        """Return the files that are neither inputs nor parts nor whole outputs."""
        files = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()]
        whole = {name for name, data in self.read_outputs().items() if data == expected.get(name)}
        return sorted(set(files) - self._inputs - set(self.read_parts()) - {self.command.journal} - whole)

    def _read(self, terminal: int) -> None:
        """Read what is printed until nobody has the terminal open."""
        while True:
            try:
                text = os.read(terminal, 65536)
            except OSError:
                break
            if not text:
                break
            self._said.append(text)
        os.close(terminal)

    def _is_alive(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


def read_processor_time(pid: int) -> float:
    """Return the processor time of a process that runs, and of what it waited for (s)."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def measure_children() -> float:
    """Return the processor time of all processes that this one waited for (s)."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
